// Tests the terminal display and QR codes (ISO/IEC 18004). A small model of a screen interprets the output, so that
// tests compare pictures and not escape sequences.

import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { displayConformance } from "../../platform/conformance/index.ts";
import { TerminalDisplay } from "../../platform/display/terminal-display.ts";
import { QrCode } from "../../platform/node/qr-code.ts";
import { itConforms, realEnvironment } from "./conformance-bench.ts";

/** A model of a screen. It knows only the escape sequences that the display may use. Others are errors. */
class Screen {
  isTTY: boolean;
  columns: number;
  lines: string[] = [""];
  all = "";
  #row = 0;

  constructor(isTTY: boolean, columns = 100) {
    this.isTTY = isTTY;
    this.columns = columns;
  }

  write(text: string): void {
    this.all += text;
    const [first = "", ...sequences] = text.split("\u001b[");
    this.#print(first);
    for (const part of sequences) {
      const code = /^(\d*)([A-Z])/.exec(part);
      if (code === null) throw new Error(`no sequence: ${JSON.stringify(part)}`);
      if (code[2] === "A") this.#row -= Number(code[1]);
      else if (code[2] === "J") this.lines.splice(this.#row, Infinity, "");
      else throw new Error(`unknown sequence ${JSON.stringify(part)}`);
      if (this.#row < 0) throw new Error("above the first line");
      this.#print(part.slice(code[0].length));
    }
  }

  #print(text: string): void {
    for (const char of text.replace(/\r/g, "")) {
      if (char === "\n") this.lines[++this.#row] ??= "";
      else this.lines[this.#row] += char;
    }
  }
}

const cellsOf = (text: string, size = 32): Uint8Array =>
  new TextEncoder().encode(text.padEnd(size).slice(0, size));

itConforms("terminal display", displayConformance, () => {
  const screen = new Screen(true);
  const display = new TerminalDisplay({ output: screen });
  const look = (): string[] => screen.lines.slice(1, 5).map((line) => line.slice(1, -1));
  return { display, environment: realEnvironment, look };
});

describe("terminal display", () => {
  it("redraws in place on a terminal, and notes stay above the frame", () => {
    const screen = new Screen(true);
    const display = new TerminalDisplay({ columns: 16, rows: 2, output: screen });
    display.note("started");
    display.show(cellsOf("first"), 0);
    display.show(cellsOf("second"), 0);
    display.note("a note");
    display.show(cellsOf("third           line two"), 0);
    expect(screen.lines).toEqual([
      "started",
      "a note",
      "+----------------+",
      "|third           |",
      "|line two        |",
      "+----------------+",
      "",
    ]);
  });

  it.each([
    ["a pipe", new Screen(false)],
    ["a terminal too narrow for the frame", new Screen(true, 17)],
  ])("writes each changed frame as text without escape sequences to %s", (_, screen) => {
    const display = new TerminalDisplay({ columns: 16, rows: 2, output: screen });
    display.show(cellsOf("one"), 0);
    display.show(cellsOf("one"), 0);
    display.note("note");
    display.show(cellsOf("two"), 0);
    const edge = "+----------------+\n";
    const blank = `|${" ".repeat(16)}|\n`;
    const frame = (text: string): string => `${edge}|${text.padEnd(16)}|\n${blank}${edge}`;
    expect(screen.all).toBe(`${frame("one")}note\n${frame("two")}`);
  });

  it("removes control characters from frames and notes", () => {
    const screen = new Screen(false);
    const display = new TerminalDisplay({ columns: 16, rows: 2, output: screen });
    const cells = cellsOf("a\u001b[2Jb\u0007\n\u007f");
    cells[20] = 0x9b;
    display.show(cells, 0);
    display.note("x\u001b]0;title\u0007\u009b\u00e9y");
    expect(screen.all).toContain("|a?[2Jb???");
    expect(screen.all).toContain("x?]0;title???y\n");
    expect(screen.all.replace(/\n/g, "")).toMatch(/^[ -~]*$/);
  });

  it("draws the characters of a ROM, but no control characters", () => {
    const screen = new Screen(false);
    const display = new TerminalDisplay({ columns: 16, rows: 2, output: screen, rom: "A00" });
    const cells = cellsOf("a b");
    cells[3] = 0x1f;
    cells[4] = 0x5c;
    display.show(cells, 0);
    expect(screen.all).toContain("|a b?¥ ");
  });

  it("refuses sizes outside 16..80 x 2..8", () => {
    for (const [columns, rowCount] of [
      [15, 2],
      [81, 2],
      [16, 1],
      [16, 9],
      [Number.NaN, 2],
    ] as const) {
      const problem = `display of ${columns}x${rowCount}: it must have 16..80 columns and 2..8 rows`;
      expect(() => new TerminalDisplay({ columns, rows: rowCount })).toThrow(
        new RangeError(problem),
      );
    }
  });
});

it("stops drawing when its pipe is closed; the device continues", () => {
  const output = Object.assign(new EventEmitter(), {
    written: 0,
    write(): void {
      output.written++;
      if (output.written > 1) throw new Error("written after the end");
    },
  });
  const display = new TerminalDisplay({ columns: 16, rows: 2, output });
  const cells = new Uint8Array(32).fill(32);
  display.show(cells, 0);
  output.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  cells[0] = 65;
  display.show(cells, 0);
  display.note("more");
  expect(output.written).toBe(1);
});

describe("QR code", () => {
  const qr = new QrCode("https://example.com/device?user_code=WDJB-MJHT");

  it("has the smallest size with error correction M, and a quiet zone", () => {
    // ISO/IEC 18004, table 7: version 3 holds only 42 bytes, and version 4 holds 62.
    expect(qr.size).toBe(33);
    expect(qr.isDark(-1, 0)).toBe(false);
    expect(qr.isDark(0, qr.size)).toBe(false);
  });

  it("toString() draws light modules as blocks, with a quiet zone of four modules", () => {
    const modules = qr.modules();
    const lines = `${qr}`.split("\n");
    expect(lines).toHaveLength(Math.ceil((qr.size + 8) / 2));
    // Each line draws two rows of modules. The number of rows is odd, so the last line draws one row of the quiet zone.
    expect(lines.at(-1)).toBe("▀".repeat(qr.size + 8));
    for (let row = -4; row < qr.size + 4; row++) {
      const line = Array.from(lines[(row + 4) >> 1]!);
      expect(line).toHaveLength(qr.size + 8);
      const light = row % 2 === 0 ? "▀█" : "▄█";
      line.forEach((mark, at) => {
        expect(light.includes(mark)).toBe(!modules[row]?.[at - 4]);
      });
    }
  });
});
