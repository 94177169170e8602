// A push scanner of strict JSON (RFC 8259): bytes go in one by one, the wanted members' values come
// out in their regions, everything else is skipped. What the members mean is not known here.
//
// Bytes above 127 pass through as they are; escapes become UTF-8, a lone surrogate U+FFFD. Of a
// repeated member the last one counts. A value longer than its region is remembered as an overflow of
// its field and never cut.

import { utf8Byte } from "./digits.ts";
import { Limit } from "./limits.ts";
import { type Device, Field, literalEnd, literalStart, Region } from "./memory.ts";

enum Scan {
  /** Any value; in front of the first element of an array also `]`. */
  VALUE = 0,
  FIRST_ELEMENT = 1,
  /** A member name; in front of the first one also `}`. */
  FIRST_NAME = 2,
  NAME = 3,
  COLON = 4,
  /** Behind a value: `,` or the closing bracket. */
  COMMA = 5,
  STRING = 6,
  ESCAPE = 7,
  UNICODE = 8,
  MINUS = 9,
  ZERO = 10,
  DIGITS = 11,
  POINT = 12,
  FRACTION = 13,
  EXPONENT = 14,
  EXPONENT_SIGN = 15,
  EXPONENT_DIGITS = 16,
  /** Inside true, false, null. */
  WORD = 17,
  END = 18,
  INVALID = 19,
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
  device.scanInKey = 0;
  device.scanListDepth = 0;
  device.scanHigh = 0;
  device.scanOverflow = 0;
  device.scanSeen = 0;
  for (var field = 1; field < Field.COUNT; field++) {
    if (field !== Field.ACCESS_TOKEN && field !== Field.REFRESH_TOKEN && (wanted >> field) & 1) {
      clearField(device, field);
    }
  }
}

/** Whether exactly one complete document has been scanned. */
export function scanComplete(device: Device): boolean {
  // A number at the top level ends only with the document itself.
  return (
    device.scanState === Scan.END ||
    (device.scanDepth === 0 &&
      (device.scanState === Scan.ZERO ||
        device.scanState === Scan.DIGITS ||
        device.scanState === Scan.FRACTION ||
        device.scanState === Scan.EXPONENT_DIGITS))
  );
}

function clearField(device: Device, field: number): void {
  if (field >= Field.EXPIRES_IN) device.numbers[field - Field.EXPIRES_IN] = -1;
  else device.length[field] = -1;
  device.scanOverflow &= ~(1 << field);
}

/** One decoded byte of the string being read. */
function keep(device: Device, byte: number): void {
  var region = device.scanInKey ? Region.KEY : device.scanField;
  if (region === Field.NONE) return;
  if (region >= Field.EXPIRES_IN && region !== Region.KEY) {
    addDigit(device, byte);
    return;
  }
  var length = device.length[region];
  if (length < device.capacity[region]) {
    device.memory[device.start[region] + length] = byte;
    device.length[region] = length + 1;
  } else if (device.scanInKey) {
    // Longer than any name that is looked up: it must not match by its first part.
    device.memory[device.start[region]] = 0;
  } else {
    device.scanOverflow |= 1 << region;
  }
}

/** Numbers may come as strings of digits; -2 marks one that is neither. */
function addDigit(device: Device, byte: number): void {
  var index = device.scanField - Field.EXPIRES_IN;
  var value = device.numbers[index];
  if (byte < 48 || byte > 57 || value === -2) {
    device.numbers[index] = -2;
    return;
  }
  if (value < 0) value = 0;
  // Clamped before it could leave the small integers.
  device.numbers[index] = value > 13421771 ? Limit.INTEGER_MAX : value * 10 + byte - 48;
}

function keepCodePoint(device: Device, point: number): void {
  var byte = 0;
  for (var i = 0; (byte = utf8Byte(point, i)) >= 0; i++) keep(device, byte);
}

/** A high surrogate whose partner did not come. */
function flushSurrogate(device: Device): void {
  if (device.scanHigh) {
    device.scanHigh = 0;
    keepCodePoint(device, 65533);
  }
}

/** A complete \u escape, or a simple one, as UTF-16 code unit. */
function keepUnit(device: Device, unit: number): void {
  var high = device.scanHigh;
  if (unit >= 56320 && unit < 57344) {
    device.scanHigh = 0;
    keepCodePoint(device, high ? 65536 + ((high - 55296) << 10) + unit - 56320 : 65533);
    return;
  }
  flushSurrogate(device);
  if (unit >= 55296 && unit < 56320) device.scanHigh = unit;
  else keepCodePoint(device, unit);
}

/** The field that the name in KEY stands for, or NONE. */
function fieldNamed(device: Device): number {
  var memory = device.memory;
  var key = device.start[Region.KEY];
  var length = device.length[Region.KEY];
  var at = literalStart(device, device.scanNames);
  var end = literalEnd(device, device.scanNames);
  while (at < end) {
    var field = memory[at++] - 65;
    var matched = 0;
    while (memory[at] !== 32) {
      // `*` stands for any name.
      if (memory[at] === 42) matched = length;
      else if (matched >= 0 && matched < length && memory[key + matched] === memory[at]) matched++;
      else matched = -1;
      at++;
    }
    at++;
    if (matched === length && (device.scanWanted >> field) & 1) return field;
  }
  return Field.NONE;
}

function beginString(device: Device, inKey: number): void {
  device.scanState = Scan.STRING;
  device.scanInKey = inKey;
  if (inKey) {
    device.length[Region.KEY] = 0;
    device.scanField = Field.NONE;
  } else if (device.scanField !== Field.NONE && device.scanField < Field.EXPIRES_IN) {
    // A list of strings (scope of some servers) becomes one string with spaces.
    if (device.scanListDepth && device.length[device.scanField] >= 0) keep(device, 32);
    else device.length[device.scanField] = 0;
  }
}

function endString(device: Device): void {
  flushSurrogate(device);
  if (device.scanInKey) {
    device.scanInKey = 0;
    device.scanState = Scan.COLON;
    if (device.scanDepth <= device.scanDepthMax) {
      device.scanField = fieldNamed(device);
      if (device.scanField !== Field.NONE) {
        device.scanSeen |= 1 << device.scanField;
        clearField(device, device.scanField);
      }
    }
  } else {
    endValue(device);
  }
}

function endValue(device: Device): void {
  if (!device.scanListDepth) device.scanField = Field.NONE;
  device.scanState = device.scanDepth ? Scan.COMMA : Scan.END;
}

function open(device: Device, isArray: number): void {
  if (device.scanDepth >= Limit.JSON_DEPTH_MAX) {
    device.scanState = Scan.INVALID;
    return;
  }
  // Only a list directly under a wanted name keeps the field; anything deeper is not its value.
  if (isArray && device.scanField !== Field.NONE && !device.scanListDepth) {
    device.scanListDepth = device.scanDepth + 1;
  } else {
    device.scanField = Field.NONE;
    device.scanListDepth = 0;
  }
  device.scanStack = device.scanStack * 2 + isArray;
  device.scanDepth++;
  device.scanState = isArray ? Scan.FIRST_ELEMENT : Scan.FIRST_NAME;
}

function close(device: Device): void {
  if (device.scanListDepth >= device.scanDepth) device.scanListDepth = 0;
  device.scanStack >>= 1;
  device.scanDepth--;
  endValue(device);
}

/** The first byte of a value. */
function beginValue(device: Device, c: number): void {
  if (c === 34) beginString(device, 0);
  else if (c === 123) open(device, 0);
  else if (c === 91) open(device, 1);
  else if (c === 45 || (c >= 48 && c <= 57)) {
    device.scanState = c === 45 ? Scan.MINUS : c === 48 ? Scan.ZERO : Scan.DIGITS;
    if (device.scanField >= Field.EXPIRES_IN) addDigit(device, c);
  } else {
    device.scanState = Scan.WORD;
    device.scanDigits = 0;
    if (c === 116) device.scanUnit = 1;
    else if (c === 102) device.scanUnit = 2;
    else if (c === 110) device.scanUnit = 3;
    else device.scanState = Scan.INVALID;
  }
}

/** The letters of true, false, null behind the first: packed as 5 bits each, first letter lowest. */
function wordLetter(word: number, index: number): number {
  var letters = word === 1 ? 5810 : word === 2 ? 183681 : 12693;
  var letter = (letters >> (5 * index)) & 31;
  return letter ? letter + 96 : 0;
}

function scanWord(device: Device, c: number): void {
  if (wordLetter(device.scanUnit, device.scanDigits) !== c) {
    device.scanState = Scan.INVALID;
    return;
  }
  device.scanDigits++;
  if (!wordLetter(device.scanUnit, device.scanDigits)) endValue(device);
}

function scanStringByte(device: Device, c: number): void {
  if (c === 34) endString(device);
  else if (c === 92) device.scanState = Scan.ESCAPE;
  else if (c < 32) device.scanState = Scan.INVALID;
  else {
    flushSurrogate(device);
    keep(device, c);
  }
}

function scanEscape(device: Device, c: number): void {
  device.scanState = Scan.STRING;
  if (c === 117) {
    device.scanState = Scan.UNICODE;
    device.scanUnit = 0;
    device.scanDigits = 0;
  } else if (c === 34 || c === 92 || c === 47) keepUnit(device, c);
  else if (c === 98) keepUnit(device, 8);
  else if (c === 102) keepUnit(device, 12);
  else if (c === 110) keepUnit(device, 10);
  else if (c === 114) keepUnit(device, 13);
  else if (c === 116) keepUnit(device, 9);
  else device.scanState = Scan.INVALID;
}

/** Value of a hexadecimal digit, -1 for anything else. */
export function hexValue(c: number): number {
  if (c >= 48 && c <= 57) return c - 48;
  var letter = c | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function scanUnicode(device: Device, c: number): void {
  var value = hexValue(c);
  if (value < 0) {
    device.scanState = Scan.INVALID;
    return;
  }
  device.scanUnit = device.scanUnit * 16 + value;
  if (++device.scanDigits === 4) {
    device.scanState = Scan.STRING;
    keepUnit(device, device.scanUnit);
  }
}

/** Numbers: an integer is kept, a fraction is dropped, an exponent makes the value unusable. */
function scanNumber(device: Device, c: number): void {
  var state = device.scanState;
  var digit = c >= 48 && c <= 57;
  if (digit && state !== Scan.ZERO) {
    if (state === Scan.MINUS) device.scanState = c === 48 ? Scan.ZERO : Scan.DIGITS;
    else if (state === Scan.POINT) device.scanState = Scan.FRACTION;
    else if (state === Scan.EXPONENT || state === Scan.EXPONENT_SIGN) {
      device.scanState = Scan.EXPONENT_DIGITS;
    } else if (state === Scan.DIGITS && device.scanField >= Field.EXPIRES_IN) addDigit(device, c);
    return;
  }
  if (c === 46 && (state === Scan.ZERO || state === Scan.DIGITS)) {
    device.scanState = Scan.POINT;
    return;
  }
  var complete = state === Scan.ZERO || state === Scan.DIGITS || state === Scan.FRACTION;
  if ((c === 69 || c === 101) && complete) {
    if (device.scanField >= Field.EXPIRES_IN) addDigit(device, c);
    device.scanState = Scan.EXPONENT;
    return;
  }
  if ((c === 43 || c === 45) && state === Scan.EXPONENT) {
    device.scanState = Scan.EXPONENT_SIGN;
    return;
  }
  if (!complete && state !== Scan.EXPONENT_DIGITS) {
    device.scanState = Scan.INVALID;
    return;
  }
  endValue(device);
  scanByte(device, c);
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
    (c === 125 && !inArray && (state === Scan.COMMA || state === Scan.FIRST_NAME)) ||
    (c === 93 && inArray && (state === Scan.COMMA || state === Scan.FIRST_ELEMENT))
  ) {
    close(device);
  } else if (c === 34 && (state === Scan.FIRST_NAME || state === Scan.NAME)) {
    beginString(device, 1);
  } else if (state === Scan.VALUE || state === Scan.FIRST_ELEMENT) beginValue(device, c);
  else device.scanState = Scan.INVALID;
}

/** Takes in one byte, 0..255. After an error the rest of the document is ignored. */
export function scanByte(device: Device, c: number): void {
  switch (device.scanState) {
    case Scan.STRING:
      scanStringByte(device, c);
      break;
    case Scan.INVALID:
      break;
    case Scan.ESCAPE:
      scanEscape(device, c);
      break;
    case Scan.UNICODE:
      scanUnicode(device, c);
      break;
    case Scan.WORD:
      scanWord(device, c);
      break;
    default:
      if (device.scanState >= Scan.MINUS && device.scanState <= Scan.EXPONENT_DIGITS) {
        scanNumber(device, c);
      } else scanStructure(device, c);
  }
}
