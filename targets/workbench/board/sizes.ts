// Makes the table of `npm run board`: the flash and RAM of each part of a firmware, from the linker's map, the limits,
// and the measured use of heap and stack.

import { readFileSync } from "node:fs";
import { folderOf, type Kind, mapOf } from "./build.ts";
import type { BoardFigures } from "./emulator.ts";
import type { MachineName } from "./machines.ts";

const parts = [
  ["engine (QuickJS)", /^libquickjs\.a|^heap\.o/],
  ["heap of the engine", /^libc\.o \.noinit/],
  ["core: C, or bytecode and its API", /^picogrant\.o|^core-code\.o/],
  ["memory of the device", /^main\.o \.bss\.memory/],
  ["TLS (BearSSL)", /^libbearssl\.a|^tls\.o|^certificate\.o|^connection\.o/],
  ["network (lwIP)", /^liblwip\.a|^(network|network-watch|ethernet)\.o/],
  [
    "host: driver, HTTP, settings",
    /^(driver|host|http|keys|http-response|wall-clock|address|leak-guard|storage|history|reason|page)\.o/,
  ],
  ["C library", /^lib(g_nano|c_nano|c|gcc|m)\.a|^libc\.o/],
  ["padding for alignment", /^\*fill\*/],
  ["board: start, display, chips", /./],
] as const;

type Part = (typeof parts)[number][0] | "stack";
const partNames: readonly Part[] = [...parts.map(([name]) => name), "stack"];

interface Sizes {
  readonly flash: Readonly<Record<Part, number>>;
  readonly ram: Readonly<Record<Part, number>>;
  readonly flashTotal: number;
  readonly ramTotal: number;
}

/** The linker's sections (board.ld) in each kind of memory. */
const takes: Readonly<Record<"flash" | "ram", readonly string[]>> = {
  flash: [".text", ".ARM.exidx", ".data"],
  ram: [".stack", ".data", ".bss", ".noinit"],
};

/** Lines of the map: a section, and an object file's part of it. After a long name, the numbers are on the next
 * line. */
const sectionLine = /^(\.[\w.-]+)\s+0x([0-9a-f]+) +0x([0-9a-f]+)/;
const contribution = /^ (\.[\w.-]+|COMMON|\*fill\*)\s+0x([0-9a-f]+) +0x[0-9a-f]+ *(.*)$/gm;

function partOf(section: string, name: string, file: string): Part {
  if (section === ".stack") return "stack";
  const object = name === "*fill*" ? name : `${file.replace(/^.*\//, "")} ${name}`;
  return parts.find(([, pattern]) => pattern.test(object))![0];
}

/** Parses a map of GNU ld. The size of a part is the distance to the next one. The sizes in the map would be too large,
 * because they also count strings that the linker has merged. */
function sizesIn(map: string): Sizes {
  const none = (): Record<Part, number> =>
    Object.fromEntries(partNames.map((name) => [name, 0])) as Record<Part, number>;
  const sizes = { flash: none(), ram: none(), flashTotal: 0, ramTotal: 0 };
  const text = map.slice(map.indexOf("\nLinker script and memory map"), map.indexOf("\nOUTPUT("));
  for (const block of text.split(/\n(?=\.)/)) {
    const [, section = "", from = "", length = ""] = sectionLine.exec(block) ?? [];
    const found = [...block.matchAll(contribution)];
    const ends = [...found.map((one) => one[2]!).slice(1)].map((at) => Number.parseInt(at, 16));
    ends.push(Number.parseInt(from, 16) + Number.parseInt(length, 16));
    for (const kind of ["flash", "ram"] as const) {
      if (!takes[kind].includes(section)) continue;
      sizes[`${kind}Total`] += Number.parseInt(length, 16);
      found.forEach(([, name, at, file], index) => {
        const size = ends[index]! - Number.parseInt(at!, 16);
        sizes[kind][partOf(section, name!, file!)] += size;
      });
    }
  }
  return sizes;
}

export const readSizes = (mapFile: string): Sizes => sizesIn(readFileSync(mapFile, "utf8"));

/** Limits of a firmware in bytes: flash, and all RAM. */
export const limits: Readonly<
  Partial<Record<Kind, { readonly flash: number; readonly ram: number }>>
> = {
  complete: { flash: 131_072, ram: 31_000 },
  keys: { flash: 131_072, ram: 34_816 },
  api: { flash: 131_072, ram: 31_000 },
  grant: { flash: 131_072, ram: 30_720 },
  quickjs: { flash: 282_000, ram: 84_000 },
};

export interface Build {
  readonly machine: MachineName;
  readonly kind: Kind;
  /** Measured values; undefined if the firmware did not run. */
  readonly seen?: Seen | undefined;
}

/** The firmwares that `npm run board -- --build` compares, without `--machine`. */
export const compared: readonly Build[] = [
  { machine: "lm3s6965evb", kind: "complete" },
  { machine: "lm3s6965evb", kind: "keys" },
  { machine: "lm3s6965evb", kind: "grant" },
  { machine: "mps2", kind: "quickjs" },
];

export interface Seen {
  readonly figures: BoardFigures;
  /** The largest use of the stack in a run, in bytes. */
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

const sizesOf = ({ machine, kind }: Build): Sizes => readSizes(mapOf(kind, folderOf(machine)));

export function missedLimits(builds: readonly Build[]): string[] {
  return builds.flatMap((build) => {
    const { flashTotal, ramTotal } = sizesOf(build);
    const limit = limits[build.kind] ?? { flash: flashTotal, ram: ramTotal };
    const over = (what: string, excess: number): string[] =>
      excess > 0
        ? [`${build.machine}, ${build.kind}: ${what} is ${grouped(excess)} bytes over its limit`]
        : [];
    return [...over("flash", flashTotal - limit.flash), ...over("RAM", ramTotal - limit.ram)];
  });
}

export function sizeTable(builds: readonly Build[]): string {
  const sizes = builds.map(sizesOf);
  const all = (row: (sizes: Sizes) => readonly [number, number]): string[] =>
    sizes.flatMap((one) => row(one).map(grouped));
  const use = (name: string, of: (one: Seen) => number): string[] => [
    name,
    ...builds.flatMap(({ seen }) => ["", seen ? grouped(of(seen)) : ""]),
  ];
  const rows = [
    ["bytes", ...builds.flatMap(({ machine, kind }) => [`${machine} ${kind}: flash`, "RAM"])],
    ...partNames.map((part) => [part, ...all((one) => [one.flash[part], one.ram[part]])]),
    ["all", ...all((one) => [one.flashTotal, one.ramTotal])],
    [
      "limit",
      ...builds.flatMap(({ kind }) =>
        [limits[kind]?.flash ?? 0, limits[kind]?.ram ?? 0].map(grouped),
      ),
    ],
  ];
  if (builds.every(({ seen }) => seen === undefined)) return lines(rows);
  const used = [
    use("measured: heap, at its peak", (one) => one.figures.heap?.peak ?? 0),
    use("measured: heap, highest block", (one) => one.figures.heap?.reached ?? 0),
    use("measured: stack, at its deepest", (one) => one.stackUsed),
  ];
  return lines([...rows, ...used]);
}

export function sleepLine(what: string, { wakes, asleepMs, ofMs }: BoardFigures["sleep"]): string {
  const perHour = Math.round((wakes * 3_600_000) / ofMs);
  const share = ((100 * asleepMs) / ofMs).toFixed(1);
  return `${what}: ${perHour} wake-ups an hour, ${share} % of the time asleep`;
}
