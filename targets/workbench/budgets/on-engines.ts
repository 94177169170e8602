// A build on the native engines: the heap that it holds, and the time of a pending poll. The engines' hosts
// (targets/workbench/engines/*-host.c) count the bytes.

import { runCommand } from "../engines/catalogue.ts";
import { enginesFolder } from "../engines/install.ts";
import { borderNumbers } from "../engines/script.ts";
import type { NativeEngine } from "./allocations.ts";
import { guest } from "./guest.ts";

/** The fastest of so many runs counts, each of so many polls. */
const runs = 3;
const pollsPerRun = 100;

function run(engine: NativeEngine, scripts: readonly string[]): number {
  const home = enginesFolder + engine;
  const output = runCommand(`${home}/${engine}-host`, home, ...scripts);
  const figure = Number(output.trim().split("\n").at(-1));
  if (!Number.isFinite(figure)) throw new Error(`${engine}: ${output.slice(0, 300)}`);
  return figure;
}

/** Bytes that the core and one device hold, `create` given back; the device's memory is not counted. */
export function heapIn(engine: NativeEngine, code: string): number {
  return run(engine, [guest("config", "heap-before"), code, guest("heap-after")]);
}

/** Microseconds of the processor for a pending poll: the request made, its answer read, the frame drawn each second. */
export function pollTimeIn(engine: NativeEngine, code: string): number {
  const timing = `var fastest = 1e9;
    for (var run = 0; run < ${runs}; run++) {
      var began = cpuMicroseconds();
      pollCycles(${pollsPerRun}, 0);
      var took = cpuMicroseconds() - began;
      if (took < fastest) fastest = took;
    }
    print("" + fastest / ${pollsPerRun});`;
  return run(engine, [code, `${borderNumbers()}\n${guest("config", "polls")}`, timing]);
}
