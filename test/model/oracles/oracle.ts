// The oracles by name: how often each looked, what it looks at (the device with its host, and the model of both), and a
// rule that did not hold.

import type { Bytes, Device } from "../../../core/index.ts";
import type { Ideal } from "../ideal/device.ts";
import type { Core } from "../subject.ts";

export const ORACLES = {
  commands: "what the host is told to do next, neither more nor less nor later",
  moves: "states, events and errors: as the model has them",
  requests: "every request's endpoint, target, body and bearer, one under way at a time",
  records: "every record's bytes, the slot it goes to, what is read and erased, in which order",
  frames: "every frame, and that there is none that changes nothing",
  wakeUps: "wakeIn: never later than something is due, and no waking without end",
  ranges: "bytes that a command handed out stay as they are until it is done",
  calls: "calls: what may begin, how each ends, what the host may read of it",
  clocks: "lifetimes and the interval, as far as the device tells them",
  memory: "nothing outside the memory, nothing left of what has ended, no number beyond 27 bits",
  capacities: "what a memory has room for",
  configurations: "what is refused as a configuration, and what is said of it",
  texts: "the scope of the tokens, as far as it has room",
  results: "what each function of the border answers",
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

/** What this model cannot tell: the sequence ends without a verdict. */
export class Unclear extends Error {}

export interface Scene {
  core: Core;
  device: Device;
  memory: Uint8Array;
  bytes: Bytes;
  ideal: Ideal;
  counts: Counts;
}

/** Two values have to be the same. */
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

/** Bytes of the memory as text, a character for each byte. */
export function textAt(memory: Uint8Array, from: number, size: number): string {
  return Buffer.from(memory.buffer, memory.byteOffset + from, Math.max(0, size)).toString("latin1");
}
