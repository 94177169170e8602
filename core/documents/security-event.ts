// Security events about the user's account (RFC 8417; the documents' section 6): fetched by polling
// (RFC 8936) or handed in by the host, and what each of them does to the session.
//
// A poll asks for one event at a time, so that the memory need not hold more. Whoever verifies a
// signature also checks issuer and audience: that is the platform's part.

import { Endpoint } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import {
  type Bytes,
  beginsWith,
  type Device,
  Field,
  holds,
  isTooLong,
  lacks,
  Region,
} from "../device/memory.ts";
import { Event } from "../device/states.ts";
import { endAsTold, hasSession, refreshNow } from "../grant/refresh.ts";
import { checksum } from "../records/token-record.ts";
import { CallState, finishCall, shareValues, startCall } from "../requests/call.ts";
import {
  Encoding,
  endWrite,
  writeByte,
  writeHex,
  writeLiteral,
  writeRegion,
  writeTo,
} from "../text/form-encoder.ts";
import { scanBegin, scanByte, scanComplete } from "../text/json-scanner.ts";
import { CompleteLiteral, isLiteral } from "./literals.ts";

/** Claims that are looked for in the outermost object, and further in. */
enum Claims {
  OUTERMOST = 0b1000000000000000,
  INNER = 0b111110000000000000000,
}

/** Writes the identifier of the last event as the inside of a JSON string (RFC 8259 §7). */
function writeIdentifier(device: Device): void {
  for (var i = 0; i < device.size[Field.VALUE_B]; i++) {
    var c = device.bytes[device.at[Field.VALUE_B] + i];
    if (c < 32 || c === 34 || c === 92) {
      writeByte(device, 92);
      writeByte(device, 117);
      writeHex(device, 0);
      writeHex(device, c);
    } else writeByte(device, c);
  }
}

/**
 * Makes the poll's body in CALL.
 * @param answer literal in front of the identifier of the last event, 0 where there was none
 */
function writePoll(device: Device, answer: number): void {
  writeTo(device, Region.CALL);
  writeLiteral(device, CompleteLiteral.EVENT_POLL);
  if (answer) {
    writeLiteral(device, answer);
    writeIdentifier(device);
    writeRegion(device, answer + 2, Encoding.NONE);
  }
  writeByte(device, 125);
  endWrite(device, Region.CALL);
}

/**
 * Fetches the events that wait, one request for each, until none is left. For each of them the host
 * gets the command VERIFY.
 * @returns 1, or 0 where another call is under way or nobody is signed in
 */
export function pollEvents(device: Device): number {
  if (!startCall(device, CompleteLiteral.EVENT_POLL_MEMBERS, Endpoint.EVENTS, 0, 1)) return 0;
  device.eventPolls = Limit.EVENT_POLLS;
  writePoll(device, 0);
  return 1;
}

/** The answer to a poll has come: its event, if there is one, waits for the host. */
export function takeEvent(device: Device): void {
  if (holds(device, Field.VALUE_A) && hasSession(device)) {
    device.callState = CallState.VERIFYING;
    device.verifyDue = 1;
    device.data = device.at[Field.VALUE_A];
    device.dataLength = device.size[Field.VALUE_A];
  }
}

/**
 * Starts to read claims. The identifier goes to the `size` bytes of OUTPUT from `at`, the other two, which are
 * short, behind it. Where a token lies there, the identifier is written over what has been read of it: never
 * ahead of that, and never too long.
 */
function beginClaims(device: Device, at: number, size: number): void {
  device.at[Field.VALUE_B] = at;
  device.room[Field.VALUE_B] = size;
  shareValues(device, at + size, Field.VALUE_C, 2);
  scanBegin(device, CompleteLiteral.EVENT_MEMBERS, Claims.OUTERMOST | Claims.INNER, 4);
}

/** The identifier is the document's own: the subject of an event may have one as well (RFC 9493). */
function scanClaim(device: Device, c: number): void {
  scanByte(device, c);
  device.scanWanted = device.scanStack < 4 ? Claims.OUTERMOST : Claims.INNER;
}

/** Value of a base64url character, below 0 for anything else. */
function base64Value(c: number): number {
  if (c === 95) return 63;
  if (c === 45) return 62;
  if (c > 47 && c < 58) return c + 4;
  // Whatever else comes before the letters is below 0 so.
  if (c < 91) return c - 65;
  return c > 96 && c < 123 ? c - 71 : -1;
}

/**
 * Scans the payload of the compact serialization in `data`: what is behind its first dot, up to the first
 * character that is none of base64url. Where that is not the second dot, the JSON is not complete either.
 */
function scanPayload(device: Device): void {
  var at = device.data;
  var end = at + device.dataLength;
  while (at < end && device.bytes[at++] !== 46);
  // The last bits read, and how many of them are still to be handed on.
  var bits = 0;
  var count = 0;
  while (at < end) {
    var value = base64Value(device.bytes[at++]);
    if (value < 0) return;
    bits = ((bits & 63) << 6) | value;
    count = (count + 6) & 7;
    if (count < 6) scanClaim(device, (bits >> count) & 255);
  }
}

/** Whether the event with the identifier in VALUE_B came before. It is the newest of those remembered now. */
function isDuplicate(device: Device): boolean {
  var sum = checksum(device, 0, device.at[Field.VALUE_B], device.size[Field.VALUE_B]);
  var newer = sum;
  for (var i = 0; i < device.seenEvents.length; i++) {
    var older = device.seenEvents[i];
    device.seenEvents[i] = newer;
    if (older === sum) return true;
    newer = older;
  }
  return false;
}

/** Not 0 where the claims have named the field. */
function named(device: Device, field: number): number {
  return device.scanSeen & (1 << field);
}

/** What the event whose claims were scanned does to the session; whoever calls ends it where it is to end. */
function applyEvent(device: Device): void {
  var isRevoked = named(device, Field.TOKEN_REVOKED);
  // A hash cannot be compared here.
  var isComparable =
    isLiteral(device, Field.VALUE_C, CompleteLiteral.PREFIX) && !isTooLong(device, Field.VALUE_D);
  if (named(device, Field.ACCOUNT_DISABLED)) {
    device.endsWith = ErrorCode.ACCOUNT_DISABLED;
  } else if (
    isRevoked &&
    (!named(device, Field.VALUE_D) ||
      (isComparable &&
        holds(device, Field.VALUE_D) &&
        (beginsWith(device, Region.PRESENT_REFRESH_TOKEN, Field.VALUE_D) ||
          beginsWith(device, Field.ACCESS_TOKEN, Field.VALUE_D))))
  ) {
    device.endsWith = ErrorCode.TOKEN_REVOKED;
  } else if (named(device, Field.SESSIONS_REVOKED) || (isRevoked && !isComparable)) {
    // The tokens may be dead: the refresh tells, and ends the session if they are.
    device.size[Field.ACCESS_TOKEN] = -1;
    refreshNow(device, Event.SESSIONS_REVOKED);
  }
}

/**
 * Takes in the event whose claims were scanned.
 * @param ok 1: it is to be applied if it is new
 * @returns 1, or 0 where it is none
 */
function useClaims(device: Device, ok: number): number {
  if (!scanComplete(device) || lacks(device, Field.VALUE_B) || isTooLong(device, Field.VALUE_B)) {
    return 0;
  }
  if (ok && !isDuplicate(device)) applyEvent(device);
  return 1;
}

/**
 * The host has checked the event of VERIFY. One that ends the session is acknowledged first, or it would come
 * again and end the next.
 * @param ok 1: signature, issuer and audience are right and the event is this device's; 0: not
 */
export function eventVerified(device: Device, ok: number): void {
  if (device.callState !== CallState.VERIFYING || !hasSession(device)) return;
  beginClaims(device, device.data, device.dataLength);
  scanPayload(device);
  if (!useClaims(device, ok)) finishCall(device, ErrorCode.MALFORMED_RESPONSE);
  else if (device.eventPolls-- > 0) {
    writePoll(device, ok ? CompleteLiteral.EVENT_ANSWER + 1 : CompleteLiteral.EVENT_ANSWER);
    device.verifyDue = 0;
    device.callState = CallState.WAITING;
  } else finishCall(device, ErrorCode.NONE);
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
  beginClaims(device, device.at[Region.OUTPUT], device.room[Region.OUTPUT] >> 1);
  while (from < to) scanClaim(device, claims[from++]);
  var isEvent = useClaims(device, 1);
  endAsTold(device);
  return isEvent;
}
