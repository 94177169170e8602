// Draws the character display on a canvas: every dot of every character, as the glass shows them.

import type { View } from "../../simulator/view.ts";
import { GLYPH_COLUMNS, GLYPH_ROWS, glyphOf } from "../font.ts";

const LIT = { ground: "#a9cf3f", ghost: "#a2c63a", dot: "#1c2907" };
/** A screen that lights by itself. */
const SCREEN = { ground: "#10222f", ghost: "#10222f", dot: "#cfe9ff" };
const DARK = { ground: "#3c4529", ghost: "#39422a", dot: "#39422a" };
/** In dots: between two characters, and around all of them. */
const GAP = 1;
const MARGIN = 3;
/** Pixels of the canvas for a dot; the browser scales the picture to its place, at most so large. */
const DOT = 6;
const DOT_MAX = 5;
const SCREEN_SHARE = 0.76;
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
  const colours = !lit ? DARK : isScreen ? SCREEN : LIT;
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, height);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const x = (MARGIN + column * (GLYPH_COLUMNS + GAP)) * pitch;
      const y = (MARGIN + row * (GLYPH_ROWS + GAP)) * pitch;
      drawGlyph(context, lines[row]?.charCodeAt(column) ?? 32, x, y, pitch, colours);
    }
  }
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
