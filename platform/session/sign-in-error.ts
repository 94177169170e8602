import { type Device, ErrorCode, ErrorKind, errorKind } from "../../core/index.ts";
import { lackingMemberOf, missingCapacityOf, missingMemberOf } from "../driver/responses.ts";
import { describeResponse, type ServerResponse } from "../exchange/response-recorder.ts";
import type { MetadataError } from "../servers/profile.ts";

/** Who can fix the error. `nobody`: no action is possible or necessary. */
export type Remedy = "user" | "administrator" | "developer" | "nobody";

/** The server's error code (RFC 6749 §5.2, RFC 8628 §3.5), or a code of the device, such as `session_ended`. */
export type GrantErrorCode = Lowercase<Exclude<keyof typeof ErrorCode, "NONE">>;

/** The code of an error. Codes are stable, so programs may compare them. */
export type SignInErrorCode =
  | GrantErrorCode
  | "aborted"
  | "closed"
  | "signed_out"
  /** There is no session to resume, and a new sign-in is not allowed (as with `resumeOnly`). */
  | "not_signed_in"
  | "no_metadata"
  /** An option is missing, misspelled or invalid. */
  | "wrong_option"
  | "state_unusable"
  /** This program waits, because another program is using the same tokens. */
  | "state_busy"
  /** Storage fails or is too small: the tokens are not saved, or not refreshed, as new tokens could not be saved. */
  | "not_saved"
  | "not_erased"
  /** Storage has not responded for ten seconds. */
  | "storage_silent"
  | "wrong_id_token"
  /** The signer has failed, or its signature does not match its public key. */
  | "signer_failed"
  /** The tokens are bound to a key that this program does not have. */
  | "key_changed"
  /** A certificate, an ID token or a signature is not valid at the time of this computer's clock. */
  | "clock_wrong"
  /** The server's name does not resolve: it is misspelled, or there is no network. */
  | "name_not_found"
  | "certificate_refused"
  /** The proxy does not connect to the server. */
  | "proxy_refused"
  | "response_too_large"
  | "adapter_failed";

/** The reason why a sign-in or a session ended, or what blocks it. */
export class SignInError extends Error {
  readonly code: SignInErrorCode;
  readonly remedy: Remedy;
  /** The server's response, if it is the reason. */
  readonly response: ServerResponse | undefined;
  /** The member that is missing or invalid in the response, such as "verification_uri"; otherwise "". */
  readonly lacks: string;

  constructor(code: SignInErrorCode, remedy: Remedy, message: string, more: ErrorContext = {}) {
    super(message, more.cause === undefined ? {} : { cause: more.cause });
    this.name = "SignInError";
    this.code = code;
    this.remedy = remedy;
    this.response = more.response;
    this.lacks = more.lacks ?? "";
  }
}

interface ErrorContext {
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

/** `text` is a pattern for an adapter's failure: an error code of Node or OpenSSL, or a sentence. */
type Cause = readonly [text: RegExp, SignInErrorCode, Remedy, advice: string];

const CERTIFICATE = "certificate_refused";

/** Reasons for a missing response that somebody can fix. The first matching row is used. */
const CAUSES: readonly Cause[] = [
  [/\(the proxy|\(ERR_PROXY/, "proxy_refused", "user", "check the proxy (http.agent, HTTPS_PROXY)"],
  [/\((ENOTFOUND|EAI_)/, "name_not_found", "user", "check the server's name, and the network"],
  [/\(the signer/, "signer_failed", "developer", "check the option signer"],
  [
    /\(the HTTP adapter/,
    "adapter_failed",
    "developer",
    "report both to sink.status, or set dpop to off",
  ],
  [/\(the DPoP-Nonce/, "unreachable", "administrator", "RFC 9449 §8.1 does not allow this nonce"],
  [/\(the clock|NOT_YET_VALID/, "clock_wrong", "user", "set the clock of this computer"],
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

/** @param response the server's newest response */
export function signInErrorOf(device: Device, response?: ServerResponse): SignInError {
  const code = errorNameOf(device);
  const remedy = remedyFor(device);
  const reason = response && isRefusal(response) ? response : undefined;
  const advice = missingCapacityIn(device) || ADVICE[remedy];
  const lack = missingMemberOf(device);
  const shown = reason ?? (lack ? response : undefined);
  const from = shown ? `; ${describeResponse(shown)}` : "";
  const message = `signing in failed: ${code}; ${lack && `${lack}; `}${advice}${from}`;
  return new SignInError(code, remedy, message, {
    response: reason,
    lacks: lackingMemberOf(device),
  });
}

/** Returns the problem that currently blocks a device, for `onTrouble`. */
export function troubleOf(device: Device, response: ServerResponse): SignInError {
  const [, known, fixer, remark] = causeOf(response.failure) ?? [];
  const code = known ?? errorNameOf(device);
  const lack = missingMemberOf(device);
  const isOther = code === "malformed_response";
  const why = lack ? `; ${lack}` : isOther ? ", and not the requested response" : "";
  const remedy = fixer ?? remedyFor(device);
  const what = remark ?? (missingCapacityIn(device) || ADVICE[remedy]);
  const advice = remedy === "nobody" ? "" : `; ${what}`;
  const again = `; trying again in ${Math.ceil(device.waitMs / 1000)} s`;
  const message = `${describeResponse(response)}${why}${advice}${again}`;
  return new SignInError(code, remedy, message, { response, lacks: lackingMemberOf(device) });
}

function missingCapacityIn(device: Device): string {
  return missingCapacityOf(device).replace("bytes of memory", "bytes as memoryBytes");
}

function remedyFor(device: Device): Remedy {
  return REMEDIES[errorKind(device, device.error)] ?? "nobody";
}

/** Whether a response is an error other than a pending decision. */
function isRefusal({ status, error, failure }: ServerResponse): boolean {
  if (error === "authorization_pending" || error === "slow_down") return false;
  return failure !== "" || error !== "" || status > 299;
}

export function errorNameOf({ error }: Device): GrantErrorCode {
  return (ErrorCode[error] ?? "UNKNOWN_ERROR").toLowerCase() as GrantErrorCode;
}

/** @param againInS seconds until the next attempt; undefined: there is none */
export function metadataErrorOf(
  { message, isTransient }: MetadataError,
  againInS?: number,
): SignInError {
  const again = againInS === undefined ? "" : `; trying again in ${againInS} s`;
  const [, code, remedy = "nobody", advice] = causeOf(message) ?? [];
  if (code) return new SignInError(code, remedy, `${message}; ${advice}${again}`);
  if (isTransient)
    return new SignInError("unreachable", "nobody", `${message}${again || "; try again"}`);
  return new SignInError("no_metadata", "developer", `${message}; check the server's address`);
}

export function givenUp(): SignInError {
  return new SignInError("aborted", "nobody", "signing in was given up");
}

export function wrongOption(message: string, cause?: unknown): SignInError {
  return new SignInError("wrong_option", "developer", message, { cause });
}

export function cannotPromptUser(isResumed = false): SignInError {
  return isResumed
    ? new SignInError("not_signed_in", "user", "not signed in; sign in first")
    : wrongOption("nobody is signed in, and onCode is missing, which shows the code");
}

export function endedElsewhere(): SignInError {
  const message = "another program with the same state has ended the session; sign in again";
  return new SignInError("session_ended", "user", message);
}

export function notRenewed(problem: string): SignInError {
  const why = "new tokens would be lost; free space there, or make it writable";
  return new SignInError("not_saved", "user", `not renewed, since ${problem}: ${why}`);
}

export function adapterFailed(cause: unknown): SignInError {
  const what = cause instanceof Error ? cause.message : "something that is no Error";
  const message = `an adapter has thrown (${what}); what it was to do counts as failed`;
  return new SignInError("adapter_failed", "developer", message, { cause });
}

/** Runs `act`. Rejects as soon as the caller aborts, as `act` may take a minute. @throws SignInError `aborted` */
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
