// Security events about the user's account (RFC 8417; the documents' section 6): fetched by polling
// (RFC 8936) or handed in by the host, and what each of them does to the session.
//
// A poll asks for one event at a time, so that the memory need not hold more. The platform verifies the
// signature, and checks issuer and audience.

import { Endpoint } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import {
  type Bytes,
  beginsWith,
  type CallKind,
  type Device,
  holds,
  type Integers,
  isSame,
  isTooLong,
} from "../device/memory.ts";
import {
  claimOutput,
  OutputUse,
  placeRegion,
  releaseOutput,
  setLength,
  wipe,
} from "../device/regions.ts";
import { Event } from "../device/states.ts";
import { Field, Literal, Region } from "../device/tables.ts";
import { endIfDue, endLater, endSession, hasSession, refreshNow } from "../grant/refresh.ts";
import { checksum } from "../records/token-record.ts";
import {
  endVerify,
  finishCall,
  isResponseTooLong,
  isVerifying,
  requestVerification,
  shareValues,
  startCall,
  waitAgain,
} from "../requests/call.ts";
import { endWrite, writeByte, writeHex, writeLiteral, writeTo } from "../text/form-encoder.ts";
import { discardNames, lookFor, scanBegin, scanByte, scanEnd } from "../text/json-scanner.ts";

/** A run of event polls, and the events that were met before. */
export interface Events {
  /** Requests left in a run of event polls. */
  eventPolls: number;
  /** Checksums of the identifiers of the last security events, the newest first; -1 for none. */
  seenEvents: Integers;
}

export function makeEvents(device: Events): void {
  var seenEvents: number[] = [];
  while (seenEvents.length < 8) seenEvents.push(-1);
  device.eventPolls = 0;
  device.seenEvents = seenEvents;
}

/** The claim that is looked for in the outermost object: the identifier. */
var OUTER_CLAIMS: number = 1 << Field.VALUE_B;

/** Those that are looked for further in: how the event names a token, the token, and the types of events. */
var INNER_CLAIMS: number =
  (1 << Field.VALUE_C) |
  (1 << Field.VALUE_D) |
  (1 << Field.SESSIONS_REVOKED) |
  (1 << Field.TOKEN_REVOKED) |
  (1 << Field.ACCOUNT_DISABLED);

/** Writes the identifier of the last event as the inside of a JSON string (RFC 8259 §7). */
function writeIdentifier(device: Device): void {
  for (var i = 0; i < device.length[Field.VALUE_B]; i++) {
    var c = device.memory[device.start[Field.VALUE_B] + i];
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
function writePoll(device: Device, response: Literal | 0): void {
  wipe(device, Region.CALL);
  writeTo(device, Region.CALL);
  writeLiteral(device, Literal.EVENT_POLL);
  if (response) {
    writeLiteral(device, response);
    writeIdentifier(device);
    writeLiteral(device, response + Literal.EVENT_REFUSED_END - Literal.EVENT_REFUSED);
  }
  writeByte(device, 125);
  endWrite(device, Region.CALL);
}

/** So many requests are left in the run. */
function countPolls(device: Device & Events, left: number): void {
  device.eventPolls = left;
}

/**
 * Fetches the events that wait, one request for each, until none is left. For each of them the host
 * gets the command VERIFY.
 * @returns 1, or 0 where another call is under way or there is no session
 */
export function pollEvents(device: Device): number {
  if (!startCall(device, EVENT_POLL, Endpoint.EVENTS, 0)) return 0;
  countPolls(device, Limit.EVENT_POLLS);
  writePoll(device, 0);
  return 1;
}

/** Whether the scanner is in no object (or array) within the outermost: the stack has a bit for each. */
function isOutermost(device: Device): boolean {
  return device.scanStack < 4;
}

/** Events are the members of `sets` (RFC 8936 §2.3), whatever their names are. Others may lie beside it. */
function scanPoll(device: Device, c: number): void {
  var sets = 1 << Field.SETS;
  scanByte(device, c);
  if (isOutermost(device)) {
    // A name begins: what is in the member before it is over.
    if (device.scanField === Region.KEY) discardNames(device, sets);
    lookFor(device, Literal.EVENT_POLL_MEMBERS, sets);
  } else lookFor(device, Literal.ANY_MEMBER, device.scanSeen & sets ? 1 << Field.VALUE_A : 0);
}

/**
 * The answer to a poll has come, and so the last event is acknowledged: the session ends if that was to end it.
 * The event in it waits for the host, but after the last poll of a run: the server keeps that one.
 */
function takeEvent(device: Device): ErrorCode {
  if (isResponseTooLong(device)) return ErrorCode.VALUE_TOO_LONG;
  endIfDue(device);
  if (holds(device, Field.VALUE_A) && hasSession(device) && device.eventPolls > 0) {
    requestVerification(device);
  }
  return ErrorCode.NONE;
}

/**
 * Starts to read the claims of an event. The identifier goes to the `size` bytes of OUTPUT from `at`, the other two,
 * which are short, after it. Where a token lies there, the identifier is written over what has been read of it:
 * never ahead of that, and never too long.
 */
function beginEventClaims(device: Device, at: number, size: number): void {
  placeRegion(device, Field.VALUE_B, at, size);
  shareValues(device, at + size, Field.VALUE_C, 2);
  scanBegin(device, Literal.EVENT_MEMBERS, OUTER_CLAIMS | INNER_CLAIMS, 4, Field.NONE);
}

/**
 * Takes in one byte of the claims. The identifier is looked for in the outermost object alone: the
 * subject of an event may have one as well (RFC 9493).
 */
function scanEventClaim(device: Device, c: number): void {
  scanByte(device, c);
  lookFor(device, Literal.EVENT_MEMBERS, isOutermost(device) ? OUTER_CLAIMS : INNER_CLAIMS);
}

/** Value of a base64url character, below 0 for anything else. */
function base64Value(c: number): number {
  if (c === 95) return 63;
  if (c === 45) return 62;
  if (c > 47 && c < 58) return c + 4;
  // Below 0 for every other byte less than 'A'.
  if (c < 91) return c - 65;
  return c > 96 && c < 123 ? c - 71 : -1;
}

/**
 * Scans the payload of the compact serialization from `at` on: what follows its first dot, up to the first
 * character that is none of base64url. Where that is not the second dot, the JSON is not complete either.
 */
function scanPayload(device: Device, at: number, end: number): void {
  while (at < end && device.memory[at] !== 46) at++;
  at++;
  // The last bits read, and how many of them are still to be handed on.
  var bits = 0;
  var count = 0;
  while (at < end) {
    var value = base64Value(device.memory[at++]);
    if (value < 0) break;
    bits = ((bits & 63) << 6) | value;
    count += 6;
    if (count >= 8) {
      count -= 8;
      scanEventClaim(device, (bits >> count) & 255);
    }
  }
}

/**
 * Remembers the event with the identifier in VALUE_B as the newest.
 * @returns whether it is a new one, and not one of those that were remembered
 */
function rememberEvent(device: Device & Events): boolean {
  var sum = checksum(device, 0, device.start[Field.VALUE_B], device.length[Field.VALUE_B]);
  var newer = sum;
  // No checksum is negative.
  var older = -2;
  for (var i = 0; i < device.seenEvents.length && older !== sum; i++) {
    older = device.seenEvents[i];
    device.seenEvents[i] = newer;
    newer = older;
  }
  return older !== sum;
}

/** Whether the claims have named the field. */
function isNamed(device: Device, field: Field): boolean {
  return ((device.scanSeen >> field) & 1) > 0;
}

/**
 * What the event whose claims were scanned does to the session.
 * @returns NONE, or the error that the session is to end with
 */
function applyEvent(device: Device): ErrorCode {
  var isRevoked = isNamed(device, Field.TOKEN_REVOKED);
  // A hash cannot be compared here.
  var isComparable =
    isSame(device, Field.VALUE_C, Literal.PREFIX) && !isTooLong(device, Field.VALUE_D);
  if (isNamed(device, Field.ACCOUNT_DISABLED)) {
    return ErrorCode.ACCOUNT_DISABLED;
  }
  if (
    isRevoked &&
    (!isNamed(device, Field.VALUE_D) ||
      (isComparable &&
        holds(device, Field.VALUE_D) &&
        (beginsWith(device, Region.REFRESH_TOKEN, Field.VALUE_D) ||
          beginsWith(device, Field.ACCESS_TOKEN, Field.VALUE_D))))
  ) {
    return ErrorCode.TOKEN_REVOKED;
  }
  if (!isNamed(device, Field.SESSIONS_REVOKED) && (!isRevoked || isComparable))
    return ErrorCode.NONE;
  // The tokens may be dead: the refresh tells, and ends the session if they are.
  if (!holds(device, Region.REFRESH_TOKEN)) return ErrorCode.SESSION_ENDED;
  wipe(device, Field.ACCESS_TOKEN);
  refreshNow(device, Event.SESSIONS_REVOKED);
  return ErrorCode.NONE;
}

/** Whether what was scanned is an event: the JSON is whole, and it has an identifier. */
function isEvent(device: Device): boolean {
  return scanEnd(device) && holds(device, Field.VALUE_B) && !isTooLong(device, Field.VALUE_B);
}

/**
 * The host has checked the event of VERIFY. One that ends the session is acknowledged first, or it would come
 * again and end the next.
 * @param requestId what the device's was at VERIFY; a result that comes late is dropped
 * @param ok 1: signature, issuer and audience are right and the event is this device's; 0: not
 */
export function eventVerified(device: Device, requestId: number, ok: number): void {
  if (!isVerifying(device) || requestId !== device.requestId) return;
  var at = device.start[Field.VALUE_A];
  var size = device.length[Field.VALUE_A];
  endVerify(device);
  // The claims are written over it.
  setLength(device, Field.VALUE_A, -1);
  // The session may have ended meanwhile; the next tick says so.
  if (!hasSession(device)) return;
  beginEventClaims(device, at, size);
  scanPayload(device, at, at + size);
  if (!isEvent(device)) {
    finishCall(device, ErrorCode.MALFORMED_RESPONSE);
    return;
  }
  if (ok && rememberEvent(device)) endLater(device, applyEvent(device));
  countPolls(device, device.eventPolls - 1);
  writePoll(device, ok ? Literal.EVENT_ACKNOWLEDGED : Literal.EVENT_REFUSED);
  waitAgain(device, false);
  releaseOutput(device, OutputUse.RESPONSE);
}

/**
 * Applies an event that the host got and verified itself. One that ends the session does so at once, but where
 * another that ends it is still to be acknowledged.
 * @param claims `claims[from..to)`: the JSON claims set of the token; only read
 * @returns 1 where it was applied (or a duplicate), 0 where it is no event, there is no session or OUTPUT is in use
 */
export function applySecurityEvent(
  device: Device,
  claims: Bytes,
  from: number,
  to: number,
): number {
  if (!hasSession(device) || !claimOutput(device, OutputUse.SCRATCH)) return 0;
  beginEventClaims(device, device.start[Region.OUTPUT], device.capacity[Region.OUTPUT] >> 1);
  while (from < to) scanEventClaim(device, claims[from++]);
  var isOne = isEvent(device);
  var error = isOne && rememberEvent(device) ? applyEvent(device) : ErrorCode.NONE;
  releaseOutput(device, OutputUse.SCRATCH);
  if (error && !device.endDueWith) endSession(device, error);
  return +isOne;
}

// Behind its functions: Espruino knows none that stands further down when the file is loaded.
var EVENT_POLL: CallKind = {
  names: Literal.EVENT_POLL_MEMBERS,
  depth: 2,
  values: 1,
  scan: scanPoll,
  take: takeEvent,
};
