// Counts what the core allocates while it runs here: V8's heap profiler records every allocation with the
// function that made it, and those of core/ are told from the rest of the process. The rest is the
// control: a counter that sees nothing at all would show 0 there, too.
//
// A function's first calls cost some bytes of V8's own (feedback, optimized code), which count here; what
// ships is counted on QuickJS, where there is no such thing (`npm run budgets`).

import { type HeapProfiler, Session } from "node:inspector";
import type { AllocationMeter, Allocations } from "./allocations.ts";
import { warmUp } from "./warm-up.ts";

/** A view wants figures ten times a second; profiles are taken less often. */
const PERIOD_MS = 1000;

const NONE: Allocations = { core: 0, others: 0 };

export class AllocationCounter implements AllocationMeter {
  readonly #session = new Session();
  #since = 0;
  #latest: Allocations = NONE;

  /** @param ours whether a file (as its URL) is the core's */
  constructor(
    private readonly ours = (url: string): boolean => /\/core\/[a-z0-9-]+\.ts$/.test(url),
  ) {}

  /** The figures of the last whole second; the first call starts the counting. */
  read(): Allocations {
    const now = performance.now();
    if (this.#since === 0) this.#begin();
    else if (now - this.#since < PERIOD_MS) return this.#latest;
    else this.#latest = this.take();
    this.#since = now;
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
    const isCore = this.ours(node.callFrame.url);
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
