// The bytes of a record: what a device keeps over a loss of power. One record holds a pending code,
// the token of a session, or a token that is still to be revoked. SPEC.md draws them.

import { Encoding, writeByte, writeRegion, writeTo } from "./form-encoder.ts";
import { type Device, Field, holds, Region } from "./memory.ts";
import { swapRefreshTokens } from "./token-response.ts";

export enum RecordKind {
  NONE = 0,
  CODE = 1,
  TOKEN = 2,
  /** A session whose server gave no refresh token. */
  ACCESS_TOKEN = 3,
  REVOCATION = 4,
}

enum Layout {
  /** First byte: version in the high half, kind in the low. */
  VERSION = 0x10,
  HEADER_SIZE = 4,
  /** Two numbers behind the values. */
  NUMBERS_SIZE = 8,
  /** Without any value. */
  SIZE_MIN = 17,
  CHECKSUM_SIZE = 3,
}

/** CRC-24 of RFC 4880 §6.1 over a range of the memory, from a start value; fits small integers. */
export function checksum(device: Device, start: number, at: number, end: number): number {
  var crc = start;
  while (at < end) {
    crc ^= device.bytes[at++] << 16;
    for (var bit = 0; bit < 8; bit++) {
      crc <<= 1;
      if (crc & 16777216) crc ^= 25578747;
    }
  }
  return crc;
}

/** Big-endian, `size` bytes. */
function writeNumber(device: Device, value: number, size: number): void {
  while (size-- > 0) writeByte(device, (value >> (8 * size)) & 255);
}

function readNumber(device: Device, at: number, size: number): number {
  var value = 0;
  // Never more than 27 bits, whatever the bytes.
  while (size-- > 0) value = ((value & 524287) << 8) | device.bytes[at++];
  return value;
}

/** The token that stands for the session: the refresh token, or the access token where none came. */
export function sessionToken(device: Device): number {
  return holds(device, Region.PRESENT_REFRESH_TOKEN)
    ? Region.PRESENT_REFRESH_TOKEN
    : Field.ACCESS_TOKEN;
}

/**
 * Writes a record of `kind` with `sequence` into OUTPUT.
 * @returns its size, or 0 where OUTPUT is too small
 */
export function writeRecord(device: Device, kind: number, sequence: number): number {
  var region: number = kind === RecordKind.CODE ? Field.DEVICE_CODE : sessionToken(device);
  var last = kind === RecordKind.CODE ? Field.VERIFICATION_URI_COMPLETE : region;
  if (kind === RecordKind.TOKEN && region === Field.ACCESS_TOKEN) kind = RecordKind.ACCESS_TOKEN;
  writeTo(device, Region.OUTPUT);
  writeByte(device, Layout.VERSION | kind);
  writeNumber(device, sequence, 3);
  for (; region <= last; region++) {
    writeNumber(device, holds(device, region) ? device.size[region] : 0, 2);
    writeRegion(device, region, Encoding.NONE);
  }
  writeNumber(device, kind === RecordKind.CODE ? device.codeLifeS : device.refreshLifeS, 4);
  writeNumber(device, device.intervalMs, 4);
  if (device.writeAt + Layout.CHECKSUM_SIZE > device.writeEnd) return 0;
  var start = device.at[Region.OUTPUT];
  writeNumber(
    device,
    checksum(device, device.binding, start, device.writeAt),
    Layout.CHECKSUM_SIZE,
  );
  return device.writeAt - start;
}

/** Sequence of the record in OUTPUT. */
export function recordSequence(device: Device): number {
  return readNumber(device, device.at[Region.OUTPUT] + 1, 3);
}

/**
 * Takes the values of the record of `size` bytes in OUTPUT into their regions. A refresh token makes
 * the present one the one before it.
 * @returns its kind; NONE where it is damaged, of another version, of another client (a token must
 *   never go to a server that did not issue it), or holds a value that does not fit its region
 */
export function readRecord(device: Device, size: number): number {
  var at = device.at[Region.OUTPUT];
  var end = at + size - Layout.CHECKSUM_SIZE;
  if (
    size < Layout.SIZE_MIN ||
    size > device.room[Region.OUTPUT] ||
    device.bytes[at] >> 4 !== Layout.VERSION >> 4 ||
    checksum(device, device.binding, at, end) !== readNumber(device, end, Layout.CHECKSUM_SIZE)
  ) {
    return RecordKind.NONE;
  }
  var kind = device.bytes[at] & 15;
  var region: number = Field.DEVICE_CODE;
  if (kind !== RecordKind.CODE) {
    swapRefreshTokens(device);
    region = kind === RecordKind.ACCESS_TOKEN ? Field.ACCESS_TOKEN : Region.PRESENT_REFRESH_TOKEN;
  }
  var last = kind === RecordKind.CODE ? Field.VERIFICATION_URI_COMPLETE : region;
  at += Layout.HEADER_SIZE;
  for (; region <= last; region++) {
    var length = readNumber(device, at, 2);
    at += 2;
    if (length > device.room[region] || at + length + Layout.NUMBERS_SIZE > end) {
      return RecordKind.NONE;
    }
    for (var i = 0; i < length; i++) device.bytes[device.at[region] + i] = device.bytes[at++];
    device.size[region] = length;
  }
  // A checksum does not see zeros behind it.
  if (at + Layout.NUMBERS_SIZE !== end) return RecordKind.NONE;
  if (kind === RecordKind.CODE) {
    device.codeLifeS = readNumber(device, at, 4);
    device.intervalMs = readNumber(device, at + 4, 4);
  } else {
    device.refreshLifeS = readNumber(device, at, 4);
  }
  return kind;
}
