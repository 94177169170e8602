// Where flash and RAM of a firmware go, by part: out of the linker's map. The table of npm run board, with what was
// really used of heap and stack, and the limits.

import { readFileSync } from "node:fs";
import { type Kind, kinds, mapOf } from "./build.ts";
import type { BoardFigures } from "./emulator.ts";
import { type MachineName, machine } from "./machines.ts";

const isRam = (address: number): boolean => address >= machine.ramAt && address < machine.ramEnd;

/** A part of the firmware, and the object files that belong to it. */
const parts = [
  ["engine (QuickJS)", /^libquickjs\.a|^core-quickjs\.o|^heap\.o/],
  ["heap of the engine", /^libc\.o \.noinit/],
  ["core: C, or bytecode and its border", /^picogrant\.o|^core-code\.o/],
  ["memory of the device", /^main\.o \.bss\.memory/],
  ["TLS (BearSSL)", /^libbearssl\.a|^tls\.o|^certificate\.o|^connection\.o/],
  ["network (lwIP)", /^liblwip\.a|^(network|network-watch|ethernet)\.o/],
  [
    "host: driver, HTTP, settings",
    /^(driver|host|http|http-answer|wall-clock|address|last-look|storage|history|reason|page)\.o/,
  ],
  ["C library", /^lib(g_nano|c_nano|c|gcc|m)\.a|^libc\.o/],
  ["board: start, display, chips", /./],
] as const;

type Part = (typeof parts)[number][0] | "stack";
const partNames: readonly Part[] = [...parts.map(([name]) => name), "stack"];

interface Sizes {
  readonly flash: Readonly<Record<Part, number>>;
  readonly ram: Readonly<Record<Part, number>>;
  /** All of it, with the gaps between parts. */
  readonly flashTotal: number;
  readonly ramTotal: number;
}

/** One contribution in the map: section, address, size, and the object file. */
const contribution = /^ (\.[\w.-]+|COMMON)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+)$/gm;

function sectionSize(map: string, name: string): number {
  const found = new RegExp(`^\\${name}\\s+0x[0-9a-f]+\\s+0x([0-9a-f]+)`, "m").exec(map);
  return Number.parseInt(found?.[1] ?? "0", 16);
}

/** Reads a map of GNU ld's. */
function sizesIn(map: string): Sizes {
  const none = (): Record<Part, number> =>
    Object.fromEntries(partNames.map((name) => [name, 0])) as Record<Part, number>;
  const flash = none();
  const ram = none();
  const text = map
    .slice(map.indexOf("Linker script and memory map"))
    // A long name has its numbers on the next line.
    .replace(/^( \.[\w.-]+)\n\s+0x/gm, "$1 0x");
  for (const [, section, at, length, file] of text.matchAll(contribution)) {
    const address = Number.parseInt(at!, 16);
    const size = Number.parseInt(length!, 16);
    const object = `${file!.replace(/^.*\//, "")} ${section}`;
    const [part] = parts.find(([, pattern]) => pattern.test(object))!;
    if (isRam(address)) ram[part] += size;
    // The rest is information for debuggers.
    const isProgram = /^\.(text|s?rodata|vectors|s?data)/.test(section!);
    const isData = /^\.s?data/.test(section!);
    if (isProgram && (isData || !isRam(address))) flash[part] += size;
  }
  ram.stack = sectionSize(map, ".stack");
  const data = sectionSize(map, ".data");
  const code = sectionSize(map, ".text");
  const flashTotal = code + sectionSize(map, ".ARM.exidx") + data;
  const ramTotal = ram.stack + data + sectionSize(map, ".bss") + sectionSize(map, ".noinit");
  return { flash, ram, flashTotal, ramTotal };
}

export const readSizes = (mapFile: string): Sizes => sizesIn(readFileSync(mapFile, "utf8"));

/** What a board may take, bytes: flash of the firmware, RAM of all there is. */
const limits: Readonly<Record<MachineName, Limits>> = {
  mps2: {
    complete: { flash: 155_648, ram: 40_960 },
    api: { flash: 155_648, ram: 40_960 },
    grant: { flash: 155_648, ram: 38_912 },
    quickjs: { flash: 284_000, ram: 84_000 },
  },
};

type Limits = Readonly<
  Record<Exclude<Kind, "full">, { readonly flash: number; readonly ram: number }>
>;

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
  return Object.entries(LIMITS).flatMap(([kind, limit]) => {
    const sizes = readSizes(mapOf(kind as Kind));
    return [
      ...over(`${kind}: flash`, sizes.flashTotal, limit.flash),
      ...over(`${kind}: RAM`, sizes.ramTotal, limit.ram),
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
    [
      "limit",
      ...all((_, name) => (name === "full" ? [0, 0] : [LIMITS[name].flash, LIMITS[name].ram])),
    ],
    use("seen: heap, at its peak", (one) => one.figures.heap?.peak ?? 0),
    use("seen: heap, how far blocks lay", (one) => one.figures.heap?.reached ?? 0),
    use("seen: stack, at its deepest", (one) => one.stackUsed),
  ];
  return lines(rows);
}

/** Wake-ups per hour and share of time asleep, out of one measurement. */
export function sleepLine(what: string, { wakes, asleepMs, ofMs }: BoardFigures["sleep"]): string {
  const perHour = Math.round((wakes * 3_600_000) / ofMs);
  const share = ((100 * asleepMs) / ofMs).toFixed(1);
  return `${what}: ${perHour} wake-ups an hour, ${share} % of the time asleep`;
}
