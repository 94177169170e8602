// A push scanner of strict JSON (RFC 8259): bytes go in one by one, the wanted members' values come
// out in their regions, everything else is skipped. What the members mean is not known here.
//
// Strings are decoded to UTF-8 (bytes above 127 pass as they are, a lone surrogate becomes U+FFFD),
// numbers are kept as text. Of a repeated member the last one counts. A value longer than its region
// is remembered as an overflow of its field and never taken for a shorter one.

import { utf8Byte } from "./digits.ts";
import { Limit } from "./limits.ts";
import { type Device, Field, Literal, literalStart, Region } from "./memory.ts";

enum Scan {
  VALUE = 0,
  /** A value, or `]`. */
  FIRST_ELEMENT = 1,
  /** A member's name, or `}`. */
  FIRST_NAME = 2,
  NAME = 3,
  COLON = 4,
  /** Behind a value: `,` or the closing bracket. */
  COMMA = 5,
  END = 6,
  STRING = 7,
  ESCAPE = 8,
  UNICODE = 9,
  /** Inside true, false, null. */
  WORD = 10,
  INVALID = 11,
  // inside a number: the rows of NUMBERS
  MINUS = 12,
  ZERO = 13,
  DIGITS = 14,
}

/** The literal that a word's letters are compared with. */
export var WORDS = "true false null ";

/**
 * How a number goes on: a row for each state from MINUS, a column for 0, 1-9, point, e, sign, other.
 * A letter is the next state ('A' is MINUS), `.` the end of the number, `-` an error.
 */
export var NUMBERS =
  "BC----" + // A minus
  "--DF.." + // B zero: no digit may follow
  "CCDF.." + // C digits
  "EE----" + // D point
  "EE-F.." + // E fraction
  "HH--G-" + // F exponent
  "HH----" + // G its sign
  "HH--.."; // H its digits

/** The overflow and absence of a value that is about to be read. */
function clearField(device: Device, field: number): void {
  device.size[field] = -1;
  device.scanOverflow &= ~(1 << field);
}

/**
 * Starts a document.
 * @param names literal with the member names: letter of the field, name (`*` for any), space
 * @param wanted bit mask of fields to fill; absent (-1) from here on, but for the two tokens: the ones
 *   in use are not given up before an answer names new ones (see scanSeen)
 * @param depth deepest object, from 1, in which members are looked up
 */
export function scanBegin(device: Device, names: number, wanted: number, depth: number): void {
  device.scanState = Scan.VALUE;
  device.scanStack = 0;
  device.scanDepth = 0;
  device.scanDepthMax = depth;
  device.scanNames = names;
  device.scanWanted = wanted;
  device.scanField = Field.NONE;
  device.scanHigh = 0;
  device.scanSeen = 0;
  device.scanOverflow = 0;
  wanted &= ~((1 << Field.ACCESS_TOKEN) | (1 << Field.REFRESH_TOKEN));
  for (var field = 1; wanted >> field; field++) {
    if ((wanted >> field) & 1) clearField(device, field);
  }
}

/** Whether exactly one complete document has been scanned. An object ends by itself. */
export function scanComplete(device: Device): boolean {
  scanByte(device, 32);
  return device.scanState === Scan.END;
}

/** One decoded byte of the string or number being read. */
function keep(device: Device, byte: number): void {
  var region = device.scanField;
  if (!region) return;
  var size = device.size[region];
  if (size < device.room[region]) {
    device.bytes[device.at[region] + size] = byte;
    device.size[region] = size + 1;
  } else {
    device.scanOverflow |= 1 << region;
  }
}

function keepPoint(device: Device, point: number): void {
  var byte = utf8Byte(point, 0);
  for (var i = 1; byte >= 0; i++) {
    keep(device, byte);
    byte = utf8Byte(point, i);
  }
}

/** A UTF-16 code unit from an escape; -1 for none: a high surrogate kept back is then alone. */
function keepUnit(device: Device, unit: number): void {
  var high = device.scanHigh;
  device.scanHigh = 0;
  if (high) {
    if (unit >> 10 === 55) {
      keepPoint(device, ((high - 55232) << 10) + unit - 56320);
      return;
    }
    keepPoint(device, 65533);
  }
  if (unit >> 10 === 54) device.scanHigh = unit;
  else if (unit >= 0) keepPoint(device, unit >> 10 === 55 ? 65533 : unit);
}

/** The field that the name in KEY stands for, or NONE. */
function fieldNamed(device: Device): number {
  var bytes = device.bytes;
  var at = literalStart(device, device.scanNames);
  var end = literalStart(device, device.scanNames + 1);
  var size = device.size[Region.KEY];
  while (at < end) {
    var field = bytes[at++] - 65;
    var key = device.at[Region.KEY];
    var left = size;
    for (; bytes[at] !== 32; at++) {
      if (bytes[at] === 42) left = 0;
      else if (left-- < 1 || bytes[at] !== bytes[key++]) left = -1;
    }
    at++;
    // The first match decides: a name that is not wanted must not come in again by `*`.
    if (!left) return (device.scanWanted >> field) & 1 ? field : Field.NONE;
  }
  return Field.NONE;
}

function beginString(device: Device, isName: boolean): void {
  device.scanState = Scan.STRING;
  if (isName) {
    device.scanField = Region.KEY;
    device.size[Region.KEY] = 0;
    device.scanOverflow &= ~(1 << Region.KEY);
  } else if (device.scanField) {
    // A list of strings (scope of some servers) becomes one string with spaces.
    if (device.size[device.scanField] < 0) device.size[device.scanField] = 0;
    else keep(device, 32);
  }
}

function endString(device: Device): void {
  keepUnit(device, -1);
  if (device.scanField !== Region.KEY) {
    endValue(device);
    return;
  }
  var field: number = Field.NONE;
  if (device.scanDepth <= device.scanDepthMax && !((device.scanOverflow >> Region.KEY) & 1)) {
    field = fieldNamed(device);
  }
  device.scanField = field;
  device.scanSeen |= 1 << field;
  clearField(device, field);
  device.scanState = Scan.COLON;
}

/** Only a list goes on with the same field. */
function endValue(device: Device): void {
  if (!(device.scanStack & 1)) device.scanField = Field.NONE;
  device.scanState = device.scanDepth ? Scan.COMMA : Scan.END;
}

function open(device: Device, isArray: number): void {
  if (!isArray) device.scanField = Field.NONE;
  device.scanStack = device.scanStack * 2 + isArray;
  device.scanState = isArray ? Scan.FIRST_ELEMENT : Scan.FIRST_NAME;
  if (++device.scanDepth > Limit.JSON_DEPTH_MAX) device.scanState = Scan.INVALID;
}

/** The first byte of a value. */
function beginValue(device: Device, c: number): void {
  if (c === 34) beginString(device, false);
  else if (c === 123) open(device, 0);
  else if (c === 91) open(device, 1);
  else if (c === 45 || (c > 47 && c < 58)) {
    beginString(device, false);
    keep(device, c);
    device.scanState = c === 45 ? Scan.MINUS : c === 48 ? Scan.ZERO : Scan.DIGITS;
  } else {
    device.scanState = Scan.WORD;
    // A word is no value of ours; of a repeated member it leaves nothing.
    device.scanUnit = c === 116 ? 1 : c === 102 ? 6 : 12;
    if (c !== 116 && c !== 102 && c !== 110) device.scanState = Scan.INVALID;
  }
}

function scanWord(device: Device, c: number): void {
  var at = literalStart(device, Literal.WORDS) + device.scanUnit++;
  if (device.bytes[at] !== c) device.scanState = Scan.INVALID;
  else if (device.bytes[at + 1] === 32) endValue(device);
}

function scanString(device: Device, c: number): void {
  if (c === 34) endString(device);
  else if (c === 92) device.scanState = Scan.ESCAPE;
  else if (c < 32) device.scanState = Scan.INVALID;
  else {
    if (device.scanHigh) keepUnit(device, -1);
    keep(device, c);
  }
}

function scanEscape(device: Device, c: number): void {
  device.scanState = Scan.STRING;
  device.scanUnit = 0;
  device.scanDigits = 4;
  if (c === 117) device.scanState = Scan.UNICODE;
  else if (c === 34 || c === 92 || c === 47) keepUnit(device, c);
  else if (c === 98) keepUnit(device, 8);
  else if (c === 102) keepUnit(device, 12);
  else if (c === 110) keepUnit(device, 10);
  else if (c === 114) keepUnit(device, 13);
  else if (c === 116) keepUnit(device, 9);
  else device.scanState = Scan.INVALID;
}

function scanUnicode(device: Device, c: number): void {
  var letter = c | 32;
  var value = c > 47 && c < 58 ? c - 48 : letter > 96 && letter < 103 ? letter - 87 : -1;
  device.scanUnit = device.scanUnit * 16 + value;
  if (value < 0) device.scanState = Scan.INVALID;
  else if (!--device.scanDigits) {
    device.scanState = Scan.STRING;
    keepUnit(device, device.scanUnit);
  }
}

function scanNumber(device: Device, c: number): void {
  var column = 5;
  if (c === 48) column = 0;
  else if (c > 48 && c < 58) column = 1;
  else if (c === 46) column = 2;
  else if ((c | 32) === 101) column = 3;
  else if (c === 43 || c === 45) column = 4;
  var row = literalStart(device, Literal.NUMBERS) + (device.scanState - Scan.MINUS) * 6;
  var next = device.bytes[row + column] - 65;
  if (next >= 0) {
    device.scanState = Scan.MINUS + next;
    keep(device, c);
  } else if (next === -19) {
    endValue(device);
    scanByte(device, c);
  } else {
    device.scanState = Scan.INVALID;
  }
}

/** The bytes between values. */
function scanStructure(device: Device, c: number): void {
  var state = device.scanState;
  var inArray = device.scanStack & 1;
  if (c === 32 || c === 10 || c === 13 || c === 9) return;
  if (state === Scan.COLON && c === 58) device.scanState = Scan.VALUE;
  else if (state === Scan.COMMA && c === 44) {
    device.scanState = inArray ? Scan.VALUE : Scan.NAME;
  } else if (
    inArray
      ? c === 93 && (state === Scan.COMMA || state === Scan.FIRST_ELEMENT)
      : c === 125 && (state === Scan.COMMA || state === Scan.FIRST_NAME)
  ) {
    device.scanStack >>= 1;
    device.scanDepth--;
    endValue(device);
  } else if (state < Scan.FIRST_NAME) beginValue(device, c);
  else if (state < Scan.COLON && c === 34) beginString(device, true);
  else device.scanState = Scan.INVALID;
}

/** Takes in one byte, 0..255. After an error the rest of the document is ignored. */
export function scanByte(device: Device, c: number): void {
  var state = device.scanState;
  if (state === Scan.STRING) scanString(device, c);
  else if (state < Scan.STRING) scanStructure(device, c);
  else if (state > Scan.INVALID) scanNumber(device, c);
  else if (state === Scan.ESCAPE) scanEscape(device, c);
  else if (state === Scan.UNICODE) scanUnicode(device, c);
  else if (state === Scan.WORD) scanWord(device, c);
}
