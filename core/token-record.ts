// The bytes of a record: what a device keeps over a loss of power. One record holds a pending code,
// or the token of a session, or a token that is still to be revoked. SPEC.md draws them.

import { calendarMinutes, lifetime } from "./clock.ts";
import { writeByte, writeFrom, writeRegion } from "./form-encoder.ts";
import { type Device, Field, holds, Region } from "./memory.ts";

export enum RecordKind {
  NONE = 0,
  CODE = 1,
  TOKEN = 2,
  REVOCATION = 3,
}

enum Layout {
  MAGIC_0 = 80,
  MAGIC_1 = 71,
  VERSION = 1,
  KIND = 3,
  SEQUENCE = 4,
  LENGTH = 7,
  BINDING = 9,
  MINUTES = 12,
  PAYLOAD = 16,
  CHECKSUM_SIZE = 3,
}

/** CRC-24 of RFC 4880 §6.1 over a range of the memory; fits small integers. */
export function checksum(device: Device, from: number, to: number): number {
  var crc = 11994318;
  for (var at = from; at < to; at++) {
    crc ^= device.memory[at] << 16;
    for (var bit = 0; bit < 8; bit++) {
      crc <<= 1;
      if (crc & 16777216) crc ^= 25578747;
    }
  }
  return crc;
}

function writeNumber(device: Device, value: number, size: number): void {
  for (var shift = 8 * (size - 1); shift >= 0; shift -= 8)
    writeByte(device, (value >> shift) & 255);
}

function writeValue(device: Device, region: number): void {
  writeNumber(device, device.length[region] < 0 ? 0 : device.length[region], 2);
  writeRegion(device, region);
}

/** The token that stands for the session: the refresh token, or the access token where none came. */
export function sessionToken(device: Device): number {
  return holds(device, Region.PRESENT_REFRESH_TOKEN)
    ? Region.PRESENT_REFRESH_TOKEN
    : Field.ACCESS_TOKEN;
}

/**
 * Writes a record of `kind` with `sequence` into OUTPUT.
 * @returns its length, or 0 where OUTPUT is too small
 */
export function writeRecord(device: Device, kind: number, sequence: number): number {
  var start = device.start[Region.OUTPUT];
  var memory = device.memory;
  writeFrom(device, start, start + device.capacity[Region.OUTPUT]);
  writeNumber(device, (Layout.MAGIC_0 << 16) | (Layout.MAGIC_1 << 8) | Layout.VERSION, 3);
  writeNumber(device, kind, 1);
  writeNumber(device, sequence, 3);
  writeNumber(device, 0, 2);
  writeNumber(device, device.binding, 3);
  writeNumber(device, calendarMinutes(device), 4);
  if (kind === RecordKind.CODE) {
    for (var field = Field.DEVICE_CODE; field <= Field.VERIFICATION_URI_COMPLETE; field++) {
      writeValue(device, field);
    }
    writeNumber(device, device.codeLifeS, 4);
    writeNumber(device, device.intervalMs, 3);
  } else {
    var region = sessionToken(device);
    writeNumber(device, region === Field.ACCESS_TOKEN ? 1 : 0, 1);
    writeValue(device, region);
    writeNumber(device, device.refreshLifeS, 4);
  }
  if (device.writeAt + Layout.CHECKSUM_SIZE > device.writeEnd) device.writeOverflow = 1;
  if (device.writeOverflow) return 0;
  var length = device.writeAt + Layout.CHECKSUM_SIZE - start;
  memory[start + Layout.LENGTH] = length >> 8;
  memory[start + Layout.LENGTH + 1] = length & 255;
  writeNumber(device, checksum(device, start, device.writeAt), Layout.CHECKSUM_SIZE);
  return length;
}

function readNumber(device: Device, at: number, size: number): number {
  var value = 0;
  // The highest byte of four holds three bits: a larger one was never written by us.
  for (var i = 0; i < size; i++) value = ((value & 524287) << 8) | device.memory[at + i];
  return value;
}

/** Sequence of the record in OUTPUT. */
export function recordSequence(device: Device): number {
  return readNumber(device, device.start[Region.OUTPUT] + Layout.SEQUENCE, 3);
}

/**
 * Kind of the record of `length` bytes in OUTPUT; NONE where it is damaged, of another version, or of
 * another client: a token must never go to a server that did not issue it.
 */
export function recordKind(device: Device, length: number): number {
  var memory = device.memory;
  var start = device.start[Region.OUTPUT];
  if (
    length < Layout.PAYLOAD + Layout.CHECKSUM_SIZE ||
    length > device.capacity[Region.OUTPUT] ||
    memory[start] !== Layout.MAGIC_0 ||
    memory[start + 1] !== Layout.MAGIC_1 ||
    memory[start + 2] !== Layout.VERSION ||
    readNumber(device, start + Layout.LENGTH, 2) !== length ||
    readNumber(device, start + Layout.BINDING, 3) !== device.binding
  ) {
    return RecordKind.NONE;
  }
  var end = start + length - Layout.CHECKSUM_SIZE;
  if (checksum(device, start, end) !== readNumber(device, end, Layout.CHECKSUM_SIZE)) {
    return RecordKind.NONE;
  }
  var kind = memory[start + Layout.KIND];
  return kind <= RecordKind.REVOCATION ? kind : RecordKind.NONE;
}

/** Copies a value into its region; returns the place behind it, or 0 where it does not fit. */
function readValue(device: Device, region: number, at: number, end: number): number {
  var length = readNumber(device, at, 2);
  at += 2;
  if (length > device.capacity[region] || at + length > end) return 0;
  var to = device.start[region];
  for (var i = 0; i < length; i++) device.memory[to + i] = device.memory[at + i];
  device.length[region] = length;
  return at + length;
}

/** Seconds that have certainly passed since the record was written; 0 without a calendar. */
function age(device: Device): number {
  var then = readNumber(device, device.start[Region.OUTPUT] + Layout.MINUTES, 4);
  var minutes = calendarMinutes(device) - then;
  // A calendar that went back or leapt by years tells nothing.
  return then && minutes > 0 && minutes < 2000000 ? minutes * 60 : 0;
}

function remaining(device: Device, life: number): number {
  var passed = age(device);
  if (life >= lifetime(-1)) return life;
  return life > passed ? life - passed : 0;
}

/**
 * Takes the values of the record in OUTPUT (checked by recordKind) into their regions. A token makes
 * the present one the one before it.
 * @returns false where a value does not fit its region (written by a build with other limits)
 */
export function readRecord(device: Device, kind: number, length: number): boolean {
  var at = device.start[Region.OUTPUT] + Layout.PAYLOAD;
  var end = device.start[Region.OUTPUT] + length - Layout.CHECKSUM_SIZE;
  if (kind === RecordKind.CODE) {
    for (var field = Field.DEVICE_CODE; field <= Field.VERIFICATION_URI_COMPLETE && at; field++) {
      at = readValue(device, field, at, end);
    }
    if (!at || at + 7 > end) return false;
    device.codeLifeS = remaining(device, readNumber(device, at, 4));
    device.intervalMs = readNumber(device, at + 4, 3);
    return true;
  }
  var region: number = Field.ACCESS_TOKEN;
  if (!device.memory[at]) {
    region = Region.PRESENT_REFRESH_TOKEN;
    swapRefreshTokens(device);
  }
  at = readValue(device, region, at + 1, end);
  if (!at || at + 4 > end) {
    device.length[region] = -1;
    return false;
  }
  device.refreshLifeS = remaining(device, readNumber(device, at, 4));
  return true;
}

/** The token that an answer brought becomes the present one, and the present one the one before. */
export function swapRefreshTokens(device: Device): void {
  var start = device.start[Field.REFRESH_TOKEN];
  var length = device.length[Field.REFRESH_TOKEN];
  device.start[Field.REFRESH_TOKEN] = device.start[Region.PRESENT_REFRESH_TOKEN];
  device.length[Field.REFRESH_TOKEN] = device.length[Region.PRESENT_REFRESH_TOKEN];
  device.start[Region.PRESENT_REFRESH_TOKEN] = start;
  device.length[Region.PRESENT_REFRESH_TOKEN] = length;
}
