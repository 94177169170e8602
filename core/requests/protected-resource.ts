// Calling an API with the access token (RFC 6750 §2.1; the documents' 4.5). The target (path and query)
// is built in CALL piece by piece; body and answer stay the host's.
//
// With default memory a target may have some 300 bytes.

import { Endpoint } from "../device/command.ts";
import { type Bytes, type Device, Field, isTooLong, lacks, Region } from "../device/memory.ts";
import { CompleteLiteral } from "../documents/literals.ts";
import {
  Encoding,
  endWrite,
  writeEncoded,
  writeLiteral,
  writeRegion,
  writeTo,
} from "../text/form-encoder.ts";
import { mayBeginCall, startCall } from "./call.ts";

/**
 * Begins the target of a call. No tick until sendCall: where a request of the grant was written in
 * between, the call is refused.
 * @returns 1, or 0 where another call is under way or nobody is signed in: then nothing may be added
 */
export function beginCall(device: Device): number {
  if (!mayBeginCall(device, Endpoint.RESOURCE)) return 0;
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

/**
 * Sends the call whose target was built since beginCall. It waits for a session and for a refresh if
 * need be; a 401 leads to a refresh and one more try. callState tells when it is done; then
 * callError and callStatus, Field.ERROR, MESSAGE and VALUE_B (reason) tell how.
 * @param endpoint Endpoint.RESOURCE for the first resource server, RESOURCE + 1 for the second ...
 * @param isGet 1 for GET, 0 for POST
 * @param body null, or a body in `body[from..to)`: lent until the call is done
 * @returns 1, or 0 where the target did not fit, another call is under way, or nobody is signed in
 */
export function sendCall(
  device: Device,
  endpoint: number,
  isGet: number,
  body: Bytes | null,
  from: number,
  to: number,
): number {
  // Also beyond the room where a request of the grant was written since: OUTPUT lies behind.
  var size = device.writeAt - device.at[Region.CALL];
  if (size > device.room[Region.CALL] || !startResourceCall(device, endpoint, isGet)) return 0;
  device.size[Region.CALL] = device.callBase = size;
  device.callBody = body;
  device.callBodyFrom = from;
  device.callBodyTo = to;
  return 1;
}

function startResourceCall(device: Device, endpoint: number, isGet: number): number {
  return startCall(device, CompleteLiteral.LIST_MEMBERS, endpoint, isGet, 2);
}

/**
 * A page token goes behind the target at once: OUTPUT, where it is, has other uses. Only a list has
 * pages: the body of a POST is the host's again.
 */
export function keepPageToken(device: Device): void {
  if (!device.isGet || lacks(device, Field.VALUE_A) || isTooLong(device, Field.VALUE_A)) return;
  writeTo(device, Region.CALL);
  device.writeAt += device.callBase;
  writeLiteral(device, CompleteLiteral.PAGE_TOKEN);
  writeRegion(device, Field.VALUE_A, Encoding.FORM);
  endWrite(device, Region.CALL);
  device.hasNextPage = +(device.size[Region.CALL] > 0);
}

/**
 * Sends the last call, a GET, again for its next page.
 * @returns 1, or 0 where there is none, another call was begun since, or nobody is signed in
 */
export function nextPage(device: Device): number {
  return device.hasNextPage && startResourceCall(device, device.callEndpoint, 1);
}
