// A storage in memory: two slots, callbacks at once or later, counted operations, failures and power cuts on demand.

import type { Bytes, Storage } from "../contracts.ts";
import type { ManualClock } from "./clock.ts";

/** Options of `MemoryStorage`. */
export interface MemoryStorageOptions {
  /** Largest record in bytes; default 2048. */
  capacity?: number;
  clock?: ManualClock;
  /** Milliseconds until an operation is done. Without it, callbacks come before the call returns. */
  delayMs?: number;
}

/** A storage in memory. It throws if the caller violates the contract, and records the violations. */
export class MemoryStorage implements Storage {
  readonly capacity: number;
  readonly counts = { reads: 0, writes: 0, erases: 0 };
  readonly violations: string[] = [];
  /** Return true to make an operation on a slot fail (`read` reports -1, the others `false`). */
  failWhen: (operation: "read" | "write" | "erase", slot: number) => boolean = () => false;
  readonly #options: MemoryStorageOptions;
  readonly #slots: [Uint8Array, Uint8Array] = [new Uint8Array(0), new Uint8Array(0)];
  #busy = false;
  #dead = false;
  #cutAtByte = -1;

  constructor(options: MemoryStorageOptions = {}) {
    this.#options = options;
    this.capacity = options.capacity ?? 2048;
  }

  /** Returns a copy of a slot's content; empty for an empty slot. */
  peek(slot: number): Uint8Array {
    return this.#slot(slot).slice();
  }

  /** Replaces the content of a slot. */
  poke(slot: number, bytes: Uint8Array): void {
    this.#slot(slot);
    this.#slots[slot as 0 | 1] = bytes.slice();
  }

  /** Returns a copy with the same content, and counts at 0: the same flash in a restarted device. */
  clone(options: MemoryStorageOptions = this.#options): MemoryStorage {
    const twin = new MemoryStorage({ capacity: this.capacity, ...options });
    twin.poke(0, this.#slots[0]);
    twin.poke(1, this.#slots[1]);
    return twin;
  }

  /**
   * Cuts the power during the next write or erase, after `bytes` bytes. The slot then has these new bytes, followed by
   * the rest of the old record, or the whole new record if it is shorter than `bytes`. There is no callback. `clone`
   * returns the storage after the restart.
   */
  cutNextWriteAt(bytes: number): void {
    this.#cutAtByte = bytes;
  }

  /** Whether the power was cut. After that, no operation calls back. */
  get dead(): boolean {
    return this.#dead;
  }

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    const record = this.#begin(slot);
    this.counts.reads++;
    const fails = this.failWhen("read", slot) || record.length > to - from;
    this.#later(() => {
      if (!fails) for (let i = 0; i < record.length; i++) into[from + i] = record[i]!;
      done(fails ? -1 : record.length);
    });
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    if (to - from > this.capacity) this.#violate(`record of ${to - from} bytes is over capacity`);
    this.#begin(slot);
    this.counts.writes++;
    const copy = new Uint8Array(to - from);
    for (let i = from; i < to; i++) copy[i - from] = bytes[i]!;
    this.#replace("write", slot, copy, (ok) => {
      if (!copy.every((byte, i) => byte === bytes[from + i])) {
        this.#violate("bytes changed while their write was under way");
      }
      done(ok);
    });
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    this.#begin(slot);
    this.counts.erases++;
    this.#replace("erase", slot, new Uint8Array(0), done);
  }

  #replace(
    operation: "write" | "erase",
    slot: number,
    content: Uint8Array,
    done: (ok: boolean) => void,
  ): void {
    const cut = this.#cutAtByte;
    if (cut >= 0) {
      this.#dead = true;
      this.#slots[slot as 0 | 1] = tornContent(this.#slot(slot), content, cut);
      return;
    }
    const ok = !this.failWhen(operation, slot);
    this.#later(() => {
      if (ok) this.#slots[slot as 0 | 1] = content;
      done(ok);
    });
  }

  #begin(slot: number): Uint8Array {
    const record = this.#slot(slot);
    if (this.#busy) this.#violate("a second operation while one is under way");
    this.#busy = true;
    return record;
  }

  #later(run: () => void): void {
    const finish = (): void => {
      // After a power cut, the device receives no result of the operation in progress.
      if (this.#dead) return;
      this.#busy = false;
      run();
    };
    if (this.#dead) return;
    const { clock, delayMs } = this.#options;
    if (clock === undefined || delayMs === undefined) finish();
    else clock.after(delayMs, finish);
  }

  #slot(slot: number): Uint8Array {
    if (slot !== 0 && slot !== 1) this.#violate(`no slot ${slot}`);
    return this.#slots[slot as 0 | 1];
  }

  #violate(what: string): never {
    this.violations.push(what);
    throw new Error(`memory storage: ${what}`);
  }
}

/** The content after a power cut (see `cutNextWriteAt`). An erase overwrites the old record with 0xff, as flash does. */
function tornContent(old: Uint8Array, fresh: Uint8Array, cut: number): Uint8Array {
  const over = fresh.length > 0 ? fresh : new Uint8Array(old.length).fill(0xff);
  if (cut > over.length) return fresh;
  const torn = new Uint8Array(Math.max(old.length, cut));
  torn.set(old);
  torn.set(over.subarray(0, cut));
  return torn;
}
