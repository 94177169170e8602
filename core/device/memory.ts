// A device consists of the host's byte array, divided into regions (tables.ts), and an object of small integers and
// lists. This file has the types, and the functions that look up regions. create.ts creates a device.

import type { Client } from "../grant/client-authentication.ts";
import type { Challenge } from "../grant/code-challenge.ts";
import type { Code } from "../grant/device-authorization.ts";
import type { Session } from "../grant/refresh.ts";
import type { Revocation } from "../grant/revocation.ts";
import type { Exchange } from "../loop/exchange.ts";
import type { User } from "../loop/user.ts";
import type { Records } from "../records/record-keeping.ts";
import type { RecordHead } from "../records/token-record.ts";
import type { Call } from "../requests/call.ts";
import type { Events } from "../specifications/security-event.ts";
import type { Writer } from "../text/form-encoder.ts";
import type { Scanner } from "../text/json-scanner.ts";
import type { Value } from "../text/unicode.ts";
import type { Clock } from "./clock.ts";
import type { CommandRange } from "./command.ts";
import type { ErrorCode, Failure } from "./errors.ts";
import type { Frame } from "./frame.ts";
import type { Moves } from "./moves.ts";
import type { Regions } from "./regions.ts";
import type { Request } from "./request.ts";
import type { Misfit } from "./sizing.ts";
import type { Field, Literal, Region } from "./tables.ts";

/** A byte array of the host: a typed array, or a plain array of integers 0..255. */
export interface Bytes {
  [index: number]: number;
  readonly length: number;
}

/** The number of a region, of a literal or of a display text. */
export type Place = Field | Region | Literal;

/**
 * A kind of request other than those of the grant. It defines the members to find in a successful response, and the
 * functions that handle them. Each kind is one object, which is created when the file is loaded.
 */
export interface CallKind {
  /** The literal with the members' names. They are looked up down to the level `depth`; 1 is the outermost object. */
  names: Literal;
  depth: number;
  /** OUTPUT is divided into this many values, starting with VALUE_A. */
  values: number;
  /** Parses one byte of the response. */
  scan: (device: Device, c: number) => void;
  /** Handles a complete successful response. Returns NONE, or the error of the call. */
  take: (device: Device) => ErrorCode;
  /** Whether a successful response may have any body and length. */
  isAnyBody?: boolean;
}

/** A list of integers that is created once. `indexOf` makes TypeScript reject Bytes, which do not have it. */
export interface Integers {
  [index: number]: number;
  readonly length: number;
  indexOf(value: number): number;
}

/** A part of the device for all files except its owner: the properties are read-only. */
type Read<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends Integers ? readonly number[] : Part[Name];
};

/**
 * The state of a device outside its memory: small integers, and lists that are created once. It consists of parts, and
 * each part belongs to the file that declares it. A function that writes to a part takes a `Device & Part`. Only
 * functions of that file do so, and TypeScript rejects writes elsewhere.
 */
export type Device = Readonly<HostMemory> &
  Read<
    Regions &
      Frame &
      Clock &
      Moves &
      Failure &
      Misfit &
      CommandRange &
      Request &
      Writer &
      Value &
      Scanner &
      RecordHead &
      Records &
      Client &
      Challenge &
      Code &
      Session &
      Revocation &
      Call &
      Exchange &
      User &
      Events
  >;

/** The host's byte array. Each region has one owner at a time (regions.ts). */
export interface HostMemory {
  /** The bytes that the host passes to `create`. */
  memory: Bytes;
}

/** Whether the region has a value that is not empty. */
export function holds(device: Device, region: Place): boolean {
  return device.length[region] > 0;
}

/** How many bytes of the region's last value did not fit. The region then contains only the value's start. */
export function overflowOf(device: Device, region: Place): number {
  return device.length[region] < 0 ? 0 : device.excess[region];
}

export function isTooLong(device: Device, region: Place): boolean {
  return overflowOf(device, region) > 0;
}

/** The array that contains the literals. In C it is a constant of the program. */
export function literalBytes(device: Device): Bytes {
  return device.memory;
}

/** The array that contains the region. In C, literals and default display texts are constants of the program. */
export function bytesOf(device: Device, _region: Place): Bytes {
  return device.memory;
}

/**
 * Searches for a literal in bytes that arrive one by one.
 * @param matched the last result, at first 0: how many bytes at the literal's start the last received bytes match
 * @returns this number after the byte `c`. When the whole literal has arrived, the result stays its length
 */
export function matchNext(device: Device, literal: Literal, matched: number, c: number): number {
  var start = device.start[literal];
  var bytes = literalBytes(device);
  if (matched === device.length[literal]) return matched;
  // Find the longest start of the literal that the last bytes, ending with `c`, match.
  for (var size = matched; size >= 0; size--) {
    var i = 0;
    while (i < size && bytes[start + i] === bytes[start + matched - size + i]) i++;
    if (i === size && bytes[start + size] === c) return size + 1;
  }
  return 0;
}

/** Whether the region's value contains the byte. */
export function contains(device: Device, region: Place, byte: number): boolean {
  var at = device.start[region];
  var end = at + device.length[region];
  while (at < end && device.memory[at] !== byte) at++;
  return at < end;
}

export function beginsWith(device: Device, region: Place, other: Place): boolean {
  var size = device.length[other];
  return (
    device.length[region] >= size && startsAs(device, region, other, device.start[other], size)
  );
}

export function isSame(device: Device, region: Place, other: Place): boolean {
  return device.length[region] === device.length[other] && beginsWith(device, region, other);
}

/**
 * Whether the first `size` bytes of the region's value equal the bytes from `at` on in `bytesOf(device, of)`. The
 * caller checks that the value has at least `size` bytes.
 */
export function startsAs(
  device: Device,
  region: Place,
  of: Place,
  at: number,
  size: number,
): boolean {
  var bytes = bytesOf(device, of);
  var start = device.start[region];
  var i = 0;
  while (i < size && device.memory[start + i] === bytes[at + i]) i++;
  return i >= size;
}
