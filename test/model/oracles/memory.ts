// The memory ends where it ends, and every number fits 27 bits and a sign.

import { holds, type Scene } from "./oracle.ts";

const GUARD_BYTES = 16;
const GUARD = 0xa5;
const MOST = 134_217_727;

/** A memory of `bytes`, and guards on both sides of it. */
export function guardedMemory(bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes + 2 * GUARD_BYTES).fill(GUARD);
  return whole.subarray(GUARD_BYTES, GUARD_BYTES + bytes);
}

export function checkMemory(scene: Scene): void {
  const { memory, device } = scene;
  const whole = new Uint8Array(memory.buffer);
  let isWhole = true;
  for (let at = 0; at < GUARD_BYTES; at++) {
    if (whole[at] !== GUARD || whole[whole.length - 1 - at] !== GUARD) isWhole = false;
  }
  holds(scene, "memory", "bytes beside the memory were written", isWhole);
  const record = device as unknown as Record<string, unknown>;
  for (const name in record) {
    const value = record[name];
    if (typeof value === "number") checkNumber(scene, name, value);
    else if (Array.isArray(value)) for (const one of value) checkNumber(scene, name, one as number);
  }
}

function checkNumber(scene: Scene, name: string, value: number): void {
  const isSmall = Number.isInteger(value) && value >= -MOST - 1 && value <= MOST;
  if (!isSmall) holds(scene, "memory", `${name} is ${value}`, false);
}
