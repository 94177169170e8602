// The error table: every code that a server or the device itself can name, what kind it is, who can
// fix it, and which message the display shows. Reading an answer's code is here; acting on it is not.

import { type Device, equals, Field, Literal } from "./memory.ts";

/** Stable numbers: hosts may show or report them. */
export enum ErrorCode {
  NONE = 0,
  // named by a server, in the order of the table below
  AUTHORIZATION_PENDING = 1,
  SLOW_DOWN = 2,
  EXPIRED_TOKEN = 3,
  INVALID_GRANT = 4,
  ACCESS_DENIED = 5,
  ADMIN_POLICY_ENFORCED = 6,
  ORG_INTERNAL = 7,
  INVALID_CLIENT = 8,
  UNAUTHORIZED_CLIENT = 9,
  INVALID_SCOPE = 10,
  INVALID_REQUEST = 11,
  UNSUPPORTED_GRANT_TYPE = 12,
  RATE_LIMIT_EXCEEDED = 13,
  SERVER_ERROR = 14,
  TEMPORARILY_UNAVAILABLE = 15,
  INVALID_TOKEN = 16,
  INSUFFICIENT_SCOPE = 17,
  UNSUPPORTED_TOKEN_TYPE = 18,
  // found by the device
  UNREACHABLE = 19,
  UNAVAILABLE = 20,
  MALFORMED_RESPONSE = 21,
  VALUE_TOO_LONG = 22,
  UNKNOWN_ERROR = 23,
  RENEWALS_EXHAUSTED = 24,
  SESSION_ENDED = 25,
  MEMORY_TOO_SMALL = 26,
  TOKEN_REVOKED = 27,
  ACCOUNT_DISABLED = 28,
  UNEXPECTED_STATE = 29,
}

/** What becomes of an attempt, or else who can put it right. The letters of the table. */
export enum ErrorKind {
  /** Passes by itself: the device tries again. */
  TRANSIENT = 116,
  /** The code is of no use any more: the device asks for a new one, up to the cap. */
  RENEWABLE = 114,
  /** Final; the user can put it right. */
  USER = 117,
  /** Final; the administrator of the user's organization can. */
  ADMINISTRATOR = 97,
  /** Final; the maker of the device can. */
  MAKER = 109,
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
  COUNT = 22,
}

/**
 * The default texts: printable ASCII, one line each. A host replaces them for another language with
 * a string of as many lines.
 */
export var MESSAGES =
  "Starting\n" +
  "Not signed in\n" +
  "Getting a code\n" +
  "Checking code\n" +
  "Signed in\n" +
  "Connecting\n" +
  "Signing out\n" +
  "Open in a browser:\n" +
  "Code \n" +
  "Sign in again soon\n" +
  "Not saved\n" +
  "No connection\n" +
  "Service busy\n" +
  "Access refused. Sign in again\n" +
  "Not allowed. Ask your administrator\n" +
  "Wrong organization. Ask your administrator\n" +
  "Device refused. Ask its maker\n" +
  "Wrong setup. Ask the maker\n" +
  "Code expired. Sign in again\n" +
  "Session ended. Sign in again\n" +
  "Account disabled. Ask your administrator\n" +
  "Failed. Ask the maker";

/**
 * One entry for each ErrorCode from 1: kind, message ('A' is message 0), names of the code on the
 * wire ('|' between aliases of other servers). Codes without a name are the device's own.
 */
export var ERRORS =
  "tDauthorization_pending " +
  "tDslow_down " +
  "rSexpired_token|token_expired " +
  "rSinvalid_grant|bad_verification_code|incorrect_device_code " +
  "uNaccess_denied|authorization_declined " +
  "aOadmin_policy_enforced " +
  "aPorg_internal " +
  "mQinvalid_client|incorrect_client_credentials " +
  "mQunauthorized_client|device_flow_disabled " +
  "mRinvalid_scope " +
  "mRinvalid_request " +
  "mRunsupported_grant_type " +
  "tMrate_limit_exceeded " +
  "tMserver_error " +
  "tMtemporarily_unavailable " +
  "uTinvalid_token " +
  "mRinsufficient_scope " +
  "mRunsupported_token_type " +
  "tL " + // UNREACHABLE
  "tM " + // UNAVAILABLE
  "tM " + // MALFORMED_RESPONSE
  "mV " + // VALUE_TOO_LONG
  "mV " + // UNKNOWN_ERROR
  "uS " + // RENEWALS_EXHAUSTED
  "uT " + // SESSION_ENDED
  "mV " + // MEMORY_TOO_SMALL
  "uT " + // TOKEN_REVOKED
  "aU " + // ACCOUNT_DISABLED
  "mV "; // UNEXPECTED_STATE

/** Position of a code's entry in the memory. */
function entryOf(device: Device, code: number): number {
  var at = device.at[Literal.ERRORS];
  while (--code > 0) {
    while (device.bytes[at++] !== 32);
  }
  return at;
}

/** Kind of a code from 1 on: one of ErrorKind. */
export function errorKind(device: Device, code: number): number {
  return device.bytes[entryOf(device, code)];
}

/** Message that belongs to a code from 1 on. */
export function errorMessage(device: Device, code: number): number {
  return device.bytes[entryOf(device, code) + 1] - 65;
}

/**
 * The code that the value of Field.ERROR names; UNKNOWN_ERROR for a name that is not in the table. The
 * comparison is exact, as RFC 6749 §5.2 has it.
 */
export function errorNamed(device: Device): number {
  var at = device.at[Literal.ERRORS] + 2;
  for (var code = 1; code < ErrorCode.UNREACHABLE; at++) {
    var from = at;
    while (device.bytes[at] !== 32 && device.bytes[at] !== 124) at++;
    if (equals(device, Field.ERROR, from, at - from)) return code;
    if (device.bytes[at] === 32) {
      code++;
      at += 2;
    }
  }
  return ErrorCode.UNKNOWN_ERROR;
}
