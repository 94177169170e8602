// Security events about the user's account (RFC 8417; device spec §6). The device polls for them (RFC 8936), or the
// host passes them to the core. Each poll requests one event, so that memory for one event is enough. The host verifies
// the signature, and checks issuer and audience.

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
import {
  Encoding,
  endWrite,
  writeByte,
  writeHex,
  writeRegion,
  writeTo,
} from "../text/form-encoder.ts";
import { discardNames, lookFor, scanBegin, scanByte, scanEnd } from "../text/json-scanner.ts";

/** The current series of event polls, and the identifiers of earlier events. */
export interface Events {
  /** How many more events the device may process before the next pollEvents. */
  eventPolls: number;
  /** Checksums of the identifiers of the last eight security events, the newest first; -1 for none. */
  seenEvents: Integers;
}

export function makeEvents(device: Events): void {
  var seenEvents: number[] = [];
  for (var i = 0; i < 8; i++) seenEvents.push(-1);
  device.eventPolls = 0;
  device.seenEvents = seenEvents;
}

/** The claim that is read in the outermost object: `jti`, the event's identifier. */
var OUTER_CLAIMS: number = 1 << Field.VALUE_B;

/** The claims that are read in inner objects: `token_identifier_alg`, `token`, and the types of events. */
var INNER_CLAIMS: number =
  (1 << Field.VALUE_C) |
  (1 << Field.VALUE_D) |
  (1 << Field.SESSIONS_REVOKED) |
  (1 << Field.TOKEN_REVOKED) |
  (1 << Field.ACCOUNT_DISABLED);

/** Writes the identifier of the last event as the content of a JSON string (RFC 8259 §7). */
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
 * Writes the body of a poll to CALL.
 * @param response EVENT_ACKNOWLEDGED or EVENT_REFUSED for the event with the identifier in VALUE_B; 0: no event
 */
function writePoll(device: Device, response: Literal | 0): void {
  wipe(device, Region.CALL);
  writeTo(device, Region.CALL);
  writeRegion(device, Literal.EVENT_POLL, Encoding.NONE);
  if (response) {
    writeRegion(device, response, Encoding.NONE);
    writeIdentifier(device);
    writeRegion(
      device,
      response + Literal.EVENT_REFUSED_END - Literal.EVENT_REFUSED,
      Encoding.NONE,
    );
  }
  writeByte(device, 125);
  endWrite(device, Region.CALL);
}

function countPolls(device: Device & Events, left: number): void {
  device.eventPolls = left;
}

/**
 * Fetches waiting events one by one, at most 32. For each event, the host gets the command VERIFY.
 * @returns 1; 0 if another call is in progress or there is no session
 */
export function pollEvents(device: Device): number {
  if (!startCall(device, EVENT_POLL, Endpoint.EVENTS, 0)) return 0;
  countPolls(device, Limit.EVENT_POLLS);
  writePoll(device, 0);
  return 1;
}

/** Whether the scanner is in the outermost object. The stack has a leading 1 and a bit for each open object or array. */
function isOutermost(device: Device): boolean {
  return device.scanStack < 4;
}

/** Processes a byte of a poll's response. The members of `sets` (RFC 8936 §2.3) are events, with any names. */
function scanPoll(device: Device, c: number): void {
  var sets = 1 << Field.SETS;
  scanByte(device, c);
  if (isOutermost(device)) {
    // The scanner has reached the next member, so `sets`, if it was the previous one, has ended.
    if (device.scanField === Region.KEY) discardNames(device, sets);
    lookFor(device, Literal.EVENT_POLL_MEMBERS, sets);
  } else lookFor(device, Literal.ANY_MEMBER, device.scanSeen & sets ? 1 << Field.VALUE_A : 0);
}

/**
 * Handles the response to a poll. The poll has also acknowledged the previous event, so the session ends now if that
 * event requires it. A new event waits until the host has verified it. If the device may process no more events
 * (eventPolls), it ignores a new event. The server then sends that event again at the next poll.
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
 * Starts to read the claims of an event. The identifier is written to the `size` bytes of OUTPUT from `at`, and the two
 * other claims, which are short, after these bytes. If the event itself is at `at`, the identifier overwrites only
 * bytes that have already been read.
 */
function beginEventClaims(device: Device, at: number, size: number): void {
  placeRegion(device, Field.VALUE_B, at, size);
  shareValues(device, at + size, Field.VALUE_C, 2);
  scanBegin(device, Literal.EVENT_MEMBERS, OUTER_CLAIMS | INNER_CLAIMS, 4, Field.NONE);
}

/**
 * Processes a byte of the claims. The identifier is read in the outermost object only, because the subject of an event
 * (RFC 9493) may have a `jti` as well, for example in the format `jwt_id` of the OpenID Shared Signals Framework.
 */
function scanEventClaim(device: Device, c: number): void {
  scanByte(device, c);
  lookFor(device, Literal.EVENT_MEMBERS, isOutermost(device) ? OUTER_CLAIMS : INNER_CLAIMS);
}

/** Value of a base64url character, or below 0 for any other byte. */
function base64Value(c: number): number {
  if (c === 95) return 63;
  if (c === 45) return 62;
  if (c > 47 && c < 58) return c + 4;
  // The result is below 0 for every other byte before 'A'.
  if (c < 91) return c - 65;
  return c > 96 && c < 123 ? c - 71 : -1;
}

/**
 * Scans the payload of a token in compact serialization at `at`. The payload starts after the first dot. It ends before
 * the first character outside base64url, which is the second dot in a valid token.
 */
function scanPayload(device: Device, at: number, end: number): void {
  while (at < end && device.memory[at] !== 46) at++;
  at++;
  // The lowest `count` bits of `bits` have not been scanned yet.
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
 * Stores the checksum of the identifier in VALUE_B as the newest.
 * @returns whether the event is new
 */
function rememberEvent(device: Device & Events): boolean {
  var sum = checksum(device, 0, device.start[Field.VALUE_B], device.length[Field.VALUE_B]);
  var newer = sum;
  // This value matches no checksum and no empty place (-1).
  var older = -2;
  for (var i = 0; i < device.seenEvents.length && older !== sum; i++) {
    older = device.seenEvents[i];
    device.seenEvents[i] = newer;
    newer = older;
  }
  return older !== sum;
}

function isNamed(device: Device, field: Field): boolean {
  return ((device.scanSeen >> field) & 1) > 0;
}

/**
 * Applies the scanned event to the session.
 * @returns NONE, or the error with which the session must end
 */
function applyEvent(device: Device): ErrorCode {
  var isRevoked = isNamed(device, Field.TOKEN_REVOKED);
  // The event may identify the token by a prefix or by a hash. The core can only compare a prefix.
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
  // The event does not show whether it concerns this device's tokens. A refresh tests them, and ends the session if
  // they are invalid.
  if (!holds(device, Region.REFRESH_TOKEN)) return ErrorCode.SESSION_ENDED;
  wipe(device, Field.ACCESS_TOKEN);
  refreshNow(device, Event.SESSIONS_REVOKED);
  return ErrorCode.NONE;
}

/** Whether the scanned text was an event: complete JSON with an identifier that fits. */
function isEvent(device: Device): boolean {
  return scanEnd(device) && holds(device, Field.VALUE_B) && !isTooLong(device, Field.VALUE_B);
}

/**
 * Call this with the result of VERIFY. An event that ends the session is acknowledged first. Otherwise the server would
 * send the event again, which would end the next session.
 * @param requestId the device's `requestId` at VERIFY; a result with another id is dropped
 * @param ok 1: signature, issuer and audience are valid and the event is for this device; 0: otherwise
 */
export function eventVerified(device: Device, requestId: number, ok: number): void {
  if (!isVerifying(device) || requestId !== device.requestId) return;
  var at = device.start[Field.VALUE_A];
  var size = device.length[Field.VALUE_A];
  endVerify(device);
  // The event has no length any more, because the claims overwrite it while it is read.
  setLength(device, Field.VALUE_A, -1);
  // If the session has ended in the meantime, the next tick ends the call.
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
 * Applies an event that the host has received and verified itself. If the event ends the session, the session ends at
 * once, or after the acknowledgement of an earlier event that also ends the session.
 * @param claims `claims[from..to)`: the JSON claims set of the token. The core only reads the bytes, during this call
 * @returns 1 if the event was applied or is a duplicate; 0 if it is invalid, there is no session, or OUTPUT is in use
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

// This object must follow its functions: Espruino cannot use a function before the file has defined it.
var EVENT_POLL: CallKind = {
  names: Literal.EVENT_POLL_MEMBERS,
  depth: 2,
  values: 1,
  scan: scanPoll,
  take: takeEvent,
};
