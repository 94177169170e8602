// Calls an API with the access token (RFC 6750 §2.1; device spec §4.5). The target (path and query) is built in CALL
// piece by piece. The host provides the body and reads the response. A target has at most 304 bytes plus the number of
// columns of the display, or 1280 plus that number with 24 KiB of memory or more.

import { Endpoint } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import {
  type Bytes,
  type CallKind,
  contains,
  type Device,
  holds,
  isTooLong,
} from "../device/memory.ts";
import { beginTarget, keepTarget, offerNextPage, shorten } from "../device/regions.ts";
import { Field, Literal, Region } from "../device/tables.ts";
import {
  Encoding,
  endWrite,
  writeByte,
  writeEncoded,
  writeOn,
  writeRegion,
} from "../text/form-encoder.ts";
import { scanByte, scanEnd } from "../text/json-scanner.ts";
import { lend, mayBeginCall, noteCallField, startCall } from "./call.ts";

/**
 * Starts the target of a call. nextPage no longer works for the previous call.
 * @returns 1; 0 if another call is in progress or there is no session. addPath and the like then have no effect
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

/** Appends `bytes[from..to)` to the target unchanged, for fixed parts of path and query. */
export function addPath(device: Device, bytes: Bytes, from: number, to: number): void {
  add(device, bytes, from, to, Encoding.NONE);
}

/** Percent-encodes a path segment (RFC 3986 §2.1), `bytes[from..to)` in UTF-8, and appends it to the target. */
export function addSegment(device: Device, bytes: Bytes, from: number, to: number): void {
  add(device, bytes, from, to, Encoding.PATH);
}

/** Form-encodes the value of a query parameter, `bytes[from..to)` in UTF-8, and appends it to the target. */
export function addQueryValue(device: Device, bytes: Bytes, from: number, to: number): void {
  add(device, bytes, from, to, Encoding.FORM);
}

/**
 * Sends the call whose target was built since beginCall. If necessary, it first waits for storage and a refresh. A 401
 * leads to a refresh and one retry, unless the API requires another sign-in. When callState is DONE, read callError and
 * callStatus. After a rejection, VALUE_A is the error's name, VALUE_B its reason, and VALUE_C its message.
 * @param endpoint Endpoint.RESOURCE for the first resource server, Endpoint.RESOURCE + 1 for the second, and so on
 * @param isGet 1 for GET, 0 for POST
 * @param body null, or the body in `body[from..to)`. The core uses it until the call is done
 * @returns 1; 0 if there is no target, the target did not fit, another call is in progress, or there is no session
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

/**
 * Appends the response's page token to the target, because OUTPUT, which contains the token, is released after the
 * call. A token that does not fit is an error. Otherwise an incomplete list would look complete.
 */
function keepPageToken(device: Device): ErrorCode {
  // Only JSON in the response to a GET can have a page token.
  if (!device.callIsGet || !scanEnd(device) || !holds(device, Field.VALUE_A)) {
    return ErrorCode.NONE;
  }
  shorten(device, Region.CALL, device.targetSize);
  writeOn(device, Region.CALL);
  // If the target has a query, `&` precedes the parameter, otherwise `?`.
  writeByte(device, contains(device, Region.CALL, 63) ? 38 : 63);
  writeRegion(device, Literal.PAGE_TOKEN, Encoding.NONE);
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
 * Requests the next page of the list that the last call, a GET, has returned.
 * @returns 1; 0 if there is no next page, another call was started since, or there is no session
 */
export function nextPage(device: Device): number {
  return device.hasNextPage && startCall(device, RESOURCE, device.callEndpoint, 1) ? 1 : 0;
}

// This object must follow its functions: Espruino cannot use a function before the file has defined it.
var RESOURCE: CallKind = {
  names: Literal.RESOURCE_MEMBERS,
  depth: 1,
  values: 1,
  scan: scanByte,
  take: keepPageToken,
  isAnyBody: true,
};
