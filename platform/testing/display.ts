// A character display that records every frame as text, and an entropy source with repeatable bytes.

import type { Bytes, Display, Entropy } from "../contracts.ts";

/** Records frames. A frame is text: `rows` lines of `columns` characters, joined by newlines. */
export class RecordedDisplay implements Display {
  readonly columns: number;
  readonly rows: number;
  readonly history: string[] = [];
  /** The caller's violations of the contract. */
  readonly violations: string[] = [];

  constructor(columns = 20, rows = 4) {
    if (columns < 16 || columns > 80 || rows < 2 || rows > 8) {
      throw new RangeError(`display of ${columns}x${rows}: 16..80 columns, 2..8 rows`);
    }
    this.columns = columns;
    this.rows = rows;
  }

  get text(): string {
    return this.history[this.history.length - 1] ?? "";
  }

  /** The current frame as lines, without trailing spaces. */
  get lines(): string[] {
    return this.text === "" ? [] : this.text.split("\n").map((line) => line.trimEnd());
  }

  /** Whether any frame contained this text within one line. */
  everShowed(text: string): boolean {
    return this.history.some((frame) => frame.includes(text));
  }

  show(cells: Bytes, from: number): void {
    const lines: string[] = [];
    for (let row = 0; row < this.rows; row++) {
      let line = "";
      for (let column = 0; column < this.columns; column++) {
        const code = cells[from + row * this.columns + column];
        // Printable ASCII, or a character of the display's own set.
        if (!Number.isInteger(code) || code! < 32 || code! > 255 || code === 127) {
          const what = `code ${code} at row ${row}, column ${column} is no character of a display`;
          this.violations.push(what);
          throw new Error(`recorded display: ${what}`);
        }
        line += String.fromCharCode(code!);
      }
      lines.push(line);
    }
    this.history.push(lines.join("\n"));
  }
}

/** Random bytes from a seed, which always gives the same bytes. Never use it in a real device. */
export class SeededEntropy implements Entropy {
  #state: number;

  constructor(seed = 1) {
    this.#state = seed | 0;
  }

  fill(into: Bytes, from: number, to: number): boolean {
    for (let i = from; i < to; i++) into[i] = this.#nextByte();
    return true;
  }

  /** The mixer of splitmix32, which works with every seed, including 0. */
  #nextByte(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) & 0xff;
  }
}
