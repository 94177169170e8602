// The authorization server's metadata (RFC 8414, OpenID Connect Discovery; the documents' 4.1): asked
// for once, checked, and handed to the host, which knows the addresses from then on.

import { Endpoint } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { type Bytes, beginsWith, type Device, equals, Field, Region } from "../device/memory.ts";
import { CompleteLiteral } from "../documents/literals.ts";
import { writeTo } from "../text/form-encoder.ts";
import { startCall } from "./call.ts";
import { addPath } from "./protected-resource.ts";

/**
 * Asks for the metadata. When callState says that it is done without an error, the addresses are in
 * Field.VALUE_B (device authorization), VALUE_C (token) and VALUE_D (revocation, may be absent), until
 * the next request.
 * @param issuer `issuer[from..to)`: the answer's must be equal to it (RFC 8414 §3.3); copied
 * @returns 1, or 0 where another call is under way or the issuer is longer than 96 bytes
 */
export function discover(device: Device, issuer: Bytes, from: number, to: number): number {
  if (
    to - from > device.room[Field.MESSAGE] ||
    !startCall(device, CompleteLiteral.METADATA_MEMBERS, Endpoint.METADATA, 1, 4)
  ) {
    return 0;
  }
  // CALL lies on the codes, which a device that comes back may hold: the issuer is kept elsewhere.
  device.size[Region.CALL] = 0;
  device.callBase = to - from;
  writeTo(device, Field.MESSAGE);
  addPath(device, issuer, from, to);
  return 1;
}

/** https, or http to the device itself: a secret must not cross a network in the clear. */
function isSecure(device: Device, region: number): boolean {
  var at = device.at[region];
  var end = at + device.size[region];
  for (; at < end; at++) {
    var c = device.bytes[at];
    // Printable ASCII only. And http://localhost:80@elsewhere is elsewhere.
    if (c < 33 || c > 126 || c === 64) return false;
  }
  for (var start = CompleteLiteral.SECURE; start < CompleteLiteral.SECURE + 4; start++) {
    if (beginsWith(device, region, start)) {
      // A host on the device itself is one only if its name ends there.
      at = device.at[region] + device.size[start];
      c = device.bytes[at];
      return start === CompleteLiteral.SECURE || at === end || c === 58 || c === 47;
    }
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
