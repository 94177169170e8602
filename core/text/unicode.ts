// Writes text into a region: bytes unchanged, UTF-16 code units as UTF-8. The scanner's escapes and the host's strings are
// code units. A lone surrogate becomes U+FFFD.

import { must } from "../device/assertion.ts";
import { Limit } from "../device/limits.ts";
import { type Device, type Integers, isTooLong, type Place } from "../device/memory.ts";
import { setLength, settle } from "../device/regions.ts";
import { Field, Region } from "../device/tables.ts";
import { Encoding, staysAsItIs, writeRegion } from "./form-encoder.ts";

/** The value that is being stored. */
export interface Value {
  /** The region of the current string or number, NONE if it is skipped. */
  scanField: Place;
  /** The high surrogate's part of the code point, while the low surrogate has not arrived yet; 0: none. */
  scanHigh: number;
  /** For each field, the number of bytes that did not fit into its region, at most BODY_MAX. */
  excess: Integers;
  /** The form-encoded length of the excess bytes of the last device code or received refresh token. */
  formExcess: number;
}

export function makeValue(device: Value): void {
  var excess: number[] = [];
  for (var field = 0; field <= Region.KEY; field++) excess.push(0);
  device.scanField = 0;
  device.scanHigh = 0;
  device.excess = excess;
  device.formExcess = 0;
}

/** Fields whose values a later request sends form-encoded. */
var IN_FORMS: number = (1 << Field.DEVICE_CODE) | (1 << Field.RECEIVED_REFRESH_TOKEN);

/** Ends the last value, and selects the region for the next one; NONE to skip it. */
export function keepIn(device: Device & Value, region: Place): void {
  settle(device, device.scanField);
  device.scanField = region;
}

export function beginValue(device: Device & Value): void {
  setLength(device, device.scanField, 0);
  device.excess[device.scanField] = 0;
  if ((IN_FORMS >> device.scanField) & 1) device.formExcess = 0;
}

/** Call this when a high surrogate can no longer be followed by a low one. */
export function endSurrogate(device: Device & Value): void {
  device.scanHigh = 0;
}

/**
 * Surrogates, 0xD800 to 0xDFFF. A pair of a high and a low one stands for the code point 65536 + ((high - FIRST_HIGH)
 * << 10) + (low - FIRST_LOW).
 */
enum Surrogate {
  /** The five bits at the start of every surrogate. */
  PREFIX = 27,
  FIRST_HIGH = 55296,
  LAST_HIGH = 56319,
  FIRST_LOW = 56320,
  /** FIRST_HIGH - 9. Since 9 << 10 is 65536 - FIRST_LOW, a pair is ((high - PAIR_BASE) << 10) + low. */
  PAIR_BASE = 55287,
  /** U+FFFD, which replaces a lone surrogate; three bytes in UTF-8. */
  REPLACEMENT = 65533,
}

/** Adds a byte to the selected region (scanField). Bytes beyond its capacity are only counted (isTooLong). */
export function keep(device: Device & Value, byte: number): void {
  var region = device.scanField;
  var size = device.length[region];
  ASSERT: must(size >= 0, "a stored value has begun");
  if (size < device.capacity[region]) {
    device.memory[device.start[region] + size] = byte;
    setLength(device, region, size + 1);
    // A response to a call may have any length, so limit the count.
  } else if (device.excess[region] < Limit.BODY_MAX) {
    device.excess[region]++;
    var isShort = byte === 32 || staysAsItIs(byte, Encoding.FORM);
    if ((IN_FORMS >> region) & 1) device.formExcess += isShort ? 1 : 3;
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

/** Adds a UTF-16 code unit. Call endSurrogate before a byte that is added with `keep`. */
export function keepUnit(device: Device & Value, unit: number): void {
  var high = device.scanHigh;
  device.scanHigh = 0;
  if (unit >> 11 === Surrogate.PREFIX) {
    // A high surrogate is stored as U+FFFD. If the low surrogate follows, the whole character replaces U+FFFD. A value
    // below three bytes does not contain U+FFFD: it did not fit, or scanHigh belongs to another text.
    if (unit > Surrogate.LAST_HIGH && high && device.length[device.scanField] > 2) {
      // If a value does not fit, only its length matters. A pair is one byte longer than U+FFFD.
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

/** Writes the complete characters, which are in the region Field.NONE, and empties this region. */
function flush(device: Device, encoding: Encoding): void {
  writeRegion(device, Field.NONE, encoding);
  setLength(device, Field.NONE, 0);
}

/** Writes a string of the host in UTF-8, with `encoding`. Only `create` uses it, because this allocates memory. */
export function writeText(device: Device, text: string, encoding: Encoding): void {
  for (var i = 0; i < text.length; i++) {
    var unit = text.charCodeAt(i);
    // A high surrogate waits for the low surrogate after it, so do not write it yet.
    if (!device.scanHigh || unit >> 10 !== 55) flush(device, encoding);
    keepUnit(device, unit);
  }
  flush(device, encoding);
}
