// Why a sign-in or a session ended, for a program to act on and for a person to read.

import * as core from "../../core/complete.ts";
import { ErrorCode, ErrorKind } from "../../core/index.ts";
import { missingRoomOf } from "../missing-room.ts";

/** Who can put it right. `nobody`: it is over, and another try may go better. */
export type Remedy = "user" | "administrator" | "maker" | "nobody";

/** Why a sign-in or a session ended. */
export class SignInError extends Error {
  /**
   * Stable: the server's own error (RFC 6749 §5.2, RFC 8628 §3.5), such as `access_denied`, or what the device
   * found, such as `session_ended` or `renewals_exhausted`; `aborted` where the caller gave up.
   */
  readonly code: string;
  /** Who can put it right. */
  readonly remedy: Remedy;

  constructor(code: string, remedy: Remedy, message: string) {
    super(message);
    this.name = "SignInError";
    this.code = code;
    this.remedy = remedy;
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

/** The error that a device shows, as an exception. */
export function signInErrorOf(device: core.Device): SignInError {
  const code = (ErrorCode[device.error] ?? "unknown_error").toLowerCase();
  const kind = device.error === ErrorCode.NONE ? 0 : core.errorKind(device, device.error);
  const remedy = REMEDIES[kind] ?? "nobody";
  const room = missingRoomOf(device);
  return new SignInError(code, remedy, `signing in failed: ${code}; ${room || ADVICE[remedy]}`);
}
