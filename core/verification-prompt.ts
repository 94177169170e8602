// The character display: what is shown in which state, laid out for any size from 16x2 to 80x8. The
// verification prompt (RFC 8628 §3.3) keeps the user code on one line, unbroken and unaltered.

import { quotient } from "./digits.ts";
import { ErrorCode, errorMessage, Message } from "./errors.ts";
import { Limit } from "./limits.ts";
import { type Device, Field, holds, Literal, literalEnd, literalStart, Region } from "./memory.ts";
import { State } from "./states.ts";

/** Only printable ASCII reaches the display, whatever a server sent. */
function setCell(device: Device, row: number, column: number, c: number): void {
  var at = device.start[Region.FRAME] + row * device.columns + column;
  if (c < 32 || c > 126) c = 63;
  if (device.memory[at] !== c) {
    device.memory[at] = c;
    device.frameChanged = 1;
  }
}

/** Opens a window of rows; text is laid into it until closeWindow blanks what is left. */
function openWindow(device: Device, row: number, rows: number): void {
  device.textRow = row;
  device.textRows = rows;
  device.textLine = 0;
}

/** One line of the text, `memory[from..to)`, if it is on the page shown. */
function putLine(device: Device, from: number, to: number): void {
  var line = device.textLine++ - device.page * device.textRows;
  if (line < 0 || line >= device.textRows) return;
  for (var column = 0; column < device.columns; column++) {
    setCell(
      device,
      device.textRow + line,
      column,
      from + column < to ? device.memory[from + column] : 32,
    );
  }
}

/** End of the line that begins at `from`: at the last space that fits, or hard where there is none. */
function lineEnd(device: Device, from: number, to: number): number {
  if (to - from <= device.columns) return to;
  var end = from + device.columns;
  while (end > from && device.memory[end] !== 32) end--;
  return end > from ? end : from + device.columns;
}

/** Lays out `memory[from..to)`, wrapped at spaces. */
function putText(device: Device, from: number, to: number): void {
  while (from < to) {
    var end = lineEnd(device, from, to);
    putLine(device, from, end);
    from = end;
    while (from < to && device.memory[from] === 32) from++;
  }
}

function putMessage(device: Device, message: number): void {
  var literal = device.messages + message;
  putText(device, literalStart(device, literal), literalEnd(device, literal));
}

function putRegion(device: Device, region: number): void {
  putText(device, device.start[region], device.start[region] + device.length[region]);
}

/** Blanks the rest of the window and counts its pages. */
function closeWindow(device: Device): void {
  var lines = device.textLine;
  device.pages = 1;
  while (lines > device.pages * device.textRows) device.pages++;
  while (device.textLine < (device.page + 1) * device.textRows) putLine(device, 0, 0);
}

/** The name of the member that an error is about, out of the table of members. */
function putFieldName(device: Device): void {
  var at = literalStart(device, Literal.MEMBERS);
  var end = literalEnd(device, Literal.MEMBERS);
  while (at < end) {
    var from = at;
    while (device.memory[at] !== 32) at++;
    if (device.memory[from] - 65 === device.errorField) {
      putText(device, from + 1, at);
      return;
    }
    at++;
  }
}

/** `m:ss`, right-aligned in the row, if it fits behind `used` columns. */
function putCountdown(device: Device, row: number, used: number): void {
  var left = device.codeLifeS;
  if (device.codeResumed || left > 359999) return;
  var minutes = quotient(left, 60);
  var seconds = left - minutes * 60;
  var width = minutes < 10 ? 4 : minutes < 100 ? 5 : minutes < 1000 ? 6 : 7;
  if (used + width > device.columns) return;
  var column = device.columns - 1;
  setCell(device, row, column--, 48 + (seconds % 10));
  setCell(device, row, column--, 48 + quotient(seconds, 10));
  setCell(device, row, column--, 58);
  for (var digits = width - 3; digits > 0; digits--) {
    setCell(device, row, column--, 48 + (minutes % 10));
    minutes = quotient(minutes, 10);
  }
}

/** The row with the user code, with its label where there is room. */
function putCode(device: Device, row: number): void {
  var code = device.length[Field.USER_CODE];
  var label = device.messages + Message.CODE;
  openWindow(device, row, 1);
  putLine(device, 0, 0);
  var column = literalEnd(device, label) - literalStart(device, label);
  if (column + code > device.columns) column = 0;
  for (var i = 0; i < column; i++) {
    setCell(device, row, i, device.memory[literalStart(device, label) + i]);
  }
  for (var k = 0; k < code; k++) {
    setCell(device, row, column + k, device.memory[device.start[Field.USER_CODE] + k]);
  }
  putCountdown(device, row, column + code + 1);
}

/** First byte of the verification URI without its scheme, which the reader's browser adds. */
function withoutScheme(device: Device): number {
  var start = device.start[Field.VERIFICATION_URI];
  var end = start + device.length[Field.VERIFICATION_URI];
  for (var at = start; at + 2 < end && at < start + 6; at++) {
    if (device.memory[at] === 58 && device.memory[at + 1] === 47 && device.memory[at + 2] === 47) {
      return at + 3;
    }
  }
  return start;
}

/** Instruction and address above, the code with its countdown in the last row. */
function putPrompt(device: Device): void {
  var from = device.start[Field.VERIFICATION_URI];
  var to = from + device.length[Field.VERIFICATION_URI];
  var rows = device.rows - 1;
  if (to - from > device.columns) from = withoutScheme(device);
  var lines = 1;
  while (lines * device.columns < to - from) lines++;
  var page = device.page;
  var blank = rows > lines ? 1 : 0;
  if (blank) {
    device.page = 0;
    openWindow(device, 0, 1);
    putMessage(device, Message.OPEN);
    closeWindow(device);
    device.page = page;
  }
  putCode(device, rows);
  openWindow(device, blank, rows - blank);
  putText(device, from, to);
  closeWindow(device);
}

function messageOf(device: Device): number {
  switch (device.state) {
    case State.SIGNED_OUT:
      return Message.SIGNED_OUT;
    case State.REQUESTING:
      return device.error ? errorMessage(device, device.error) : Message.REQUESTING;
    case State.PENDING:
      return Message.RESUMING;
    case State.SIGNED_IN:
      return Message.SIGNED_IN;
    case State.REFRESHING:
      // With a token still good the user need not know.
      if (device.accessLifeS > 0 && holds(device, Field.ACCESS_TOKEN)) return Message.SIGNED_IN;
      return device.error ? errorMessage(device, device.error) : Message.CONNECTING;
    case State.REVOKING:
      return Message.SIGNING_OUT;
    case State.FAILED:
      return errorMessage(device, device.error);
    default:
      return Message.STARTING;
  }
}

function putState(device: Device): void {
  var message = messageOf(device);
  openWindow(device, 0, device.rows);
  putMessage(device, message);
  if (message === Message.SIGNED_IN) {
    if (device.refreshLifeS < Limit.EXPIRY_WARNING_S) putMessage(device, Message.EXPIRES_SOON);
    if (device.notSaved) putMessage(device, Message.NOT_SAVED);
    putRegion(device, Region.STATUS);
  } else if (device.state === State.FAILED) {
    if (device.error === ErrorCode.UNKNOWN_ERROR) putRegion(device, Field.ERROR);
    if (device.error === ErrorCode.VALUE_TOO_LONG) putFieldName(device);
  }
  closeWindow(device);
}

/** Brings the frame up to date where something has changed. True: a cell differs, show it. */
export function drawFrame(device: Device): boolean {
  if (device.pages > 1 && device.pageMs === 0) {
    device.page = device.page + 1 < device.pages ? device.page + 1 : 0;
    device.pageMs = Limit.PAGE_MS;
    device.frameDue = 1;
  }
  if (!device.frameDue) return false;
  device.frameDue = 0;
  device.frameChanged = 0;
  if (device.codeShown) putPrompt(device);
  else putState(device);
  if (device.page >= device.pages) {
    // The text became shorter than the page that was shown.
    device.page = 0;
    device.frameDue = 1;
  }
  return device.frameChanged === 1;
}

/**
 * The application's own line below "Signed in": `bytes[from..to)`, cut to the display.
 * The bytes are copied.
 */
export function setStatus(
  device: Device,
  bytes: { [index: number]: number },
  from: number,
  to: number,
): void {
  var length = to - from;
  if (length > device.capacity[Region.STATUS]) length = device.capacity[Region.STATUS];
  for (var i = 0; i < length; i++) device.memory[device.start[Region.STATUS] + i] = bytes[from + i];
  device.length[Region.STATUS] = length;
  device.frameDue = 1;
}
