// The bytes of a record, which a device stores across power failures. A record contains a pending code, the token of a
// session, or a token that must still be revoked. SPEC.md has the layout.

import { setCodeLifetime, setInterval, setRefreshLifetime } from "../device/clock.ts";
import { Limit } from "../device/limits.ts";
import { type Device, holds, type Place } from "../device/memory.ts";
import { beginArrival, clearAll, setLength, settle, swapRefreshTokens } from "../device/regions.ts";
import { State } from "../device/states.ts";
import { Field, Fields, Region } from "../device/tables.ts";
import { corruptWrite, readFrom, skip, writeTo } from "../text/form-encoder.ts";

/** The head of a record. */
export interface RecordHead {
  /** The kind of the record to write, or of the last one read. */
  recordKind: RecordKind;
  /** Sequence number of the next record. */
  sequence: number;
}

export function makeRecordHead(device: RecordHead): void {
  device.recordKind = RecordKind.NONE;
  device.sequence = 0;
}

export enum Layout {
  /** The start value of checksums, so that a record of another version is invalid. */
  VERSION = 1,
  CHECKSUM_SIZE = 3,
}

/** The first byte of a record, which says what the record contains. */
export enum RecordKind {
  NONE = 0,
  CODE = 3,
  ACCESS_TOKEN = 4,
  REFRESH_TOKEN = 5,
  REVOKED_ACCESS_TOKEN = 6,
  REVOKED_REFRESH_TOKEN = 7,
}

/** Whether the record contains a token only because it must still be revoked. */
export function isRevocation(kind: RecordKind): boolean {
  return kind === RecordKind.REVOKED_ACCESS_TOKEN || kind === RecordKind.REVOKED_REFRESH_TOKEN;
}

/** Whether values are read from a record or written to it. */
enum Direction {
  FROM_RECORD = 0,
  TO_RECORD = 1,
}

/** CRC-24 of RFC 4880 §6.1 over `size` bytes, from a start value. It fits into small integers. */
export function checksum(device: Device, crc: number, at: number, size: number): number {
  for (var end = at + size; at < end; at++) {
    crc ^= device.memory[at] << 16;
    for (var bit = 0; bit < 8; bit++) {
      crc <<= 1;
      // If a bit was shifted out of the 24 bits, apply the polynomial.
      if (crc & 0x1000000) crc ^= 0x1864cfb;
    }
  }
  return crc;
}

/**
 * Reads or writes a number of `size` bytes, big-endian, at the position in the record. Reading and writing share this
 * code, so their positions always agree.
 * @returns the number that was read or written; `value` beyond the record's end
 */
function moveNumber(device: Device, direction: Direction, value: number, size: number): number {
  var moved = 0;
  while (size--) {
    var byte = (value >> (8 * size)) & 255;
    if (device.writeAt < device.writeEnd) {
      if (direction === Direction.TO_RECORD) device.memory[device.writeAt] = byte;
      else byte = device.memory[device.writeAt];
    }
    skip(device, 1);
    // Keep only the low 19 bits (2^19 = 524288), so that with 8 more bits the number has at most 27 bits.
    moved = ((moved % 524288) << 8) | byte;
  }
  return moved;
}

/**
 * Reads or writes a time of four bytes. A time below `least` or above ENDLESS makes the whole record invalid, because a
 * checksum of 24 bits does not detect all damage.
 */
function moveTime(device: Device, direction: Direction, value: number, least: number): number {
  var moved = moveNumber(device, direction, value, 4);
  if (moved >= least && moved <= Limit.ENDLESS) return moved;
  corruptWrite(device);
  return least;
}

/** Reads or writes the value of a region: its length plus 1 (0 if absent), and its bytes. */
function moveValue(device: Device, direction: Direction, region: Place): void {
  if (direction === Direction.FROM_RECORD) beginArrival(device, region);
  var size = moveNumber(device, direction, device.length[region] + 1, 2) - 1;
  // A value that does not fit makes the whole record invalid. readRecord detects that, because the end is then -1.
  if (direction === Direction.FROM_RECORD && size > device.capacity[region]) {
    size = -1;
    corruptWrite(device);
  }
  setLength(device, region, size);
  for (var at = device.start[region]; size-- > 0; at++) {
    device.memory[at] = moveNumber(device, direction, device.memory[at], 1);
  }
  settle(device, region);
}

/** Reads or writes all values of the record in OUTPUT, except the checksum. */
function moveRecord(device: Device & RecordHead, direction: Direction): void {
  device.recordKind = moveNumber(device, direction, device.recordKind, 1);
  device.sequence = moveNumber(device, direction, device.sequence, 3);
  setInterval(device, moveTime(device, direction, device.intervalMs, Limit.INTERVAL_MIN_MS));
  setCodeLifetime(device, moveTime(device, direction, device.codeLifetimeS, 0));
  setRefreshLifetime(device, moveTime(device, direction, device.refreshLifetimeS, 0));
  var kind = device.recordKind;
  if (kind === RecordKind.ACCESS_TOKEN || kind === RecordKind.REVOKED_ACCESS_TOKEN) {
    moveValue(device, direction, Field.ACCESS_TOKEN);
  } else if (kind === RecordKind.REFRESH_TOKEN || kind === RecordKind.REVOKED_REFRESH_TOKEN) {
    moveValue(device, direction, Region.REFRESH_TOKEN);
  } else {
    for (var field = 1; Fields.RECORDED >> field; field++) {
      if ((Fields.RECORDED >> field) & 1) moveValue(device, direction, field);
    }
    // A record without a verifier ends here. Older versions wrote only such records.
    var isMore = device.writeAt < device.writeEnd;
    if (direction === Direction.TO_RECORD ? holds(device, Region.CODE_VERIFIER) : isMore) {
      moveValue(device, direction, Region.CODE_VERIFIER);
    }
  }
}

function kindOfRecord(device: Device): RecordKind {
  var hasRefreshToken = holds(device, Region.REFRESH_TOKEN);
  var state = device.state;
  if (state === State.PENDING) return RecordKind.CODE;
  if (state === State.SIGNED_IN || state === State.REFRESHING) {
    return hasRefreshToken ? RecordKind.REFRESH_TOKEN : RecordKind.ACCESS_TOKEN;
  }
  if (state === State.REVOKING) {
    return hasRefreshToken ? RecordKind.REVOKED_REFRESH_TOKEN : RecordKind.REVOKED_ACCESS_TOKEN;
  }
  return RecordKind.NONE;
}

/** Sets the kind of the next record, according to the current state. */
export function nameRecord(device: Device & RecordHead): void {
  device.recordKind = kindOfRecord(device);
}

/** Marks the record that was read as invalid. */
export function dropRecord(device: Device & RecordHead): void {
  device.recordKind = RecordKind.NONE;
}

/** Call this when the newest record was read or written. The next record gets the next sequence. */
export function countRecord(device: Device & RecordHead): void {
  device.sequence++;
}

/** Writes the record to OUTPUT, as much of it as fits, and returns its whole size. */
export function writeRecord(device: Device): number {
  writeTo(device, Region.OUTPUT);
  moveRecord(device, Direction.TO_RECORD);
  return device.writeAt + Layout.CHECKSUM_SIZE - device.start[Region.OUTPUT];
}

export function sealRecord(device: Device, size: number): void {
  moveNumber(
    device,
    Direction.TO_RECORD,
    checksum(
      device,
      device.binding ^ size,
      device.start[Region.OUTPUT],
      size - Layout.CHECKSUM_SIZE,
    ),
    Layout.CHECKSUM_SIZE,
  );
}

/**
 * Whether OUTPUT contains a valid record of `size` bytes: undamaged, of this version, and of this client and server (a
 * token must never go to a server that did not issue it).
 * @param binding `binding` or `formerBinding`
 */
export function isRecord(device: Device, binding: number, size: number): boolean {
  // The CRC over a record and its own checksum is 0. It would still be 0 with zeros after the record, so the size is
  // part of the start value.
  return (
    size <= device.capacity[Region.OUTPUT] &&
    !checksum(device, binding ^ size, device.start[Region.OUTPUT], size)
  );
}

/**
 * Reads the values of the record of `size` bytes in OUTPUT into their regions. The current refresh token becomes the
 * previous one. If a value does not fit, the record's kind becomes NONE, but older records still count as outdated.
 */
export function readRecord(device: Device, size: number): void {
  var tokens = (1 << Field.DEVICE_CODE) | (1 << Field.ACCESS_TOKEN);
  clearAll(device, tokens | (1 << Region.CODE_VERIFIER));
  swapRefreshTokens(device);
  setLength(device, Region.OUTPUT, size);
  readFrom(device, Region.OUTPUT, size - Layout.CHECKSUM_SIZE);
  moveRecord(device, Direction.FROM_RECORD);
  if (device.writeAt > device.writeEnd) dropRecord(device);
}
