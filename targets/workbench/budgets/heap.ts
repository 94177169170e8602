// How much the heap of QuickJS grows: by loading the bundle from source, by making a device, and over a
// whole grant. The arena is the host's and counted apart.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { State } from "../../../core/index.ts";
import type { Variant } from "../../bundle/bundled-core.ts";
import { evaluate, newModule, variants } from "../engines/catalogue.ts";
import { borderNumbers } from "../engines/script.ts";
import { buildHost, hostFolder, isBuilt, programOf } from "../host/build.ts";
import { armSysroot } from "../host/toolchain.ts";
import { guest } from "./engine.ts";

const grant = `${borderNumbers()}\n${guest("config", "grant")}`;

interface HeapGrowth {
  /** Bytes in use beyond what there was before the bundle was loaded. */
  readonly loaded: number;
  readonly created: number;
  /** With `create` given back: one device is made once. */
  readonly running: number;
  readonly afterGrant: number;
  /** What `loaded` consists of. */
  readonly parts: HeapParts;
}

interface HeapParts {
  readonly functions: number;
  readonly bytecode: number;
  readonly lineTables: number;
  /** Headers, variables, constants, and the source text that QuickJS keeps unless told to strip it. */
  readonly functionRecords: number;
  readonly names: number;
  readonly objects: number;
}

type Usage = Record<
  | "memory_used_size"
  | "js_func_count"
  | "js_func_code_size"
  | "js_func_pc2line_size"
  | "js_func_size"
  | "atom_size"
  | "obj_size"
  | "prop_size"
  | "shape_size",
  number
>;

/** What is in use in QuickJS after each of the steps. */
async function usages(steps: readonly string[]): Promise<Usage[]> {
  const module = await newModule(variants.release);
  const runtime = module.newRuntime();
  const context = runtime.newContext();
  const ask = (): Usage => {
    const handle = runtime.computeMemoryUsage();
    const usage = context.dump(handle) as Usage;
    handle.dispose();
    return usage;
  };
  // The asking itself makes an object whose shape stays.
  ask();
  try {
    return steps.map((step) => {
      evaluate(context, step, "step.js");
      return ask();
    });
  } finally {
    context.dispose();
    runtime.dispose();
  }
}

/** Bytes in use in QuickJS after `steps[0]`, then how many more after each further one. */
export async function heapSteps(steps: readonly string[]): Promise<number[]> {
  const figures = (await usages(steps)).map(({ memory_used_size }) => memory_used_size);
  return figures.map((figure, index) => (index === 0 ? figure : figure - figures[0]!));
}

function partsBetween(before: Usage, after: Usage): HeapParts {
  const growth = (name: keyof Usage): number => after[name] - before[name];
  return {
    functions: growth("js_func_count"),
    bytecode: growth("js_func_code_size"),
    lineTables: growth("js_func_pc2line_size"),
    functionRecords: growth("js_func_size"),
    names: growth("atom_size"),
    objects: growth("obj_size") + growth("prop_size") + growth("shape_size"),
  };
}

/** Growth in QuickJS (WebAssembly, 32-bit pointers). */
export async function measureHeap(bundle: string): Promise<HeapGrowth> {
  const end = `if (grantRun() !== ${State.SIGNED_OUT}) throw new Error("the grant did not end");`;
  const giveBack = "picogrant.create = null;";
  const all = await usages([grant, bundle, "grantCreate();", giveBack, end]);
  const [before, loaded, created, running, afterGrant] = all as [Usage, Usage, Usage, Usage, Usage];
  const growth = (usage: Usage): number => usage.memory_used_size - before.memory_used_size;
  return {
    loaded: growth(loaded),
    created: growth(created),
    running: growth(running),
    afterGrant: growth(afterGrant),
    parts: partsBetween(before, loaded),
  };
}

/** The core in QuickJS on 32-bit ARM. */
interface OnArm {
  /** Bytes on the engine's heap for the core and its device, `create` given back, by the engine's own account. */
  readonly heap: number;
  /** The most bytes at any moment until the device is made, the engine's own objects not counted. */
  readonly peak: number;
  /** Bytes of stripped bytecode, which stays in flash. */
  readonly bytecode: number;
}

/** What the program that counts allocations says, and the size of the code in it. */
function figuresOf(program: string, generated: string): OnArm {
  const text = execFileSync("qemu-arm", ["-L", armSysroot(), program], { encoding: "utf8" });
  const figure = (name: string): number => {
    const found = new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1];
    if (!found) throw new Error(`the host on ARM does not say its figure "${name}": ${text}`);
    return Number(found);
  };
  const bytes = readFileSync(`${hostFolder}${generated}/bytecode.h`, "latin1");
  return {
    heap: figure("core"),
    peak: figure("creating"),
    bytecode: bytes.match(/0x[0-9a-f]{2}/g)!.length,
  };
}

/** The core as firmware has it. Undefined where the host for that is not built. */
export async function measureOnArm(variant: Variant): Promise<OnArm | undefined> {
  const kind = variant === "complete" ? "arm" : (`arm-${variant}` as const);
  if (!isBuilt(kind)) return undefined;
  await buildHost(kind);
  return figuresOf(programOf(kind, "allocations"), `generated-${variant}`);
}
