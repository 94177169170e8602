import type { Bytes, Display } from "../contracts.ts";
import { type Environment, must, type Subject, suite } from "./case.ts";

/** An adapter under test with its environment; each case creates one. */
export interface DisplaySubject extends Subject {
  display: Display;
  environment: Environment;
  /** The text that a user sees: `rows` lines of `columns` characters. Without this function, the content is not checked. */
  look?: () => readonly string[];
}

/** Cases for a display adapter. */
export const displayConformance = suite<DisplaySubject>("display", {
  "has 16..80 columns and 2..8 rows, which do not change": async (subject) => {
    const { display, environment } = subject;
    const { columns, rows } = display;
    must(Number.isInteger(columns) && columns >= 16 && columns <= 80, `${columns} columns`);
    must(Number.isInteger(rows) && rows >= 2 && rows <= 8, `${rows} rows`);
    display.show(frameOf(subject, 0), 0);
    await environment.wait(50);
    must(display.columns === columns && display.rows === rows, "the size changed");
  },

  "shows every printable character, row by row": async (subject) => {
    const size = subject.display.columns * subject.display.rows;
    for (let first = 0; first < 95; first += size) await shows(subject, frameOf(subject, first));
  },

  "reads its frame at `from`, plain arrays too": async (subject) => {
    const frame = frameOf(subject, 40);
    await shows(subject, frame, [0, 200, 7, ...frame], 3);
  },

  "keeps a copy: cells overwritten after `show` are not seen": async (subject) => {
    const frame = frameOf(subject, 7);
    const cells = Uint8Array.from(frame);
    subject.display.show(cells, 0);
    cells.fill(35);
    await mustShow(subject, frame);
  },

  "the last of many frames stays": async (subject) => {
    for (let i = 0; i < 30; i++) subject.display.show(frameOf(subject, i), 0);
    await mustShow(subject, frameOf(subject, 29));
  },
});

function frameOf({ display }: DisplaySubject, first: number): Uint8Array {
  const cells = new Uint8Array(display.columns * display.rows);
  return cells.map((_, i) => 32 + ((first + i) % 95));
}

async function shows(subject: DisplaySubject, frame: Uint8Array, cells: Bytes = frame, from = 0) {
  subject.display.show(cells, from);
  await mustShow(subject, frame);
}

async function mustShow({ display, environment, look }: DisplaySubject, frame: Uint8Array) {
  await environment.wait(50);
  if (look === undefined) return;
  const lines = look();
  must(lines.length === display.rows, `${lines.length} lines are shown, not ${display.rows}`);
  for (let row = 0; row < display.rows; row++) {
    const at = row * display.columns;
    const expected = String.fromCharCode(...frame.subarray(at, at + display.columns));
    const seen = (lines[row] ?? "").padEnd(display.columns);
    must(seen === expected, `row ${row} shows ${JSON.stringify(seen)}`);
  }
}
