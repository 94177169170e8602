// Lays out the content of the character display in each state, for any size from 16x2 to 80x8. The verification prompt
// (RFC 8628 §3.3) shows the user code on one line, unbroken and unaltered.

import { quotient } from "../device/digits.ts";
import { ErrorCode, errorMessage, Message } from "../device/errors.ts";
import {
  beginText,
  endRow,
  endText,
  fill,
  goToLastRow,
  isCountdownAlone,
  isFrameUpToDate,
  keepLastRow,
  keepPage,
  put,
  setPageAside,
  showCountdown,
  turnPage,
  turnToFirstPage,
} from "../device/frame.ts";
import { Limit } from "../device/limits.ts";
import { type Bytes, bytesOf, type Device, type Place } from "../device/memory.ts";
import { OutputUse, setLength } from "../device/regions.ts";
import { State } from "../device/states.ts";
import { Field, Region } from "../device/tables.ts";
import { schemeLength } from "../grant/device-authorization.ts";
import { hasAccess } from "../grant/refresh.ts";

/** Columns that parts of a row need. */
enum Width {
  /** A space and a question mark, after a code that is being checked. */
  MARK = 2,
}

/** Where a text comes from. */
enum Source {
  /** The developer has set the text, in the display's own character set. */
  DEVELOPER = 0,
  /** A server or the application has sent the text. Bytes that are not printable ASCII are shown as "?". */
  ANYBODY = 1,
}

/**
 * Lays out `bytes[from..to)` of a region on a new row, or after `endRow` at the current cell. If a word does not fit
 * into the row, omits the space before it, and starts a new row. Cuts words that are longer than a row.
 */
function putText(device: Device, region: Place, from: number, to: number, source: Source): void {
  var bytes = bytesOf(device, region);
  fill(device, device.rowEnd);
  for (var i = from; i < to; i++) {
    var c = bytes[i];
    var wordEnd = i;
    if (i > from && c === 32) {
      do wordEnd++;
      while (wordEnd < to && bytes[wordEnd] !== 32);
    }
    if (device.cell + wordEnd - i > device.rowEnd) fill(device, device.rowEnd);
    else put(device, source === Source.DEVELOPER || (c > 31 && c < 127) ? c : 63); // ?
  }
}

function putRegion(device: Device, region: Place, source: Source): void {
  var start = device.start[region];
  putText(device, region, start, start + device.length[region], source);
}

function putMessage(device: Device, message: Message): void {
  putRegion(device, device.messages + message, Source.DEVELOPER);
}

function putTwoDigits(device: Device, number: number): void {
  var tens = quotient(number, 10);
  put(device, 48 + tens);
  put(device, 48 + number - tens * 10);
}

/** Lays out the last row: the user code with its label, and a countdown (mm:ss) or a question mark, if they fit. */
function putCode(device: Device): void {
  var mark = device.codeConfirmed ? 0 : Width.MARK;
  if (
    device.length[device.messages + Message.CODE] + device.length[Field.USER_CODE] + mark <=
    device.columns
  ) {
    putMessage(device, Message.CODE);
    // The code follows the label.
    endRow(device);
  }
  putRegion(device, Field.USER_CODE, Source.ANYBODY);
  var hasCountdown =
    !device.codeResumed &&
    device.codeLifetimeS < Limit.COUNTDOWN_MAX_S &&
    device.cell + 5 < device.pageEnd;
  showCountdown(device, hasCountdown);
  if (hasCountdown) {
    fill(device, device.pageEnd - 5);
    var minutes = quotient(device.codeLifetimeS, 60);
    putTwoDigits(device, minutes);
    put(device, 58); // :
    putTwoDigits(device, device.codeLifetimeS - minutes * 60);
  }
  if (mark && device.cell + 1 < device.pageEnd) {
    fill(device, device.pageEnd - 1);
    put(device, 63); // ?
  }
  fill(device, device.pageEnd);
}

/**
 * Returns the end of a URI's row that starts at `from`: after the last `/` in the row, or else after the last `.`.
 * Without either, divides the text up to the next `/` or `.` into rows of equal length.
 */
function addressRowEnd(device: Device, from: number, to: number): number {
  var most = from + device.columns;
  if (most >= to) return to;
  for (var joint = 47; joint >= 46; joint--) {
    for (var i = most; i > from; i--) {
      if (device.memory[i - 1] === joint) return i;
    }
  }
  while (most < to && device.memory[most - 1] !== 46 && device.memory[most - 1] !== 47) most++;
  var rows = 1;
  while (rows * device.columns < most - from) rows++;
  var length = 1;
  while (length * rows < most - from) length++;
  return from + length;
}

/** Lays out the URI: without its scheme if it is longer than one row, and below an instruction if a row is free. */
function putAddress(device: Device): void {
  var from = device.start[Field.VERIFICATION_URI];
  var to = from + device.length[Field.VERIFICATION_URI];
  // The user can omit the scheme, because browsers add one.
  if (to - from > device.columns) from += schemeLength(device, Field.VERIFICATION_URI);
  var rows = 0;
  for (var i = from; i < to; i = addressRowEnd(device, i, to)) rows++;
  // Instruction and code need a row each. Show the instruction only if the address fits into the rows that are left.
  if (rows <= device.rows - 2) {
    putMessage(device, device.codeConfirmed ? Message.OPEN : Message.RESUMING);
  }
  while (from < to) {
    var end = addressRowEnd(device, from, to);
    putText(device, Field.VERIFICATION_URI, from, end, Source.ANYBODY);
    from = end;
  }
}

/** The message of the state. In SIGNED_IN and REFRESHING it depends on the access token. */
function messageOfState(device: Device): Message {
  var state = device.state;
  if (state === State.STARTING) return Message.STARTING;
  if (state === State.SIGNED_OUT) return Message.SIGNED_OUT;
  if (state === State.REQUESTING) return Message.REQUESTING;
  if (state === State.PENDING) return Message.RESUMING;
  if (state === State.REVOKING) return Message.SIGNING_OUT;
  if (state === State.FAILED) return Message.FAILED;
  // The display does not report a refresh while a token is valid, or while no token is needed.
  var isCalm = hasAccess(device) || (state === State.SIGNED_IN && device.refreshRestS > 0);
  return isCalm ? Message.SIGNED_IN : Message.CONNECTING;
}

/** The message to show: the message of the error, unless the state's message is more specific. */
function messageOf(device: Device): Message {
  var message = messageOfState(device);
  var isLess =
    message === Message.REQUESTING || message === Message.CONNECTING || message === Message.FAILED;
  if (!device.error || !isLess) return message;
  // The value exceeds a fixed maximum, and more memory would not help. So do not show the message about memory.
  if (device.error === ErrorCode.VALUE_TOO_LONG && !device.memoryNeeded) return Message.FAILED;
  return errorMessage(device, device.error);
}

function putState(device: Device): void {
  var message = messageOf(device);
  putMessage(device, message);
  if (message === Message.SIGNED_IN) {
    if (device.refreshLifetimeS < Limit.EXPIRY_WARNING_S) putMessage(device, Message.EXPIRES_SOON);
    if (device.notSaved) putMessage(device, Message.NOT_SAVED);
    putRegion(device, Region.STATUS, Source.ANYBODY);
    return;
  }
  // Show the server's name for the error only if FAILED is shown, and not while the next response overwrites the name.
  var isArriving = device.outputUse === OutputUse.REQUEST && device.httpStatus > 0;
  if (message === Message.FAILED && device.error === ErrorCode.UNKNOWN_ERROR && !isArriving) {
    putRegion(device, Field.ERROR, Source.ANYBODY);
  }
  if (device.notErased && (device.state === State.SIGNED_OUT || device.state === State.FAILED)) {
    putMessage(device, Message.NOT_ERASED);
  }
}

/** Whether there is a code that has not expired. */
function hasCode(device: Device): boolean {
  return device.state === State.PENDING && device.codeLifetimeS > 0;
}

/** Starts the layout. If there is a code, it is in the last row of each page. */
function layOutCode(device: Device): void {
  beginText(device);
  if (hasCode(device)) {
    goToLastRow(device);
    putCode(device);
    keepLastRow(device);
  }
}

/** Lays out the whole text. The visible page is written to the frame. */
function layOut(device: Device): void {
  layOutCode(device);
  // If an unconfirmed code leaves no space for its mark, a message replaces the URI.
  var hasMark = device.length[Field.USER_CODE] + Width.MARK <= device.columns;
  if (hasCode(device) && (device.codeConfirmed || hasMark)) putAddress(device);
  else putState(device);
}

/** Updates the frame if something has changed, or if the time of the page is over. */
export function drawFrame(device: Device): void {
  if (isFrameUpToDate(device)) return;
  var isCodeAlone = isCountdownAlone(device) && hasCode(device);
  turnPage(device);
  if (isCodeAlone) {
    layOutCode(device);
    return;
  }
  if (device.pageStart) {
    // Measure the text first. If its length has changed, the first page is shown again.
    var page = setPageAside(device);
    layOut(device);
    keepPage(device, page);
  }
  layOut(device);
  endText(device);
}

/**
 * Sets the application's own text below "Signed in": `bytes[from..to)`, truncated to the available space. The bytes are
 * copied.
 */
export function setStatus(device: Device, bytes: Bytes, from: number, to: number): void {
  var size = 0;
  while (from < to && size < device.capacity[Region.STATUS]) {
    device.memory[device.start[Region.STATUS] + size++] = bytes[from++] & 255;
  }
  setLength(device, Region.STATUS, size);
  turnToFirstPage(device);
}
