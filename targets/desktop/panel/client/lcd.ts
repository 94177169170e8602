// Draws the character display on a canvas: every dot of every character, as the glass shows them.

import type { View } from "../../simulator/view.ts";
import { GLYPH_COLUMNS, GLYPH_ROWS, glyphOf, hasGlyph } from "../font.ts";

const LIT = { ground: "#a9cf3f", ghost: "#a2c63a", dot: "#1c2907" };
/** A screen that lights by itself. */
const SCREEN = { ground: "#10222f", off: "#0a0f13", letter: "#d6ecff" };
const DARK = { ground: "#3c4529", ghost: "#39422a", dot: "#39422a" };
/** In dots: between two characters, and around all of them. */
const GAP = 1;
const MARGIN = 3;
/** Pixels of the canvas for a dot; the browser scales the picture to its place, at most so large. */
const DOT = 6;
const DOT_MAX = 5;
const SCREEN_SHARE = 0.74;
/** Of the bezel. */
const PADDING = 18;

/** Draws the frame so that it fills the bezel's width. */
export function drawDisplay(
  canvas: HTMLCanvasElement,
  display: View["display"],
  isScreen = false,
): void {
  const { columns, rows, lines, lit } = display;
  const wide = columns * (GLYPH_COLUMNS + GAP) - GAP + 2 * MARGIN;
  const high = rows * (GLYPH_ROWS + GAP) - GAP + 2 * MARGIN;
  const room = (canvas.parentElement?.clientWidth ?? 400) - PADDING;
  const pitch = DOT;
  const [width, height] = [wide * pitch, high * pitch];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  // The console's screen has room for a QR code beside the characters.
  canvas.style.width = `${Math.min(room * (isScreen ? SCREEN_SHARE : 1), wide * DOT_MAX)}px`;
  const context = canvas.getContext("2d");
  if (context === null) return;
  if (isScreen) {
    drawScreen(canvas, context, display);
    return;
  }
  const colours = !lit ? DARK : LIT;
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, height);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const x = (MARGIN + column * (GLYPH_COLUMNS + GAP)) * pitch;
      const y = (MARGIN + row * (GLYPH_ROWS + GAP)) * pitch;
      const code = lines[row]?.charCodeAt(column) ?? 32;
      drawGlyph(context, code, x, y, pitch, colours);
      if (!hasGlyph(code)) drawLetter(context, String.fromCharCode(code), x, y, pitch, colours);
    }
  }
}

/** A screen of pixels has letters of its own. */
function drawScreen(
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  { columns, lines, lit }: View["display"],
): void {
  const { width, height } = canvas;
  context.fillStyle = lit ? SCREEN.ground : SCREEN.off;
  context.fillRect(0, 0, width, height);
  if (!lit) return;
  const cell = width / (columns + 2);
  const line = height / (lines.length + 0.6);
  context.font = `${Math.round(cell * 1.6)}px ui-monospace, Menlo, Consolas, monospace`;
  context.fillStyle = SCREEN.letter;
  context.textAlign = "center";
  lines.forEach((text, row) => {
    [...text].forEach((letter, column) => {
      context.fillText(letter, (column + 1.5) * cell, (row + 0.95) * line);
    });
  });
}

/** What the display's ROM has beyond the dots that are known (font.ts): as a letter of the computer's in their place. */
function drawLetter(
  context: CanvasRenderingContext2D,
  letter: string,
  x: number,
  y: number,
  pitch: number,
  colours: typeof LIT,
): void {
  const [width, height] = [GLYPH_COLUMNS * pitch, GLYPH_ROWS * pitch];
  context.fillStyle = colours.dot;
  context.font = `bold ${height}px ui-monospace, Menlo, Consolas, monospace`;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.fillText(letter, x + width / 2, y + height - pitch, width);
}

function drawGlyph(
  context: CanvasRenderingContext2D,
  code: number,
  x: number,
  y: number,
  pitch: number,
  colours: typeof LIT,
): void {
  const glyph = glyphOf(code);
  const size = pitch - 1;
  for (let column = 0; column < GLYPH_COLUMNS; column++) {
    for (let row = 0; row < GLYPH_ROWS; row++) {
      const on = (glyph[column]! >> row) & 1;
      context.fillStyle = on ? colours.dot : colours.ghost;
      context.fillRect(x + column * pitch, y + row * pitch, size, size);
    }
  }
}
