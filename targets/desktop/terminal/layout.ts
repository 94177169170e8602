// The terminal's screen as lines of text: address, display, last events, and the input line.

import { clean } from "../../service/observers.ts";
import { wrapped } from "../command-line.ts";
import { paceOf, time } from "../panel/client/dom.ts";
import { ACTIONS } from "../simulator/actions.ts";
import { qrLines } from "../simulator/device/display.ts";
import { slipLines } from "../simulator/device/paper.ts";
import type { ExchangeEntry } from "../simulator/log/exchanges.ts";
import type { View } from "../simulator/view.ts";

export interface ScreenSize {
  columns: number;
  rows: number;
}

/** Formats a text with color numbers (ECMA-48, SGR), such as "30;102". */
export type Paint = (text: string, colours: string) => string;
export const coloured: Paint = (text, colours) => `\x1b[${colours}m${text}\x1b[0m`;
export const colourless: Paint = (text) => text;

const BOLD = "1";
const FAINT = "2";
const VALID = "32";
const WARN = "33";
/** A lit display is black on bright green. An unlit one is gray on black. Paper is black on white. */
const LIT = "30;102";
const DARK = "90;40";
const PAPER = "30;107";

const HINT = "type allow, deny ... (tab completes, ? lists), or quit";
const BELOW = 3;

/** At most `size.rows` lines of at most `size.columns` characters. */
export function layOut(
  view: View,
  title: string,
  { columns, rows }: ScreenSize,
  paint: Paint,
  typed = "",
): string[] {
  const frame = frameLines(view, paint);
  const whole = [...besideFrame(view, frame, paint), stateLine(view, paint)];
  const top = [header(view, title, columns, paint)];
  top.push(...(whole.length + 1 + BELOW > rows ? frame : whole));
  const capacity = Math.max(0, rows - top.length - 2);
  const message = clean(view.message || `requests and responses (${view.exchangeCount})`);
  const [heading, ...more] = wrapped(message, columns - 3).split("\n");
  const log =
    typed === ""
      ? [...more, ...logLines(view, capacity - more.length, paint)]
      : namesLike(typed, columns, capacity);
  top.push(paint(`-- ${heading} ${"-".repeat(columns)}`.slice(0, columns), FAINT), ...log);
  const shown = top.slice(0, rows - 1);
  while (shown.length < rows - 1) shown.push("");
  return [...shown, `> ${typed || paint(HINT, FAINT)}`].map((line) => cut(line, columns));
}

function header(view: View, title: string, columns: number, paint: Paint): string {
  const clock = `${time(view.clock.ms)}  ${paceOf(view.clock)}`;
  const capacity = Math.max(0, columns - clock.length - 2);
  const named = `picogrant  ${title}`;
  const left = (named.length > capacity ? title : named).slice(0, capacity);
  return paint(left.padEnd(columns - clock.length) + clock, BOLD);
}

function frameLines({ display }: View, paint: Paint): string[] {
  const edge = `+${"-".repeat(display.columns)}+`;
  const shade = display.lit ? LIT : DARK;
  return [edge, ...display.lines.map((line) => `|${paint(line, shade)}|`), edge];
}

function besideFrame({ display, device, qr, slips }: View, frame: string[], paint: Paint) {
  if (device.kind === "console") {
    const modules = qr.map((row) => [...row].map((module) => module === "1"));
    const picture = qrLines(modules, QUIET).map((line) => paint(line, PAPER));
    const blank = " ".repeat(display.columns + 2);
    const high = Math.max(frame.length, picture.length);
    return Array.from({ length: high }, (_, at) => `${frame[at] ?? blank}  ${picture[at] ?? ""}`);
  }
  const slip = slips.at(-1);
  if (device.kind !== "printer" || slip === undefined) return frame;
  return [...frame, ...[...slipLines(slip), slip.footing].map((line) => `  ${line}`)];
}

/** Width of the quiet zone. ISO/IEC 18004 requires 4 modules. With 2, cameras still read the code. */
const QUIET = 2;

function stateLine({ device: { state, error, reason }, faults }: View, paint: Paint): string {
  // A pending code is not an error.
  const isWrong = reason !== undefined && reason.name !== "authorization_pending";
  const wrong = isWrong ? `${reason.name}, reported by ${reason.from}; ${reason.fix}` : error;
  const parts = [paint(state, BOLD), wrong && paint(wrong, WARN)];
  if (faults.length > 0) parts.push(paint(`faults: ${faults.join(", ")}`, WARN));
  return parts.filter(Boolean).join("  ");
}

/** The last exchanges, states and actions, oldest first. */
function logLines(view: View, rows: number, paint: Paint): string[] {
  if (rows <= 0) return [];
  const entries = [
    ...view.exchanges.map((entry) => ({ ...entry, text: exchangeText(entry, paint) })),
    ...view.timeline.map(({ atMs, order, state, what }) => ({
      atMs,
      order,
      text: state ? paint(`* ${what} -> ${state}`, VALID) : paint(`! ${what}`, WARN),
    })),
  ];
  entries.sort((a, b) => a.order - b.order);
  return entries.slice(-rows).map(({ atMs, text }) => `${time(atMs).padStart(7)} ${text}`);
}

function exchangeText(entry: ExchangeEntry, paint: Paint): string {
  const { method, target, purpose, status, response, fault, ended } = entry;
  const result = ended === undefined ? "..." : `${status || "-"} ${response}`;
  const by = fault ? paint(` (${fault})`, WARN) : "";
  return `${clean(`${purpose}: ${method} ${target.split("?")[0]} -> ${result}`)}${by}`;
}

/** The names of actions that contain the input, in columns. `?` lists all names. */
function namesLike(typed: string, columns: number, rows: number): string[] {
  const word = typed.split(" ")[0]!;
  const names = ACTIONS.map(({ name }) => name).filter(
    (name) => ["?", "help"].includes(word) || name.includes(word),
  );
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const across = Math.max(1, Math.floor(columns / width));
  return Array.from({ length: Math.min(rows, Math.ceil(names.length / across)) }, (_, row) =>
    names
      .slice(row * across, (row + 1) * across)
      .map((name) => name.padEnd(width))
      .join(""),
  );
}

/** Truncates a line to a number of visible characters. Color sequences stay, because the last one resets the colors. */
export function cut(line: string, width: number): string {
  let left = width;
  return line
    .split(COLOUR)
    .map((part) => {
      if (part.startsWith("\x1b")) return part;
      const stored = part.slice(0, left);
      left -= stored.length;
      return stored;
    })
    .join("");
}

/** A color sequence. The capturing group makes `split` return the sequences too. */
const COLOUR = new RegExp(`(${String.fromCharCode(27)}\\[[\\d;]*m)`);
