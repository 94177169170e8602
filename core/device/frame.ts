// The frame of a character display: cells, rows and pages. What is written into it is not decided here
// (display/verification-prompt.ts).
//
// A text is laid out as a row of cells, and the page that is shown is a part of it. Cells count from the
// first one of the text.

import { must } from "./assertion.ts";
import { countDown } from "./digits.ts";
import { Limit } from "./limits.ts";
import type { Device } from "./memory.ts";
import { Region } from "./tables.ts";

/** What has to be laid out anew. */
export enum FrameDue {
  NOTHING = 0,
  /** Seconds have passed and nothing else has changed: where a countdown is shown, its row alone. */
  SECONDS = 1,
  /** Everything. */
  TEXT = 2,
}

/** What the display shows, and the place in it that is written next. */
export interface Frame {
  /** Columns of the display, 16..80. */
  columns: number;
  /** Rows of the display, 2..8. */
  rows: number;
  /** 1 while the code is shown as good: one from before a restart once the server has confirmed it. */
  codeConfirmed: number;
  /** 1 while its countdown is shown beside it. */
  hasCountdown: number;
  /** What of the display has to be laid out anew. */
  frameDue: FrameDue;
  /** 1: a cell has changed since SHOW. */
  frameChanged: number;
  /** First cell of the page of the text that is shown. */
  pageStart: number;
  /** Where the page of the text ends. */
  pageEnd: number;
  /** For how much longer the page is shown, in milliseconds; Limit.ENDLESS: there is no other. */
  pageMs: number;
  /** The cell reached in the text that is being laid out. */
  cell: number;
  /** Where the row ends. */
  rowEnd: number;
  /** Cells of the text that was laid out last. */
  textEnd: number;
}

export function makeFrame(device: Frame, columns: number, rows: number): void {
  device.columns = columns;
  device.rows = rows;
  device.codeConfirmed = 0;
  device.hasCountdown = 0;
  device.frameDue = FrameDue.TEXT;
  // What an earlier life left in the memory must not pass for a frame that is shown already.
  device.frameChanged = 1;
  device.pageStart = 0;
  device.pageEnd = 0;
  device.pageMs = 0;
  device.cell = 0;
  device.rowEnd = 0;
  device.textEnd = 0;
}

/** Something that is shown has changed: the next tick lays the text out anew. */
export function redraw(device: Device & Frame): void {
  device.frameDue = FrameDue.TEXT;
}

/** Seconds have passed: the next tick brings the countdown up to date, or warnings whose time has come. */
export function redrawSeconds(device: Device & Frame): void {
  if (!device.frameDue) device.frameDue = FrameDue.SECONDS;
}

/** The next frame shows the first page, for its whole time. */
export function turnToFirstPage(device: Device & Frame): void {
  device.pageEnd = device.pageMs = 0;
}

/** The page has been shown for `elapsedMs` more. */
export function agePage(device: Device & Frame, elapsedMs: number): void {
  device.pageMs = countDown(device.pageMs, elapsedMs);
}

/** The code is shown, until hideCode. */
export function showCode(device: Device & Frame): void {
  device.codeConfirmed = 1;
}

/** The code is shown no longer. */
export function hideCode(device: Device & Frame): void {
  device.codeConfirmed = 0;
}

/** Whether the countdown is shown: then the display changes each second. */
export function showCountdown(device: Device & Frame, isShown: boolean): void {
  device.hasCountdown = isShown ? 1 : 0;
}

/** The next cell of the text goes to the frame if it is on the page shown. */
export function put(device: Device & Frame, c: number): void {
  ASSERT: must(device.cell <= device.rowEnd, "no row is longer than the display is wide");
  if (device.cell === device.rowEnd) device.rowEnd += device.columns;
  var at = device.cell++ - device.pageStart;
  if (at >= 0 && device.cell <= device.pageEnd) {
    ASSERT: must(at < device.columns * device.rows, "a cell lies in the frame");
    at += device.start[Region.FRAME];
    if (device.memory[at] !== c) {
      device.memory[at] = c;
      device.frameChanged = 1;
    }
  }
}

/** Spaces up to the cell `end`, with which the row ends. */
export function fill(device: Device & Frame, end: number): void {
  while (device.cell < end) put(device, 32);
  device.rowEnd = end;
}

/** The row ends here: what is put next begins another, without spaces in between. */
export function endRow(device: Device & Frame): void {
  device.rowEnd = device.cell;
}

/** The next cell is `cell`, with which a row begins. */
function goToCell(device: Device & Frame, cell: number): void {
  device.cell = device.rowEnd = cell;
}

/** A text is laid out from its first cell on. The page is as large as the display. */
export function beginText(device: Device & Frame): void {
  device.pageEnd = device.pageStart + device.columns * device.rows;
  goToCell(device, 0);
}

/** Goes to the last row of the page, whichever page of the text is shown. */
export function goToLastRow(device: Device & Frame): void {
  goToCell(device, device.pageEnd - device.columns);
}

/** The last row of the page is taken: the text begins, and has the rows above. */
export function keepLastRow(device: Device & Frame): void {
  device.pageEnd -= device.columns;
  goToCell(device, 0);
}

/** Whether there is nothing to do: nothing has changed, and the page has time left. */
export function isFrameUpToDate(device: Device): boolean {
  return !device.frameDue && device.pageMs > 0;
}

/** Whether the countdown is all that has changed of a page that stays. */
export function isCountdownAlone(device: Device): boolean {
  return device.frameDue === FrameDue.SECONDS && device.hasCountdown > 0 && device.pageMs > 0;
}

/** Turns to the next page, or from the last one to the first, where the page has had its time. */
export function turnPage(device: Device & Frame): void {
  device.frameDue = FrameDue.NOTHING;
  if (device.pageMs) return;
  device.pageStart = device.pageEnd < device.textEnd ? device.pageEnd : 0;
  device.pageMs = Limit.PAGE_MS;
}

/**
 * The page goes to a place after all text, so that what is laid out is only measured: on the present page, cells that
 * are never to be seen would count as a change.
 * @returns the page's place, for keepPage
 */
export function setPageAside(device: Device & Frame): number {
  var pageStart = device.pageStart;
  device.pageStart = Limit.BEHIND_ALL_TEXT;
  return pageStart;
}

/** The text was measured: its page stays, but where the text is of another length than before it begins anew. */
export function keepPage(device: Device & Frame, pageStart: number): void {
  device.pageStart = device.cell === device.textEnd ? pageStart : 0;
}

/** The text was laid out: its length decides for how long its page is shown. */
export function endText(device: Device & Frame): void {
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
 * The host is handed the frame.
 * @returns whether there is anything new in it
 */
export function takeFrame(device: Device & Frame): boolean {
  if (!device.frameChanged) return false;
  device.frameChanged = 0;
  return true;
}
