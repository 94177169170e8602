// The rules of the Display contract.

import type { Bytes, Display } from "../contracts.ts";
import { type ConformanceCase, caseWith, must, type World } from "./case.ts";

/** An adapter under test, and its surroundings; each case makes one. */
export interface DisplaySubject {
  /** The adapter under test. */
  display: Display;
  /** How time passes. */
  world: World;
  /**
   * What a person sees: `rows` lines of `columns` characters. Without it only what needs no eyes is
   * checked.
   */
  look?: () => readonly string[];
  /** Gives back what the adapter holds; called after each case. */
  dispose?: () => void | Promise<void>;
}

/** Cases for a display adapter. */
export function displayConformance(
  make: () => DisplaySubject | Promise<DisplaySubject>,
): ConformanceCase[] {
  const rule = (
    name: string,
    body: (subject: DisplaySubject) => void | Promise<void>,
  ): ConformanceCase => caseWith(make, `display: ${name}`, body);
  return [
    rule("has 16..80 columns and 2..8 rows", ({ display: { columns, rows } }) => {
      must(Number.isInteger(columns) && columns >= 16 && columns <= 80, `${columns} columns`);
      must(Number.isInteger(rows) && rows >= 2 && rows <= 8, `${rows} rows`);
    }),
    rule("shows every printable character, row by row", async (subject) => {
      const size = subject.display.columns * subject.display.rows;
      for (let first = 0; first < 95; first += size)
        await showsText(subject, printable(first, size));
    }),
    rule("reads its frame at `from`, plain arrays too", async (subject) => {
      const size = subject.display.columns * subject.display.rows;
      const text = printable(40, size);
      const cells: number[] = [0, 200, 7];
      for (let i = 0; i < size; i++) cells.push(text.charCodeAt(i));
      await showsCells(subject, cells, 3, text);
    }),
    rule("keeps a copy: cells overwritten after `show` are not seen", async (subject) => {
      const size = subject.display.columns * subject.display.rows;
      const text = printable(7, size);
      const cells = new Uint8Array(size);
      for (let i = 0; i < size; i++) cells[i] = text.charCodeAt(i);
      subject.display.show(cells, 0);
      cells.fill(35);
      await subject.world.wait(50);
      mustShow(subject, text);
    }),
    rule("the last of many frames stays", async (subject) => {
      const size = subject.display.columns * subject.display.rows;
      for (let i = 0; i < 30; i++) {
        const cells = new Uint8Array(size);
        for (let at = 0; at < size; at++) cells[at] = 32 + ((i + at) % 95);
        subject.display.show(cells, 0);
      }
      await subject.world.wait(50);
      mustShow(subject, printable(29, size));
    }),
    rule("columns and rows do not change", async ({ display, world }) => {
      const before = `${display.columns}x${display.rows}`;
      display.show(new Uint8Array(display.columns * display.rows).fill(32), 0);
      await world.wait(10);
      must(`${display.columns}x${display.rows}` === before, "the size changed");
    }),
  ];
}

function printable(first: number, length: number): string {
  let text = "";
  for (let i = 0; i < length; i++) text += String.fromCharCode(32 + ((first + i) % 95));
  return text;
}

async function showsText(subject: DisplaySubject, text: string): Promise<void> {
  const cells = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) cells[i] = text.charCodeAt(i);
  await showsCells(subject, cells, 0, text);
}

async function showsCells(
  subject: DisplaySubject,
  cells: Bytes,
  from: number,
  text: string,
): Promise<void> {
  subject.display.show(cells, from);
  await subject.world.wait(50);
  mustShow(subject, text);
}

function mustShow({ display, look }: DisplaySubject, text: string): void {
  if (look === undefined) return;
  const lines = look();
  must(lines.length === display.rows, `${lines.length} lines are shown, not ${display.rows}`);
  for (let row = 0; row < display.rows; row++) {
    const expected = text.slice(row * display.columns, (row + 1) * display.columns);
    const seen = (lines[row] ?? "").padEnd(display.columns);
    must(seen === expected, `row ${row} shows ${JSON.stringify(seen)}`);
  }
}
