// Sealed storages in one line, for the tests of sealing.

import { expect } from "vitest";
import type { Storage } from "../../platform/contracts.ts";
import { SeededEntropy } from "../../platform/fake/index.ts";
import { SealedStorage, type SealedStorageOptions } from "../../platform/sealed-storage.ts";

export const DEVICE_KEY = Uint8Array.from({ length: 32 }, (_, i) => i * 5 + 1);

let seeds = 100;
export function seal(storage: Storage, more: Partial<SealedStorageOptions> = {}): SealedStorage {
  const entropy = new SeededEntropy(seeds++);
  return new SealedStorage({ storage, entropy, deviceKey: DEVICE_KEY, ...more });
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export function put(
  storage: Storage,
  slot: number,
  record: string | Uint8Array,
): boolean | undefined {
  const bytes = typeof record === "string" ? bytesOf(record) : record;
  let answer: boolean | undefined;
  storage.write(slot, bytes, 0, bytes.length, (ok) => {
    answer = ok;
  });
  return answer;
}

/** The record as text, "" for an empty slot, -1 for an unreadable one. */
export function get(storage: Storage, slot: number): string | number | undefined {
  const into = new Uint8Array(storage.capacity);
  let answer: string | number | undefined;
  storage.read(slot, into, 0, into.length, (length) => {
    answer = length < 0 ? length : new TextDecoder().decode(into.subarray(0, length));
    // What was not handed out must not have been written into the caller's range either.
    if (length < 0) expect(into.every((byte) => byte === 0)).toBe(true);
  });
  return answer;
}

export function wipeSlot(storage: Storage, slot: number): boolean | undefined {
  let answer: boolean | undefined;
  storage.erase(slot, (ok) => {
    answer = ok;
  });
  return answer;
}
