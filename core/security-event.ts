// Security events about the user's account (RFC 8417; the documents' section 6): fetched by polling
// (RFC 8936) or handed in by the host, and what each of them does to the session.
//
// A poll asks for one event at a time, so that the memory need not hold more. Whoever verifies a
// signature also checks issuer and audience: that is the platform's part.

import { Endpoint } from "./command.ts";
import { ErrandState, finishErrand, hasSession, shareValues, startErrand } from "./errand.ts";
import { ErrorCode } from "./errors.ts";
import { Encoding, writeByte, writeLiteral, writeRegion, writeTo } from "./form-encoder.ts";
import { scanBegin, scanByte, scanComplete } from "./json-scanner.ts";
import { Limit } from "./limits.ts";
import { CompleteLiteral, isLiteral } from "./literals.ts";
import { type Bytes, type Device, Field, holds, Region } from "./memory.ts";
import { endSession, refreshNow } from "./refresh.ts";
import { Event } from "./states.ts";
import { checksum } from "./token-record.ts";
import { isVisible } from "./token-response.ts";

/** Makes the poll's body in CALL: with the acknowledgement of the last event, if there is one. */
function writePoll(device: Device, acknowledged: number): void {
  writeTo(device, Region.CALL);
  writeLiteral(device, CompleteLiteral.EVENT_POLL);
  if (acknowledged) {
    writeLiteral(device, acknowledged);
    writeRegion(device, Field.VALUE_B, Encoding.NONE);
    writeLiteral(
      device,
      acknowledged === CompleteLiteral.EVENT_ACKNOWLEDGE
        ? CompleteLiteral.EVENT_END
        : CompleteLiteral.EVENT_REFUSE_END,
    );
  }
  writeByte(device, 125);
  device.size[Region.CALL] = 0;
  device.errandBody = device.bytes;
  device.errandBodyFrom = device.at[Region.CALL];
  device.errandBodyTo = device.writeAt;
}

/**
 * Fetches the events that wait, one request for each, until none is left. For each of them the host
 * gets the command VERIFY.
 * @returns 1, or 0 where another errand is under way or nobody is signed in
 */
export function pollEvents(device: Device): number {
  if (!startErrand(device, CompleteLiteral.EVENT_POLL_MEMBERS, Endpoint.EVENTS, 0, 1, 2)) return 0;
  device.eventPolls = Limit.EVENT_POLLS;
  writePoll(device, 0);
  return 1;
}

/** The answer to a poll has come: its event, if there is one, waits for the host. */
export function takeEvent(device: Device): void {
  if (holds(device, Field.VALUE_A)) {
    device.errandState = ErrandState.VERIFYING;
    device.verifyDue = 1;
    device.data = device.at[Field.VALUE_A];
    device.dataLength = device.size[Field.VALUE_A];
  }
}

/** Value of a base64url character, -1 for anything else. */
function base64Value(c: number): number {
  if (c >= 65 && c <= 90) return c - 65;
  if (c >= 97 && c <= 122) return c - 71;
  if (c >= 48 && c <= 57) return c + 4;
  return c === 45 ? 62 : c === 95 ? 63 : -1;
}

/** Starts to read claims into the room behind the token: it is still to be read, they are short. */
function beginClaims(device: Device): void {
  shareValues(device, device.data + device.dataLength, Field.VALUE_B, 3);
  scanBegin(
    device,
    CompleteLiteral.EVENT_MEMBERS,
    (1 << Field.VALUE_B) |
      (1 << Field.VALUE_C) |
      (1 << Field.VALUE_D) |
      (1 << Field.SESSIONS_REVOKED) |
      (1 << Field.TOKEN_REVOKED) |
      (1 << Field.ACCOUNT_DISABLED),
    4,
  );
}

/** Scans the payload of the compact serialization in VALUE_A. False: it is none. */
function scanPayload(device: Device): boolean {
  var at = device.data;
  var end = at + device.dataLength;
  while (at < end && device.bytes[at] !== 46) at++;
  var bits = 0;
  var count = 0;
  for (at++; at < end && device.bytes[at] !== 46; at++) {
    var value = base64Value(device.bytes[at]);
    if (value < 0) return false;
    bits = ((bits & 255) << 6) | value;
    count += 6;
    if (count >= 8) {
      count -= 8;
      scanByte(device, (bits >> count) & 255);
    }
  }
  return scanComplete(device);
}

/** Whether the event with the identifier in VALUE_B came before; it is remembered now. */
function isDuplicate(device: Device): boolean {
  var start = device.at[Field.VALUE_B];
  var sum = checksum(device, 0, start, device.size[Field.VALUE_B]);
  var seen = device.at[Region.SEEN_EVENTS];
  for (var i = 0; i < Limit.SEEN_EVENTS * 3; i += 3) {
    var other =
      (device.bytes[seen + i] << 16) |
      (device.bytes[seen + i + 1] << 8) |
      device.bytes[seen + i + 2];
    if (other === sum) return true;
  }
  seen += device.eventSlot * 3;
  device.eventSlot = device.eventSlot + 1 < Limit.SEEN_EVENTS ? device.eventSlot + 1 : 0;
  device.bytes[seen] = sum >> 16;
  device.bytes[seen + 1] = (sum >> 8) & 255;
  device.bytes[seen + 2] = sum & 255;
  return false;
}

/** Whether VALUE_D holds the first characters of the token in the region. */
function isPrefix(device: Device, region: number): boolean {
  var length = device.size[Field.VALUE_D];
  if (length < 1 || length > device.size[region]) return false;
  for (var i = 0; i < length; i++) {
    var c = device.bytes[device.at[Field.VALUE_D] + i];
    if (c !== device.bytes[device.at[region] + i]) return false;
  }
  return true;
}

/** The session's tokens may be dead: the refresh tells, and ends the session if they are. */
function testSession(device: Device): void {
  device.size[Field.ACCESS_TOKEN] = -1;
  refreshNow(device, Event.SESSIONS_REVOKED);
}

function hasNamed(device: Device, field: number): boolean {
  return ((device.scanSeen >> field) & 1) === 1;
}

/** What the event whose claims were scanned does to the session. */
function applyEvent(device: Device): void {
  if (!hasSession(device)) return;
  if (hasNamed(device, Field.ACCOUNT_DISABLED)) {
    endSession(device, ErrorCode.ACCOUNT_DISABLED);
  } else if (hasNamed(device, Field.TOKEN_REVOKED)) {
    if (!hasNamed(device, Field.VALUE_D)) endSession(device, ErrorCode.TOKEN_REVOKED);
    // A hash cannot be compared here; a token that is not ours survives the test.
    else if (!isLiteral(device, Field.VALUE_C, CompleteLiteral.PREFIX)) testSession(device);
    else if (
      isPrefix(device, Region.PRESENT_REFRESH_TOKEN) ||
      isPrefix(device, Field.ACCESS_TOKEN)
    ) {
      endSession(device, ErrorCode.TOKEN_REVOKED);
    }
  } else if (hasNamed(device, Field.SESSIONS_REVOKED)) {
    testSession(device);
  }
}

/**
 * The host has checked the event of VERIFY.
 * @param ok 1: signature, issuer and audience are right and the event is this device's; 0: not
 */
export function eventVerified(device: Device, ok: number): void {
  if (device.errandState !== ErrandState.VERIFYING) return;
  beginClaims(device);
  var readable = scanPayload(device) && isIdentifier(device);
  if (!readable) {
    finishErrand(device, ErrorCode.MALFORMED_RESPONSE);
    return;
  }
  if (ok && !isDuplicate(device)) applyEvent(device);
  if (device.eventPolls-- <= 0) {
    finishErrand(device, ErrorCode.NONE);
    return;
  }
  writePoll(device, ok ? CompleteLiteral.EVENT_ACKNOWLEDGE : CompleteLiteral.EVENT_REFUSE);
  shareValues(device, device.at[Region.OUTPUT], Field.VALUE_A, 1);
  device.verifyDue = 0;
  device.errandState = ErrandState.WAITING;
}

/** An identifier that can be written into JSON as it is. */
function isIdentifier(device: Device): boolean {
  if (!isVisible(device, Field.VALUE_B)) return false;
  for (var i = 0; i < device.size[Field.VALUE_B]; i++) {
    var c = device.bytes[device.at[Field.VALUE_B] + i];
    if (c === 34 || c === 92) return false;
  }
  return true;
}

/**
 * Applies an event that the host got and verified itself.
 * @param claims `claims[from..to)`: the JSON claims set of the token; only read
 * @returns 1 where it was applied (or a duplicate), 0 where it is no event or OUTPUT is in use
 */
export function applySecurityEvent(
  device: Device,
  claims: Bytes,
  from: number,
  to: number,
): number {
  if (device.inFlight || device.job || device.verifyDue || !hasSession(device)) return 0;
  device.data = device.at[Region.OUTPUT];
  device.dataLength = 0;
  beginClaims(device);
  for (var at = from; at < to; at++) scanByte(device, claims[at]);
  if (!scanComplete(device) || !isIdentifier(device)) return 0;
  if (!isDuplicate(device)) applyEvent(device);
  return 1;
}
