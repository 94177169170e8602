// The screen of the terminal as lines of text: what is where. No cursor movement and no state here.

import { CONTROLS, type Control } from "../simulator/controls.ts";
import { keptWords } from "../simulator/device/kept-words.ts";
import type { SlotView } from "../simulator/device/metered-storage.ts";
import { slipLines } from "../simulator/device/paper.ts";
import { qrLines } from "../simulator/device/qr-code.ts";
import type { ExchangeEntry } from "../simulator/log/exchanges.ts";
import { clean } from "../simulator/log/mask.ts";
import type { Gauge, View } from "../simulator/view.ts";
import { COLOUR, type Paint, visibleLength } from "./paint.ts";
import { timeText } from "./plain-output.ts";

export interface ScreenSize {
  columns: number;
  rows: number;
}

const STATUS_WIDTH_MIN = 38;
const TWO_COLUMNS_MIN = 2 * STATUS_WIDTH_MIN;

/** What somebody types, or wants to have listed, in front of the log. */
export interface Typing {
  readonly prompt: string;
  readonly lines: readonly string[];
  /** Which page of the lines, where they do not fit on one. */
  readonly page: number;
}

const NOTHING_TYPED: Typing = { prompt: "", lines: [], page: 0 };

/** The whole screen: at most `size.rows` lines, none longer than `size.columns` characters. */
export function layOut(
  view: View,
  title: string,
  size: ScreenSize,
  paint: Paint,
  typing: Typing = NOTHING_TYPED,
): string[] {
  const isList = typing.lines.length > 0;
  // Whoever looks for a name does not need the keys.
  let keys = isList ? [] : keyLines(view, size.columns, paint);
  // Before anything else come the display, with address and code, and what has happened last.
  const most = size.rows - HEADER - NEWS;
  const top = topLines(view, size, paint, most - Math.min(1, keys.length));
  if (top.length + keys.length > most) keys = shortKeys(keys, paint);
  const room = Math.max(0, size.rows - HEADER - 1 - top.length - keys.length);
  const log = isList
    ? listLines(typing, room, size.columns)
    : logLines(view, room, size.columns, paint);
  const lines = [header(view, title, size.columns, paint), ...top];
  const heading = typing.prompt || view.message;
  if (room > 0) lines.push(rule(view, heading, size.columns, paint), ...log);
  return [...lines, ...keys].slice(0, size.rows).map((line) => cut(line, size.columns));
}

const HEADER = 1;
/** The line above the log, and the newest one in it. */
const NEWS = 2;

/** Display and state, at most so many lines: of the state what there is room for. */
function topLines(view: View, size: ScreenSize, paint: Paint, most: number): string[] {
  const status = statusLines(view, paint);
  const whole = displayLines(view, paint);
  const panel = whole.length > most ? frameLines(view, paint) : whole;
  const width = Math.max(0, ...panel.map(visibleLength));
  const besides = size.columns - width - 2 >= STATUS_WIDTH_MIN;
  const below = size.columns < TWO_COLUMNS_MIN ? status : twoColumns(status, size);
  const top = besides ? beside(panel, width, status) : [...panel, ...below];
  return top.slice(0, Math.max(panel.length, most));
}

/** Where not all keys have room, those that lead to the others. */
function shortKeys(keys: readonly string[], paint: Paint): string[] {
  return keys.length === 0
    ? []
    : [MORE_KEYS.map(([key, does]) => `${paint.bold(key)} ${does}`).join("  ")];
}

function header(view: View, title: string, columns: number, paint: Paint): string {
  const { ms, speed, paused, jumpLeftMs } = view.clock;
  const pace = paused ? "paused" : `x${speed}`;
  const clock = `${timeText(ms)}  ${jumpLeftMs > 0 ? `jumps ${timeText(jumpLeftMs)}` : pace}`;
  const room = Math.max(0, columns - clock.length - 2);
  const named = `picogrant  ${title}`;
  // The address is worth more than the name.
  const left = (named.length > room ? title : named).slice(0, room);
  return paint.bold(left.padEnd(columns - clock.length) + clock);
}

function frameLines({ display }: Pick<View, "display">, paint: Paint): string[] {
  const edge = `+${"-".repeat(display.columns)}+`;
  const shade = display.lit ? paint.lit : paint.dark;
  return [edge, ...display.lines.map((line) => `|${shade(line)}|`), edge];
}

function displayLines({ display, device, qr, slips }: View, paint: Paint): string[] {
  const frame = frameLines({ display }, paint);
  if (device.kind === "console") return beside(frame, display.columns + 2, qrPicture(qr, paint));
  const slip = slips.at(-1);
  if (device.kind !== "printer" || slip === undefined) return frame;
  const paper = [...slipLines(slip), ...slip.footing];
  return [...frame, ...paper.map((line) => `  ${line}`)];
}

/** The QR code on its light ground. */
function qrPicture(rows: readonly string[], paint: Paint): string[] {
  const modules = rows.map((row) => [...row].map((module) => module === "1"));
  return qrLines(modules, QUIET).map((line) => paint.paper(line));
}

/** A terminal has little room; a camera still finds the code with two light modules around it. */
const QUIET = 2;

/** A countdown as a bar of `width` characters. */
export function bar({ leftMs, totalMs }: Gauge, width: number): string {
  const full = totalMs > 0 ? Math.round((leftMs / totalMs) * width) : 0;
  return `[${"#".repeat(full)}${".".repeat(width - full)}]`;
}

function gaugeLine(name: string, gauge: Gauge): string {
  const left = gauge.totalMs > 0 ? timeText(gauge.leftMs + 999) : "-";
  return `${name.padEnd(9)} ${bar(gauge, 16)} ${left}`;
}

function kibibytes(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB/s`;
}

function statusLines(view: View, paint: Paint): string[] {
  const { device, memory, slots, faults } = view;
  const error = device.error ? `  ${paint.warn(device.error)}` : "";
  const { reason } = device;
  const lines = [
    `${"state".padEnd(9)} ${paint.bold(device.state)}${error}`,
    ...(reason ? [`          from ${reason.from}; mended by:`, `          ${reason.mend}`] : []),
    device.inFlight ? `${"request".padEnd(9)} under way` : gaugeLine("request", device.poll),
    gaugeLine("code", device.code),
    gaugeLine("access", device.access),
    `memory    ${memory.bytes} B, of it tokens ${memory.tokens} B`,
    `allocated ${memory.allocated.core} B/s by the core, ${kibibytes(memory.allocated.others)} else`,
    ...slots.map(slotLine),
  ];
  if (faults.length > 0) lines.push(paint.warn(`faults    ${faults.join(", ")}`));
  return lines;
}

/** "kept 1    the code, 155 bytes, written once" */
function slotLine(slot: SlotView): string {
  const { bytes, writes } = slot;
  const size = bytes > 0 ? `, ${bytes} bytes` : "";
  const times = writes === 1 ? "once" : `${writes} times`;
  return `kept ${slot.slot + 1}    ${keptWords(slot)}${size}, written ${times}`;
}

/** For displays too wide to have anything beside them: the status in two columns below. */
function twoColumns(lines: readonly string[], size: ScreenSize): string[] {
  const half = Math.floor(size.columns / 2) - 1;
  const left = lines.slice(0, Math.ceil(lines.length / 2));
  const right = lines.slice(left.length);
  return left.map((line, at) => `${padTo(line, half)}  ${right[at] ?? ""}`);
}

function beside(left: readonly string[], width: number, right: readonly string[]): string[] {
  const rows = Math.max(left.length, right.length);
  return Array.from(
    { length: rows },
    (_, row) => `${padTo(left[row] ?? "", width)}  ${right[row] ?? ""}`,
  );
}

function rule(view: View, heading: string, columns: number, paint: Paint): string {
  const text = heading || `requests and answers (${view.exchangeCount})`;
  return paint.faint(`-- ${clean(text)} ${"-".repeat(columns)}`.slice(0, columns));
}

/** A page of the list, with a last line that leads to the next one. */
function listLines({ lines, page, prompt }: Typing, rows: number, columns: number): string[] {
  const padded = (shown: readonly string[]): string[] => [
    ...shown.map((line) => cut(line, columns)),
    ...Array.from({ length: Math.max(0, rows - shown.length) }, () => ""),
  ];
  if (lines.length <= rows || rows < 2) return padded(lines.slice(0, rows));
  const pages = Math.ceil(lines.length / (rows - 1));
  const from = (page % pages) * (rows - 1);
  const shown = lines.slice(from, from + rows - 1);
  const next = prompt
    ? `... ${lines.length - shown.length} more lines: type on`
    : `-- page ${(page % pages) + 1} of ${pages}: ? for the next, escape to end`;
  return [...padded(shown).slice(0, rows - 1), next];
}

/** The last things that happened, oldest first: exchanges and states, causes before effects. */
function logLines(view: View, rows: number, columns: number, paint: Paint): string[] {
  const entries = [
    ...view.exchanges.map((entry) => ({ ...entry, text: exchangeText(entry, paint) })),
    ...view.timeline.map(({ atMs, order, state, what }) => ({
      atMs,
      order,
      text: state ? paint.good(`* ${what} -> ${state}`) : paint.warn(`! ${what}`),
    })),
  ];
  entries.sort((a, b) => a.order - b.order);
  const lines = entries.slice(-rows || entries.length);
  if (rows === 0) return [];
  const text = lines.map(({ atMs, text }) => `${timeText(atMs).padStart(7)} ${text}`);
  const padding = Array.from({ length: Math.max(0, rows - text.length) }, () => "");
  return [...text.map((line) => cut(line, columns)), ...padding];
}

function exchangeText(entry: ExchangeEntry, paint: Paint): string {
  const { method, target, purpose, status, answer, fault, ended } = entry;
  const result = ended === undefined ? "..." : `${status || "-"} ${answer}`;
  const by = fault ? paint.warn(` (${fault})`) : "";
  return `${clean(`${purpose}: ${method} ${target.split("?")[0]} -> ${result}`)}${by}`;
}

/** What leads to everything that has no key, and out of it. */
const MORE_KEYS = [
  [":", "type"],
  ["?", "list"],
  ["q", "quit"],
] as const;

function keyLines(view: View, columns: number, paint: Paint): string[] {
  const label = (control: Control): string => {
    const on = view.faults.includes(control.label);
    const key = control.key === " " ? "space" : control.key;
    return `${paint.bold(key)} ${on ? paint.warn(control.label.toUpperCase()) : control.label}`;
  };
  const lines: string[] = [];
  for (const groups of [["clock"], ["fault"]]) {
    const others = groups.includes("clock") ? CONTROLS.filter(isOther) : [];
    if (others.length > 0) lines.push(...flow(others.map(label), columns));
    const items = CONTROLS.filter(({ group }) => groups.includes(group)).map(label);
    if (groups.includes("clock")) {
      items.push(...MORE_KEYS.map(([key, does]) => `${paint.bold(key)} ${does}`));
    }
    lines.push(...flow(items, columns));
  }
  return lines;
}

function isOther({ group }: Control): boolean {
  return group !== "clock" && group !== "fault";
}

function flow(items: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const item of items) {
    if (line && visibleLength(line) + 2 + visibleLength(item) > columns) {
      lines.push(line);
      line = "";
    }
    line += (line ? "  " : "") + item;
  }
  return [...lines, line];
}

function padTo(line: string, width: number): string {
  const cutLine = cut(line, width);
  return cutLine + " ".repeat(Math.max(0, width - visibleLength(cutLine)));
}

/** Cuts to so many visible characters; colours are ended. */
export function cut(line: string, width: number): string {
  if (visibleLength(line) <= width) return line;
  let visible = 0;
  let out = "";
  for (const part of line.split(COLOUR)) {
    if (part.startsWith("\x1b")) out += part;
    else {
      out += part.slice(0, width - visible);
      visible += Math.min(part.length, width - visible);
    }
  }
  return out;
}
