// Writes requests and records at a position: bytes, literals, and encoded values. The encodings are
// application/x-www-form-urlencoded (the URL standard's serializer), path segments (RFC 3986) and base64.

import { must } from "../device/assertion.ts";
import { quotient } from "../device/digits.ts";
import { bytesOf, type Device, type Place } from "../device/memory.ts";
import { setLength, wipe } from "../device/regions.ts";
import type { Region } from "../device/tables.ts";

/** The current position, and its limit. */
export interface Writer {
  /** The position in `memory` of the next byte to write or read. */
  writeAt: number;
  /** The end (exclusive) of the range in `memory` to write or read. */
  writeEnd: number;
}

export function makeWriter(device: Writer, bytes: number): void {
  device.writeAt = 0;
  device.writeEnd = bytes;
}

/** How a value is encoded. Letters, digits and `- . _` are never changed. */
export enum Encoding {
  /** Unchanged. */
  NONE = 0,
  /** application/x-www-form-urlencoded: `*` is not changed either, and a space becomes `+`. */
  FORM = 1,
  /** A path segment (RFC 3986 §3.3): `~` is not changed either. */
  PATH = 2,
}

/** Starts to write to a region. Bytes beyond its capacity are dropped, and endWrite then wipes the region. */
export function writeTo(device: Device & Writer, region: Region): void {
  device.writeAt = device.start[region];
  device.writeEnd = device.writeAt + device.capacity[region];
  ASSERT: must(device.writeEnd <= device.memory.length, "a region lies in the memory");
}

/** Like writeTo, but starts after the region's current value. */
export function writeOn(device: Device, region: Region): void {
  writeTo(device, region);
  skip(device, device.length[region]);
}

/** Starts to read `length` bytes of a region. */
export function readFrom(device: Device & Writer, region: Region, length: number): void {
  device.writeAt = device.start[region];
  device.writeEnd = device.writeAt + length;
}

export function skip(device: Device & Writer, count: number): void {
  device.writeAt += count;
}

export function goTo(device: Device & Writer, place: number): void {
  device.writeAt = place;
}

/** Makes the current write or read fail: its position is then beyond its end. */
export function corruptWrite(device: Device & Writer): void {
  device.writeEnd = -1;
}

export function writeByte(device: Device & Writer, byte: number): void {
  ASSERT: must(byte >= 0 && byte <= 255, "a byte has 8 bits");
  if (device.writeAt < device.writeEnd) device.memory[device.writeAt] = byte;
  device.writeAt++;
}

/** Ends the region's value at the current position. If the value does not fit, wipes the region. */
export function endWrite(device: Device, region: Region): void {
  var isTooLong = device.writeAt > device.writeEnd;
  setLength(device, region, (isTooLong ? device.writeEnd : device.writeAt) - device.start[region]);
  if (isTooLong) wipe(device, region);
}

/** Writes a byte as two hexadecimal digits. */
export function writeHex(device: Device, byte: number): void {
  for (var shift = 4; shift >= 0; shift -= 4) {
    var value = (byte >> shift) & 15;
    writeByte(device, value < 10 ? value + 48 : value + 55);
  }
}

/** Whether this encoding leaves the byte unchanged. */
export function staysAsItIs(c: number, encoding: Encoding): boolean {
  if (encoding === Encoding.NONE) return true;
  if ((c > 64 && c < 91) || (c > 96 && c < 123) || (c > 47 && c < 58)) return true;
  // - . _
  if ((c > 44 && c < 47) || c === 95) return true;
  // `*` in forms, `~` in paths
  return c === (encoding === Encoding.FORM ? 42 : 126);
}

export function writeEncoded(device: Device, c: number, encoding: Encoding): void {
  if (staysAsItIs(c, encoding)) writeByte(device, c);
  else if (c === 32 && encoding === Encoding.FORM) writeByte(device, 43);
  else {
    writeByte(device, 37);
    writeHex(device, c);
  }
}

export function writeRegion(device: Device, region: Place, encoding: Encoding): void {
  var bytes = bytesOf(device, region);
  var at = device.start[region];
  var end = at + device.length[region];
  while (at < end) writeEncoded(device, bytes[at++], encoding);
}

/** The base64 character for six bits. */
function base64Character(value: number): number {
  if (value < 26) return 65 + value; // A..Z
  if (value < 52) return 97 + value - 26; // a..z
  if (value < 62) return 48 + value - 52; // 0..9
  return value === 62 ? 43 : 47; // + and /
}

/**
 * Encodes the bytes from `start` to `writeAt` in base64 (RFC 4648 §4), in place. Each three bytes become four
 * characters. The last bytes are encoded first, so that no byte is overwritten before it is read.
 */
export function encodeBase64(device: Device, start: number): void {
  var size = device.writeAt - start;
  var groups = quotient(size + 2, 3);
  goTo(device, start + 4 * groups);
  // The result does not fit. The caller detects this, because the position is beyond the end.
  if (device.writeAt > device.writeEnd) return;
  while (groups--) {
    var from = start + 3 * groups;
    var to = start + 4 * groups;
    var count = size - 3 * groups;
    var bits = device.memory[from] << 16;
    if (count > 1) bits |= device.memory[from + 1] << 8;
    if (count > 2) bits |= device.memory[from + 2];
    device.memory[to] = base64Character(bits >> 18);
    device.memory[to + 1] = base64Character((bits >> 12) & 63);
    device.memory[to + 2] = count > 1 ? base64Character((bits >> 6) & 63) : 61;
    device.memory[to + 3] = count > 2 ? base64Character(bits & 63) : 61;
  }
}
