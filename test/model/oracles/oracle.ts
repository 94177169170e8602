// What an oracle looks at: the device with its host, and the model of both.

import type { Bytes, Device } from "../../../core/index.ts";
import { Broken, type Counts, type Oracle } from "../broken.ts";
import type { Ideal } from "../ideal/device.ts";
import type { Core } from "../subject.ts";

export interface Scene {
  core: Core;
  device: Device;
  memory: Uint8Array;
  /** The memory as the device has it. */
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
