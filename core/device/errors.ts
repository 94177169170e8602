// The numbers of errors, kinds and messages, and the default texts. Which error has which kind, message and
// names in answers is in tables/errors.ts. Acting on an error is not here.

import { type Device, literalBytes } from "./memory.ts";
import { Literal } from "./tables.ts";

/** Stable numbers: hosts may show or report them. */
export enum ErrorCode {
  /** No error. */
  NONE = 0,
  // named by a server
  /** The user has not decided yet (RFC 8628 §3.5). */
  AUTHORIZATION_PENDING = 1,
  /** Poll less often (RFC 8628 §3.5). */
  SLOW_DOWN = 2,
  /** The code has run out (RFC 8628 §3.5). */
  EXPIRED_TOKEN = 3,
  /** Code or refresh token are not known any more (RFC 6749 §5.2). */
  INVALID_GRANT = 4,
  /** The user has refused (RFC 8628 §3.5). */
  ACCESS_DENIED = 5,
  /** The organization's policy forbids a scope. */
  ADMIN_POLICY_ENFORCED = 6,
  /** The client is for members of an organization only. */
  ORG_INTERNAL = 7,
  /** Client unknown, or its authentication failed (RFC 6749 §5.2). */
  INVALID_CLIENT = 8,
  /** The client may not use this grant (RFC 6749 §5.2). */
  UNAUTHORIZED_CLIENT = 9,
  /** A scope is unknown or not allowed (RFC 6749 §5.2). */
  INVALID_SCOPE = 10,
  /** A parameter is missing or wrong (RFC 6749 §5.2). */
  INVALID_REQUEST = 11,
  /** The server does not speak this grant (RFC 6749 §5.2). */
  UNSUPPORTED_GRANT_TYPE = 12,
  /** Too many codes were asked for. */
  RATE_LIMIT_EXCEEDED = 13,
  /** The server has failed. */
  SERVER_ERROR = 14,
  /** The server asks for patience. */
  TEMPORARILY_UNAVAILABLE = 15,
  /** The access token was refused (RFC 6750 §3.1). */
  INVALID_TOKEN = 16,
  /** The API wants another scope (RFC 6750 §3.1). */
  INSUFFICIENT_SCOPE = 17,
  /** The token is not of a type that can be used, or revoked (RFC 7009 §2.2.1). */
  UNSUPPORTED_TOKEN_TYPE = 18,
  // found by the device
  /** No answer, or no whole one. */
  UNREACHABLE = 19,
  /**
   * The status is neither one of success nor 429, and no error is named; or it is a 5xx with an error that
   * is not known.
   */
  UNAVAILABLE = 20,
  /** Not JSON, or something needed is missing: `errorField`. */
  MALFORMED_RESPONSE = 21,
  /** A value does not fit: `errorField`, `errorLength`, `memoryNeeded`; of a call `callErrorField` alone. */
  VALUE_TOO_LONG = 22,
  /** An error that the server names and that is not known. */
  UNKNOWN_ERROR = 23,
  /** As many codes ran out as `renewalsMax` allows. */
  RENEWALS_EXHAUSTED = 24,
  /** The refresh token was refused. */
  SESSION_ENDED = 25,
  /** A request of the grant does not fit: `memoryNeeded`. Of a call: the identifier of an event does not. */
  MEMORY_TOO_SMALL = 26,
  /** A security event: the token was revoked. */
  TOKEN_REVOKED = 27,
  /** A security event: the account was disabled. */
  ACCOUNT_DISABLED = 28,
  /** Something that cannot be, from a server or a host. */
  UNEXPECTED_STATE = 29,
  /**
   * Answers of no use, again and again: JSON without a code or tokens (`errorField`), redirects, refusals that name
   * nothing, codes that are not known as soon as they are polled.
   */
  UNUSABLE_RESPONSES = 30,
  /** The user has to act at the server: sign in there, consent (OpenID Connect Core 1.0 §3.1.2.6). */
  INTERACTION_REQUIRED = 31,
  /** The status says that the request itself is wrong: 405, 406, 411, 413, 414, 415 (RFC 9110 §15.5). */
  REQUEST_REFUSED = 32,
  /** The host could not make a code verifier and its challenge (RFC 7636): nothing was sent without them. */
  NO_CODE_CHALLENGE = 33,
}

/** What becomes of an attempt, or else who can put it right. */
export enum ErrorKind {
  /** No error, or a number that is none of ErrorCode. */
  NONE = 0,
  /** Passes by itself: the device tries again. */
  TRANSIENT = 1,
  /** The code is of no use any more: the device asks for a new one, up to the cap. */
  RENEWABLE = 2,
  /** Final; the user can put it right. */
  USER = 3,
  /** Final; the administrator of the user's organization can. */
  ADMINISTRATOR = 4,
  /** Final; the maker of the device can. */
  DEVELOPER = 5,
}

/** Display texts, in the order of MESSAGES: one for each state but FAILED first. */
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

/**
 * The default texts, one line each. A host replaces them for another language with a string of as many
 * lines, whose characters are the bytes that its display wants.
 */
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

/** What went wrong. */
export interface Failure {
  /** One of ErrorCode: what went wrong last, NONE once it has passed. */
  error: ErrorCode;
}

export function makeFailure(device: Failure): void {
  device.error = ErrorCode.NONE;
}

/** The error is the one that is shown from now on; NONE: it has passed. */
export function setError(device: Device & Failure, error: ErrorCode): void {
  device.error = error;
}

/** Kind of an error: one of ErrorKind. */
export function errorKind(device: Device, error: ErrorCode): ErrorKind {
  // A host may pass any number.
  if (!(error > 0 && error <= ErrorCode.NO_CODE_CHALLENGE)) return ErrorKind.NONE;
  return literalBytes(device)[device.start[Literal.ERROR_KINDS] + 2 * error] - 48;
}

/** Message that belongs to an error; FAILED for a number that is none. */
export function errorMessage(device: Device, error: ErrorCode): Message {
  if (!errorKind(device, error)) return Message.FAILED;
  return literalBytes(device)[device.start[Literal.ERROR_KINDS] + 2 * error + 1] - 65;
}
