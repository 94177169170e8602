// Writes requests and records: bytes, literals, and values encoded as application/x-www-form-urlencoded
// (the URL standard's serializer) or as path segments (RFC 3986). One place to write, one check of room.

import { utf8Byte } from "./digits.ts";
import { type Device, Region } from "./memory.ts";

/** What stays as it is beside letters, digits and `- . _`, which tells the encodings apart. */
export enum Encoding {
  NONE = 0,
  /** `*`, and a space becomes `+`. */
  FORM = 42,
  /** `~` */
  PATH = 126,
}

/** Starts to write into a region. Nothing is written beyond its room; see writtenSize. */
export function writeTo(device: Device, region: number): void {
  device.writeAt = device.at[region];
  device.writeEnd = device.writeAt + device.room[region];
}

/** One byte. */
export function writeByte(device: Device, byte: number): void {
  if (device.writeAt < device.writeEnd) device.bytes[device.writeAt] = byte;
  device.writeAt++;
}

/** Sets the region's size to what was written since writeTo; -1 where there was no room for it. */
export function endWrite(device: Device, region: number): void {
  device.size[region] = device.writeAt > device.writeEnd ? -1 : device.writeAt - device.at[region];
}

/** Four bits as a digit `0`..`F`. */
function writeHex(device: Device, value: number): void {
  writeByte(device, value < 10 ? value + 48 : value + 55);
}

/** One byte of a UTF-8 value, encoded. */
export function writeEncoded(device: Device, c: number, encoding: number): void {
  var letter = c | 32;
  if (
    !encoding ||
    c === encoding ||
    (letter > 96 && letter < 123) ||
    (c > 47 && c < 58) ||
    c === 45 ||
    c === 46 ||
    c === 95
  ) {
    writeByte(device, c);
  } else if (c === 32 && encoding === Encoding.FORM) {
    writeByte(device, 43);
  } else {
    writeByte(device, 37);
    writeHex(device, c >> 4);
    writeHex(device, c & 15);
  }
}

/** A range of the memory, encoded. */
function writeRange(device: Device, at: number, end: number, encoding: number): void {
  while (at < end) writeEncoded(device, device.bytes[at++], encoding);
}

/** A region's value, encoded. */
export function writeRegion(device: Device, region: number, encoding: number): void {
  writeRange(device, device.at[region], device.at[region] + device.size[region], encoding);
}

/** A literal as it is. */
export function writeLiteral(device: Device, literal: number): void {
  writeRegion(device, literal, Encoding.NONE);
}

/** A host's string in UTF-8, encoded. At the start only: engines allocate for characters. */
export function writeText(device: Device, text: string, encoding: number): void {
  for (var i = 0; i < text.length; i++) {
    var point = text.charCodeAt(i);
    if (point >> 11 === 27) {
      // A pair of surrogates; one alone becomes U+FFFD.
      var low = i + 1 < text.length ? text.charCodeAt(i + 1) - 56320 : -1;
      if (point < 56320 && low >= 0 && low < 1024) {
        point = 65536 + ((point - 55296) << 10) + low;
        i++;
      } else point = 65533;
    }
    var byte = utf8Byte(point, 0);
    for (var k = 1; byte >= 0; k++) {
      writeEncoded(device, byte, encoding);
      byte = utf8Byte(point, k);
    }
  }
}

/** Makes a token request in OUTPUT: client credentials, grant, and the value of the region. */
export function writeTokenRequest(device: Device, grant: number, region: number): void {
  writeTo(device, Region.OUTPUT);
  writeRegion(device, Region.CLIENT, Encoding.NONE);
  writeLiteral(device, grant);
  writeRegion(device, region, Encoding.FORM);
  endWrite(device, Region.OUTPUT);
}
