// Writes requests: literals, values encoded as application/x-www-form-urlencoded (the URL standard's
// serializer) or as path segments (RFC 3986), decimal numbers. One place to write, one check of room.

import { hexDigit, utf8Byte } from "./digits.ts";
import { type Device, literalEnd, literalStart } from "./memory.ts";

/** Starts to write at `at`; nothing is written from `end` on, but the overflow is remembered. */
export function writeFrom(device: Device, at: number, end: number): void {
  device.writeAt = at;
  device.writeEnd = end;
  device.writeOverflow = 0;
}

/** One byte. */
export function writeByte(device: Device, byte: number): void {
  if (device.writeAt < device.writeEnd) device.memory[device.writeAt++] = byte;
  else device.writeOverflow = 1;
}

/** A range of the memory as it is. */
export function writeRange(device: Device, from: number, to: number): void {
  for (var at = from; at < to; at++) writeByte(device, device.memory[at]);
}

/** A literal as it is. */
export function writeLiteral(device: Device, literal: number): void {
  writeRange(device, literalStart(device, literal), literalEnd(device, literal));
}

/** A region as it is. */
export function writeRegion(device: Device, region: number): void {
  writeRange(device, device.start[region], device.start[region] + device.length[region]);
}

/** Letters, digits and `- . _`: left alone by both encodings. */
function isUnreserved(c: number): boolean {
  var letter = c | 32;
  return (
    (letter >= 97 && letter <= 122) || (c >= 48 && c <= 57) || c === 45 || c === 46 || c === 95
  );
}

/**
 * One byte of a UTF-8 value, encoded.
 * @param alone the one further character that stays as it is: `*` in a form, `~` in a path segment
 */
export function writeEncodedByte(device: Device, c: number, alone: number): void {
  if (c === 32 && alone === 42) writeByte(device, 43);
  else if (c === alone || isUnreserved(c)) writeByte(device, c);
  else {
    writeByte(device, 37);
    writeByte(device, hexDigit(c >> 4));
    writeByte(device, hexDigit(c & 15));
  }
}

/** A region's value as `URLSearchParams` prints it. */
export function writeFormValue(device: Device, region: number): void {
  var end = device.start[region] + device.length[region];
  for (var at = device.start[region]; at < end; at++) {
    writeEncodedByte(device, device.memory[at], 42);
  }
}

/** A host's string as form value. Used at the start only: engines may allocate for characters. */
export function writeFormText(device: Device, text: string): void {
  for (var i = 0; i < text.length; i++) {
    var unit = text.charCodeAt(i);
    if (unit >= 55296 && unit < 57344) {
      var low = i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
      if (unit < 56320 && low >= 56320 && low < 57344) {
        unit = 65536 + ((unit - 55296) << 10) + low - 56320;
        i++;
      } else unit = 65533;
    }
    var byte = 0;
    for (var k = 0; (byte = utf8Byte(unit, k)) >= 0; k++) writeEncodedByte(device, byte, 42);
  }
}

/** A host's ASCII string as it is (parameter names). At the start only. */
export function writeText(device: Device, text: string): void {
  for (var i = 0; i < text.length; i++) writeByte(device, text.charCodeAt(i));
}
