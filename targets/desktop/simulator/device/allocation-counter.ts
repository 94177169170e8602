// Counts what the core allocates while it runs here: V8's heap profiler records every allocation with the
// function that made it, and those of core/ are told from the rest of the process. The rest is the
// control: a counter that sees nothing at all would show 0 there, too.
//
// V8's own bytes for a function (feedback at its first calls, optimized code now and then) count here, too: the core
// is warmed up first, and what ships is counted on QuickJS, where there is no such thing (`npm run budgets`).

import { type HeapProfiler, Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import type { AllocationMeter, Allocations } from "./allocations.ts";
import { warmUp } from "./warm-up.ts";

/** A view wants figures ten times a second; profiles are taken less often. */
const PERIOD_MS = 1000;

const NONE: Allocations = { core: 0, others: 0 };

/** Not by its name alone: a checkout may stand in a folder of that name. In the package the core has this folder, too. */
const CORE = new URL("../../../../core/", import.meta.url);
const CORE_PATH = fileURLToPath(CORE);

/** Whether a file, as its URL or as the path that a runner of tests gives it, is the core's. */
export function isOfCore(url: string): boolean {
  return (url.startsWith(CORE.href) || url.startsWith(CORE_PATH)) && /\.[jt]s$/.test(url);
}

export class AllocationCounter implements AllocationMeter {
  readonly #session = new Session();
  #since = 0;
  #latest: Allocations = NONE;

  readonly #ours: (url: string) => boolean;
  readonly #nowMs: () => number;

  /** @param ours whether a file (as its URL) is the core's */
  constructor(ours = isOfCore, nowMs = (): number => performance.now()) {
    this.#ours = ours;
    this.#nowMs = nowMs;
  }

  /** The figures of the last whole second; the first call starts the counting. */
  read(): Allocations {
    if (this.#since === 0) this.#begin();
    else if (this.#nowMs() - this.#since < PERIOD_MS) return this.#latest;
    else this.#latest = this.take();
    this.#since = this.#nowMs();
    return this.#latest;
  }

  /** What was allocated since the last take. */
  take(): Allocations {
    const head = this.#profile();
    this.#session.post("HeapProfiler.stopSampling");
    this.#sample();
    return head ? this.#sum(head) : NONE;
  }

  /** Does not count until the next read. */
  pause(): void {
    if (this.#since === 0) return;
    this.close();
    this.#latest = NONE;
  }

  /** Ends the counting, which slows the process down. */
  close(): void {
    this.#session.disconnect();
    this.#since = 0;
  }

  #begin(): void {
    // V8 forgets the code of functions that rest for a while; making it again would pass for the core's.
    setFlagsFromString("--no-flush-bytecode");
    warmUp();
    this.#session.connect();
    this.#session.post("HeapProfiler.enable");
    this.#sample();
  }

  #sample(): void {
    // Every single byte, garbage included.
    const everything = {
      samplingInterval: 1,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    };
    this.#session.post("HeapProfiler.startSampling", everything);
  }

  /** The session is this thread's own: it answers before post returns. */
  #profile(): HeapProfiler.SamplingHeapProfileNode | undefined {
    let head: HeapProfiler.SamplingHeapProfileNode | undefined;
    this.#session.post("HeapProfiler.getSamplingProfile", (error, result) => {
      if (!error) head = result.profile.head;
    });
    return head;
  }

  #sum(node: HeapProfiler.SamplingHeapProfileNode): Allocations {
    const { functionName, url } = node.callFrame;
    const isCore = this.#ours(url);
    const isCreate = functionName === "create" || url.endsWith("/loop/create.ts");
    // What the device is given once, when it is switched on: afterwards nothing more may come.
    if (isCore && isCreate) return { core: 0, others: wholeOf(node) };
    let core = isCore ? node.selfSize : 0;
    let others = isCore ? 0 : node.selfSize;
    for (const child of node.children) {
      const below = this.#sum(child);
      core += below.core;
      others += below.others;
    }
    return { core, others };
  }
}

function wholeOf({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + wholeOf(child), selfSize);
}
