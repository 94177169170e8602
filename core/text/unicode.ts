// Text on its way into a region: bytes as they are, UTF-16 code units as UTF-8. The scanner's escapes
// and the host's strings are code units; a surrogate without its partner becomes U+FFFD.

import { must } from "../device/assertion.ts";
import { Limit } from "../device/limits.ts";
import { type Device, type Integers, isTooLong, type Place } from "../device/memory.ts";
import { setLength } from "../device/regions.ts";
import { Region } from "../device/tables.ts";

/** The value that is being kept. */
export interface Value {
  /** The region that the present string or number goes to, NONE if it is skipped. */
  scanField: Place;
  /** High surrogate that waits for its other half. */
  scanHigh: number;
  /** For each field, the bytes of its value that the region had no room for: BODY_MAX at most. */
  excess: Integers;
}

export function makeValue(device: Value): void {
  var excess: number[] = [];
  for (var field = 0; field <= Region.KEY; field++) excess.push(0);
  device.scanField = 0;
  device.scanHigh = 0;
  device.excess = excess;
}

/** What is kept from now on goes to the region; NONE: nowhere. */
export function keepIn(device: Device & Value, region: Place): void {
  device.scanField = region;
}

/** A value begins in the region that was named. */
export function beginValue(device: Device & Value): void {
  setLength(device, device.scanField, 0);
  device.excess[device.scanField] = 0;
}

/** What follows is not the other half of a surrogate. */
export function endSurrogate(device: Device & Value): void {
  device.scanHigh = 0;
}

/**
 * Surrogates, 0xD800 to 0xDFFF: a pair of a high and a low one stands for the code point
 * 65536 + ((high - FIRST_HIGH) << 10) + (low - FIRST_LOW).
 */
enum Surrogate {
  /** The five bits that every surrogate begins with. */
  PREFIX = 27,
  FIRST_HIGH = 55296,
  LAST_HIGH = 56319,
  FIRST_LOW = 56320,
  /** FIRST_HIGH - 9: as 9 << 10 is 65536 - FIRST_LOW, a pair is ((high - PAIR_BASE) << 10) + low. */
  PAIR_BASE = 55287,
  /** U+FFFD, in the place of one without its partner; three bytes in UTF-8. */
  REPLACEMENT = 65533,
}

/**
 * Adds a byte to the region that is being filled (scanField). At most one byte more than its room is stored: a
 * size above the room says that the value is too long (isTooLong). Further ones are only counted.
 */
export function keep(device: Device & Value, byte: number): void {
  var region = device.scanField;
  var size = device.length[region];
  ASSERT: must(size >= 0, "a value that is kept has begun");
  if (size <= device.capacity[region]) {
    device.memory[device.start[region] + size] = byte;
    setLength(device, region, size + 1);
  }
  // An answer to a call may be of any length, a number may not.
  if (size >= device.capacity[region] && device.excess[region] < Limit.BODY_MAX) {
    device.excess[region]++;
  }
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
export function keepUnit(device: Device & Value, unit: number): void {
  var high = device.scanHigh;
  device.scanHigh = 0;
  if (unit >> 11 === Surrogate.PREFIX) {
    // A high surrogate stands as U+FFFD until its low one comes, and is then taken back. Where there is none to
    // take back, the region has no room for it, or what is in scanHigh is another text's.
    if (unit > Surrogate.LAST_HIGH && high && device.length[device.scanField] > 2) {
      // Of what does not fit the length alone counts: a byte more than that of U+FFFD.
      if (isTooLong(device, device.scanField)) {
        keep(device, 0);
        return;
      }
      setLength(device, device.scanField, device.length[device.scanField] - 3);
      unit += high;
    } else {
      if (unit < Surrogate.FIRST_LOW) device.scanHigh = (unit - Surrogate.PAIR_BASE) << 10;
      unit = Surrogate.REPLACEMENT;
    }
  }
  keepPoint(device, unit);
}
