// Calling an API with the access token (RFC 6750 §2.1; the documents' 4.5). The target (path and query)
// is built in CALL piece by piece; body and answer stay the host's.
//
// With default memory a target may have some 300 bytes.

import { Endpoint } from "./command.ts";
import { finishErrand, isFree, newErrand, startErrand } from "./errand.ts";
import {
  Encoding,
  endWrite,
  writeEncoded,
  writeLiteral,
  writeRegion,
  writeTo,
} from "./form-encoder.ts";
import { CompleteLiteral } from "./literals.ts";
import { type Bytes, type Device, type Errand, Field, holds, isTooLong, Region } from "./memory.ts";

var FIELDS =
  (1 << Field.ERROR) | (1 << Field.MESSAGE) | (1 << Field.VALUE_A) | (1 << Field.VALUE_B);

/** A call to an API; its error object is four deep (error.errors[0].reason). */
export function apiErrand(
  endpoint: number,
  isGet: number,
  names: number,
  finish: (device: Device, error: number) => void,
): Errand {
  return newErrand(endpoint, isGet, 1, names, FIELDS, 4, finish);
}

function callErrand(endpoint: number, isGet: number): Errand {
  return apiErrand(endpoint, isGet, CompleteLiteral.API_MEMBERS, callAnswered);
}

/**
 * Begins the target of a call.
 * @returns 1, or 0 where another errand is under way or nobody is signed in: then nothing may be added
 */
export function beginCall(device: Device): number {
  if (!isFree(device)) return 0;
  writeTo(device, Region.CALL);
  return 1;
}

/** Adds `bytes[from..to)` to the target as it is: fixed parts of path and query. */
export function addPath(device: Device, bytes: Bytes, from: number, to: number): void {
  while (from < to) writeEncoded(device, bytes[from++], Encoding.NONE);
}

/** Adds a path segment, percent-encoded (RFC 3986 §2.1). UTF-8. */
export function addSegment(device: Device, bytes: Bytes, from: number, to: number): void {
  while (from < to) writeEncoded(device, bytes[from++], Encoding.PATH);
}

/** Adds the value of a query parameter, form-encoded. UTF-8. */
export function addQueryValue(device: Device, bytes: Bytes, from: number, to: number): void {
  while (from < to) writeEncoded(device, bytes[from++], Encoding.FORM);
}

function errandOf(endpoint: number, isGet: number): Errand {
  if (endpoint === Endpoint.PUBLISHER_API) return isGet ? PUBLISHER_GET : PUBLISHER_POST;
  return isGet ? VIDEO_GET : VIDEO_POST;
}

/**
 * Sends the call whose target was built since beginCall. It waits for a session and for a refresh if
 * need be; a 401 leads to a refresh and one more try. errandState tells when it is done; then
 * errandError and errandStatus, Field.ERROR, MESSAGE and VALUE_B (reason) tell how.
 * @param endpoint Endpoint.VIDEO_API or PUBLISHER_API
 * @param isGet 1 for GET, 0 for POST
 * @param body null, or a body in `body[from..to)`: lent until the errand is done
 * @returns 1, or 0 where the target did not fit, another errand is under way, or nobody is signed in
 */
export function sendCall(
  device: Device,
  endpoint: number,
  isGet: number,
  body: Bytes | null,
  from: number,
  to: number,
): number {
  return sendErrand(device, errandOf(endpoint, isGet), body, from, to);
}

/** Sends what was built since beginCall as this errand. Parameters and result as of sendCall. */
export function sendErrand(
  device: Device,
  errand: Errand,
  body: Bytes | null,
  from: number,
  to: number,
): number {
  endWrite(device, Region.CALL);
  if (device.size[Region.CALL] < 0 || !startErrand(device, errand, 2)) return 0;
  device.callBase = device.size[Region.CALL];
  device.errandBody = body;
  device.errandBodyFrom = from;
  device.errandBodyTo = to;
  return 1;
}

/** A page token goes behind the target at once: OUTPUT, where it is, has other uses. */
function keepPageToken(device: Device): void {
  device.size[Region.CALL] = device.callBase;
  writeTo(device, Region.CALL);
  device.writeAt += device.callBase;
  writeLiteral(device, CompleteLiteral.PAGE_TOKEN);
  writeRegion(device, Field.VALUE_A, Encoding.FORM);
  endWrite(device, Region.CALL);
  device.hasNextPage = device.size[Region.CALL] > 0 ? 1 : 0;
}

/** The answer to a call has come. */
function callAnswered(device: Device, error: number): void {
  if (!error && holds(device, Field.VALUE_A) && !isTooLong(device, Field.VALUE_A)) {
    keepPageToken(device);
  }
  finishErrand(device, error);
}

/**
 * Sends the last call again for its next page.
 * @returns 1, or 0 where there is none, or another errand was begun since
 */
export function nextPage(device: Device): number {
  return device.hasNextPage && device.errand ? startErrand(device, device.errand, 2) : 0;
}

// Last in the file: it names functions, and Espruino knows only those that stand above.
var VIDEO_GET = callErrand(Endpoint.VIDEO_API, 1);
var VIDEO_POST = callErrand(Endpoint.VIDEO_API, 0);
var PUBLISHER_GET = callErrand(Endpoint.PUBLISHER_API, 1);
var PUBLISHER_POST = callErrand(Endpoint.PUBLISHER_API, 0);
