// How much the heap of QuickJS grows: by loading the bundle from source, by making a device, and over a
// whole grant. The arena is the host's and counted apart.

import { readFileSync } from "node:fs";
import { State } from "../../core/index.ts";
import { evaluate, newModule, variants } from "../engines/quickjs-wasm.ts";

const grant = readFileSync(
  new URL("../../test/budgets/guest/grant.js", import.meta.url).pathname,
  "utf8",
);

export interface HeapGrowth {
  /** Bytes in use beyond what there was before the bundle was loaded. */
  readonly loaded: number;
  readonly created: number;
  readonly afterGrant: number;
}

/** Bytes in use in QuickJS after `steps[0]`, then how many more after each further one. */
export async function heapSteps(steps: readonly string[]): Promise<number[]> {
  const module = await newModule(variants.release);
  const runtime = module.newRuntime();
  const context = runtime.newContext();
  const used = (): number => {
    runtime.executePendingJobs();
    const usage = runtime.computeMemoryUsage();
    const { memory_used_size } = context.dump(usage) as { memory_used_size: number };
    usage.dispose();
    return memory_used_size;
  };
  // The asking itself makes an object whose shape stays.
  used();
  try {
    const figures = steps.map((step) => {
      evaluate(context, step, "step.js");
      return used();
    });
    return figures.map((figure, index) => (index === 0 ? figure : figure - figures[0]!));
  } finally {
    context.dispose();
    runtime.dispose();
  }
}

/** Growth in QuickJS (WebAssembly, 32-bit pointers). */
export async function measureHeap(bundle: string): Promise<HeapGrowth> {
  const end = `if (grantRun() !== ${State.SIGNED_OUT}) throw new Error("the grant did not end");`;
  const [, loaded, created, afterGrant] = await heapSteps([grant, bundle, "grantCreate();", end]);
  return { loaded: loaded!, created: created!, afterGrant: afterGrant! };
}
