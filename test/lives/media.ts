// What the two slots of a life are made of: what can be torn in them, and how. Plain memory is here; files have
// a room of their own. When something is written, torn or rots is slots.ts's to say.

import type { Bytes, Storage } from "../../platform/contracts.ts";
import type { Roll } from "./dice.ts";

/** Holds two records over every loss of power. An empty record stands for an erased slot. */
export interface Medium {
  readonly capacity: number;
  /**
   * What a slot reads as at this moment, for whoever judges; empty where there is nothing whole. The bytes of
   * an array that was given are never changed again: what is another record is another array.
   */
  peek(slot: number): Uint8Array;
  /** What the device's own adapter reads; undefined where it cannot. */
  get(slot: number): Uint8Array | undefined;
  /** Writes or erases, whole and durable; false where what has rotted does not take it. */
  put(slot: number, record: Uint8Array): boolean;
  /** Writes or erases, but not to the end: the power goes (`isCut`), or the driver gives up. */
  tear(slot: number, record: Uint8Array, roll: Roll, isCut: boolean): void;
  /** Flips bits of a slot; false where there is nothing to flip. */
  rot(slot: number, roll: Roll): boolean;
  /** Power comes: adapters are made anew. */
  powerOn(): void;
  /** Every byte that somebody with the medium in hand could read. */
  raw(): Uint8Array;
  /** What must hold of the medium itself. @throws Violation */
  check(): void;
  /** The life is over. */
  dispose(): void;
}

export const NOTHING = new Uint8Array(0);
/** What is written together until a sync makes the order certain. */
const SECTOR_BYTES = 16;

/** Two arrays. What a cut leaves in them is worse than any real medium. */
export class MemoryMedium implements Medium {
  readonly capacity = 2048;
  readonly contents: [Uint8Array, Uint8Array] = [NOTHING, NOTHING];

  peek(slot: number): Uint8Array {
    return this.contents[slot as 0 | 1];
  }

  get(slot: number): Uint8Array {
    return this.peek(slot);
  }

  put(slot: number, record: Uint8Array): boolean {
    this.contents[slot as 0 | 1] = record;
    return true;
  }

  tear(slot: number, record: Uint8Array, roll: Roll): void {
    this.contents[slot as 0 | 1] = torn(this.peek(slot), record, roll);
  }

  /** The first `bytes` of the write or erase have happened. */
  cutAfter(slot: number, record: Uint8Array, bytes: number): void {
    this.contents[slot as 0 | 1] = prefix(this.peek(slot), record, bytes);
  }

  rot(slot: number, roll: Roll): boolean {
    const rotten = this.peek(slot).slice();
    if (rotten.length === 0) return false;
    flipBits(rotten, roll);
    this.contents[slot as 0 | 1] = rotten;
    return true;
  }

  powerOn(): void {}

  raw(): Uint8Array {
    return Buffer.concat(this.contents);
  }

  check(): void {}

  dispose(): void {}
}

/** One to four bits, anywhere. */
export function flipBits(bytes: Uint8Array, roll: Roll): void {
  for (let flips = 1 + roll.below(4); flips > 0; flips--) {
    bytes[roll.below(bytes.length)]! ^= 1 << roll.below(8);
  }
}

/** The record in a slot of an adapter that answers at once; undefined where it cannot be read. */
export function recordIn(storage: Storage, slot: number): Uint8Array | undefined {
  const scratch = new Uint8Array(storage.capacity);
  let length = 0;
  storage.read(slot, scratch as Bytes, 0, scratch.length, (result) => {
    length = result;
  });
  return length < 0 ? undefined : scratch.slice(0, length);
}

/** Writes or erases through an adapter that answers at once; what it said. */
export function putInto(storage: Storage, slot: number, record: Uint8Array): boolean {
  let result = false;
  const done = (ok: boolean): void => {
    result = ok;
  };
  if (record.length > 0) storage.write(slot, record, 0, record.length, done);
  else storage.erase(slot, done);
  return result;
}

/** First `bytes` new, then what was there; an erase goes over the old record with 0xff. */
function prefix(old: Uint8Array, fresh: Uint8Array, bytes: number): Uint8Array {
  const over = fresh.length > 0 ? fresh : new Uint8Array(old.length).fill(0xff);
  if (bytes >= over.length) return fresh;
  const result = new Uint8Array(Math.max(old.length, bytes));
  result.set(old);
  result.set(over.subarray(0, bytes));
  return result;
}

/** What a slot holds after a cut: old, new, or one of the mixtures that real memories leave. */
function torn(old: Uint8Array, fresh: Uint8Array, roll: Roll): Uint8Array {
  const longest = Math.max(old.length, fresh.length);
  switch (roll.below(6)) {
    case 0:
      return old;
    case 1:
      return fresh;
    case 2:
      // A file that was cut to nothing, or an erased block that was written partly.
      return fresh.slice(0, roll.below(fresh.length + 1));
    case 3: {
      const erased = new Uint8Array(longest).fill(0xff);
      erased.set(fresh.subarray(0, roll.below(fresh.length + 1)));
      return erased;
    }
    case 4: {
      // Sectors in any order until the sync; the length is the new one's or the old one's.
      const mixed = new Uint8Array(longest);
      mixed.set(old);
      for (let at = 0; at < fresh.length; at += SECTOR_BYTES) {
        if (roll.chance(0.5)) mixed.set(fresh.subarray(at, at + SECTOR_BYTES), at);
      }
      return roll.chance(0.5) ? mixed.slice(0, fresh.length) : mixed;
    }
    default:
      return prefix(old, fresh, roll.below(longest + 1));
  }
}
