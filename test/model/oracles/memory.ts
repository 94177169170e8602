// Checks that accesses stay within the memory, that its values are bytes, and that numbers fit into 27 bits and a sign.

import { type Bytes, type Device, Field, Region } from "../../../core/index.ts";
import { Broken, holds, type Scene, same, textAt } from "./oracle.ts";

const MOST = 134_217_727;

/**
 * Wraps the memory. Throws on an access outside the memory, and when a stored value is not a byte. A typed array hides
 * such faults, but a plain array or C would not.
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
  /** The names of all properties, and the lengths of lists. After `create`, the core must not add any. */
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
    holds(scene, "memory", "the memory is another object", device.memory === scene.bytes);
    same(scene, "memory", "the names of properties", Object.keys(record).join(), this.#names);
    for (const [name, list, length] of this.#lists) {
      holds(scene, "memory", `${name} is another list`, record[name] === list);
      same(scene, "memory", `the length of ${name}`, list.length, length);
      for (const one of list) checkNumber(scene, name, one as number);
    }
    for (const name in record) {
      const value = record[name];
      if (value === undefined) holds(scene, "memory", `${name} is undefined`, false);
      if (typeof value === "number") checkNumber(scene, name, value);
    }
  }
}

function checkNumber(scene: Scene, name: string, value: number): void {
  const isInteger = Number.isInteger(value) && !Object.is(value, -0);
  const isSmall = isInteger && value >= -MOST - 1 && value <= MOST;
  if (!isSmall) holds(scene, "memory", `${name} is ${value}`, false);
}

// Checks that bytes which a command lends to the host do not change until the host is done.

export class RangeOracle {
  readonly #pinned = new Map<string, { from: number; size: number; text: string }>();

  pin(scene: Scene, name: string, from: number, size: number): void {
    if (size > 0) this.#pinned.set(name, { from, size, text: textAt(scene.memory, from, size) });
  }

  release(name: string): void {
    this.#pinned.delete(name);
  }

  check(scene: Scene): void {
    for (const [name, { from, size, text }] of this.#pinned) {
      same(scene, "ranges", `the range of ${name}`, textAt(scene.memory, from, size), text);
    }
  }
}

// Checks that the memory contains no secret that is no longer in use: token, code or verifier (core/SPEC.md, Regions).

/** Matches secrets that are long enough to be unique, with one byte for each character. */
const TELLING = /^[!-~]{12,}$/;

export class DiscardedOracle {
  readonly #had = new Set<string>();

  /** Call this only when no operation may still read the memory. */
  check(scene: Scene): void {
    const { deviceCode, accessToken, refreshToken, previousToken, verifier } = scene.ideal;
    const now = [deviceCode, accessToken, refreshToken, previousToken, verifier].filter(
      (secret): secret is string => secret !== undefined && TELLING.test(secret),
    );
    const ended = [...this.#had].filter((secret) => !now.some((one) => one.includes(secret)));
    if (ended.length > 0) {
      const memory = textAt(scene.memory, 0, scene.memory.length);
      for (const secret of ended) {
        const isGone = !memory.includes(secret);
        holds(
          scene,
          "memory",
          `${JSON.stringify(secret)} is no longer in use, but still in the memory`,
          isGone,
        );
        this.#had.delete(secret);
      }
    }
    for (const secret of now) this.#had.add(secret);
  }
}

// Checks capacities (core/SPEC.md, Memory; core/device/limits.ts).

const LONG_FROM_BYTES = 24_576;
/** `create` requires at least this many bytes for tokens, requests and records. */
const OUTPUT_LEAST = 512;

/** Finds the smallest memory for this configuration. With less, create must return null, and stay within the memory. */
export function checkLeastMemory(scene: Scene): void {
  const { core, ideal } = scene;
  const { config, memoryBytes } = ideal.settings;
  let [less, enough] = [0, memoryBytes];
  while (enough - less > 1) {
    const bytes = (less + enough) >> 1;
    if (core.create(new Uint8Array(bytes), config)) enough = bytes;
    else less = bytes;
  }
  for (const bytes of [less, less >> 1, less >> 2]) {
    const made = core.create(watchedMemory(new Uint8Array(bytes)), config);
    same(scene, "capacities", `a device in ${bytes} bytes`, made, null);
  }
  const { capacity } = core.create(new Uint8Array(enough), config)!;
  same(scene, "capacities", "the least capacity of OUTPUT", capacity[Region.OUTPUT], OUTPUT_LEAST);
}

export function checkCapacities(scene: Scene): void {
  const { device, memory, ideal } = scene;
  const { columns, rows } = ideal.settings.config;
  const isLong = memory.length >= LONG_FROM_BYTES;
  const [uri, complete] = isLong ? [512, 768] : [128, 176];
  const capacityOf = (region: number): number => device.capacity[region]!;
  const capacities: readonly (readonly [name: string, region: number, bytes: number])[] = [
    ["USER_CODE", Field.USER_CODE, columns],
    ["VERIFICATION_URI", Field.VERIFICATION_URI, uri],
    ["VERIFICATION_URI_COMPLETE", Field.VERIFICATION_URI_COMPLETE, complete],
    // A bundle of the grant alone has no calls, and so no place for a target.
    ["CALL", Region.CALL, "beginCall" in scene.core ? columns + uri + complete : -1],
    ["FRAME", Region.FRAME, columns * rows],
    ["STATUS", Region.STATUS, columns * (rows - 1)],
    ["SCOPE", Field.SCOPE, 164],
    ["ERROR", Field.ERROR, 40],
    // The output buffer has all bytes that the other regions leave free.
    ["OUTPUT", Region.OUTPUT, memory.length - device.start[Region.OUTPUT]!],
  ];
  for (const [name, region, bytes] of capacities) {
    same(scene, "capacities", `the capacity of ${name}`, capacityOf(region), bytes);
    const end = device.start[region]! + bytes;
    same(scene, "capacities", `${name} ends in the memory`, end <= memory.length, true);
  }
}
