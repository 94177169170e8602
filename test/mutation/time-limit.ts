// Runs a test and gives it up where it takes far longer than it used to: a mutant that never ends is
// noticed in the process it runs in, which need not be killed and started anew for it.

import { Script } from "node:vm";
import type { Test } from "./stand-in.ts";

/** For a test that has not been seen to end yet. */
const UNKNOWN_MS = 3000;
const FACTOR = 6;
const EXTRA_MS = 800;

export class TimeLimitReached extends Error {}

const holder = globalThis as { picograntTest?: () => unknown };
/** Only what a script calls can be stopped from outside, whatever it is at. */
const call = new Script("globalThis.picograntTest()");

function isTimeLimit(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

export class TimeLimits {
  /** The longest time that each test has taken. */
  private readonly longestMs = new Map<string, number>();

  /** Runs the test; what it throws is thrown, TimeLimitReached where it does not end. */
  async run(test: Test): Promise<void> {
    const startMs = performance.now();
    const usualMs = this.longestMs.get(test.name);
    const limitMs = usualMs === undefined ? UNKNOWN_MS : Math.ceil(FACTOR * usualMs + EXTRA_MS);
    holder.picograntTest = test.run;
    try {
      const result: unknown = call.runInThisContext({ timeout: limitMs });
      if (result instanceof Promise) await within(result, limitMs);
    } catch (error) {
      throw isTimeLimit(error) ? new TimeLimitReached(test.name) : error;
    }
    const spentMs = performance.now() - startMs;
    if (spentMs > (usualMs ?? 0)) this.longestMs.set(test.name, spentMs);
  }
}

async function within(result: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitReached()), limitMs);
  });
  try {
    await Promise.race([result, limit]);
  } finally {
    clearTimeout(timer);
  }
}
