// The table of npm run board: flash and RAM by part, what was really used of heap and stack, and the limits.

import { type Kind, kinds, mapOf } from "./build.ts";
import type { BoardFigures } from "./emulator.ts";
import { type MachineName, machine } from "./machines.ts";
import { type Part, partNames, readSizes, type Sizes } from "./sizes.ts";

/** What a board may take, bytes: flash of the firmware, RAM of all there is. */
const limits: Readonly<Record<MachineName, Limits>> = {
  mps2: {
    flash: 290 * 1024,
    ram: { complete: 102_400, api: 98_304, grant: 90_112 },
  },
};

interface Limits {
  readonly flash: number;
  readonly ram: { readonly complete: number; readonly api: number; readonly grant: number };
}

const LIMITS = limits[machine.name];

/** What a life of a firmware showed. */
export interface Seen {
  readonly figures: BoardFigures;
  /** The deepest stack of all starts. */
  readonly stackUsed: number;
}

const grouped = (value: number): string =>
  value === 0 ? "-" : String(value).replace(/\B(?=(\d{3})+$)/g, ",");

function lines(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) => row.map((cell, column) => pad(cell, widths[column]!, column)).join("  "))
    .join("\n");
}

const pad = (cell: string, width: number, column: number): string =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width);

/** The limits that a firmware does not keep, a line each. */
export function missedLimits(): string[] {
  const over = (what: string, size: number, limit: number): string[] =>
    size > limit ? [`${what} is ${grouped(size - limit)} bytes over its limit`] : [];
  return (["complete", "api", "grant"] as const).flatMap((kind) => {
    const sizes = readSizes(mapOf(kind));
    return [
      ...over(`${kind}: flash`, sizes.flashTotal, LIMITS.flash),
      ...over(`${kind}: RAM`, sizes.ramTotal, LIMITS.ram[kind]),
    ];
  });
}

/** @param seen figures of the firmwares that ran; the others' rows of use stay empty */
export function sizeTable(seen: Partial<Record<Kind, Seen>>): string {
  const names = Object.keys(kinds) as Kind[];
  const sizes = Object.fromEntries(names.map((name) => [name, readSizes(mapOf(name))])) as Record<
    Kind,
    Sizes
  >;
  const all = (row: (sizes: Sizes, kind: Kind) => readonly [number, number]): string[] =>
    names.flatMap((name) => row(sizes[name], name).map(grouped));
  const use = (name: string, of: (one: Seen) => number): string[] => [
    name,
    ...names.flatMap((kind) => ["", seen[kind] ? grouped(of(seen[kind])) : ""]),
  ];
  const rows = [
    ["bytes", ...names.flatMap((name) => [`${name}: flash`, "RAM"])],
    ...partNames.map((part: Part) => [part, ...all((one) => [one.flash[part], one.ram[part]])]),
    ["all", ...all((one) => [one.flashTotal, one.ramTotal])],
    ["limit", ...all((_, name) => [LIMITS.flash, name === "full" ? 0 : LIMITS.ram[name]])],
    use("seen: heap, at its peak", (one) => one.figures.heap.peak),
    use("seen: heap, how far blocks lay", (one) => one.figures.heap.reached),
    use("seen: stack, at its deepest", (one) => one.stackUsed),
  ];
  return lines(rows);
}

/** RAM of a small board. */
const SMALL = 64 * 1024;

/** What a board with 64 KiB of RAM lacks, by part: what is reserved at link time, and what was used of heap and stack. */
export function lackTable(seen: Partial<Record<Kind, Seen>>): string {
  const columns = (Object.keys(seen) as Kind[]).map((kind) => {
    return lackOf(readSizes(mapOf(kind)), seen[kind]!);
  });
  const rows = columns[0]!.map(([name], row) => [
    name,
    ...columns.map((column) => grouped(column[row]![1])),
  ]);
  return lines([["bytes of RAM, as used", ...Object.keys(seen)], ...rows]);
}

function lackOf(sizes: Sizes, { figures, stackUsed }: Seen): [string, number][] {
  const { engine, used, reached } = figures.heap;
  const measured: readonly Part[] = ["heap of the engine", "stack"];
  const linked = partNames.filter((part) => !measured.includes(part));
  const reserved = partNames.reduce((sum, part) => sum + sizes.ram[part], 0);
  const parts: [string, number][] = [
    ["heap: QuickJS's own objects", engine],
    ["heap: the core and its device", used - engine],
    ["heap: beyond them, at the start", reached - used],
    ["stack, at its deepest", stackUsed],
    ...linked.map((part): [string, number] => [part, sizes.ram[part]]),
    ["gaps between parts", sizes.ramTotal - reserved],
  ];
  const all = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  return [...parts, ["all", all], ["a board has", SMALL], ["it lacks", all - SMALL]];
}

/** Wake-ups per hour and share of time asleep, out of one measurement. */
export function sleepLine(what: string, { wakes, asleepMs, ofMs }: BoardFigures["sleep"]): string {
  const perHour = Math.round((wakes * 3_600_000) / ofMs);
  const share = ((100 * asleepMs) / ofMs).toFixed(1);
  return `${what}: ${perHour} wake-ups an hour, ${share} % of the time asleep`;
}
