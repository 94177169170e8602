// The bytes of a record: what a device keeps over a loss of power. One record holds a pending code,
// the token of a session, or a token that is still to be revoked. SPEC.md draws them.

import { type Device, Field, holds, Region } from "../device/memory.ts";
import { placeDeviceCode, swapRefreshTokens } from "../device/regions.ts";
import { State } from "../device/states.ts";
import { writeTo } from "../text/form-encoder.ts";

export enum Layout {
  /** Checksums start from it, so that a record of another version is none. */
  VERSION = 1,
  CHECKSUM_SIZE = 3,
}

/** CRC-24 of RFC 4880 §6.1 over `size` bytes, from a start value; fits small integers. */
export function checksum(device: Device, crc: number, at: number, size: number): number {
  while (size--) {
    crc ^= device.bytes[at++] << 16;
    for (var bit = 8; bit--; ) crc = (crc << 1) ^ ((crc >> 23) * 25578747);
  }
  return crc;
}

/**
 * Moves a number of `size` bytes, big-endian, between the device and its record: records are read at
 * the start, and written from then on. One walk for both cannot disagree about where a value lies.
 * @returns the number read, or the one written; beyond the record's end `value` as it was
 */
function moveNumber(device: Device, value: number, size: number): number {
  var moved = 0;
  while (size--) {
    var byte = (value >> (8 * size)) & 255;
    if (device.writeAt < device.writeEnd) {
      if (device.state) device.bytes[device.writeAt] = byte;
      else byte = device.bytes[device.writeAt];
    }
    device.writeAt++;
    // Never more than 27 bits, whatever the bytes.
    moved = ((moved % 524288) << 8) | byte;
  }
  return moved;
}

/** Moves the value of a region: its length, 0 where it is absent, and its bytes. */
function moveValue(device: Device, region: number): void {
  var size = moveNumber(device, device.size[region] + 1, 2) - 1;
  // Without room for a value nothing of its record counts.
  if (size > device.room[region]) size = device.writeEnd = -1;
  device.size[region] = size;
  for (var at = device.at[region]; size-- > 0; at++) {
    device.bytes[at] = moveNumber(device, device.bytes[at], 1);
  }
}

function firstRegion(device: Device): number {
  if (device.recordKind <= State.PENDING) return Field.DEVICE_CODE;
  return device.recordKind & 1 ? Region.PRESENT_REFRESH_TOKEN : Field.ACCESS_TOKEN;
}

/** Moves all that is between the ends of the record in OUTPUT, without the checksum. */
function moveRecord(device: Device): void {
  device.recordKind = moveNumber(device, device.recordKind, 1);
  device.sequence = moveNumber(device, device.sequence, 3);
  device.intervalMs = moveNumber(device, device.intervalMs, 4);
  device.codeLifeS = moveNumber(device, device.codeLifeS, 4);
  device.refreshLifeS = moveNumber(device, device.refreshLifeS, 4);
  var region = firstRegion(device);
  // It is read over the refresh token of an older record.
  if (region === Field.DEVICE_CODE && device.state === State.STARTING) placeDeviceCode(device);
  // Behind a device code lie the other three values of a code; a token is alone.
  do moveValue(device, region);
  while (++region <= Field.VERIFICATION_URI_COMPLETE);
}

/** What a record made now is of: the state to go on in, and odd where there is a refresh token. */
export function kindOfRecord(device: Device): number {
  return device.state | +holds(device, Region.PRESENT_REFRESH_TOKEN);
}

/**
 * Writes the record into OUTPUT, as far as there is room for it.
 * @returns its size
 */
export function writeRecord(device: Device): number {
  writeTo(device, Region.OUTPUT);
  moveRecord(device);
  return device.writeAt + Layout.CHECKSUM_SIZE - device.at[Region.OUTPUT];
}

/** Writes the checksum of the record of `size` bytes in OUTPUT. */
export function sealRecord(device: Device, size: number): void {
  moveNumber(
    device,
    checksum(device, device.binding ^ size, device.at[Region.OUTPUT], size - Layout.CHECKSUM_SIZE),
    Layout.CHECKSUM_SIZE,
  );
}

/**
 * Whether OUTPUT holds a record of `size` bytes: not one that is damaged, of another version, or of
 * another client (a token must never go to a server that did not issue it).
 */
export function isRecord(device: Device, size: number): boolean {
  // A checksum behind what it is of makes 0 of it, and zeros go on so: hence the size in its start.
  return (
    size <= device.room[Region.OUTPUT] &&
    !checksum(device, device.binding ^ size, device.at[Region.OUTPUT], size)
  );
}

/**
 * Takes the values of the record of `size` bytes in OUTPUT into their regions. The present refresh
 * token becomes the one before it. A record with a value that does not fit its region becomes one of
 * kind 0: what is older than it is out of date all the same.
 */
export function readRecord(device: Device, size: number): void {
  device.size[Field.DEVICE_CODE] = -1;
  swapRefreshTokens(device);
  writeTo(device, Region.OUTPUT);
  device.writeEnd = device.writeAt + size - Layout.CHECKSUM_SIZE;
  moveRecord(device);
  if (device.writeAt > device.writeEnd) device.recordKind = 0;
}
