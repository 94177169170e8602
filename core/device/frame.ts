// The frame of a character display: cells, rows and pages. display/verification-prompt.ts decides its content.
//
// A text is laid out as a sequence of cells, numbered from 0. The visible page is a part of this sequence.

import { must } from "./assertion.ts";
import { countDown } from "./digits.ts";
import { Limit } from "./limits.ts";
import type { Device } from "./memory.ts";
import { Region } from "./tables.ts";

/** The part of the display that must be laid out again. */
export enum FrameDue {
  NOTHING = 0,
  /** Only the countdown or a warning may change, because time has passed. */
  SECONDS = 1,
  TEXT = 2,
}

/** The display's content, and the current position of the layout. */
export interface Frame {
  /** Columns of the display, 16..80. */
  columns: number;
  /** Rows of the display, 2..8. */
  rows: number;
  /** 1 while the code is shown as valid. After a restart, the server must first confirm a stored code. */
  codeConfirmed: number;
  /** 1: the last layout of a code has a countdown. */
  hasCountdown: number;
  /** The part of the display that must be laid out again. */
  frameDue: FrameDue;
  /** 1: a cell has changed since the last SHOW. */
  frameChanged: number;
  /** First cell of the visible page. */
  pageStart: number;
  /** The cell after the visible page. */
  pageEnd: number;
  /** Milliseconds until the next page; Limit.ENDLESS if there is only one. */
  pageMs: number;
  /** The current cell of the layout. */
  cell: number;
  /** The cell after the current row. */
  rowEnd: number;
  /** Number of cells of the text that was laid out last. */
  textEnd: number;
}

export function makeFrame(device: Frame, columns: number, rows: number): void {
  device.columns = columns;
  device.rows = rows;
  device.codeConfirmed = 0;
  device.hasCountdown = 0;
  device.frameDue = FrameDue.TEXT;
  // Show the first frame even if the memory already contains the same bytes.
  device.frameChanged = 1;
  device.pageStart = 0;
  device.pageEnd = 0;
  device.pageMs = 0;
  device.cell = 0;
  device.rowEnd = 0;
  device.textEnd = 0;
}

/** Call this when the content of the display has changed. The next tick lays it out again. */
export function redraw(device: Device & Frame): void {
  device.frameDue = FrameDue.TEXT;
}

/** Call this when seconds have passed: the next tick updates the countdown, and warnings that are due. */
export function redrawSeconds(device: Device & Frame): void {
  if (!device.frameDue) device.frameDue = FrameDue.SECONDS;
}

/** Makes the next frame show the first page, for its full time. */
export function turnToFirstPage(device: Device & Frame): void {
  device.pageEnd = device.pageMs = 0;
}

export function agePage(device: Device & Frame, elapsedMs: number): void {
  device.pageMs = countDown(device.pageMs, elapsedMs);
}

/** Shows the code as valid until hideCode. */
export function showCode(device: Device & Frame): void {
  device.codeConfirmed = 1;
}

export function hideCode(device: Device & Frame): void {
  device.codeConfirmed = 0;
}

export function showCountdown(device: Device & Frame, isShown: boolean): void {
  device.hasCountdown = isShown ? 1 : 0;
}

/** Writes `c` to the next cell, if that cell is on the visible page. */
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

/** Writes spaces up to the cell `end` (exclusive), and ends the row there. */
export function fill(device: Device & Frame, end: number): void {
  while (device.cell < end) put(device, 32);
  device.rowEnd = end;
}

/** Ends the row at the current cell, so that the next text follows here and does not start on the next row. */
export function endRow(device: Device & Frame): void {
  device.rowEnd = device.cell;
}

/** Continues at `cell`, which must start a row. */
function goToCell(device: Device & Frame, cell: number): void {
  device.cell = device.rowEnd = cell;
}

/** Starts the layout of a text at its first cell, with a page as large as the display. */
export function beginText(device: Device & Frame): void {
  device.pageEnd = device.pageStart + device.columns * device.rows;
  goToCell(device, 0);
}

export function goToLastRow(device: Device & Frame): void {
  goToCell(device, device.pageEnd - device.columns);
}

/** Reserves the last row of the page, and starts the layout again in the rows above it. */
export function keepLastRow(device: Device & Frame): void {
  device.pageEnd -= device.columns;
  goToCell(device, 0);
}

/** Whether nothing has changed, and the page has time left. */
export function isFrameUpToDate(device: Device): boolean {
  return !device.frameDue && device.pageMs > 0;
}

/** Whether the countdown is the only part of the page that may have changed. */
export function isCountdownAlone(device: Device): boolean {
  return device.frameDue === FrameDue.SECONDS && device.hasCountdown > 0 && device.pageMs > 0;
}

/** Marks the frame as laid out, and turns the page if its time is over. After the last page, the first one follows. */
export function turnPage(device: Device & Frame): void {
  device.frameDue = FrameDue.NOTHING;
  if (device.pageMs) return;
  device.pageStart = device.pageEnd < device.textEnd ? device.pageEnd : 0;
  device.pageMs = Limit.PAGE_MS;
}

/**
 * Moves the page behind all text, so that the next layout only measures the text. Without this, the layout would write
 * to the visible page, and the frame would count as changed.
 * @returns the page's position, for keepPage
 */
export function setPageAside(device: Device & Frame): number {
  var pageStart = device.pageStart;
  device.pageStart = Limit.BEHIND_ALL_TEXT;
  return pageStart;
}

/** Ends measuring and restores the page. Selects the first page if the length has changed, or if one page suffices. */
export function keepPage(device: Device & Frame, pageStart: number): void {
  var isOnePage = device.cell <= device.pageEnd - device.pageStart;
  device.pageStart = device.cell === device.textEnd && !isOnePage ? pageStart : 0;
}

/** Ends the layout. If the text is longer than a page, its pages are shown one after the other. */
export function endText(device: Device & Frame): void {
  if (device.cell !== device.textEnd) {
    // The length of the text has changed, so show its first page for its full time.
    device.textEnd = device.cell;
    device.pageMs = Limit.PAGE_MS;
  }
  // If the text fits one page, show this page without a time limit.
  if (device.cell <= device.pageEnd - device.pageStart) device.pageMs = Limit.ENDLESS;
  fill(device, device.pageEnd);
}

/** Returns whether the frame has changed since the last call. If so, the host gets SHOW. */
export function takeFrame(device: Device & Frame): boolean {
  if (!device.frameChanged) return false;
  device.frameChanged = 0;
  return true;
}
