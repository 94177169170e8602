// Calling an API with the access token (RFC 6750 §2.1; the documents' 4.5). The target (path and query)
// is built in CALL piece by piece; body and answer stay the host's.
//
// With default memory a target may have some 300 bytes.

import { Endpoint } from "./command.ts";
import { finishErrand, hasSession, isErrandBusy, shareValues, startErrand } from "./errand.ts";
import { ErrorCode } from "./errors.ts";
import {
  writeByte,
  writeEncodedByte,
  writeFormValue,
  writeFrom,
  writeLiteral,
} from "./form-encoder.ts";
import { CompleteLiteral } from "./literals.ts";
import { type Bytes, type Device, type Errand, Field, holds, Region } from "./memory.ts";

var FIELDS =
  (1 << Field.ERROR) | (1 << Field.MESSAGE) | (1 << Field.VALUE_A) | (1 << Field.VALUE_B);

/** What a call to an API is, by endpoint and method. */
export function apiErrand(endpoint: number, isGet: number): Errand {
  return {
    endpoint: endpoint,
    isGet: isGet,
    needsToken: 1,
    names: CompleteLiteral.API_MEMBERS,
    wanted: FIELDS,
    // error.errors[0].reason
    depth: 4,
    answered: callAnswered,
  };
}

var VIDEO_GET = apiErrand(Endpoint.VIDEO_API, 1);
var VIDEO_POST = apiErrand(Endpoint.VIDEO_API, 0);
var PUBLISHER_GET = apiErrand(Endpoint.PUBLISHER_API, 1);
var PUBLISHER_POST = apiErrand(Endpoint.PUBLISHER_API, 0);

/**
 * Begins the target of a call.
 * @returns 1, or 0 where another errand is under way or nobody is signed in: then nothing may be added
 */
export function beginCall(device: Device): number {
  if (isErrandBusy(device) || !hasSession(device)) return 0;
  var start = device.start[Region.CALL];
  writeFrom(device, start, start + device.capacity[Region.CALL]);
  return 1;
}

/** Adds `bytes[from..to)` to the target as it is: fixed parts of path and query. */
export function addPath(device: Device, bytes: Bytes, from: number, to: number): void {
  for (var at = from; at < to; at++) writeByte(device, bytes[at]);
}

/** Adds a path segment, percent-encoded (RFC 3986 §2.1). UTF-8. */
export function addSegment(device: Device, bytes: Bytes, from: number, to: number): void {
  for (var at = from; at < to; at++) writeEncodedByte(device, bytes[at], 126);
}

/** Adds the value of a query parameter, form-encoded. UTF-8. */
export function addQueryValue(device: Device, bytes: Bytes, from: number, to: number): void {
  for (var at = from; at < to; at++) writeEncodedByte(device, bytes[at], 42);
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
  if (device.writeOverflow || !startErrand(device, errand)) return 0;
  device.length[Region.CALL] = device.writeAt - device.start[Region.CALL];
  device.callBase = device.length[Region.CALL];
  device.hasNextPage = 0;
  device.errandBody = body;
  device.errandBodyFrom = from;
  device.errandBodyTo = to;
  shareValues(device, 2);
  return 1;
}

/** A page token goes behind the target at once: OUTPUT, where it is, has other uses. */
function keepPageToken(device: Device): void {
  var end = device.start[Region.CALL] + device.capacity[Region.CALL];
  device.length[Region.CALL] = device.callBase;
  writeFrom(device, device.start[Region.CALL] + device.callBase, end);
  writeLiteral(device, CompleteLiteral.PAGE_TOKEN);
  writeFormValue(device, Field.VALUE_A);
  device.hasNextPage = device.writeOverflow ? 0 : 1;
}

/** The answer to a call has come. */
export function callAnswered(device: Device, error: number): void {
  device.hasNextPage = 0;
  // 204, and what else needs no body.
  if (error === ErrorCode.MALFORMED_RESPONSE && !device.bodyBytes) error = ErrorCode.NONE;
  if (!error && holds(device, Field.VALUE_A)) keepPageToken(device);
  finishErrand(device, error);
}

/**
 * Sends the last call again for its next page.
 * @returns 1, or 0 where there is none
 */
export function nextPage(device: Device): number {
  var errand = device.errand;
  if (!device.hasNextPage || !errand || !startErrand(device, errand)) return 0;
  device.length[Region.CALL] = device.writeAt - device.start[Region.CALL];
  device.hasNextPage = 0;
  shareValues(device, 2);
  return 1;
}
