// The character display: what is shown in which state, laid out for any size from 16x2 to 80x8. The
// verification prompt (RFC 8628 §3.3) keeps the user code on one line, unbroken and unaltered.

import { ErrorCode, errorMessage, Message } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Bytes, type Device, equals, Field, Literal, Region } from "../device/memory.ts";
import { State } from "../device/states.ts";
import { hasAccess, hasSession } from "../grant/refresh.ts";
import { quotient } from "../text/digits.ts";

/** A bit for each state in which an error is shown in the place of its message. */
var WITH_ERROR = (1 << Message.REQUESTING) | (1 << Message.CONNECTING) | (1 << State.FAILED);

/**
 * The next cell of the text goes to the frame if it is on the page shown. Only printable ASCII does,
 * whatever a server sent.
 */
function put(device: Device, c: number): void {
  if (device.cell === device.rowEnd) device.rowEnd += device.columns;
  var at = device.cell++ - device.pageStart;
  if (at >= 0 && device.cell <= device.pageEnd) {
    at += device.at[Region.FRAME];
    if (c < 32 || c > 126) c = 63;
    if (device.bytes[at] !== c) {
      device.bytes[at] = c;
      device.frameChanged = 1;
    }
  }
}

/** Spaces up to the cell `end`, with which the row ends. */
function fill(device: Device, end: number): void {
  while (device.cell < end) put(device, 32);
  device.rowEnd = end;
}

/**
 * Lays out `bytes[from..to)`, beginning a row: wrapped at spaces, and hard where a word is longer than a
 * row. A row that is full ends with the next byte of another, so that spaces behind it are left out.
 */
function putText(device: Device, from: number, to: number): void {
  fill(device, device.rowEnd);
  for (var i = from; i < to; i++) {
    var wordEnd = i;
    if (i > from && device.bytes[i] === 32) {
      do wordEnd++;
      while (wordEnd < to && device.bytes[wordEnd] !== 32);
    }
    if (device.cell + wordEnd - i > device.rowEnd) fill(device, device.rowEnd);
    else put(device, device.bytes[i]);
  }
}

function putRegion(device: Device, region: number): void {
  putText(device, device.at[region], device.at[region] + device.size[region]);
}

function putMessage(device: Device, message: number): void {
  putRegion(device, device.messages + message);
}

/** The last row: the user code, with its label and a countdown (mm:ss) where there is room for them. */
function putCode(device: Device): void {
  if (
    device.size[device.messages + Message.CODE] + device.size[Field.USER_CODE] <=
    device.columns
  ) {
    putMessage(device, Message.CODE);
    // The code goes on where the label ends.
    device.rowEnd = device.cell;
  }
  putRegion(device, Field.USER_CODE);
  if (!device.codeResumed && device.codeLifeS < 6000 && device.cell + 5 < device.pageEnd) {
    fill(device, device.pageEnd - 5);
    var left = device.codeLifeS;
    // The digits stand for 600, 60, 10 and 1 seconds.
    for (var unit = 600; unit; unit = quotient(unit, unit === 60 ? 6 : 10)) {
      if (unit === 10) put(device, 58);
      put(device, 48 + quotient(left, unit));
      left %= unit;
    }
  }
  fill(device, device.pageEnd);
}

/** The address, without its scheme where that saves a row; with an instruction where there is room. */
function putAddress(device: Device): void {
  var from = device.at[Field.VERIFICATION_URI];
  var to = from + device.size[Field.VERIFICATION_URI];
  if (to - from > device.columns) {
    // http:// or https://; a browser adds what is missing, the server takes both.
    if (equals(device, Literal.AUTHORITY, from + 4, 3)) from += 7;
    else if (equals(device, Literal.AUTHORITY, from + 5, 3)) from += 8;
  }
  // The instruction takes a row.
  if (to - from <= device.columns * (device.rows - 2)) putMessage(device, Message.OPEN);
  putText(device, from, to);
}

/** What there is to say: the states' messages are numbered as the states. */
function messageOf(device: Device): number {
  // With a token still good the user need not know of a refresh.
  var message: number = hasSession(device)
    ? hasAccess(device)
      ? Message.SIGNED_IN
      : Message.CONNECTING
    : device.state;
  return device.error && (WITH_ERROR >> message) & 1 ? errorMessage(device, device.error) : message;
}

function putState(device: Device): void {
  var message = messageOf(device);
  putMessage(device, message);
  if (message === Message.SIGNED_IN) {
    if (device.refreshLifeS < Limit.EXPIRY_WARNING_S) putMessage(device, Message.EXPIRES_SOON);
    if (device.notSaved) putMessage(device, Message.NOT_SAVED);
    putRegion(device, Region.STATUS);
  } else if (device.error === ErrorCode.UNKNOWN_ERROR) putRegion(device, Field.ERROR);
}

/**
 * Lays the whole text out, of which the present page goes to the frame. Cells count from the first one of
 * the text; the code's row lies behind those of the page, whichever it is.
 */
function layOut(device: Device): void {
  device.pageEnd = device.pageStart + device.columns * device.rows;
  if (device.codeShown) {
    device.cell = device.rowEnd = device.pageEnd - device.columns;
    putCode(device);
    device.pageEnd -= device.columns;
  }
  device.cell = device.rowEnd = 0;
  if (device.codeShown) putAddress(device);
  else putState(device);
}

/** Brings the frame up to date where something has changed; frameChanged where a cell differs now. */
export function drawFrame(device: Device): void {
  while (device.frameDue || !device.pageMs) {
    if (!device.pageMs) {
      device.pageStart = device.pageEnd < device.textEnd ? device.pageEnd : 0;
      device.pageMs = Limit.PAGE_MS;
    }
    device.frameDue = 0;
    layOut(device);
    if (device.cell !== device.textEnd) {
      // Another text: its first page is the next one, and that for its whole time.
      device.pageEnd = device.textEnd = device.cell;
      device.pageMs = 0;
    } else {
      // A page that is the only one is never turned.
      if (device.cell <= device.pageEnd - device.pageStart) device.pageMs = Limit.ENDLESS_S;
      fill(device, device.pageEnd);
    }
  }
}

/**
 * The application's own line below "Signed in": `bytes[from..to)`, cut to the room there is for it.
 * The bytes are copied.
 */
export function setStatus(device: Device, bytes: Bytes, from: number, to: number): void {
  var size = 0;
  while (from < to && size < device.room[Region.STATUS]) {
    device.bytes[device.at[Region.STATUS] + size++] = bytes[from++];
  }
  device.size[Region.STATUS] = size;
  // From its first page on.
  device.pageEnd = device.pageMs = 0;
}
