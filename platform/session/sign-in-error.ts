// Why a sign-in or a session ended, for a program to act on and for a person to read.

import * as core from "../../core/complete.ts";
import { ErrorCode, ErrorKind } from "../../core/index.ts";
import type { MetadataError } from "../discovery.ts";
import { missingRoomOf } from "../missing-room.ts";
import { answerInWords, type ServerAnswer } from "./answer-ear.ts";

/** Who can put it right. `nobody`: it is over, and another try may go better. */
export type Remedy = "user" | "administrator" | "maker" | "nobody";

/** Why a sign-in or a session ended. */
export class SignInError extends Error {
  /**
   * Stable: the server's own error (RFC 6749 §5.2, RFC 8628 §3.5), such as `access_denied`, or what the device
   * found, such as `session_ended` or `renewals_exhausted`; `aborted` where the caller gave up; `unreachable` or
   * `no_metadata` where an issuer does not answer or says nothing of use.
   */
  readonly code: string;
  /** Who can put it right. */
  readonly remedy: Remedy;
  /** What the server answered, where it was an answer that ended it. */
  readonly answer: ServerAnswer | undefined;

  constructor(code: string, remedy: Remedy, message: string, answer?: ServerAnswer) {
    super(message);
    this.name = "SignInError";
    this.code = code;
    this.remedy = remedy;
    this.answer = answer;
  }
}

const REMEDIES: Readonly<Record<number, Remedy>> = {
  [ErrorKind.USER]: "user",
  [ErrorKind.ADMINISTRATOR]: "administrator",
  [ErrorKind.MAKER]: "maker",
};

const ADVICE: Readonly<Record<Remedy, string>> = {
  user: "sign in again",
  administrator: "ask the administrator of your organization",
  maker: "check the client and the server's settings",
  nobody: "try again",
};

/**
 * The error that a device shows, as an exception.
 * @param answer the newest of the server's
 */
export function signInErrorOf(device: core.Device, answer?: ServerAnswer): SignInError {
  const code = nameOf(device);
  const kind = device.error === ErrorCode.NONE ? 0 : core.errorKind(device, device.error);
  const remedy = REMEDIES[kind] ?? "nobody";
  const said = answer && isRefusal(answer) ? `; ${answerInWords(answer)}` : "";
  const message = `signing in failed: ${code}; ${missingRoomOf(device) || ADVICE[remedy]}${said}`;
  return new SignInError(code, remedy, message, said === "" ? undefined : answer);
}

/** What keeps a device from going on for now, as an exception that is told and not thrown. */
export function troubleOf(device: core.Device, answer: ServerAnswer): SignInError {
  const code = nameOf(device);
  const again = `trying again in ${Math.ceil(device.waitMs / 1000)} s`;
  const why = code === "malformed_response" ? ", and not what was asked for" : "";
  return new SignInError(code, "nobody", `${answerInWords(answer)}${why}; ${again}`, answer);
}

/** Whether it says more than that the user has not decided yet, or a success. */
function isRefusal({ status, error, failure }: ServerAnswer): boolean {
  if (error === "authorization_pending" || error === "slow_down") return false;
  return failure !== "" || error !== "" || status < 200 || status > 299;
}

function nameOf({ error }: core.Device): string {
  return (ErrorCode[error] ?? "unknown_error").toLowerCase();
}

/** The metadata of an issuer are of no use. */
export function metadataErrorOf({ message, isTransient }: MetadataError): SignInError {
  return isTransient
    ? new SignInError("unreachable", "nobody", `${message}; try again`)
    : new SignInError("no_metadata", "maker", `${message}; check the server's address`);
}
