// Runs a test and gives it up where it takes far longer than it used to: a mutant that never ends is
// noticed in the process it runs in, which need not be killed and started anew for it.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Script } from "node:vm";
import type { LeftBehind } from "./left-behind.ts";
import type { Test } from "./stand-in.ts";

/** For a test in the first run, which is much slower than all others, or that the first run does not know. */
const UNKNOWN_MS = 60_000;
const FACTOR = 4;
const EXTRA_MS = 1000;
const AGAIN_FACTOR = 2;
/** Few tests take as long, and they take most of the time of all. */
const LONG_MS = 150;
/** For what stands behind a test that was given up. */
const ABANDON_MS = 2000;
/** In the folder of the run, from the process of the first run for all others. */
const FILE = "usual-times.json";

export class TimeLimitReached extends Error {}

/** The process had something to do all the time. */
class BusyTooLong extends TimeLimitReached {}

const holder = globalThis as { picograntTest?: () => unknown };
/** Only what a script calls can be stopped from outside, whatever it is at. */
const call = new Script("globalThis.picograntTest()");

function isTimeLimit(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

export class TimeLimits {
  readonly #leftBehind: LeftBehind;
  /** What each test took in the first run, which is slower than all others. */
  #usualMs: Map<string, number> | undefined;

  constructor(leftBehind: LeftBehind) {
    this.#leftBehind = leftBehind;
  }

  /** Tells all processes how long the tests of the first run took. */
  save(timesMs: ReadonlyMap<string, number>): void {
    writeFileSync(FILE, JSON.stringify([...timesMs]));
  }

  /** Runs the test without a mutant, in the first run: what it throws is thrown. */
  async runFirst(test: Test): Promise<void> {
    const result = test.run();
    if (result instanceof Promise) await within(this.#leftBehind.faultsOf(result), UNKNOWN_MS);
  }

  /** Runs the test; what it throws is thrown, TimeLimitReached where it does not end. */
  async run(test: Test): Promise<void> {
    try {
      await this.#tryOnce(test, 1);
    } catch (error) {
      if (error instanceof TimeLimitReached) await abandon(test);
      if (!(error instanceof BusyTooLong)) throw error;
      // Others may have had the machine: what never ends does not end in much more time either.
      await this.#tryOnce(test, AGAIN_FACTOR);
    }
  }

  /** Whether the test took long in the first run; false while that is not over. */
  isLong(name: string): boolean {
    return (this.#usual(name) ?? 0) > LONG_MS;
  }

  #usual(name: string): number | undefined {
    if (!this.#usualMs && existsSync(FILE)) {
      this.#usualMs = new Map(JSON.parse(readFileSync(FILE, "utf8")) as [string, number][]);
    }
    return this.#usualMs?.get(name);
  }

  async #tryOnce(test: Test, factor: number): Promise<void> {
    const usualMs = this.#usual(test.name);
    const onceMs = usualMs === undefined ? UNKNOWN_MS : Math.ceil(FACTOR * usualMs + EXTRA_MS);
    const limitMs = factor * onceMs;
    holder.picograntTest = test.run;
    try {
      const result: unknown = call.runInThisContext({ timeout: limitMs });
      if (result instanceof Promise) await within(this.#leftBehind.faultsOf(result), limitMs);
    } catch (error) {
      throw isTimeLimit(error) ? new BusyTooLong(test.name) : error;
    }
  }
}

async function abandon(test: Test): Promise<void> {
  try {
    const result = test.abandon();
    if (result instanceof Promise) await within(result, ABANDON_MS);
  } catch {
    // What stood before it may not have been done.
  }
}

async function within(result: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitReached("it does not end")), limitMs);
  });
  try {
    await Promise.race([result, limit]);
  } finally {
    clearTimeout(timer);
  }
}
