// The authorization server's metadata (RFC 8414, OpenID Connect Discovery; the documents' 4.1): asked
// for once, checked, and handed to the host, which knows the addresses from then on.

import { Endpoint } from "./command.ts";
import { startErrand } from "./errand.ts";
import { ErrorCode } from "./errors.ts";
import { CompleteLiteral } from "./literals.ts";
import { type Bytes, type Device, equals, Field, Region } from "./memory.ts";
import { isVisible } from "./token-response.ts";

/**
 * Asks for the metadata. When errandState says that it is done without an error, the addresses are in
 * Field.VALUE_B (device authorization), VALUE_C (token) and VALUE_D (revocation, may be absent), until
 * the next request.
 * @param issuer `issuer[from..to)`: the answer's must be equal to it (RFC 8414 §3.3); copied
 * @returns 1, or 0 where another errand is under way or the issuer is longer than 96 bytes
 */
export function discover(device: Device, issuer: Bytes, from: number, to: number): number {
  if (
    to - from > device.room[Field.MESSAGE] ||
    !startErrand(device, CompleteLiteral.METADATA_MEMBERS, Endpoint.METADATA, 1, 4, 1)
  ) {
    return 0;
  }
  // CALL lies on the codes, which a device that comes back may hold: the issuer is kept elsewhere.
  device.size[Region.CALL] = 0;
  device.callBase = to - from;
  for (var i = 0; from < to; i++) device.bytes[device.at[Field.MESSAGE] + i] = issuer[from++];
  return 1;
}

/** The place behind the literal if the memory from `at` begins with it, else 0. */
function behind(device: Device, at: number, end: number, literal: number): number {
  var from = device.at[literal];
  var to = from + device.size[literal];
  while (from < to && at < end && device.bytes[at] === device.bytes[from]) {
    at++;
    from++;
  }
  return from === to ? at : 0;
}

/** https, or http to the device itself: a secret must not cross a network in the clear. */
function isSecure(device: Device, region: number): boolean {
  if (!isVisible(device, region)) return false;
  var start = device.at[region];
  var end = start + device.size[region];
  for (var at = start; at < end; at++) {
    // http://localhost:80@elsewhere is elsewhere.
    if (device.bytes[at] === 64) return false;
  }
  if (behind(device, start, end, CompleteLiteral.SECURE)) return true;
  for (var i = 1; i < 4; i++) {
    at = behind(device, start, end, CompleteLiteral.SECURE + i);
    if (at && (at === end || device.bytes[at] === 58 || device.bytes[at] === 47)) return true;
  }
  return false;
}

/** @returns NONE where the answer is this issuer's and names what is needed, or what is wrong with it */
export function checkMetadata(device: Device): ErrorCode {
  return equals(device, Field.VALUE_A, device.at[Field.MESSAGE], device.callBase) &&
    isSecure(device, Field.VALUE_B) &&
    isSecure(device, Field.VALUE_C) &&
    (device.size[Field.VALUE_D] < 0 || isSecure(device, Field.VALUE_D))
    ? ErrorCode.NONE
    : ErrorCode.MALFORMED_RESPONSE;
}
