// Measures the heap that code takes in QuickJS: from source in WebAssembly, and for the core also from bytecode on
// 32-bit ARM. The device memory is not included, because it belongs to the host.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Variant } from "../../bundle/bundled-core.ts";
import { evaluate, newModule, variants } from "../engines/catalogue.ts";
import { hostFolder, isRefreshed, programOf } from "../host/build.ts";
import { armSysroot } from "../host/toolchain.ts";
import type { Figures } from "./budget-limits.ts";

/** The bytes in use after `steps[0]`; then, after each further step, the bytes in addition to those of `steps[0]`. */
export async function heapSteps(steps: readonly string[]): Promise<number[]> {
  const module = await newModule(variants.release);
  const runtime = module.newRuntime();
  const context = runtime.newContext();
  const request = (): number => {
    const handle = runtime.computeMemoryUsage();
    const { memory_used_size: used } = context.dump(handle) as { memory_used_size: number };
    handle.dispose();
    return used;
  };
  // Measure once before the steps, because the first measurement creates an object whose shape stays on the heap.
  request();
  try {
    const figures = steps.map((step) => {
      evaluate(context, step, "step.js");
      return request();
    });
    return figures.map((figure, index) => (index === 0 ? figure : figure - figures[0]!));
  } finally {
    context.dispose();
    runtime.dispose();
  }
}

type OnArm = Omit<Figures, "file" | "poll">;

function figuresOf(program: string, generated: string): OnArm {
  const text = execFileSync("qemu-arm", ["-L", armSysroot(), program], { encoding: "utf8" });
  const figure = (name: string): number => {
    const found = new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1];
    if (!found) throw new Error(`the host on ARM does not print its figure "${name}": ${text}`);
    return Number(found);
  };
  const bytes = readFileSync(`${hostFolder}${generated}/bytecode.h`, "latin1");
  return {
    heap: figure("core"),
    peak: figure("creating"),
    stack: figure("stack"),
    bytecode: bytes.match(/0x[0-9a-f]{2}/g)!.length,
  };
}

/** Measures the heap of the core from bytecode, as in firmware. Undefined if the host for ARM is not built. */
export async function measureOnArm(variant: Variant): Promise<OnArm | undefined> {
  const kind = variant === "complete" ? "arm" : (`arm-${variant}` as const);
  if (!(await isRefreshed(kind))) return undefined;
  return figuresOf(programOf(kind, "allocations"), `generated-${variant}`);
}
