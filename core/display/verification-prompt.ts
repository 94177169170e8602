// The character display: what is shown in which state, laid out for any size from 16x2 to 80x8. The
// verification prompt (RFC 8628 §3.3) keeps the user code on one line, unbroken and unaltered.

import { quotient } from "../device/digits.ts";
import { ErrorCode, errorMessage, Message } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Bytes, type Device, Field, Region } from "../device/memory.ts";
import { State } from "../device/states.ts";
import { schemeLength } from "../grant/device-authorization.ts";
import { hasAccess } from "../grant/refresh.ts";

/** Whose text is laid out. */
enum Source {
  /** The maker's, in the display's own character set. */
  MAKER = 0,
  /** A server's or the application's: only printable ASCII reaches the display. */
  ANYBODY = 1,
}

/** The next cell of the text goes to the frame if it is on the page shown. */
function put(device: Device, c: number): void {
  if (device.cell === device.rowEnd) device.rowEnd += device.columns;
  var at = device.cell++ - device.pageStart;
  if (at >= 0 && device.cell <= device.pageEnd) {
    at += device.start[Region.FRAME];
    if (device.memory[at] !== c) {
      device.memory[at] = c;
      device.frameChanged = 1;
    }
  }
}

/** Spaces up to the cell `end`, with which the row ends. */
function fill(device: Device, end: number): void {
  while (device.cell < end) put(device, 32);
  device.rowEnd = end;
}

function isPrintable(c: number): boolean {
  return c > 31 && c < 127;
}

/**
 * Lays out `bytes[from..to)`, beginning a row: wrapped at spaces, and hard where a word is longer than a
 * row. A row that is full ends with the next byte of another, so that spaces behind it are left out.
 */
function putText(device: Device, from: number, to: number, source: Source): void {
  fill(device, device.rowEnd);
  for (var i = from; i < to; i++) {
    var wordEnd = i;
    if (i > from && device.memory[i] === 32) {
      do wordEnd++;
      while (wordEnd < to && device.memory[wordEnd] !== 32);
    }
    if (device.cell + wordEnd - i > device.rowEnd) fill(device, device.rowEnd);
    else if (source === Source.MAKER || isPrintable(device.memory[i]))
      put(device, device.memory[i]);
    else put(device, 63); // ?
  }
}

function putRegion(device: Device, region: number, source: Source): void {
  putText(device, device.start[region], device.start[region] + device.length[region], source);
}

function putMessage(device: Device, message: number): void {
  putRegion(device, device.messages + message, Source.MAKER);
}

function putTwoDigits(device: Device, number: number): void {
  var tens = quotient(number, 10);
  put(device, 48 + tens);
  put(device, 48 + number - tens * 10);
}

/** The last row: the user code, with its label and a countdown (mm:ss) where there is room for them. */
function putCode(device: Device): void {
  if (
    device.length[device.messages + Message.CODE] + device.length[Field.USER_CODE] <=
    device.columns
  ) {
    putMessage(device, Message.CODE);
    // The code goes on where the label ends.
    device.rowEnd = device.cell;
  }
  putRegion(device, Field.USER_CODE, Source.ANYBODY);
  if (
    !device.codeResumed &&
    device.codeLifeS < Limit.COUNTDOWN_MAX_S &&
    device.cell + 5 < device.pageEnd
  ) {
    fill(device, device.pageEnd - 5);
    var minutes = quotient(device.codeLifeS, 60);
    putTwoDigits(device, minutes);
    put(device, 58); // :
    putTwoDigits(device, device.codeLifeS - minutes * 60);
  }
  fill(device, device.pageEnd);
}

/**
 * The address: without its scheme where it is longer than one row, and with an instruction where there is
 * room.
 */
function putAddress(device: Device): void {
  var from = device.start[Field.VERIFICATION_URI];
  var to = from + device.length[Field.VERIFICATION_URI];
  // A browser adds the scheme that is missing, and the server takes both.
  if (to - from > device.columns) from += schemeLength(device, Field.VERIFICATION_URI);
  // The instruction takes a row.
  if (to - from <= device.columns * (device.rows - 2)) putMessage(device, Message.OPEN);
  putText(device, from, to, Source.ANYBODY);
}

/** The message of a state that has one; SIGNED_IN and REFRESHING look at the access token instead. */
function messageOfState(device: Device): Message {
  var state = device.state;
  if (state === State.STARTING) return Message.STARTING;
  if (state === State.SIGNED_OUT) return Message.SIGNED_OUT;
  if (state === State.REQUESTING) return Message.REQUESTING;
  if (state === State.PENDING) return Message.RESUMING;
  if (state === State.REVOKING) return Message.SIGNING_OUT;
  if (state === State.FAILED) return Message.FAILED;
  // With a token still good the user need not know of a refresh.
  return hasAccess(device) ? Message.SIGNED_IN : Message.CONNECTING;
}

/** What there is to say: an error, where the state's message says less. */
function messageOf(device: Device): Message {
  var message = messageOfState(device);
  var isLess =
    message === Message.REQUESTING || message === Message.CONNECTING || message === Message.FAILED;
  if (!device.error || !isLess) return message;
  // More memory does not widen a display.
  if (device.error === ErrorCode.VALUE_TOO_LONG && !device.memoryNeeded) return Message.FAILED;
  return errorMessage(device, device.error);
}

function putState(device: Device): void {
  var message = messageOf(device);
  putMessage(device, message);
  if (message === Message.SIGNED_IN) {
    if (device.refreshLifeS < Limit.EXPIRY_WARNING_S) putMessage(device, Message.EXPIRES_SOON);
    if (device.notSaved) putMessage(device, Message.NOT_SAVED);
    putRegion(device, Region.STATUS, Source.ANYBODY);
    return;
  }
  // Only where the error itself is told.
  if (message === Message.FAILED && device.error === ErrorCode.UNKNOWN_ERROR) {
    putRegion(device, Field.ERROR, Source.ANYBODY);
  }
  if (device.notErased && (device.state === State.SIGNED_OUT || device.state === State.FAILED)) {
    putMessage(device, Message.NOT_ERASED);
  }
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

/**
 * A later page is left where the text is of another length than before: that begins at its first page. It is
 * measured on a page behind all text: on the present one, cells that nobody is to see would count as a change.
 */
function checkPage(device: Device): void {
  var pageStart = device.pageStart;
  device.pageStart = Limit.BEHIND_ALL_TEXT;
  layOut(device);
  device.pageStart = device.cell === device.textEnd ? pageStart : 0;
}

/** Brings the frame up to date where something has changed; frameChanged where a cell differs now. */
export function drawFrame(device: Device): void {
  if (!device.frameDue && device.pageMs) return;
  if (!device.pageMs) {
    device.pageStart = device.pageEnd < device.textEnd ? device.pageEnd : 0;
    device.pageMs = Limit.PAGE_MS;
  }
  if (device.pageStart) checkPage(device);
  device.frameDue = 0;
  layOut(device);
  if (device.cell !== device.textEnd) {
    // Another text: its first page stays for its whole time.
    device.textEnd = device.cell;
    device.pageMs = Limit.PAGE_MS;
  }
  // A page that is the only one is never turned.
  if (device.cell <= device.pageEnd - device.pageStart) device.pageMs = Limit.ENDLESS;
  fill(device, device.pageEnd);
}

/**
 * The application's own line below "Signed in": `bytes[from..to)`, cut to the room there is for it.
 * The bytes are copied.
 */
export function setStatus(device: Device, bytes: Bytes, from: number, to: number): void {
  var size = 0;
  while (from < to && size < device.capacity[Region.STATUS]) {
    device.memory[device.start[Region.STATUS] + size++] = bytes[from++];
  }
  device.length[Region.STATUS] = size;
  // From its first page on.
  device.pageEnd = device.pageMs = 0;
}
