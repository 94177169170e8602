// Writes text into a region: bytes unchanged, UTF-16 code units as UTF-8. The scanner's escapes and the host's strings
// are code units; a lone surrogate becomes U+FFFD.

import { must } from "../device/assertion.ts";
import { Limit } from "../device/limits.ts";
import { type Device, type Integers, isTooLong, type Place } from "../device/memory.ts";
import { setLength } from "../device/regions.ts";
import { Region } from "../device/tables.ts";

/** The value that is being stored. */
export interface Value {
  /** The region of the present string or number, NONE if it is skipped. */
  scanField: Place;
  /** High surrogate that waits for its other half. */
  scanHigh: number;
  /** For each field, the number of bytes that did not fit its region: at most BODY_MAX. */
  excess: Integers;
}

export function makeValue(device: Value): void {
  var excess: number[] = [];
  for (var field = 0; field <= Region.KEY; field++) excess.push(0);
  device.scanField = 0;
  device.scanHigh = 0;
  device.excess = excess;
}

/** Selects the region for the next value; NONE: it is skipped. */
export function keepIn(device: Device & Value, region: Place): void {
  device.scanField = region;
}

/** A value starts in the selected region. */
export function beginValue(device: Device & Value): void {
  setLength(device, device.scanField, 0);
  device.excess[device.scanField] = 0;
}

/** The surrogate remains without its other half. */
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
  /** U+FFFD, which replaces a lone surrogate; three bytes in UTF-8. */
  REPLACEMENT = 65533,
}

/**
 * Adds a byte to the selected region (scanField). At most one byte more than its capacity is stored: such a length
 * means that the value is too long (isTooLong). Further bytes are only counted.
 */
export function keep(device: Device & Value, byte: number): void {
  var region = device.scanField;
  var size = device.length[region];
  ASSERT: must(size >= 0, "a stored value has begun");
  if (size <= device.capacity[region]) {
    device.memory[device.start[region] + size] = byte;
    setLength(device, region, size + 1);
  }
  // A call's response may have any length, a number may not.
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
    // A high surrogate is stored as U+FFFD, and replaced when its low one follows. If there is nothing to replace, the
    // region has no capacity for it, or scanHigh belongs to another text.
    if (unit > Surrogate.LAST_HIGH && high && device.length[device.scanField] > 2) {
      // Of a value that does not fit, only the length counts: one byte more than that of U+FFFD.
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
