// Reading answers: which error they amount to, and what a token response (RFC 6749 §5.1) must hold.

import { jitter, lifetime } from "./clock.ts";
import { ErrorCode, ErrorKind, errorKind, errorNamed } from "./errors.ts";
import { Purpose } from "./exchange.ts";
import { scanComplete } from "./json-scanner.ts";
import { Limit } from "./limits.ts";
import { type Device, Field, holds, Literal, literalStart, Region } from "./memory.ts";

/** Value of an integer field, -1 where absent or no integer. */
export function numberOf(device: Device, field: number): number {
  var value = device.numbers[field - Field.EXPIRES_IN];
  return value < 0 ? -1 : value;
}

/** Members of a resource may be named like an error's. */
function isApiSuccess(device: Device): boolean {
  return device.purpose === Purpose.ERRAND && device.status >= 200 && device.status < 300;
}

/**
 * The error that the answer just received amounts to, NONE for a success. What the body says counts
 * before the status: servers answer errors with 200, and pending with 400, 403 or 428.
 */
export function classify(device: Device): ErrorCode {
  var status = device.status;
  var json = scanComplete(device) && device.bodyBytes <= Limit.BODY_MAX;
  if (json && holds(device, Field.ERROR) && !isApiSuccess(device)) {
    var named = errorNamed(device, device.start[Field.ERROR], device.length[Field.ERROR]);
    // An unknown error is final only if the server blames the request.
    if (named !== ErrorCode.UNKNOWN_ERROR || (status < 500 && status !== 429)) return named;
  }
  if (status === 429) return ErrorCode.RATE_LIMIT_EXCEEDED;
  if (status < 200 || status >= 300) return ErrorCode.UNAVAILABLE;
  return json ? ErrorCode.NONE : ErrorCode.MALFORMED_RESPONSE;
}

/** Whether the error passes by itself. */
export function isTransient(device: Device, error: number): boolean {
  return errorKind(device, error) === ErrorKind.TRANSIENT;
}

/**
 * Whether a region holds printable ASCII without spaces and at least one character of it: anything
 * else could end a header line or be altered on a display.
 */
export function isVisible(device: Device, region: number): boolean {
  var end = device.start[region] + device.length[region];
  for (var at = device.start[region]; at < end; at++) {
    if (device.memory[at] < 33 || device.memory[at] > 126) return false;
  }
  return holds(device, region);
}

/** The lowest field that did not fit its region, NONE where all did; of those in `fields` only. */
export function tooLong(device: Device, fields: number): number {
  var mask = device.scanOverflow & fields;
  if (!mask) return Field.NONE;
  var field = 1;
  while (!((mask >> field) & 1)) field++;
  device.errorField = field;
  return field;
}

function isBearer(device: Device): boolean {
  if (device.length[Field.TOKEN_TYPE] < 0) return true;
  var bearer = literalStart(device, Literal.BEARER);
  for (var i = 0; i < 6; i++) {
    var c = device.memory[device.start[Field.TOKEN_TYPE] + i] | 32;
    if (c !== device.memory[bearer + i]) return false;
  }
  return device.length[Field.TOKEN_TYPE] === 6;
}

/** Fields of a token response that must fit. */
export enum TokenFields {
  MASK = (1 << Field.ACCESS_TOKEN) | (1 << Field.REFRESH_TOKEN) | (1 << Field.SCOPE),
  /** What to scan for. */
  WANTED = MASK |
    (1 << Field.TOKEN_TYPE) |
    (1 << Field.ERROR) |
    (1 << Field.EXPIRES_IN) |
    (1 << Field.REFRESH_TOKEN_EXPIRES_IN) |
    (1 << Field.INTERVAL),
}

/**
 * Checks a success of the token endpoint and takes the lifetimes over. Bits of TokenFields that the
 * answer did not name are left as they were.
 * @returns NONE, or what is wrong with it; then none of its tokens may be used
 */
export function acceptTokens(device: Device): ErrorCode {
  if (tooLong(device, TokenFields.MASK)) return ErrorCode.VALUE_TOO_LONG;
  if (!((device.scanSeen >> Field.ACCESS_TOKEN) & 1) || !isVisible(device, Field.ACCESS_TOKEN)) {
    return ErrorCode.MALFORMED_RESPONSE;
  }
  if (!isBearer(device)) return ErrorCode.UNSUPPORTED_TOKEN_TYPE;
  if (
    (device.scanSeen >> Field.REFRESH_TOKEN) & 1 &&
    holds(device, Field.REFRESH_TOKEN) &&
    !isVisible(device, Field.REFRESH_TOKEN)
  ) {
    return ErrorCode.MALFORMED_RESPONSE;
  }
  var life = lifetime(numberOf(device, Field.EXPIRES_IN));
  var margin = life >> 3;
  if (margin > Limit.REFRESH_MARGIN_MAX_S) margin = Limit.REFRESH_MARGIN_MAX_S;
  device.accessLifeS = life;
  // Devices that signed in together should not refresh together.
  device.refreshMarginS = margin + jitter(device, margin >> 1);
  var refreshLife = numberOf(device, Field.REFRESH_TOKEN_EXPIRES_IN);
  if (refreshLife >= 0) device.refreshLifeS = lifetime(refreshLife);
  return ErrorCode.NONE;
}

/** Whether the answer brought a refresh token that is not the present one. */
export function isRotated(device: Device): boolean {
  if (!((device.scanSeen >> Field.REFRESH_TOKEN) & 1) || !holds(device, Field.REFRESH_TOKEN)) {
    return false;
  }
  var length = device.length[Field.REFRESH_TOKEN];
  if (length !== device.length[Region.PRESENT_REFRESH_TOKEN]) return true;
  var a = device.start[Field.REFRESH_TOKEN];
  var b = device.start[Region.PRESENT_REFRESH_TOKEN];
  for (var i = 0; i < length; i++) {
    if (device.memory[a + i] !== device.memory[b + i]) return true;
  }
  return false;
}
