// A QuickJS whose script can read the number of allocations so far (`counter[0]`).

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  newVariant,
  type QuickJSContext,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import { definePrint, evaluate, newModule, variants } from "../engines/catalogue.ts";
import { countCalls, pointerCell } from "./wasm-counter.ts";

const require = createRequire(import.meta.url);
const quickjsPackage = "@jitl/quickjs-wasmfile-release-sync";

export const countedEngines = {
  release: { name: "QuickJS", from: quickjsPackage },
  ng: { name: "QuickJS-ng", from: "@jitl/quickjs-ng-wasmfile-release-sync" },
} as const;
export type CountedName = keyof typeof countedEngines;

/** The name under which the WebAssembly module exports `malloc`, as its loader's script uses it. */
function mallocExport(from: string): string {
  const loader = readFileSync(require.resolve(`${from}/emscripten-module`), "utf8");
  const name = /_malloc=\w+\.(\w+)/.exec(loader)?.[1];
  if (!name) throw new Error(`${from}: its loader names no export of malloc`);
  return name;
}

function countedVariant(which: CountedName): QuickJSSyncVariant {
  const { from } = countedEngines[which];
  const wasm = readFileSync(require.resolve(`${from}/wasm`));
  return newVariant(variants[which], {
    wasmModule: new WebAssembly.Module(countCalls(wasm, mallocExport(from))),
  });
}

interface CountedEngine {
  readonly context: QuickJSContext;
  readonly runtime: QuickJSRuntime;
  readonly lines: string[];
  run(script: string, name: string): void;
  dispose(): void;
}

/** The initial bytes of `counterBuffer`. By these bytes, `pointTo` finds the buffer in the linear memory. */
const mark = new Uint8Array([...Array(16).keys()].map((index) => (index * 97 + 211) & 255));

/** Makes the patched malloc count in `counterBuffer`, and sets the count to 0. */
function pointTo(linear: WebAssembly.Memory): void {
  const memory = Buffer.from(linear.buffer);
  const at = memory.indexOf(mark);
  if (at < 0 || memory.indexOf(mark, at + 1) >= 0)
    throw new Error("the buffer is not found exactly once");
  if (memory.readUInt32LE(pointerCell) !== 0) throw new Error("the pointer's cell is in use");
  memory.fill(0, at, at + mark.length);
  memory.writeUInt32LE(at, pointerCell);
}

export async function newCountedEngine(which: CountedName = "release"): Promise<CountedEngine> {
  const module = await newModule(countedVariant(which));
  const runtime = module.newRuntime();
  const context = runtime.newContext();
  const lines: string[] = [];
  definePrint(context, lines);
  const buffer = context.newArrayBuffer(mark.slice().buffer);
  context.setProp(context.global, "counterBuffer", buffer);
  buffer.dispose();
  evaluate(context, "var counter = new Int32Array(counterBuffer);", "counter.js");
  pointTo(module.getWasmMemory());
  return {
    context,
    runtime,
    lines,
    run: (script, name) => evaluate(context, script, name),
    dispose: () => {
      context.dispose();
      runtime.dispose();
    },
  };
}
