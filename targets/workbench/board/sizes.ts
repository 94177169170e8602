// Where flash and RAM of a firmware go, by part: out of the linker's map.

import { readFileSync } from "node:fs";
import { machine } from "./machines.ts";

const isRam = (address: number): boolean => address >= machine.ramAt && address < machine.ramEnd;

/** A part of the firmware, and the object files that belong to it. */
const parts = [
  ["engine (QuickJS)", /^libquickjs\.a|^core-quickjs\.o|^picogrant\.o|^heap\.o/],
  ["heap of the engine", /^arena\.o/],
  ["core, bytecode", /^core-code\.o/],
  ["memory of the device", /^main\.o \.bss\.memory/],
  ["TLS (BearSSL)", /^libbearssl\.a|^tls\.o|^certificate\.o|^connection\.o/],
  ["network (lwIP)", /^liblwip\.a|^(network|network-watch|ethernet)\.o/],
  [
    "host: driver, HTTP, settings",
    /^(driver|host|http|http-answer|address|last-look|storage|history|reason|page)\.o/,
  ],
  ["C library", /^lib(g_nano|c_nano|c|gcc|m)\.a|^libc\.o/],
  ["board: start, display, chips", /./],
] as const;

export type Part = (typeof parts)[number][0] | "stack";
export const partNames: readonly Part[] = [...parts.map(([name]) => name), "stack"];

export interface Sizes {
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
