// QR codes, to be scanned with a real phone: on the panel, on the console's screen, on the printer's paper, which says in
// words as well where to go and what to enter.
import type { SlipView, View } from "../../simulator/view.ts";
import { GLYPH_COLUMNS, GLYPH_ROWS, glyphOf, hasGlyph } from "../font.ts";
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
/** A screen that lights by itself. */
const SCREEN = {
  ground: "#10222f",
  off: "#0a0f13",
  letter: "#d6ecff",
  soft: "#9db8cc",
  code: "#fff",
};
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

/** Height of a screen for its width: there is room beside it for a QR code. */
const SCREEN_HEIGHT = 0.62;

/**
 * Draws the frame so that it fills the bezel's width.
 * @param screen what a device with a screen of pixels shows; undefined for one of characters
 */
export function drawDisplay(
  canvas: HTMLCanvasElement,
  display: View["display"],
  screen?: View["device"],
): void {
  const { columns, rows, lines, lit } = display;
  const wide = columns * (GLYPH_COLUMNS + GAP) - GAP + 2 * MARGIN;
  const high = rows * (GLYPH_ROWS + GAP) - GAP + 2 * MARGIN;
  const room = (canvas.parentElement?.clientWidth ?? 400) - PADDING;
  const pitch = DOT;
  const width = wide * pitch;
  const height = screen ? Math.round(width * SCREEN_HEIGHT) : high * pitch;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  // The console's screen has room for a QR code beside the characters.
  canvas.style.width = `${Math.min(room * (screen ? SCREEN_SHARE : 1), wide * DOT_MAX)}px`;
  const context = canvas.getContext("2d");
  if (context === null) return;
  if (screen) {
    drawScreen(canvas, context, display, screen);
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

const LETTERS = "ui-monospace, Menlo, Consolas, monospace";

/** A screen of pixels has letters of its own; with a code on it, it looks as a television's sign-in does. */
function drawScreen(
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  display: View["display"],
  { userCode, verificationUri }: View["device"],
): void {
  const { width, height } = canvas;
  context.fillStyle = display.lit ? SCREEN.ground : SCREEN.off;
  context.fillRect(0, 0, width, height);
  if (!display.lit) return;
  context.textAlign = "left";
  const [first = "", ...others] = display.lines;
  const last = others.at(-1) ?? "";
  if (userCode === "" || !last.includes(userCode)) {
    drawLines(context, width, height, display.lines);
    return;
  }
  // The words are those of the display, in its language.
  const [label = "", left = ""] = last.split(userCode).map((word) => word.trim());
  drawFit(context, `1  ${first.trim()}`, width, 0.13 * height, 0.07 * height, SCREEN.soft);
  const address = verificationUri.replace(/^https?:\/\//, "");
  drawFit(context, address, width, 0.27 * height, 0.11 * height, SCREEN.letter);
  drawFit(context, `2  ${label}`, width, 0.47 * height, 0.07 * height, SCREEN.soft);
  drawFit(context, userCode, width, 0.74 * height, 0.26 * height, SCREEN.code);
  drawFit(context, left, width, 0.93 * height, 0.07 * height, SCREEN.soft);
}

/** All rows, as large as they fit. */
function drawLines(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  lines: readonly string[],
): void {
  const shown = lines.map((line) => line.trimEnd());
  const longest = Math.max(16, ...shown.map(({ length }) => length));
  const size = Math.min((width / longest) * 1.5, height / (shown.length + 1) / 0.9);
  shown.forEach((line, row) => {
    drawFit(context, line, width, (row + 1.1) * size * 1.15, size, SCREEN.letter);
  });
}

/** A line of this height, smaller where it is too long for the screen. */
function drawFit(
  context: CanvasRenderingContext2D,
  text: string,
  width: number,
  y: number,
  size: number,
  colour: string,
): void {
  const margin = 0.05 * width;
  context.font = `600 ${size}px ${LETTERS}`;
  const shrink = Math.min(1, (width - 2 * margin) / Math.max(1, context.measureText(text).width));
  context.font = `600 ${size * shrink}px ${LETTERS}`;
  context.fillStyle = colour;
  context.fillText(text, margin, y);
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
