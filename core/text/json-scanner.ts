// A push scanner of strict JSON (RFC 8259): bytes go in one by one, the wanted members' values come
// out in their regions, everything else is skipped. What the members mean is known elsewhere, but for three
// things: the tokens in use are not given up before an answer names new ones, only a scope may be a list, and
// of several errors the first one counts.
//
// Strings are decoded to UTF-8 (bytes above 127 pass as they are, a lone surrogate becomes U+FFFD),
// numbers are kept as text. Of a repeated member the last one counts. A value longer than its region
// is known to be (isTooLong) and never taken for a shorter one.

import { Limit } from "../device/limits.ts";
import { type Device, equals, Field, holds, Literal, Region } from "../device/memory.ts";
import { forget } from "../device/regions.ts";
import { keep, keepUnit } from "./unicode.ts";

/**
 * The states: where their rows begin in GRAMMAR, which `npm run tables` makes of tables/grammar.ts, pairs of a byte
 * and the state that it leads to. STRING, UNICODE, INVALID and END have numbers that are no row's; the last two are
 * ends of rows, where nothing but a blank may come. Below 0 are no states, but the ends of values.
 */
export enum Scan {
  /** The byte behind the number is still to be looked at. */
  NUMBER_END = -20,
  WORD_END = -19,
  /** Of an object or array. */
  CLOSE = -7,
  /** Behind a member; behind an element. */
  MEMBER_END = 0,
  STRING = 1,
  END = 2,
  ELEMENT_END = 3,
  UNICODE = 4,
  INVALID = 5,
  COLON = 6,
  /** The first of an object is even, the first of an array odd: the bits of the stack. */
  FIRST_NAME = 8,
  FIRST_ELEMENT = 11,
  VALUE = 12,
  /** Up to here white space is skipped, and digits are of two kinds. */
  MINUS = 19,
  WORDS = 39,
  ESCAPE = 57,
}

/**
 * Starts a document.
 * @param names literal with the member names (MEMBERS; `*` for any)
 * @param wanted bit mask of fields to fill; absent (-1) from here on, but for the two tokens: the ones
 *   in use are not given up before an answer names new ones (see scanSeen)
 * @param depth deepest object, from 1, in which members are looked up
 * @param nameField the field that an error's name goes to, NONE where the document is not to name one
 */
export function scanBegin(
  device: Device,
  names: number,
  wanted: number,
  depth: number,
  nameField: Field,
): void {
  device.scanState = Scan.VALUE;
  device.scanStack = 1;
  device.scanDepthMax = depth;
  device.scanNames = names;
  device.scanWanted = wanted;
  device.nameField = nameField;
  device.scanField = Field.NONE;
  device.scanSeen = 0;
  wanted &= ~((1 << Field.ACCESS_TOKEN) | (1 << Field.REFRESH_TOKEN));
  for (var field = 1; wanted >> field; field++) {
    if ((wanted >> field) & 1) device.size[field] = -1;
  }
}

/** Whether exactly one complete document has been scanned. An object ends by itself. */
export function scanComplete(device: Device): boolean {
  scanByte(device, 32);
  return device.scanState === Scan.END;
}

/**
 * The number that a list gives to the region's value, 0 for none.
 * @param list literal with names, as MEMBERS; `*` stands for any. The first match decides
 */
export function numberNamed(device: Device, list: number, region: number): number {
  var at = device.at[list];
  var end = at + device.size[list];
  var number = device.bytes[at++] - 65;
  while (at < end) {
    var start = at;
    // A name ends with less; the star is a name of no bytes.
    while (device.bytes[at] > 44) at++;
    if (device.bytes[start] === 42 || equals(device, region, start, at - start)) return number;
    number += device.bytes[at++] - 32;
  }
  return 0;
}

/** A name is complete: what follows goes to its field, in the place of what an earlier one left. */
function endName(device: Device): void {
  var field =
    device.scanStack >> device.scanDepthMax < 2
      ? numberNamed(device, device.scanNames, Region.KEY)
      : Field.NONE;
  // The first name of the error counts. A number is none, and `"error_code":0` takes nothing back.
  if (field === device.nameField && holds(device, field) && device.bytes[device.at[field]] > 57) {
    field = Field.NONE;
  }
  // Only now: a name that is not wanted must not come in again by `*`.
  device.scanField = (device.scanWanted >> field) & 1 ? field : Field.NONE;
  device.scanSeen |= 1 << device.scanField;
  forget(device, device.scanField);
  device.scanState = Scan.COLON;
}

/** Behind an element, only a list goes on with the same field; in an object a name comes next. */
function endValue(device: Device): void {
  if (!(device.scanStack & 1)) {
    device.scanField = Region.KEY;
    device.size[Region.KEY] = -1;
    device.scanState = Scan.MEMBER_END;
  } else device.scanState = device.scanStack > 1 ? Scan.ELEMENT_END : Scan.END;
}

/** The stack is a 1 with a bit for each level behind it: 0 for an object, 1 for an array. */
function open(device: Device, state: number): void {
  // Some servers send the scope as a list. Nothing else may be one: a token in a list is no token.
  if (device.scanField !== Field.SCOPE) device.scanField = Field.NONE;
  device.scanStack = device.scanStack * 2 + (state & 1);
  endValue(device);
  device.scanState = device.scanStack >> Limit.JSON_DEPTH_MAX > 1 ? Scan.INVALID : state;
}

function close(device: Device, end: number, c: number): void {
  if (end === Scan.CLOSE) {
    device.scanStack >>= 1;
    device.scanField = Field.NONE;
  }
  endValue(device);
  if (end === Scan.NUMBER_END) scanByte(device, c);
}

/** A list of strings becomes one string with spaces. */
function beginText(device: Device): void {
  if (device.size[device.scanField] < 0) {
    device.size[device.scanField] = 0;
    device.excess[device.scanField] = 0;
  } else keepUnit(device, 32);
}

function scanString(device: Device, c: number): void {
  if (c === 34) {
    if (device.scanField === Region.KEY) endName(device);
    else endValue(device);
  } else if (c === 92) device.scanState = Scan.ESCAPE;
  else if (c < 32) device.scanState = Scan.INVALID;
  else {
    device.scanHigh = 0;
    // Most of a document is text that nobody wants.
    if (device.scanField) keep(device, c);
  }
}

/** Four hexadecimal digits; a 1 in front of them counts them. */
function scanUnicode(device: Device, c: number): void {
  // No letter has its five low bits 0, `@` and the backquote do.
  var value = c < 58 ? c - 48 : c & 31 ? (c | 32) - 87 : -1;
  device.scanUnit = device.scanUnit * 16 + value;
  if (value >> 4) device.scanState = Scan.INVALID;
  else if (device.scanUnit > 65535) {
    device.scanState = Scan.STRING;
    keepUnit(device, device.scanUnit - 65536);
  }
}

function scanEscape(device: Device, next: number, c: number): void {
  device.scanUnit = 1;
  device.scanState = Scan.STRING;
  if (next && next < Scan.COLON) device.scanState = next;
  else keepUnit(device, next || c);
}

function enter(device: Device, next: number, c: number): void {
  var isNumber = next >= Scan.MINUS && next < Scan.WORDS;
  if (next === Scan.FIRST_NAME || next === Scan.FIRST_ELEMENT) {
    open(device, next);
    return;
  }
  if (device.scanState < Scan.MINUS && (isNumber || next === Scan.STRING)) beginText(device);
  if (isNumber) keep(device, c);
  device.scanState = next;
}

function follow(device: Device, c: number): void {
  var state = device.scanState;
  var at = device.at[Literal.GRAMMAR] + 2 * state;
  var byte = c > (state > Scan.MINUS ? 47 : 48) && c < 58 ? 49 : c;
  while (device.bytes[at] !== 32 && device.bytes[at] !== byte) at += 2;
  var next = device.bytes[at + 1] - 65;
  if (state === Scan.ESCAPE) scanEscape(device, next, c);
  else if (next < 0) close(device, next, c);
  else enter(device, next, c);
}

function isSpace(c: number): boolean | number {
  // A bit for each of 9, 10 and 13.
  return (c < 14 && (9728 >> c) & 1) || c === 32;
}

/** Takes in one byte, 0..255. After an error the rest of the document is ignored. */
export function scanByte(device: Device, c: number): void {
  if (device.scanState === Scan.STRING) scanString(device, c);
  else if (device.scanState === Scan.UNICODE) scanUnicode(device, c);
  else if (device.scanState >= Scan.MINUS || !isSpace(c)) follow(device, c);
}
