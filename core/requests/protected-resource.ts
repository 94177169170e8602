// Calling an API with the access token (RFC 6750 §2.1; the documents' 4.5). The target (path and query)
// is built in CALL piece by piece; body and answer stay the host's.
//
// A target may have 304 bytes and as many more as the display has columns; 1280 and those from 24 KiB of memory on.

import { Endpoint } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { type Bytes, type CallKind, type Device, holds, isTooLong } from "../device/memory.ts";
import { beginTarget, keepTarget, offerNextPage, shorten } from "../device/regions.ts";
import { Field, Literal, Region } from "../device/tables.ts";
import {
  Encoding,
  endWrite,
  writeByte,
  writeEncoded,
  writeLiteral,
  writeOn,
  writeRegion,
} from "../text/form-encoder.ts";
import { scanByte, scanEnd } from "../text/json-scanner.ts";
import { lend, mayBeginCall, noteCallField, startCall } from "./call.ts";

/**
 * Begins the target of a call. The pages of the last one end with it.
 * @returns 1, or 0 where another call is under way or there is no session: then nothing is added
 */
export function beginCall(device: Device): number {
  if (!mayBeginCall(device, Endpoint.RESOURCE)) return 0;
  beginTarget(device);
  return 1;
}

function add(device: Device, bytes: Bytes, from: number, to: number, encoding: Encoding): void {
  if (!device.isBuilding || device.length[Region.CALL] < 0) return;
  writeOn(device, Region.CALL);
  while (from < to) writeEncoded(device, bytes[from++] & 255, encoding);
  endWrite(device, Region.CALL);
}

/** Adds `bytes[from..to)` to the target as it is: fixed parts of path and query. */
export function addPath(device: Device, bytes: Bytes, from: number, to: number): void {
  add(device, bytes, from, to, Encoding.NONE);
}

/** Adds a path segment, percent-encoded (RFC 3986 §2.1). UTF-8. */
export function addSegment(device: Device, bytes: Bytes, from: number, to: number): void {
  add(device, bytes, from, to, Encoding.PATH);
}

/** Adds the value of a query parameter, form-encoded. UTF-8. */
export function addQueryValue(device: Device, bytes: Bytes, from: number, to: number): void {
  add(device, bytes, from, to, Encoding.FORM);
}

/**
 * Sends the call whose target was built since beginCall. It waits for a session and for a refresh if
 * need be; a 401 leads to a refresh and one more try. callState tells when it is done; then
 * callError and callStatus, and of a refusal VALUE_A (its name), VALUE_B (reason) and VALUE_C (message) tell how.
 * @param endpoint Endpoint.RESOURCE for the first resource server, RESOURCE + 1 for the second ...
 * @param isGet 1 for GET, 0 for POST
 * @param body null, or a body in `body[from..to)`: lent until the call is done
 * @returns 1, or 0 where no target was begun or it did not fit, another call is under way, or there is no session
 */
export function sendCall(
  device: Device,
  endpoint: number,
  isGet: number,
  body: Bytes | null,
  from: number,
  to: number,
): number {
  if (!device.isBuilding || device.length[Region.CALL] < 0 || endpoint < Endpoint.RESOURCE)
    return 0;
  if (!startCall(device, RESOURCE, endpoint, isGet)) return 0;
  keepTarget(device);
  lend(device, body, from, to);
  return 1;
}

/** Whether the call's target has a query: a `?` in it. */
function hasQuery(device: Device): boolean {
  var at = device.start[Region.CALL];
  var end = at + device.targetSize;
  while (at < end && device.memory[at] !== 63) at++;
  return at < end;
}

/**
 * Appends a page token to the target at once, since OUTPUT is not kept. Only for GET: a POST is no list.
 * Where the token does not fit, that is an error: the list would seem complete.
 */
function keepPageToken(device: Device): ErrorCode {
  // A body that is no JSON is the host's alone.
  if (!device.callIsGet || !scanEnd(device) || !holds(device, Field.VALUE_A)) {
    return ErrorCode.NONE;
  }
  shorten(device, Region.CALL, device.targetSize);
  writeOn(device, Region.CALL);
  writeByte(device, hasQuery(device) ? 38 : 63); // & or ?
  writeLiteral(device, Literal.PAGE_TOKEN);
  writeRegion(device, Field.VALUE_A, Encoding.FORM);
  endWrite(device, Region.CALL);
  if (!isTooLong(device, Field.VALUE_A) && device.length[Region.CALL] > 0) {
    offerNextPage(device);
    return ErrorCode.NONE;
  }
  noteCallField(device, Field.VALUE_A);
  return ErrorCode.VALUE_TOO_LONG;
}

/**
 * Sends the last call, a GET, again for its next page.
 * @returns 1, or 0 where there is none, another call was begun since, or there is no session
 */
export function nextPage(device: Device): number {
  return device.hasNextPage && startCall(device, RESOURCE, device.callEndpoint, 1) ? 1 : 0;
}

// Behind its functions: Espruino knows none that stands further down when the file is loaded.
var RESOURCE: CallKind = {
  names: Literal.RESOURCE_MEMBERS,
  depth: 1,
  values: 1,
  scan: scanByte,
  take: keepPageToken,
  isAnyBody: true,
};
