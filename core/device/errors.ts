// The numbers of errors, kinds and messages, and the default texts. tables/errors.ts maps each error to its kind, its
// message and the names that servers use for it.

import { type Device, literalBytes } from "./memory.ts";
import { Literal } from "./tables.ts";

/** The errors by number. The numbers never change, because hosts may show or report them. */
export enum ErrorCode {
  /** No error. */
  NONE = 0,
  // Errors that a server names in its response. TOKEN_REVOKED and INTERACTION_REQUIRED below are also such errors.
  /** The user has not decided yet (RFC 8628 §3.5). */
  AUTHORIZATION_PENDING = 1,
  /** Poll less often (RFC 8628 §3.5). */
  SLOW_DOWN = 2,
  /** The code has expired (RFC 8628 §3.5). */
  EXPIRED_TOKEN = 3,
  /** The code or refresh token is unknown, expired or revoked (RFC 6749 §5.2). */
  INVALID_GRANT = 4,
  /** The user has denied access (RFC 8628 §3.5). */
  ACCESS_DENIED = 5,
  /** The organization's policy forbids a scope. */
  ADMIN_POLICY_ENFORCED = 6,
  /** The client is for members of an organization only. */
  ORG_INTERNAL = 7,
  /** The client is unknown, or its authentication failed (RFC 6749 §5.2). */
  INVALID_CLIENT = 8,
  /** The client may not use this grant (RFC 6749 §5.2). */
  UNAUTHORIZED_CLIENT = 9,
  /** A scope is unknown or not allowed (RFC 6749 §5.2). */
  INVALID_SCOPE = 10,
  /** A parameter is missing or wrong (RFC 6749 §5.2). */
  INVALID_REQUEST = 11,
  /** The server does not support this grant (RFC 6749 §5.2). */
  UNSUPPORTED_GRANT_TYPE = 12,
  /** There were too many requests: the server has sent this error code, or the status 429. */
  RATE_LIMIT_EXCEEDED = 13,
  /** The server has failed. */
  SERVER_ERROR = 14,
  /** The server is temporarily unavailable or overloaded. */
  TEMPORARILY_UNAVAILABLE = 15,
  /** The API has rejected the access token (RFC 6750 §3.1). */
  INVALID_TOKEN = 16,
  /** The API requires another scope (RFC 6750 §3.1). */
  INSUFFICIENT_SCOPE = 17,
  /** The device cannot use tokens of this type, or the server cannot revoke them (RFC 7009 §2.2.1). */
  UNSUPPORTED_TOKEN_TYPE = 18,
  // Errors that the device detects itself.
  /** There was no complete response, the server does not have the endpoint, or VERIFY took too long. */
  UNREACHABLE = 19,
  /** No success and no error code, or 5xx with an unknown one. 429: RATE_LIMIT_EXCEEDED; some 4xx: REQUEST_REFUSED. */
  UNAVAILABLE = 20,
  /** The response is not JSON, or lacks a valid required member (see `errorField` for a grant response). */
  MALFORMED_RESPONSE = 21,
  /** A value does not fit: see `errorField`, `errorLength` and `memoryNeeded`; for a call, only `callErrorField`. */
  VALUE_TOO_LONG = 22,
  /** The server's error code is unknown. */
  UNKNOWN_ERROR = 23,
  /** A code has expired or was rejected, and the device had already requested `renewalsMax` further codes. */
  RENEWALS_EXHAUSTED = 24,
  /**
   * The server has rejected the refresh token, or all refreshes for a day. Or the access token has expired or was
   * rejected, and there is no refresh token. As the error of a call, also: the user has ended the session.
   */
  SESSION_ENDED = 25,
  /**
   * A grant request does not fit, or the next one would not fit with the received code or tokens (`memoryNeeded`). In a
   * call: an event has a long identifier, with which the next event poll does not fit.
   */
  MEMORY_TOO_SMALL = 26,
  /** A security event or the server has reported that the token was revoked. */
  TOKEN_REVOKED = 27,
  /** A security event has reported that the account was disabled. */
  ACCOUNT_DISABLED = 28,
  /** The response to createOffer does not have the state DRAFT. */
  UNEXPECTED_STATE = 29,
  /**
   * Too many unusable responses: JSON without a code or tokens (`errorField` names the member), redirects, rejections
   * without an error code, or rejections of codes that the server has never recognized.
   */
  UNUSABLE_RESPONSES = 30,
  /** The user must act at the server, for example sign in or consent (OpenID Connect Core 1.0 §3.1.2.6). */
  INTERACTION_REQUIRED = 31,
  /** The status says that the request itself is wrong: 405, 406, 411, 413, 414 or 415 (RFC 9110 §15.5). */
  REQUEST_REFUSED = 32,
  /** The host could not create a code verifier and its challenge (RFC 7636), so the device requested no code. */
  NO_CODE_CHALLENGE = 33,
}

/** What the device does after an error, or who can fix it. */
export enum ErrorKind {
  /** No error, or an unknown number. */
  NONE = 0,
  /** Temporary: the device retries. */
  TRANSIENT = 1,
  /** The code or token is no longer valid. After a poll, the device requests a new code, up to `renewalsMax` times. */
  RENEWABLE = 2,
  /** The user can fix it. */
  USER = 3,
  /** The administrator of the user's organization can fix it. */
  ADMINISTRATOR = 4,
  /** The developer can fix it. */
  DEVELOPER = 5,
}

/** Display texts, in the order of MESSAGES. */
export enum Message {
  STARTING = 0,
  SIGNED_OUT = 1,
  REQUESTING = 2,
  RESUMING = 3,
  SIGNED_IN = 4,
  CONNECTING = 5,
  SIGNING_OUT = 6,
  OPEN = 7,
  CODE = 8,
  EXPIRES_SOON = 9,
  NOT_SAVED = 10,
  NO_CONNECTION = 11,
  BUSY = 12,
  DENIED = 13,
  POLICY = 14,
  MEMBERS_ONLY = 15,
  DEVICE_REFUSED = 16,
  SETUP = 17,
  CODE_EXPIRED = 18,
  SESSION_ENDED = 19,
  DISABLED = 20,
  FAILED = 21,
  TOO_LITTLE_MEMORY = 22,
  NOT_ERASED = 23,
  COUNT = 24,
}

/** The default display texts, one per line. The setting `messages` replaces them, for example in another language. */
export var MESSAGES =
  "Starting\n" +
  "Not signed in\n" +
  "Getting a code\n" +
  "Checking code\n" +
  "Signed in\n" +
  "Connecting\n" +
  "Signing out\n" +
  "Open in browser:\n" +
  "Code \n" +
  "Sign in again soon\n" +
  "Not saved\n" +
  "No connection\n" +
  "Service busy\n" +
  "Access refused. Sign in again\n" +
  "Not allowed. Ask your administrator\n" +
  "Wrong organization. Ask your administrator\n" +
  "Device refused. Contact support\n" +
  "Wrong setup. Contact support\n" +
  "Code expired. Sign in again\n" +
  "Session ended. Sign in again\n" +
  "Account disabled. Ask your administrator\n" +
  "Failed. Contact support\n" +
  "Too little memory. Contact support\n" +
  "Tokens not erased";

/** The current error. */
export interface Failure {
  /** The last error, one of ErrorCode; NONE if the device works, or has recovered. */
  error: ErrorCode;
}

export function makeFailure(device: Failure): void {
  device.error = ErrorCode.NONE;
}

export function setError(device: Device & Failure, error: ErrorCode): void {
  device.error = error;
}

/** @returns the kind of an error, one of ErrorKind */
export function errorKind(device: Device, error: ErrorCode): ErrorKind {
  // The host may pass a number that is no error.
  if (!(error > 0 && error <= ErrorCode.NO_CODE_CHALLENGE)) return ErrorKind.NONE;
  return literalBytes(device)[device.start[Literal.ERROR_KINDS] + 2 * error] - 48;
}

/** @returns the message of an error, or FAILED for an unknown number */
export function errorMessage(device: Device, error: ErrorCode): Message {
  if (!errorKind(device, error)) return Message.FAILED;
  return literalBytes(device)[device.start[Literal.ERROR_KINDS] + 2 * error + 1] - 65;
}
