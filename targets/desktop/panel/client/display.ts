// QR codes, to be scanned with a real phone: on the panel, on the console's screen, on the printer's paper, which says in
// words as well where to go and what to enter.
import type { SlipView, View } from "../../simulator/view.ts";
import { GLYPH_COLUMNS, GLYPH_ROWS, glyphOf } from "../font.ts";
import { svg } from "./dom.ts";

/** Light modules around the code, without which a camera does not find it (ISO/IEC 18004). */
const QUIET = 4;

/** Draws the code whose rows are of `1` for dark and `0`; nothing for []. */
export function drawModules(root: SVGSVGElement, rows: readonly string[]): void {
  const state = rows.join("");
  if (root.dataset.state === state) return;
  root.dataset.state = state;
  root.replaceChildren();
  if (rows.length === 0) return;
  let path = "";
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (row[x] === "1") path += `M${x + QUIET},${y + QUIET}h1v1h-1z`;
    }
  });
  const size = rows.length + 2 * QUIET;
  root.setAttribute("viewBox", `0 0 ${size} ${size}`);
  // White on purpose, also in dark mode: cameras want dark on light.
  root.append(svg("rect", { width: size, height: size, fill: "#fff" }));
  root.append(svg("path", { d: path, fill: "#111" }));
}

/** Draws the last slip that came out; nothing where none has. */
export function drawSlip(place: HTMLElement, slip: SlipView | undefined): void {
  const state = slip ? `${slip.atMs} ${slip.code}` : "";
  if (place.dataset.state === state) return;
  place.dataset.state = state;
  place.replaceChildren();
  if (slip === undefined) return;
  const { heading, address, code, footing, qr } = slip;
  const lines = [...heading, address, "", code, "", ...footing];
  const text = document.createElement("p");
  for (const line of lines) {
    const row = document.createElement(line === code ? "strong" : "span");
    // An address that is longer than the paper is wide breaks behind a joint, and not inside a word.
    const parts = (line || " ").split(/(?<=[^/]\/|[a-z]\.)(?=[^/\s])/);
    row.append(...parts.flatMap((part) => [part, document.createElement("wbr")]));
    text.append(row);
  }
  const picture = svg("svg", { viewBox: "0 0 1 1" }) as SVGSVGElement;
  drawModules(picture, qr);
  place.setAttribute("aria-label", `A slip of paper: ${lines.filter(Boolean).join(" ")}`);
  place.append(text, picture);
}

// Draws the character display on a canvas: every dot of every character, as the glass shows them.

const LIT = { ground: "#a9cf3f", ghost: "#a2c63a", dot: "#1c2907" };
const DARK = { ground: "#3c4529", ghost: "#39422a", dot: "#39422a" };
/** In dots: between two characters, and around all of them. */
const GAP = 1;
const MARGIN = 3;
/** Pixels of the canvas for a dot; the browser scales the picture to its place, at most so large. */
const DOT = 6;
const DOT_MAX = 5;
/** Of the bezel. */
const PADDING = 18;

/** Draws the frame so that it fills the bezel's width. */
export function drawDisplay(
  canvas: HTMLCanvasElement,
  { columns, rows, lines, lit }: View["display"],
): void {
  const wide = columns * (GLYPH_COLUMNS + GAP) - GAP + 2 * MARGIN;
  const high = rows * (GLYPH_ROWS + GAP) - GAP + 2 * MARGIN;
  const room = (canvas.parentElement?.clientWidth ?? 400) - PADDING;
  const pitch = DOT;
  const width = wide * pitch;
  const height = high * pitch;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  canvas.style.width = `${Math.min(room, wide * DOT_MAX)}px`;
  const context = canvas.getContext("2d");
  if (context === null) return;
  const colours = !lit ? DARK : LIT;
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
