// The authorization server's metadata (RFC 8414, OpenID Connect Discovery; the documents' 4.1): asked
// for once, checked, and handed to the host, which knows the addresses from then on.

import { Endpoint } from "./command.ts";
import { finishErrand, shareValues, startErrand } from "./errand.ts";
import { ErrorCode } from "./errors.ts";
import { CompleteLiteral } from "./literals.ts";
import {
  type Bytes,
  type Device,
  type Errand,
  Field,
  literalEnd,
  literalStart,
  Region,
} from "./memory.ts";
import { isVisible, tooLong } from "./token-response.ts";

var FIELDS =
  (1 << Field.VALUE_A) | (1 << Field.VALUE_B) | (1 << Field.VALUE_C) | (1 << Field.VALUE_D);

var METADATA: Errand = {
  endpoint: Endpoint.METADATA,
  isGet: 1,
  needsToken: 0,
  names: CompleteLiteral.METADATA_MEMBERS,
  wanted: FIELDS,
  depth: 1,
  answered: metadataAnswered,
};

/**
 * Asks for the metadata. When errandState says that it is done without an error, the addresses are in
 * Field.VALUE_B (device authorization), VALUE_C (token) and VALUE_D (revocation, may be absent), until
 * the next request.
 * @param issuer `issuer[from..to)`: the answer's must be equal to it (RFC 8414 §3.3); copied
 * @returns 1, or 0 where another errand is under way or the issuer is too long for CALL
 */
export function discover(device: Device, issuer: Bytes, from: number, to: number): number {
  if (to - from > device.capacity[Region.CALL] || !startErrand(device, METADATA)) return 0;
  // Kept behind the (empty) target.
  for (var i = 0; i < to - from; i++) {
    device.memory[device.start[Region.CALL] + i] = issuer[from + i];
  }
  device.length[Region.CALL] = 0;
  device.callBase = to - from;
  shareValues(device, 4);
  return 1;
}

function isIssuer(device: Device): boolean {
  if (device.length[Field.VALUE_A] !== device.callBase) return false;
  for (var i = 0; i < device.callBase; i++) {
    var c = device.memory[device.start[Field.VALUE_A] + i];
    if (c !== device.memory[device.start[Region.CALL] + i]) return false;
  }
  return true;
}

/** The place behind the literal if the memory from `at` begins with it, else 0. */
function behind(device: Device, at: number, end: number, literal: number): number {
  var from = literalStart(device, literal);
  var to = literalEnd(device, literal);
  while (from < to && at < end && device.memory[at] === device.memory[from]) {
    at++;
    from++;
  }
  return from === to ? at : 0;
}

/** https, or http to the device itself: a secret must not cross a network in the clear. */
function isSecure(device: Device, region: number): boolean {
  if (!isVisible(device, region)) return false;
  var start = device.start[region];
  var end = start + device.length[region];
  for (var at = start; at < end; at++) {
    // http://localhost:80@elsewhere is elsewhere.
    if (device.memory[at] === 64) return false;
  }
  if (behind(device, start, end, CompleteLiteral.SECURE)) return true;
  for (var i = 1; i < 4; i++) {
    at = behind(device, start, end, CompleteLiteral.SECURE + i);
    if (at && (at === end || device.memory[at] === 58 || device.memory[at] === 47)) return true;
  }
  return false;
}

function metadataAnswered(device: Device, error: number): void {
  if (!error && tooLong(device, FIELDS)) error = ErrorCode.VALUE_TOO_LONG;
  if (!error) {
    error =
      isIssuer(device) &&
      isSecure(device, Field.VALUE_B) &&
      isSecure(device, Field.VALUE_C) &&
      (device.length[Field.VALUE_D] < 0 || isSecure(device, Field.VALUE_D))
        ? ErrorCode.NONE
        : ErrorCode.MALFORMED_RESPONSE;
  }
  finishErrand(device, error);
}
