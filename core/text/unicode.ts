// Text on its way into a region: bytes as they are, UTF-16 code units as UTF-8. The scanner's escapes
// and the host's strings are code units; a surrogate without its partner becomes U+FFFD.

import type { Device } from "../device/memory.ts";

/**
 * Adds a byte to the region that is being filled (scanField). The byte behind its room takes one more:
 * then the value is too long (isTooLong), and further ones are dropped.
 */
export function keep(device: Device, byte: number): void {
  var region = device.scanField;
  var size = device.size[region];
  if (size <= device.room[region]) {
    device.bytes[device.at[region] + size] = byte;
    device.size[region]++;
  }
  if (size >= device.room[region]) device.excess[region]++;
}

/** Adds a code point in UTF-8 (RFC 3629 §3): one byte up to 127, then two, three, four. */
function keepPoint(device: Device, point: number): void {
  if (point < 128) {
    keep(device, point);
    return;
  }
  if (point < 2048) keep(device, 192 | (point >> 6));
  else {
    if (point < 65536) keep(device, 224 | (point >> 12));
    else {
      keep(device, 240 | (point >> 18));
      keep(device, 128 | ((point >> 12) & 63));
    }
    keep(device, 128 | ((point >> 6) & 63));
  }
  keep(device, 128 | (point & 63));
}

/** Adds a UTF-16 code unit. A byte of another kind in between must clear scanHigh. */
export function keepUnit(device: Device, unit: number): void {
  var high = device.scanHigh;
  device.scanHigh = 0;
  if (unit >> 11 === 27) {
    // A high surrogate stands as U+FFFD until its low one comes. Where there is none to take back, the
    // region has no room for it, or what is in scanHigh is another text's.
    if (unit > 56319 && high && device.size[device.scanField] > 2) {
      device.size[device.scanField] -= 3;
      unit += high;
    } else {
      // What makes the code point of a low surrogate: 10 bits higher, and 65536 - 56320 on.
      if (unit < 56320) device.scanHigh = (unit - 55287) << 10;
      unit = 65533;
    }
  }
  keepPoint(device, unit);
}
