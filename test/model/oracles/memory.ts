// The memory ends where it ends, its bytes are bytes, and every number fits 27 bits and a sign.

import type { Bytes, Device } from "../../../core/index.ts";
import { Broken, holds, type Scene, same } from "./oracle.ts";

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

type Properties = Record<string, unknown>;

export class MemoryOracle {
  /** All properties that there are, and the lists among them with their lengths: nothing is made later. */
  readonly #names: string;
  readonly #lists: readonly (readonly [name: string, list: unknown[], length: number])[];

  constructor(device: Device) {
    const record = device as unknown as Properties;
    this.#names = Object.keys(record).join();
    this.#lists = Object.entries(record)
      .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
      .map(([name, list]) => [name, list, list.length]);
  }

  check(scene: Scene): void {
    const { device } = scene;
    const record = device as unknown as Properties;
    holds(scene, "memory", "the memory is another", device.memory === scene.bytes);
    same(scene, "memory", "the names of properties", Object.keys(record).join(), this.#names);
    for (const [name, list, length] of this.#lists) {
      holds(scene, "memory", `${name} is another list`, record[name] === list);
      same(scene, "memory", `the length of ${name}`, list.length, length);
      for (const one of list) checkNumber(scene, name, one as number);
    }
    for (const name in record) {
      const value = record[name];
      if (value === undefined) holds(scene, "memory", `${name} is nothing`, false);
      if (typeof value === "number") checkNumber(scene, name, value);
    }
  }
}

function checkNumber(scene: Scene, name: string, value: number): void {
  const isInteger = Number.isInteger(value) && !Object.is(value, -0);
  const isSmall = isInteger && value >= -MOST - 1 && value <= MOST;
  if (!isSmall) holds(scene, "memory", `${name} is ${value}`, false);
}
