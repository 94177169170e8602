// The character display: what is shown in which state, laid out for any size from 16x2 to 80x8. The
// verification prompt (RFC 8628 §3.3) keeps the user code on one line, unbroken and unaltered.

import { quotient } from "./digits.ts";
import { ErrorCode, errorMessage, Message } from "./errors.ts";
import { Limit } from "./limits.ts";
import { type Bytes, type Device, Field, Region } from "./memory.ts";
import { hasAccess } from "./refresh.ts";
import { State } from "./states.ts";

/** A bit for each state in which an error is shown in the place of its message. */
var WITH_ERROR = (1 << Message.REQUESTING) | (1 << Message.CONNECTING) | (1 << State.FAILED);

/** Only printable ASCII reaches the display, whatever a server sent. */
function setCell(device: Device, at: number, c: number): void {
  if (c < 32 || c > 126) c = 63;
  at += device.at[Region.FRAME];
  if (device.bytes[at] !== c) {
    device.bytes[at] = c;
    device.frameChanged = 1;
  }
}

/** Rows for text: the last one is the code's while it is shown. */
function textRows(device: Device): number {
  return device.rows - device.codeShown;
}

/** The next line of the text, `bytes[from..to)`, if it is on the page shown. */
function putLine(device: Device, from: number, to: number): void {
  var row = device.line++ - device.page * textRows(device);
  if (row < 0 || row >= textRows(device)) return;
  row *= device.columns;
  for (var i = 0; i < device.columns; i++) {
    setCell(device, row + i, from + i < to ? device.bytes[from + i] : 32);
  }
}

/** Lays out `bytes[from..to)`, wrapped at spaces, or hard where there is none. */
function putText(device: Device, from: number, to: number): void {
  while (from < to) {
    var end = from + device.columns;
    if (end >= to) end = to;
    else {
      while (end > from && device.bytes[end] !== 32) end--;
      if (end === from) end += device.columns;
    }
    putLine(device, from, end);
    from = end;
    while (from < to && device.bytes[from] === 32) from++;
  }
}

function putRegion(device: Device, region: number): void {
  putText(device, device.at[region], device.at[region] + device.size[region]);
}

/**
 * The last row: the user code, with its label and a countdown (mm:ss) where there is room for them. From
 * right to left, as the digits come.
 */
function putCode(device: Device): void {
  var row = textRows(device) * device.columns;
  var label = device.messages + Message.CODE;
  var left = device.codeLifeS;
  var indent = device.size[label];
  var codeEnd = indent + device.size[Field.USER_CODE];
  if (codeEnd > device.columns) {
    codeEnd -= indent;
    indent = 0;
  }
  var clock = device.columns;
  if (!device.codeResumed && left < 6000 && codeEnd + 6 <= clock) clock -= 5;
  for (var i = device.columns; i-- > 0; ) {
    var c = 32;
    if (i < indent) c = device.bytes[device.at[label] + i];
    else if (i < codeEnd) c = device.bytes[device.at[Field.USER_CODE] + i - indent];
    else if (i === clock + 2) c = 58;
    else if (i >= clock) {
      var base = i === clock + 3 ? 6 : 10;
      var rest = quotient(left, base);
      c = 48 + left - rest * base;
      left = rest;
    }
    setCell(device, row + i, c);
  }
}

/** The address, without its scheme where that saves a row; with an instruction where there is room. */
function putAddress(device: Device): void {
  var from = device.at[Field.VERIFICATION_URI];
  var to = from + device.size[Field.VERIFICATION_URI];
  if (to - from > device.columns) {
    // http:// or https://; a browser adds what is missing, the server takes both.
    var colon = from + (device.bytes[from + 4] === 58 ? 4 : 5);
    if (device.bytes[colon] === 58 && device.bytes[colon + 1] === 47) from = colon + 3;
  }
  // The instruction takes a row.
  if (to - from <= device.columns * (textRows(device) - 1)) {
    putRegion(device, device.messages + Message.OPEN);
  }
  putText(device, from, to);
}

/** What there is to say: the states' messages are numbered as the states. */
function messageOf(device: Device): number {
  var message: number = device.state;
  // With a token still good the user need not know of a refresh.
  if (message === Message.SIGNED_IN || message === Message.CONNECTING) {
    message = hasAccess(device) ? Message.SIGNED_IN : Message.CONNECTING;
  }
  return device.error && (WITH_ERROR >> message) & 1 ? errorMessage(device, device.error) : message;
}

function putState(device: Device): void {
  var message = messageOf(device);
  putRegion(device, device.messages + message);
  if (message === Message.SIGNED_IN) {
    if (device.refreshLifeS < Limit.EXPIRY_WARNING_S) {
      putRegion(device, device.messages + Message.EXPIRES_SOON);
    }
    if (device.notSaved) putRegion(device, device.messages + Message.NOT_SAVED);
    putRegion(device, Region.STATUS);
  } else if (device.error === ErrorCode.UNKNOWN_ERROR) {
    putRegion(device, Field.ERROR);
  }
}

/** Lays the whole text out, of which the present page goes to the frame, and counts its pages. */
function layOut(device: Device): void {
  device.line = 0;
  if (device.codeShown) {
    putCode(device);
    putAddress(device);
  } else putState(device);
  device.pages = 1;
  while (device.line > device.pages * textRows(device)) device.pages++;
}

/** Brings the frame up to date where something has changed; frameChanged where a cell differs now. */
export function drawFrame(device: Device): void {
  var pages = device.pages;
  if (pages > 1 && !device.pageMs) {
    device.page = device.page + 1 < pages ? device.page + 1 : 0;
    device.pageMs = Limit.PAGE_MS;
    device.frameDue = 1;
  }
  if (!device.frameDue) return;
  device.frameDue = 0;
  layOut(device);
  if (device.pages !== pages) {
    // Another text: from its first page on, and that for its whole time.
    device.page = 0;
    device.pageMs = Limit.PAGE_MS;
    layOut(device);
  }
  while (device.line < (device.page + 1) * textRows(device)) putLine(device, 0, 0);
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
  device.page = 0;
  device.frameDue = 1;
}
