// Why a sign-in or a session ended, for a program to act on and for a person to read.

import { type Device, ErrorCode, ErrorKind, errorKind } from "../../core/index.ts";
import { lackingMemberOf, missingCapacityOf, missingMemberOf } from "../driver/response-misfit.ts";
import { describeResponse, type ServerResponse } from "../exchange/response-recorder.ts";
import type { MetadataError } from "../servers/server-error.ts";

/** Who can put it right. `nobody`: it is over, and another try may go better. */
export type Remedy = "user" | "administrator" | "developer" | "nobody";

/** What a server called the error (RFC 6749 §5.2, RFC 8628 §3.5), or the device did, such as `session_ended`. */
export type GrantErrorCode = Lowercase<Exclude<keyof typeof ErrorCode, "NONE">>;

/** Stable: to be compared in a program. */
export type SignInErrorCode =
  | GrantErrorCode
  /** The caller gave up. */
  | "aborted"
  /** The program closed the session. */
  | "closed"
  /** The program signed out. */
  | "signed_out"
  /** There is no session to go on with, and none was to be begun. */
  | "not_signed_in"
  /** The issuer's metadata say nothing of use. */
  | "no_metadata"
  /** An option is missing, misspelt or not what it should be. */
  | "wrong_option"
  /** The place where the tokens are to be kept cannot be used. */
  | "state_unusable"
  /** Another program is at work with the same tokens; it is waited for. */
  | "state_busy"
  /** What should be kept is not: storage refuses it, or it does not fit. */
  | "not_saved"
  /** Storage refuses to erase what should be gone. */
  | "not_erased"
  /** Storage has not answered for seconds. */
  | "storage_silent"
  /** The ID token is not one to be believed. */
  | "wrong_id_token"
  /** By the clock of this computer a certificate or an ID token is of another time. */
  | "clock_wrong"
  /** The server's name is not known: misspelt, or there is no network. */
  | "name_not_found"
  /** The server's certificate is not one to be trusted. */
  | "certificate_refused"
  /** The proxy between here and the server leads nowhere. */
  | "proxy_refused"
  /** An answer is longer than what is taken. */
  | "response_too_large"
  /** An adapter has thrown. */
  | "adapter_failed";

/** Why a sign-in or a session ended, or what keeps it from going on. */
export class SignInError extends Error {
  /** What it was. */
  readonly code: SignInErrorCode;
  /** Who can put it right. */
  readonly remedy: Remedy;
  /** What the server answered, where it was an answer that ended it. */
  readonly response: ServerResponse | undefined;
  /** The member that an answer of the server's lacked, such as "verification_uri"; "" where that is not it. */
  readonly lacks: string;

  constructor(code: SignInErrorCode, remedy: Remedy, message: string, more: ErrorContext = {}) {
    super(message, "cause" in more ? { cause: more.cause } : {});
    this.name = "SignInError";
    this.code = code;
    this.remedy = remedy;
    this.response = more.response;
    this.lacks = more.lacks ?? "";
  }
}

/** What there is to say beside the words. */
export interface ErrorContext {
  readonly response?: ServerResponse | undefined;
  readonly lacks?: string;
  readonly cause?: unknown;
}

const REMEDIES: Readonly<Record<number, Remedy>> = {
  [ErrorKind.USER]: "user",
  [ErrorKind.ADMINISTRATOR]: "administrator",
  [ErrorKind.DEVELOPER]: "developer",
};

const ADVICE: Readonly<Record<Remedy, string>> = {
  user: "sign in again",
  administrator: "ask the administrator of your organization",
  developer: "check the client and the server's settings",
  nobody: "try again",
};

/** What an adapter says, by Node's or OpenSSL's name for it or in a sentence; what that is, who mends it, and how. */
type Cause = readonly [text: RegExp, SignInErrorCode, Remedy, advice: string];

const CERTIFICATE = "certificate_refused";

/** Why there is no answer, as far as somebody can mend it. What fits first counts. */
const CAUSES: readonly Cause[] = [
  [/\(the proxy|\(ERR_PROXY/, "proxy_refused", "user", "check the proxy (http.agent, HTTPS_PROXY)"],
  [/\((ENOTFOUND|EAI_)/, "name_not_found", "user", "check the server's name, and the network"],
  [/NOT_YET_VALID/, "clock_wrong", "user", "set the clock of this computer"],
  [
    /CERT_HAS_EXPIRED/,
    CERTIFICATE,
    "administrator",
    "the server needs a new one, or this computer's clock is wrong",
  ],
  [
    /ALTNAME_INVALID/,
    CERTIFICATE,
    "developer",
    "check the server's name, and whether the network wants a sign-in of its own",
  ],
  [
    /CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/,
    "unreachable",
    "developer",
    "the server requires a client certificate (http.agent with cert and key), or other ciphers",
  ],
  [
    /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/,
    "unreachable",
    "administrator",
    "the server has to support TLS 1.2 or later, and http.agent the version that the server supports",
  ],
  [
    /WRONG_VERSION_NUMBER/,
    "unreachable",
    "developer",
    "check the address: this port does not speak TLS",
  ],
  [
    /\([A-Z_]*(CERT|ISSUER|SIGNATURE)/,
    CERTIFICATE,
    "developer",
    "give the certificates of its authority as http.ca",
  ],
  [/\(the head/, "response_too_large", "administrator", "the server has to send shorter headers"],
  [/ coding /, "unreachable", "administrator", "the server has to send what was requested"],
  [/too large/, "response_too_large", "developer", "http.sizeLimitBytes says how much is taken"],
];

const causeOf = (failure: string): Cause | undefined => CAUSES.find(([text]) => text.test(failure));

/**
 * The error that a device shows, as an exception.
 * @param answer the newest of the server's
 */
export function signInErrorOf(device: Device, response?: ServerResponse): SignInError {
  const code = errorNameOf(device);
  const remedy = remedyFor(device);
  const text = response && isRefusal(response) ? `; ${describeResponse(response)}` : "";
  const advice = missingCapacityIn(device) || ADVICE[remedy];
  const lack = missingMemberOf(device);
  const from = lack && response ? `; ${describeResponse(response)}` : "";
  const message = `signing in failed: ${code}; ${lack && `${lack}; `}${advice}${text || from}`;
  const lacks = lackingMemberOf(device);
  return new SignInError(code, remedy, message, {
    response: text === "" ? undefined : response,
    lacks,
  });
}

/** What keeps a device from going on for now, as an exception that is told and not thrown. */
export function troubleOf(device: Device, response: ServerResponse): SignInError {
  const [, known, fixer, remark] = causeOf(response.failure) ?? [];
  const code = known ?? errorNameOf(device);
  const again = `trying again in ${Math.ceil(device.waitMs / 1000)} s`;
  const lack = missingMemberOf(device);
  const isOther = code === "malformed_response";
  const why = lack ? `; ${lack}` : isOther ? ", and not what was asked for" : "";
  const remedy = fixer ?? remedyFor(device);
  const what = remark ?? (missingCapacityIn(device) || ADVICE[remedy]);
  const advice = remedy === "nobody" ? "" : `; ${what}`;
  const message = `${describeResponse(response)}${why}${advice}; ${again}`;
  return new SignInError(code, remedy, message, { response, lacks: lackingMemberOf(device) });
}

/** The setting of a program's by its name. */
function missingCapacityIn(device: Device): string {
  return missingCapacityOf(device).replace("bytes of memory", "bytes as memoryBytes");
}

/** Who can put it right. */
function remedyFor(device: Device): Remedy {
  return REMEDIES[errorKind(device, device.error)] ?? "nobody";
}

/** Whether it says more than that the user has not decided yet, or a success. */
function isRefusal({ status, error, failure }: ServerResponse): boolean {
  if (error === "authorization_pending" || error === "slow_down") return false;
  return failure !== "" || error !== "" || status > 299;
}

/** What went wrong last, as the documents spell it. */
export function errorNameOf({ error }: Device): GrantErrorCode {
  return (ErrorCode[error] ?? "UNKNOWN_ERROR").toLowerCase() as GrantErrorCode;
}

/** The metadata of an issuer are of no use. @param againInS seconds until it is asked again; undefined: it is not */
export function metadataErrorOf(
  { message, isTransient }: MetadataError,
  againInS?: number,
): SignInError {
  const again = againInS === undefined ? "" : `trying again in ${againInS} s`;
  const [, code, remedy, advice] = causeOf(message) ?? [];
  if (code)
    return new SignInError(code, remedy!, [message, advice, again].filter(Boolean).join("; "));
  if (isTransient)
    return new SignInError("unreachable", "nobody", `${message}; ${again || "try again"}`);
  return new SignInError("no_metadata", "developer", `${message}; check the server's address`);
}

export function givenUp(): SignInError {
  return new SignInError("aborted", "nobody", "signing in was given up");
}

export function wrongOption(message: string, cause?: unknown): SignInError {
  return new SignInError(
    "wrong_option",
    "developer",
    message,
    cause === undefined ? {} : { cause },
  );
}

/** What a callback of the program's has thrown is the cause: it goes to the program as it is. */
export class CallbackError extends Error {}

/** Asking for metadata may take a minute, and nobody may be waiting any more. @throws SignInError `aborted` */
export async function unlessAborted<Result>(
  signal: AbortSignal | undefined,
  act: () => Promise<Result>,
): Promise<Result> {
  if (signal === undefined) return await act();
  if (signal.aborted) throw givenUp();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(givenUp());
    signal.addEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([act(), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort!);
  }
}
