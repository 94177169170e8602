// A memory that notices what a typed array swallows: accesses outside of it and values that are no
// bytes, which on a plain array or in C would be something else. Where the core's text is at hand,
// watched-core.ts does the same much faster.

import type { Bytes, Device } from "../../core/complete.ts";
import { Violation } from "./violation.ts";

const INTEGER_MAX = 134_217_727;
const INTEGER_MIN = -134_217_728;

/** The same bytes behind a guard. */
export function watchedMemory(memory: Uint8Array): Bytes {
  return new Proxy(memory, {
    get(target, key) {
      if (key === "length") return target.length;
      const index = Number(String(key));
      if (!(index >= 0 && index < target.length)) {
        throw new Violation("arena", `read at ${String(key)} of ${target.length}`);
      }
      return target[index];
    },
    set(target, key, value) {
      const index = Number(String(key));
      if (!(index >= 0 && index < target.length)) {
        throw new Violation("arena", `write at ${String(key)} of ${target.length}`);
      }
      if (!Number.isInteger(value) || value < 0 || value > 255) {
        throw new Violation("arena", `the value ${String(value)} was written as a byte`);
      }
      target[index] = value;
      return true;
    },
  });
}

/** Whether the last bytes are as they were made. */
export function guardIsIntact(memory: Uint8Array, bytes: number): boolean {
  for (let at = memory.length - bytes; at < memory.length; at++) {
    if (memory[at] !== 0xa5) return false;
  }
  return true;
}

/** Every number of the device at this moment. */
export function checkIntegers(device: Device): void {
  const record = device as unknown as Record<string, unknown>;
  for (const name in record) {
    const value = record[name];
    if (typeof value === "number") check(name, value);
    else if (Array.isArray(value)) for (const one of value) check(name, one as number);
  }
}

function check(name: string, value: number): void {
  if (
    !Number.isInteger(value) ||
    value > INTEGER_MAX ||
    value < INTEGER_MIN ||
    Object.is(value, -0)
  ) {
    throw new Violation("small-integers", `${name} is ${value}`);
  }
}
