// Has what all oracles share: counts of their checks, the scene (core, device, memory and the ideal device), and the
// report of a violation.

import type { Bytes, Device } from "../../../core/index.ts";
import type { Ideal } from "../ideal/device.ts";
import type { Core } from "../subject.ts";

export const ORACLES = {
  commands: "the next command to the host: the right one, in time, and no extra one",
  moves: "states, events and errors",
  requests: "every request's endpoint, target, body and access token; one request at a time",
  records: "every record's bytes and slot, and the order of reads, writes and erases",
  frames: "every frame, and none without a change",
  wakeUps: "wakeIn: never too late, and no endless wake-ups",
  ranges: "bytes lent to the host do not change before its operation ends",
  calls: "calls: when one may start, its result, and what the host may read",
  clocks: "lifetimes and the interval, if the build exposes them",
  memory: "no access outside the memory, no old secret in it, no number beyond 27 bits",
  capacities: "the capacities for each size of memory",
  configurations: "which configurations are refused, and for which member",
  texts: "the scope of the tokens, if it fits",
  results: "the result of each function of the core API",
} as const;

export type Oracle = keyof typeof ORACLES;

export type Counts = Record<Oracle, number>;

export function noCounts(): Counts {
  const counts = {} as Counts;
  for (const name of Object.keys(ORACLES)) counts[name as Oracle] = 0;
  return counts;
}

export class Broken extends Error {
  constructor(
    readonly oracle: Oracle,
    readonly what: string,
  ) {
    super(`${oracle}: ${what}`);
  }
}

/** Thrown when the model cannot predict the result. The sequence then ends without a verdict. */
export class Unclear extends Error {}

export interface Scene {
  core: Core;
  device: Device;
  memory: Uint8Array;
  bytes: Bytes;
  ideal: Ideal;
  counts: Counts;
}

export function same(
  scene: Scene,
  oracle: Oracle,
  what: string,
  seen: unknown,
  right: unknown,
): void {
  scene.counts[oracle]++;
  if (seen !== right) throw new Broken(oracle, `${what} is ${show(seen)}, expected ${show(right)}`);
}

export function holds(scene: Scene, oracle: Oracle, what: string, isRight: boolean): void {
  scene.counts[oracle]++;
  if (!isRight) throw new Broken(oracle, what);
}

function show(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 400 ? `${text.slice(0, 400)}...` : text;
}

export function textAt(memory: Uint8Array, from: number, size: number): string {
  return Buffer.from(memory.buffer, memory.byteOffset + from, Math.max(0, size)).toString("latin1");
}
