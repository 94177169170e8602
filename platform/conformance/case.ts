// The common parts of the conformance suites: named cases, waiting for callbacks, and checks that throw.

import type { Bytes } from "../contracts.ts";

/** A case tests one rule. It creates its own adapter, so it does not depend on other cases. */
export interface ConformanceCase {
  /** The rule, preceded by the contract's name. */
  readonly name: string;
  /** Resolves if the adapter satisfies the rule. Otherwise rejects with a Violation or the adapter's exception. */
  run(): Promise<void>;
}

/** An adapter under test; each case creates one. */
export interface Subject {
  /** Releases the adapter's resources; called after each case. */
  dispose?: () => void | Promise<void>;
}

/** How a suite advances time: real time on a device, a manual clock for test adapters. */
export interface Environment {
  /** Resolves after at least `ms` milliseconds. With 0, it resolves after everything that is due now has run. */
  wait(ms: number): Promise<void>;
}

/** A violated rule; the message describes it. */
export class Violation extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Violation";
  }
}

/** The result of a run. */
export interface ConformanceReport {
  passed: string[];
  failed: { name: string; reason: string }[];
}

/** Runs cases one after the other, for hosts without a test runner. */
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

export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Violation(otherwise);
}

const TIMEOUT_MS = 20_000;
/** How long the suite waits to see that no further callback comes. */
export const SILENCE_MS = 25;

/** Waits until `ready`, with growing pauses between checks. */
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

/** Starts an operation with a callback, waits for the callback, and checks that it comes only once. */
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

/** Returns bytes derived from a seed; from 256 bytes on, all values occur. */
export function pattern(length: number, seed: number): Uint8Array {
  return new Uint8Array(length).map((_, i) => i * 7 + (i >> 8) * 13 + seed * 31 + 5);
}

/** Throws unless the first bytes are `expected`. */
export function mustBegin(bytes: Bytes, expected: Bytes, what: string): void {
  for (let i = 0; i < expected.length; i++) {
    must(bytes[i] === expected[i], `${what}: byte ${i} is ${bytes[i]}, not ${expected[i]}`);
  }
}

/** The rules of a contract by name. Each function tests one rule with a subject. */
export type Rules<S> = Readonly<Record<string, (subject: S) => void | Promise<void>>>;

/** Returns a contract's suite: a case for each rule, which creates a subject, uses it and always disposes of it. */
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
