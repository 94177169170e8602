// The memory ends where it ends, its bytes are bytes, and every number fits 27 bits and a sign.

import type { Bytes } from "../../../core/index.ts";
import { Broken } from "../broken.ts";
import { holds, type Scene } from "./oracle.ts";

const MOST = 134_217_727;

/**
 * The same bytes, which notice what a typed array swallows: what is outside of it, and values that are no bytes. On a
 * plain array, or in C, that would be something else.
 */
export function watchedMemory(memory: Uint8Array): Bytes {
  const { length } = memory;
  const placeOf = (key: string | symbol): number => {
    const place = +(key as string);
    if (place >>> 0 === place && place < length) return place;
    throw new Broken("memory", `${String(key)} is outside of ${length} bytes`);
  };
  return new Proxy(memory, {
    get: (_, key) => (key === "length" ? length : memory[placeOf(key)]),
    set(_, key, value) {
      if ((value & 255) !== value) throw new Broken("memory", `${String(value)} is no byte`);
      memory[placeOf(key)] = value;
      return true;
    },
  });
}

export function checkMemory(scene: Scene): void {
  const { device } = scene;
  holds(scene, "memory", "the memory is another", device.memory === scene.bytes);
  const record = device as unknown as Record<string, unknown>;
  for (const name in record) {
    const value = record[name];
    if (typeof value === "number") checkNumber(scene, name, value);
    else if (Array.isArray(value)) for (const one of value) checkNumber(scene, name, one as number);
  }
}

function checkNumber(scene: Scene, name: string, value: number): void {
  const isInteger = Number.isInteger(value) && !Object.is(value, -0);
  const isSmall = isInteger && value >= -MOST - 1 && value <= MOST;
  if (!isSmall) holds(scene, "memory", `${name} is ${value}`, false);
}
