// A push scanner for strict JSON (RFC 8259). It receives bytes one by one, stores the values of the required members in
// their regions, and skips everything else. It has three rules about the content: current tokens stay until a response
// contains new ones, only a scope may be a list, and the first of several error names counts.
//
// Strings are decoded to UTF-8 (bytes above 127 pass unchanged, a lone surrogate becomes U+FFFD). Numbers stay text. If
// a member other than an error is repeated, the last one counts. A value longer than its region is cut off (isTooLong).

import { Limit } from "../device/limits.ts";
import { type Device, holds, literalBytes, type Place, startsAs } from "../device/memory.ts";
import { beginArrival, clearAll, setLength } from "../device/regions.ts";
import { Field, Fields, Literal, Region } from "../device/tables.ts";
import { Scan } from "./tables.ts";
import { beginValue, endSurrogate, keep, keepIn, keepUnit } from "./unicode.ts";

/** The position in a document, and the value that is being read. */
export interface Scanner {
  /** State of the scanner: one of Scan. */
  scanState: Scan;
  /** A leading 1, then a bit for each open level: 0 for an object, 1 for an array. */
  scanStack: number;
  /** Depth of the deepest object in which names are looked up. */
  scanDepthMax: number;
  /** Literal with the member names that are looked up in the document. */
  scanNames: Literal;
  /** Bit mask of the fields to fill. */
  scanRequired: number;
  /** The field for the name of an error; NONE if the document cannot contain an error. */
  nameField: Field;
  /** 1: an earlier error member was a number other than 0. */
  hasErrorNumber: number;
  /** Bit mask of the fields that the document has contained so far. */
  scanSeen: number;
  /** The hexadecimal digits of the current escape that were read so far, after a leading 1. */
  scanUnit: number;
}

export function makeScanner(device: Scanner): void {
  device.scanState = 0;
  device.scanStack = 0;
  device.scanDepthMax = 0;
  device.scanNames = Literal.MEMBERS;
  device.scanRequired = 0;
  device.nameField = 0;
  device.hasErrorNumber = 0;
  device.scanSeen = 0;
  device.scanUnit = 0;
}

/**
 * Starts a document.
 * @param names literal with the member names, such as MEMBERS; the name `*` matches any member
 * @param required bit mask of the fields to fill. They become absent (-1), except the two tokens. The tokens stay until
 * the document names one of them
 * @param depth depth of the deepest object in which members are looked up; 1: the outermost
 * @param nameField the field for an error's name; NONE if the document cannot contain an error
 */
export function scanBegin(
  device: Device & Scanner,
  names: Literal,
  required: number,
  depth: number,
  nameField: Field,
): void {
  device.scanState = Scan.VALUE;
  device.scanStack = 1;
  device.scanDepthMax = depth;
  device.scanNames = names;
  device.scanRequired = required;
  device.nameField = nameField;
  keepIn(device, Field.NONE);
  device.scanSeen = 0;
  device.hasErrorNumber = 0;
  clearAll(device, required & ~Fields.OF_SESSION);
}

/** Sets the names and fields to look up, from the next member on. */
export function lookFor(device: Device & Scanner, names: Literal, required: number): void {
  device.scanNames = names;
  device.scanRequired = required;
}

/** Marks these fields (a bit mask) as not contained in the document so far. */
export function discardNames(device: Device & Scanner, fields: number): void {
  device.scanSeen &= ~fields;
}

/**
 * Ends the document with a space, which completes a number at its end.
 * @returns whether the bytes were one complete document
 */
export function scanEnd(device: Device): boolean {
  scanByte(device, 32);
  return device.scanState === Scan.END;
}

/**
 * The number that a list assigns to the region's value, or 0.
 * @param list literal with names, such as MEMBERS; the name `*` matches any value. The first match counts
 */
export function numberNamed(device: Device, list: Literal, region: Place): number {
  var bytes = literalBytes(device);
  var at = device.start[list];
  var end = at + device.length[list];
  var number = bytes[at++] - 65;
  while (at < end) {
    var start = at;
    // A character below 45 ends a name. One of them is `*`, so the name `*` has the length 0 here.
    while (bytes[at] > 44) at++;
    var isOfSize = device.length[region] === at - start;
    if (isOfSize && startsAs(device, region, list, start, at - start)) return number;
    if (bytes[start] === 42) return number;
    number += bytes[at++] - 32;
  }
  return 0;
}

/** Call this when a member's name is complete. Selects the field for the value, which replaces an earlier value. */
function endName(device: Device & Scanner): void {
  var field =
    device.scanStack >> device.scanDepthMax < 2
      ? numberNamed(device, device.scanNames, Region.KEY)
      : Field.NONE;
  if (field === device.nameField && holds(device, field)) {
    var first = device.memory[device.start[field]];
    // If an earlier member contains the error's name, skip this one. If it contains a number, this one may be the name.
    if (first > 57) field = Field.NONE;
    else if (first !== 48) device.hasErrorNumber = 1;
  }
  // A list may contain names of fields that this document must not fill, and `*` matches every name.
  keepIn(device, (device.scanRequired >> field) & 1 ? field : Field.NONE);
  // At the first token of a response, wipe the access token and the previous refresh token, to free their bytes for the
  // new ones.
  if (!(device.scanSeen & Fields.OF_SESSION) && (Fields.OF_SESSION >> device.scanField) & 1) {
    clearAll(device, Fields.OF_SESSION);
  }
  device.scanSeen |= 1 << device.scanField;
  beginArrival(device, device.scanField);
  device.scanState = Scan.COLON;
}

/** Ends a value. In an array, the next value has the same field. In an object, a name follows. */
function endValue(device: Device & Scanner): void {
  if (!(device.scanStack & 1)) {
    keepIn(device, Region.KEY);
    setLength(device, Region.KEY, -1);
    device.scanState = Scan.MEMBER_END;
  } else device.scanState = device.scanStack > 1 ? Scan.ELEMENT_END : Scan.END;
}

function open(device: Device & Scanner, state: Scan): void {
  // Some servers send the scope as an array. Other arrays are skipped: a token in an array is not a valid token.
  if (device.scanField !== Field.SCOPE) keepIn(device, Field.NONE);
  device.scanStack = device.scanStack * 2 + (state === Scan.FIRST_ELEMENT ? 1 : 0);
  endValue(device);
  device.scanState = device.scanStack >> Limit.JSON_DEPTH_MAX > 1 ? Scan.INVALID : state;
}

function close(device: Device & Scanner, end: Scan): void {
  if (end === Scan.CLOSE) {
    device.scanStack >>= 1;
    keepIn(device, Field.NONE);
  }
  endValue(device);
}

/** Starts to store a value. A space separates the values of an array (a scope). */
function beginStored(device: Device): void {
  if (device.length[device.scanField] < 0) beginValue(device);
  else keepUnit(device, 32);
}

function scanString(device: Device & Scanner, c: number): void {
  if (c === 34) {
    if (device.scanField === Region.KEY) endName(device);
    else endValue(device);
  } else if (c === 92) device.scanState = Scan.ESCAPE;
  else if (c < 32) device.scanState = Scan.INVALID;
  else {
    endSurrogate(device);
    // Test scanField here, because most strings are skipped, and a call for each byte would cost time.
    if (device.scanField) keep(device, c);
  }
}

/** Value of a hexadecimal digit, or below 0 for any other byte. */
function hexadecimal(c: number): number {
  if (c > 47 && c < 58) return c - 48; // 0..9
  if (c > 64 && c < 71) return c - 55; // A..F
  return c > 96 && c < 103 ? c - 87 : -1; // a..f
}

/** Reads four hexadecimal digits. scanUnit starts with 1, so it exceeds 65535 after the fourth digit. */
function scanUnicode(device: Device & Scanner, c: number): void {
  var value = hexadecimal(c);
  device.scanUnit = device.scanUnit * 16 + value;
  if (value < 0) device.scanState = Scan.INVALID;
  else if (device.scanUnit > 65535) {
    device.scanState = Scan.STRING;
    keepUnit(device, device.scanUnit - 65536);
  }
}

function scanEscape(device: Device & Scanner, next: Scan, c: number): void {
  device.scanUnit = 1;
  device.scanState = Scan.STRING;
  if (next && next < Scan.COLON) device.scanState = next;
  else keepUnit(device, next || c);
}

function enter(device: Device & Scanner, next: Scan, c: number): void {
  var isNumber = next >= Scan.MINUS && next < Scan.WORDS;
  if (next === Scan.FIRST_NAME || next === Scan.FIRST_ELEMENT) {
    open(device, next);
    return;
  }
  if (device.scanState < Scan.MINUS && (isNumber || next === Scan.STRING)) beginStored(device);
  if (isNumber) keep(device, c);
  device.scanState = next;
}

/** @returns whether the byte ends a number. The byte is then not part of the number and must be processed again */
function follow(device: Device, c: number): boolean {
  var state = device.scanState;
  var bytes = literalBytes(device);
  var at = device.start[Literal.GRAMMAR] + 2 * state;
  // In GRAMMAR, `1` (49) stands for every digit except a leading `0` (48), after which no digit may follow.
  var isFirstZero = c === 48 && state <= Scan.MINUS;
  var byte = c > 47 && c < 58 && !isFirstZero ? 49 : c;
  while (bytes[at] !== 32 && bytes[at] !== byte) at += 2;
  var next = bytes[at + 1] - 65;
  if (state === Scan.ESCAPE) scanEscape(device, next, c);
  else if (next < 0) close(device, next);
  else enter(device, next, c);
  return next === Scan.NUMBER_END;
}

function isSpace(c: number): boolean {
  return c === 32 || c === 13 || (c > 8 && c < 11);
}

/**
 * Whether a byte belongs to a byte order mark before the document (EF BB BF in UTF-8), which a reader may ignore (RFC
 * 8259 §8.1). No document starts with such bytes.
 */
export function isMark(device: Device, c: number): boolean {
  return c > 186 && device.bodyBytes < 4 && device.scanState === Scan.VALUE;
}

/** Processes a byte, 0..255. After an error the rest of the document is ignored. */
export function scanByte(device: Device, c: number): void {
  if (device.scanState === Scan.STRING) scanString(device, c);
  else if (device.scanState === Scan.UNICODE) scanUnicode(device, c);
  else if (isSpace(c) && device.scanState < Scan.MINUS) return;
  else if (follow(device, c) && !isSpace(c)) follow(device, c);
}
