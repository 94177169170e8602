// Ownership and lifetimes of the bytes in a device's memory. tables/fields.ts has a row for each region, and create.ts
// places the regions. OUTPUT has one owner at a time, which claims it here. A transition wipes the values that its new
// state does not use (moves.ts). If a value becomes unusable within a state, the file that detects this wipes it, for
// example a rejected access token (call.ts) or the tokens of a truncated response (token-response.ts).
//
// Most regions have a place of their own. These regions share one:
//  - The tokens, the device code and its verifier have no fixed places. They lie one after the other at the end of the
//    memory. OUTPUT is between the fixed places and these values. A new value arrives in OUTPUT, after OUTPUT's own
//    content. A complete value moves up to the others (settle). If a value is wiped, the values before it move up.
//  - CALL shares the places of the user code and its URIs. Only a session has calls with a target, and it has no code.
//  - The values of a call's response, requests of the grant and records use OUTPUT, one at a time.
//  - RECEIVED_REFRESH_TOKEN and REFRESH_TOKEN swap their places with each new token.
//  - DEVICE_AUTHORIZATION ends with CLIENT or the start of CLIENT. These two regions do not change after the start.

import { setRefreshLifetime } from "./clock.ts";
import { Message } from "./errors.ts";
import { Limit } from "./limits.ts";
import type { Device, Integers, Place } from "./memory.ts";
import { State } from "./states.ts";
import { Field, Fields, Region } from "./tables.ts";

/** A bit for each state in which there may be a code. In STARTING, a record may contain one. */
export var CODE_STATES: number =
  (1 << State.STARTING) | (1 << State.REQUESTING) | (1 << State.PENDING);

/** A bit for each state in which there may be tokens. */
export var TOKEN_STATES: number =
  (1 << State.STARTING) | (1 << State.SIGNED_IN) | (1 << State.REFRESHING) | (1 << State.REVOKING);

/** A bit for each state of a session. Only a session has a call with a target. */
export var SESSION_STATES: number = (1 << State.SIGNED_IN) | (1 << State.REFRESHING);

/** A bit for each region whose place depends on the lengths of values. */
var MOVABLE: number =
  Fields.OF_SESSION |
  (1 << Field.DEVICE_CODE) |
  (1 << Region.CODE_VERIFIER) |
  (1 << Region.REFRESH_TOKEN);

/** The owner of OUTPUT. */
export enum OutputUse {
  NOBODY = 0,
  /** A request of the grant, from SEND until the exchange ends or ABORT. Also CHALLENGE, until storageDone. */
  REQUEST = 1,
  /** A record, from LOAD or STORE until storageDone. */
  RECORD = 2,
  /**
   * A call's response, from SEND until tick returns NONE after the end of the call. Then the use becomes
   * RESPONSE_SHOWN.
   */
  RESPONSE = 3,
  /** The response of a finished call. The host may read it until a call starts or another owner claims OUTPUT. */
  RESPONSE_SHOWN = 4,
  /** Data that a function of the core API needs until it returns: an offer's body, or an event's claims. */
  SCRATCH = 5,
}

/** The places of all regions, and the owners of those that share a place. */
export interface Regions {
  /** First byte of each region in `memory`, by Field and Region. */
  start: Integers;
  /** Length of the value in each region in bytes; -1: absent. */
  length: Integers;
  /** Capacity of each region in bytes; -1 until the region has a place. */
  capacity: Integers;
  /** Number of the region with the first display text. */
  messages: number;
  /** The owner of OUTPUT: one of OutputUse. */
  outputUse: OutputUse;
  /** 1 between beginCall and sendCall, while the target is being built in CALL. */
  isBuilding: number;
  /** Length of the target in CALL, without a page token at its end. */
  targetSize: number;
  /** 1 if CALL has the target of a further page. */
  hasNextPage: number;
}

/** Creates regions without a place. The display texts are the last ones, from the number `messages` on. */
export function makeRegions(device: Regions, messages: number): void {
  var start: number[] = [];
  var length: number[] = [];
  var capacity: number[] = [];
  for (var region = 0; region < messages + Message.COUNT; region++) {
    start.push(0);
    length.push(-1);
    // Literals are never written, so they need no capacity.
    if (region < Region.COUNT) capacity.push(-1);
  }
  device.start = start;
  device.length = length;
  device.capacity = capacity;
  device.messages = messages;
  device.outputUse = OutputUse.NOBODY;
  device.isBuilding = 0;
  device.targetSize = 0;
  device.hasNextPage = 0;
}

export function placeRegion(
  device: Device & Regions,
  region: Place,
  start: number,
  capacity: number,
): void {
  device.start[region] = start;
  device.capacity[region] = capacity;
}

/** Places a region over `length` bytes of memory that already contain its value. */
export function placeConstant(
  device: Device & Regions,
  region: Place,
  start: number,
  length: number,
): void {
  device.start[region] = start;
  device.length[region] = length;
}

/** Sets the length of the region's value; -1: none. Unlike wipe, does not overwrite the old bytes. */
export function setLength(device: Device & Regions, region: Place, length: number): void {
  device.length[region] = length;
}

function outputEnd(device: Device): number {
  return device.start[Region.OUTPUT] + device.capacity[Region.OUTPUT];
}

/** Moves the `size` bytes from `at` on up by `distance`, with the regions in them. Overwrites the old bytes. */
function moveUp(device: Device & Regions, at: number, size: number, distance: number): void {
  for (var i = at + size; i-- > at; ) {
    var byte = device.memory[i];
    device.memory[i] = 0;
    device.memory[i + distance] = byte;
  }
  for (var region = 0; region < Region.COUNT; region++) {
    var start = device.start[region];
    // OUTPUT may start at the moved bytes, but stays where it is.
    if (region !== Region.OUTPUT && start >= at && start < at + size) {
      device.start[region] = start + distance;
    }
  }
}

/** Call this before a new value arrives. Wipes the old one, and places a movable region in the free part of OUTPUT. */
export function beginArrival(device: Device, region: Place): void {
  wipe(device, region);
  var at = device.start[Region.OUTPUT] + device.length[Region.OUTPUT];
  if ((MOVABLE >> region) & 1) placeRegion(device, region, at, outputEnd(device) - at);
}

/** Call this when a value is complete. Moves it to the end of OUTPUT if its region is movable, and shortens OUTPUT. */
export function settle(device: Device & Regions, region: Place): void {
  var at = device.start[region];
  var size = device.length[region];
  var end = outputEnd(device);
  if (!((MOVABLE >> region) & 1) || size < 1 || at >= end) return;
  moveUp(device, at, size, end - at - size);
  device.capacity[Region.OUTPUT] -= size;
}

/** Ends the lifetime of a region's value. Overwrites the bytes, which may be a token or a code. */
export function wipe(device: Device & Regions, region: Place): void {
  var at = device.start[region];
  var size = device.length[region];
  var first = outputEnd(device);
  for (var i = size; i-- > 0; ) device.memory[at + i] = 0;
  setLength(device, region, -1);
  if (size > 0 && at >= first) {
    moveUp(device, first, at - first, size);
    device.capacity[Region.OUTPUT] += size;
  }
}

export function clearAll(device: Device, fields: number): void {
  for (var field = 1; fields >> field; field++) if ((fields >> field) & 1) wipe(device, field);
}

/** Shortens the region's value to `length` bytes, and overwrites the rest. */
export function shorten(device: Device, region: Place, length: number): void {
  var end = device.start[region] + device.length[region];
  for (var at = device.start[region] + length; at < end; at++) device.memory[at] = 0;
  setLength(device, region, length);
}

/** Wipes OUTPUT, including the values of the last call's response. */
function emptyOutput(device: Device): void {
  // A request or a valid record has set OUTPUT's length. Other owners set no length, so wipe the whole capacity.
  if (device.length[Region.OUTPUT] < 0) {
    setLength(device, Region.OUTPUT, device.capacity[Region.OUTPUT]);
  }
  wipe(device, Region.OUTPUT);
  for (var field = Field.VALUE_A; field <= Field.VALUE_D; field++) setLength(device, field, -1);
}

export function isOutputFree(device: Device): boolean {
  return device.outputUse === OutputUse.NOBODY || device.outputUse === OutputUse.RESPONSE_SHOWN;
}

/** If OUTPUT belongs to this owner, overwrites and releases it. */
export function releaseOutput(device: Device & Regions, use: OutputUse): void {
  if (device.outputUse === use) {
    emptyOutput(device);
    device.outputUse = OutputUse.NOBODY;
  }
}

/** Claims OUTPUT until this owner releases it. @returns whether the claim is granted */
export function claimOutput(device: Device & Regions, use: OutputUse): boolean {
  if (!isOutputFree(device)) return false;
  releaseOutput(device, OutputUse.RESPONSE_SHOWN);
  device.outputUse = use;
  return true;
}

/** Call this before the host reads the response in OUTPUT. Other owners may claim OUTPUT from now on. */
export function offerOutput(device: Device & Regions): void {
  if (device.outputUse === OutputUse.RESPONSE) device.outputUse = OutputUse.RESPONSE_SHOWN;
}

/** Starts to build a target in CALL. Further pages of the last call can no longer be requested. */
export function beginTarget(device: Device & Regions): void {
  device.hasNextPage = 0;
  device.isBuilding = 1;
  shorten(device, Region.CALL, 0);
}

/** Discards an unfinished target. Further pages of the last call can no longer be requested. */
export function endTarget(device: Device & Regions): void {
  device.isBuilding = device.hasNextPage = 0;
}

/** Wipes a target and tokens that the state does not use, unless the host may still read a request with these bytes. */
export function clearUnread(device: Device): void {
  if (device.inFlight || device.abortDue) return;
  if (!((SESSION_STATES >> device.state) & 1)) wipe(device, Region.CALL);
  if (!((TOKEN_STATES >> device.state) & 1)) dropTokens(device);
}

/** Call this when the target in CALL is complete. For a further page, a page token is appended to this target. */
export function keepTarget(device: Device & Regions): void {
  device.targetSize = device.length[Region.CALL];
}

export function offerNextPage(device: Device & Regions): void {
  device.hasNextPage = 1;
}

/** The received refresh token becomes the current one, and the current one becomes the previous one. */
export function swapRefreshTokens(device: Device & Regions): void {
  var at = device.start[Field.RECEIVED_REFRESH_TOKEN];
  var size = device.length[Field.RECEIVED_REFRESH_TOKEN];
  device.start[Field.RECEIVED_REFRESH_TOKEN] = device.start[Region.REFRESH_TOKEN];
  device.length[Field.RECEIVED_REFRESH_TOKEN] = device.length[Region.REFRESH_TOKEN];
  device.start[Region.REFRESH_TOKEN] = at;
  device.length[Region.REFRESH_TOKEN] = size;
}

/** Wipes what `state` does not use, except bytes that the host may still read (clearUnread). */
export function endLifetimes(device: Device & Regions, state: State): void {
  // In REQUESTING, the previous code is not used any more and there is no new one yet.
  if (state === State.REQUESTING || !((CODE_STATES >> state) & 1)) dropCode(device);
  if (!((SESSION_STATES >> state) & 1)) endTarget(device);
  clearUnread(device);
}

/** Wipes the code, also one that a response contained only in part. */
export function dropCode(device: Device): void {
  clearAll(device, Fields.OF_CODE | (1 << Region.CODE_VERIFIER));
}

export function dropTokens(device: Device): void {
  clearAll(device, Fields.OF_SESSION | (1 << Region.REFRESH_TOKEN));
  setRefreshLifetime(device, Limit.ENDLESS);
}
