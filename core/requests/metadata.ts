// Requests and checks the authorization server's metadata (RFC 8414, OpenID Connect Discovery; device spec §4.1), and
// passes the addresses to the host.

import { Endpoint } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { type Bytes, beginsWith, type CallKind, contains, type Device } from "../device/memory.ts";
import { Field, Literal } from "../device/tables.ts";
import { holdsVisible } from "../grant/token-response.ts";
import { scanByte } from "../text/json-scanner.ts";
import { isResponseTooLong, lend, startCall } from "./call.ts";

/**
 * Requests the metadata. When callState is DONE without an error, the addresses are in Field.VALUE_B (device
 * authorization), VALUE_C (token) and VALUE_D (revocation, may be absent).
 * @param issuer `issuer[from..to)`, which the response must repeat (RFC 8414 §3.3). Used until the call is done
 * @returns 1, or 0 if another call is in progress
 */
export function discover(device: Device, issuer: Bytes, from: number, to: number): number {
  if (!startCall(device, METADATA, Endpoint.METADATA, 1)) return 0;
  lend(device, issuer, from, to);
  return 1;
}

/** Whether the address is http at a loopback host. After the literal, the address ends or continues with `:` or `/`. */
function isLoopback(device: Device, region: Field): boolean {
  var isFound = false;
  for (var start = Literal.SECURE + 1; start < Literal.SECURE + 4; start++) {
    if (beginsWith(device, region, start)) {
      var at = device.start[region] + device.length[start];
      var c = device.memory[at];
      isFound = at === device.start[region] + device.length[region] || c === 58 || c === 47;
    }
  }
  return isFound;
}

/** Whether the issuer in the metadata is the requested one. */
function isOfIssuer(device: Device): boolean {
  var size = device.length[Field.VALUE_A];
  if (size !== device.lentTo - device.lentFrom) return false;
  var at = device.start[Field.VALUE_A];
  while (size > 0 && device.memory[at + size - 1] === device.lent![device.lentFrom + size - 1])
    size--;
  return size === 0;
}

/** Whether the address is https and has a host, because a secret must not cross a network unencrypted. */
function isSecure(device: Device, region: Field): boolean {
  return (
    beginsWith(device, region, Literal.SECURE) &&
    device.length[region] > device.length[Literal.SECURE]
  );
}

/**
 * Whether all addresses may receive secrets. They must be https. If the issuer is http at a loopback host, they may be
 * that too. Otherwise a remote server could direct the device to services on the device itself.
 */
function areSafe(device: Device): boolean {
  var isIssuerHere = isLoopback(device, Field.VALUE_A);
  for (var field = Field.VALUE_B; field <= Field.VALUE_D; field++) {
    // Only the revocation endpoint may be absent.
    if (field === Field.VALUE_D && device.length[field] < 0) return true;
    if (!holdsVisible(device, field)) return false;
    // Reject user names (`@`): http://localhost:80@b looks like a loopback address, but its host is b.
    if (contains(device, field, 64)) return false;
    if (!isSecure(device, field) && !(isIssuerHere && isLoopback(device, field))) return false;
  }
  return true;
}

/** @returns NONE if the response has the requested issuer and safe addresses; otherwise the error */
function checkMetadata(device: Device): ErrorCode {
  if (isResponseTooLong(device)) return ErrorCode.VALUE_TOO_LONG;
  return isOfIssuer(device) && areSafe(device) ? ErrorCode.NONE : ErrorCode.MALFORMED_RESPONSE;
}

// This object must follow its functions: Espruino cannot use a function before the file has defined it.
var METADATA: CallKind = {
  names: Literal.METADATA_MEMBERS,
  depth: 1,
  values: 4,
  scan: scanByte,
  take: checkMetadata,
};
