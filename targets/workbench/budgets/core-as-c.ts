// Measures the memory of the core as C on a board: code and struct, compiled for a Cortex-M3, and the stack of a
// complete run on 32-bit ARM under qemu.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Variant } from "../../bundle/bundled-core.ts";
import { run } from "../engines/install.ts";
import { hostFolder } from "../host/build.ts";
import { standaloneFiles } from "../host/generate.ts";
import { armNeeds, armSysroot, missingPackages, tool } from "../host/toolchain.ts";

const program = fileURLToPath(new URL("../../../test/host/c/allocations.c", import.meta.url));
const needs = [...armNeeds, tool("arm-none-eabi-gcc", "gcc-arm-none-eabi")];

interface SizesOfC {
  readonly code: number;
  readonly ram: number;
  readonly stack: number;
}

/** Returns undefined if a compiler or qemu is missing. */
export async function measureC(variant: Variant): Promise<SizesOfC | undefined> {
  if (missingPackages(needs).length > 0) return undefined;
  const folder = `${hostFolder}budget-${variant}`;
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(await standaloneFiles())) {
    writeFileSync(`${folder}/${name}`, text);
  }
  writeFileSync(`${folder}/ram.c`, '#include "picogrant.h"\nstruct pg_core core;\n');
  const flags = [
    "-std=c99",
    "-Os",
    "-mthumb",
    `-DPICOGRANT_BUILD=PICOGRANT_${variant.toUpperCase()}`,
  ];
  const sizes = ["picogrant", "ram"].map((name) => {
    const object = `${folder}/${name}.o`;
    run("arm-none-eabi-gcc", [
      ...flags,
      "-mcpu=cortex-m3",
      "-c",
      "-o",
      object,
      `${folder}/${name}.c`,
    ]);
    const [text, data, bss] = figures(execFileSync("arm-none-eabi-size", [object]));
    return { code: text!, ram: data! + bss! };
  });
  const fullRun = `${folder}/life`;
  const files = [program, `${folder}/picogrant.c`];
  run("arm-linux-gnueabihf-gcc", [
    ...[
      `--sysroot=${armSysroot()}`,
      ...flags,
      "-std=gnu11",
      `-I${folder}`,
      "-o",
      fullRun,
      ...files,
    ],
  ]);
  const [, stack] = figures(execFileSync("qemu-arm", ["-L", armSysroot(), fullRun]));
  return { code: sizes[0]!.code, ram: sizes[0]!.ram + sizes[1]!.ram, stack: stack! };
}

const figures = (output: Buffer): number[] =>
  Array.from(output.toString().matchAll(/(?:^|\s)(\d+)(?=\s)/g), ([, digits]) => Number(digits));
