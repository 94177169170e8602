// What every suite of the conformance tests is made of: named cases, the waiting for callbacks, and the
// checks that throw. Knows no contract.

import type { Bytes } from "../contracts.ts";

/** One rule. Independent of all other cases: it makes its own adapter. */
export interface ConformanceCase {
  /** The rule in words, the contract's name first. */
  readonly name: string;
  /** Resolves when the adapter keeps the rule, rejects with a Violation (or what the adapter threw). */
  run(): Promise<void>;
}

/** An adapter under test, and its surroundings; each case makes one. */
export interface Subject {
  /** Gives back what the adapter holds; called after each case. */
  dispose?: () => void | Promise<void>;
}

/** How a suite lets time pass: real time on a device, a manual clock for fakes. */
export interface Environment {
  /** Resolves when at least `ms` have passed (0: when whatever is due now had its turn). */
  wait(ms: number): Promise<void>;
}

/** A rule was broken; the message says which and how. */
export class Violation extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Violation";
  }
}

/** What came of a run. */
export interface ConformanceReport {
  /** Names of the cases that the adapter passes. */
  passed: string[];
  /** Those that it does not, each with what is wrong. */
  failed: { name: string; reason: string }[];
}

/** Runs cases one after the other; for hosts that have no test runner. */
export async function runConformance(
  cases: readonly ConformanceCase[],
): Promise<ConformanceReport> {
  const report: ConformanceReport = { passed: [], failed: [] };
  for (const { name, run } of cases) {
    try {
      await run();
      report.passed.push(name);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      report.failed.push({ name, reason });
    }
  }
  return report;
}

/** Throws a Violation unless the rule holds. */
export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Violation(otherwise);
}

/** How long, in the world's time, a callback may take before the suite gives up on it. */
const TIMEOUT_MS = 20_000;
/** How long the suite listens for a callback that must not come. */
export const SILENCE_MS = 25;

/** Waits until `ready`, looking often at first and rarely later. */
export async function eventually(
  environment: Environment,
  ready: () => boolean,
  what: string,
): Promise<void> {
  let stepMs = 0;
  for (let waitedMs = 0; !ready(); waitedMs += stepMs) {
    must(waitedMs <= TIMEOUT_MS, `${what}: nothing came within ${TIMEOUT_MS} ms`);
    await environment.wait(stepMs);
    stepMs = Math.min(stepMs + 1, 50);
  }
}

/** Starts an operation with one callback, waits for it and sees that it comes once only, also for so long behind it. */
export async function callOnce<T>(
  environment: Environment,
  what: string,
  start: (done: (value: T) => void) => void,
  silenceMs = 0,
): Promise<T> {
  const values: T[] = [];
  start((value) => values.push(value));
  await eventually(environment, () => values.length > 0, what);
  await environment.wait(silenceMs);
  must(values.length === 1, `${what}: called back ${values.length} times`);
  return values[0]!;
}

/** Bytes that depend on a seed, every value 0..255 among them from 256 bytes on. */
export function pattern(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = (i * 7 + (i >> 8) * 13 + seed * 31 + 5) & 0xff;
  return bytes;
}

/** Throws unless the bytes begin with all of `expected`. */
export function mustBegin(bytes: Bytes, expected: Bytes, what: string): void {
  for (let i = 0; i < expected.length; i++) {
    must(bytes[i] === expected[i], `${what}: byte ${i} is ${bytes[i]}, not ${expected[i]}`);
  }
}

/** What each rule in words asks of a subject. */
export type Rules<S> = Readonly<Record<string, (subject: S) => void | Promise<void>>>;

/** A contract's suite: a case for each rule, which makes a subject, uses it and always disposes of it. */
export function suite<S extends Subject>(contract: string, rules: Rules<S>) {
  return (make: () => S | Promise<S>): ConformanceCase[] =>
    Object.entries(rules).map(([rule, body]) => ({
      name: `${contract}: ${rule}`,
      async run() {
        const subject = await make();
        try {
          await body(subject);
        } finally {
          await subject.dispose?.();
        }
      },
    }));
}
