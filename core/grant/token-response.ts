// Classifies responses by their errors, and checks token responses (RFC 6749 §5.1).

import {
  jitter,
  setAccessLifetime,
  setRefreshLifetime,
  setRefreshMargin,
  waitFor,
} from "../device/clock.ts";
import { ErrorCode, ErrorKind, errorKind } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Device, holds, isSame, isTooLong } from "../device/memory.ts";
import { clearAll, setLength } from "../device/regions.ts";
import { noteField } from "../device/sizing.ts";
import { Field, Fields, Literal } from "../device/tables.ts";
import { numberNamed, scanEnd } from "../text/json-scanner.ts";

/**
 * The value of a field as an integer, at most Limit.ENDLESS.
 * @param otherwise the result if the field is absent, negative, in exponential notation, or not a number
 * @param ofFraction what a fraction adds: 0 for a lifetime, which must not become longer; 1 for a wait, which must not
 * become shorter
 */
export function numberOf(
  device: Device,
  field: Field,
  otherwise: number,
  ofFraction: number,
): number {
  var value = 0;
  var isFraction = false;
  var rest = 0;
  var i = 0;
  for (; i < device.length[field]; i++) {
    var digit = device.memory[device.start[field] + i] - 48;
    // A decimal point.
    if (digit === -2) isFraction = true;
    else if (digit < 0 || digit > 9) return otherwise;
    else if (!isFraction) {
      if (value >= Limit.TENTH_OF_ENDLESS) return Limit.ENDLESS;
      value = value * 10 + digit;
    } else if (digit) rest = ofFraction;
  }
  // A truncated text has a fraction, because an integer of that length has already counted as endless.
  if (isTooLong(device, field)) rest = ofFraction;
  return i ? value + rest : otherwise;
}

/** Whether the response contains an error. Some servers send 0, false, null or "" if there is none. */
function hasError(device: Device, nameField: Field): boolean {
  return (
    device.hasErrorNumber > 0 ||
    (holds(device, nameField) && numberOf(device, nameField, 1, 1) !== 0)
  );
}

/** Converts ASCII capitals to small letters, because names are case-insensitive here. */
function toLowerCase(device: Device, region: Field): void {
  var at = device.start[region];
  var end = at + device.length[region];
  for (; at < end; at++) {
    var c = device.memory[at];
    if (c > 64 && c < 91) device.memory[at] = c + 32;
  }
}

export function isSuccess(device: Device): boolean {
  return device.httpStatus >= 200 && device.httpStatus <= 299;
}

/** Whether the status says that the request itself is wrong (RFC 9110 §15.5). */
function isRequestWrong(status: number): boolean {
  // 405: method, 406: Accept, 411: length, 413: body size, 414: target length, 415: media type.
  return status === 405 || status === 406 || status === 411 || (status > 412 && status < 416);
}

/**
 * The error of the received response, or NONE for a success. The body takes precedence over the status, because servers
 * send errors with 200, and authorization_pending with 400, 403 or 428. A success with an empty body (204) is not
 * malformed, although it lacks the required members.
 */
export function classify(device: Device): ErrorCode {
  var status = device.httpStatus;
  var nameField = device.nameField;
  var json = scanEnd(device) && device.bodyBytes <= Limit.BODY_MAX;
  var named = ErrorCode.NONE;
  // The response may be cut off, and its error name with it.
  if (!json) setLength(device, nameField, -1);
  else if (nameField && hasError(device, nameField)) {
    // Names of grant errors may be in capitals. In an API's response, a name in capitals is not an error of the grant.
    if (nameField === Field.ERROR) toLowerCase(device, nameField);
    named = numberNamed(device, Literal.ERRORS, nameField) || ErrorCode.UNKNOWN_ERROR;
  }
  // Two cases are temporary although the kind of the error is DEVELOPER: an unknown error with 5xx, and any error with
  // 429, which only requests a longer wait.
  var isPassing = status === 429 || (status > 499 && named === ErrorCode.UNKNOWN_ERROR);
  if (named && !(isPassing && errorKind(device, named) === ErrorKind.DEVELOPER)) return named;
  if (status === 429) return ErrorCode.RATE_LIMIT_EXCEEDED;
  if (isRequestWrong(status)) return ErrorCode.REQUEST_REFUSED;
  if (!isSuccess(device)) return ErrorCode.UNAVAILABLE;
  return json || !device.bodyBytes ? ErrorCode.NONE : ErrorCode.MALFORMED_RESPONSE;
}

/** Whether a region contains only ASCII characters from `lowest` to `~`, and at least one visible one. */
function holdsOnly(device: Device, region: Field, lowest: number): boolean {
  var isSeen = false;
  for (var i = 0; i < device.length[region]; i++) {
    var c = device.memory[device.start[region] + i];
    if (c < lowest || c > 126) return false;
    if (c > 32) isSeen = true;
  }
  return isSeen;
}

/**
 * Whether a region contains only printable ASCII without spaces, and is not empty. Other characters could end a header
 * line, or be altered on a display.
 */
export function holdsVisible(device: Device, region: Field): boolean {
  return holdsOnly(device, region, 33);
}

/** Like holdsVisible, but allows spaces. */
export function holdsPrintable(device: Device, region: Field): boolean {
  return holdsOnly(device, region, 32);
}

/** If the scope is too long, truncates it after the last complete scope (RFC 6749 §3.3). */
function keepWholeScopes(device: Device): void {
  if (device.length[Field.SCOPE] <= Limit.SCOPE_MAX) return;
  var size = Limit.SCOPE_MAX;
  while (size > 0 && device.memory[device.start[Field.SCOPE] + size] !== 32) size--;
  setLength(device, Field.SCOPE, size);
}

/**
 * Processes a successful token response: checks it, and stores its lifetimes.
 * @returns NONE, or the error: then no token may be used. For MALFORMED_RESPONSE, errorField names the member
 */
export function takeTokens(device: Device): ErrorCode {
  // The type is case-insensitive (RFC 6749 §5.1). Accept a response without it, and "BearerToken" from one vendor.
  toLowerCase(device, Field.TOKEN_TYPE);
  if (
    device.length[Field.TOKEN_TYPE] > 0 &&
    !isSame(device, Field.TOKEN_TYPE, Literal.BEARER) &&
    !isSame(device, Field.TOKEN_TYPE, Literal.BEARER_TOKEN)
  ) {
    return ErrorCode.UNSUPPORTED_TOKEN_TYPE;
  }
  var lacks = Field.NONE;
  // A refresh token is form-encoded in bodies, so it may contain spaces (RFC 6749 Appendix A.17).
  if (
    holds(device, Field.RECEIVED_REFRESH_TOKEN) &&
    !holdsPrintable(device, Field.RECEIVED_REFRESH_TOKEN)
  ) {
    lacks = Field.RECEIVED_REFRESH_TOKEN;
  }
  if (!((device.scanSeen >> Field.ACCESS_TOKEN) & 1) || !holdsVisible(device, Field.ACCESS_TOKEN)) {
    lacks = Field.ACCESS_TOKEN;
  }
  noteField(device, lacks);
  if (lacks) return ErrorCode.MALFORMED_RESPONSE;
  keepWholeScopes(device);
  // An absent lifetime counts as endless, and so does 0. No server issues an expired token on purpose, and the device
  // notices when a token is rejected. Without a lifetime of the refresh token, the old lifetime stays.
  var lifetime = numberOf(device, Field.EXPIRES_IN, Limit.ENDLESS, 0) || Limit.ENDLESS;
  setAccessLifetime(device, lifetime);
  var margin = lifetime >> 3;
  if (margin > Limit.REFRESH_MARGIN_MAX_S) margin = Limit.REFRESH_MARGIN_MAX_S;
  // Add jitter, because devices that signed in together should not refresh together.
  setRefreshMargin(device, margin + jitter(device, margin));
  var refreshLifetime = numberOf(
    device,
    Field.REFRESH_TOKEN_EXPIRES_IN,
    device.refreshLifetimeS,
    0,
  );
  setRefreshLifetime(device, refreshLifetime || Limit.ENDLESS);
  // If storage rejects the tokens, the device writes them again after this time.
  waitFor(device, Limit.SAVE_AGAIN_MS);
  return ErrorCode.NONE;
}

/** Wipes the tokens of an unusable response. */
export function dropBrought(device: Device): void {
  clearAll(device, device.scanSeen & Fields.OF_SESSION);
}
