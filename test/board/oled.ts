// Reads the OLED: what the emulator drew, dot by dot, as text again.

import { readFileSync } from "node:fs";
import { GLYPH_COLUMNS, glyphOf } from "../../targets/desktop/panel/font.ts";

const COLUMNS = 16;
const ROWS = 2;
const CELL_COLUMNS = GLYPH_COLUMNS + 1;
const CELL_ROWS = 8;
/** The emulator draws each dot as a square. */
const DOT = 4;

/** A picture of format P6, as qemu writes it. */
function readPicture(file: string): { width: number; height: number; pixels: Buffer } {
  const bytes = readFileSync(file);
  const head = /^P6\s(\d+) (\d+)\s255\s/.exec(bytes.toString("latin1", 0, 40))!;
  return {
    width: Number(head[1]),
    height: Number(head[2]),
    pixels: bytes.subarray(head[0].length),
  };
}

/** The two lines of a panel; a cell that is none of the font's characters is a question mark in a box: "\u0000". */
export function oledText(file: string): string[] {
  const { width, height, pixels } = readPicture(file);
  if (width !== COLUMNS * CELL_COLUMNS * DOT || height !== ROWS * CELL_ROWS * DOT) {
    throw new Error(`the panel is ${width} x ${height}`);
  }
  const isLit = (x: number, y: number): boolean => pixels[3 * (y * DOT * width + x * DOT)]! > 127;
  const characterAt = (row: number, column: number): string => {
    const dots = Array.from({ length: GLYPH_COLUMNS }, (_, x) =>
      Array.from({ length: CELL_ROWS }, (_, y) =>
        isLit(column * CELL_COLUMNS + x, row * CELL_ROWS + y) ? 1 << y : 0,
      ).reduce((sum, bit) => sum + bit, 0),
    ).join();
    for (let code = 32; code < 127; code++) {
      if (glyphOf(code).join() === dots) return String.fromCharCode(code);
    }
    return "\u0000";
  };
  return Array.from({ length: ROWS }, (_, row) =>
    Array.from({ length: COLUMNS }, (_, column) => characterAt(row, column)).join(""),
  );
}
