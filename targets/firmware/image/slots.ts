// Two slots and the boot record (FORMAT.md): which image runs, what becomes of one that does not reach
// its first tick, and that nothing older than the newest good one runs. The same rules as boot.c; files
// are behind SlotStore.

import {
  type BootRecord,
  decodeRecord,
  encodeRecord,
  NO_SLOT,
  newRecord,
  nextSequence,
  RECORD_BYTES,
  type Slot,
  TRIES,
} from "./boot-record.ts";
import { checkImage, type Image, type Requirements } from "./check.ts";
import { IMAGE_BYTES_MAX, type Refusal } from "./format.ts";

export type StoreFile = "slot-a.img" | "slot-b.img" | "boot";

/** Where slots and record are. */
export interface SlotStore {
  /**
   * Reads a file from its beginning, `limit` bytes at the most.
   * @returns undefined where there is none
   * @throws Error where it cannot be read
   */
  read(name: StoreFile, limit: number): Uint8Array | undefined;
  /**
   * Replaces a file as a whole and durably: whenever the power goes, the old content is there or the new.
   * @throws Error where that failed
   */
  replace(name: StoreFile, bytes: Uint8Array): void;
}

/** `none`: there is no image in the slot, or in either. `unreadable`: the store could not read it. */
export type BootRefusal = Refusal | "none" | "unreadable";

const FILES: readonly [StoreFile, StoreFile] = ["slot-a.img", "slot-b.img"];
const SLOTS: readonly Slot[] = [0, 1];

export class Slots {
  private readonly store: SlotStore;
  private readonly requirements: Requirements;
  private readonly limit: number;
  private readonly known: boolean;
  private readonly record: BootRecord;
  private running: { slot: Slot; counter: number } | undefined;

  /**
   * Reads the boot record.
   * @param requirements `counterMin` is the floor of the hardware, 0 where there is none
   */
  constructor(store: SlotStore, requirements: Requirements) {
    this.store = store;
    this.requirements = requirements;
    this.limit = requirements.limit ?? IMAGE_BYTES_MAX;
    // A record that cannot be read counts as none: the slots may still be right.
    const found = decodeRecord(this.read("boot", RECORD_BYTES + 1) ?? new Uint8Array(0));
    this.known = found !== undefined;
    this.record = found ?? newRecord();
  }

  /**
   * Checks an image, writes it into the slot that is not the good one, and makes that the trial. Whoever
   * calls restarts the device.
   * @returns the refusal, or undefined where it is installed
   * @throws Error of the store; the device starts with what it had then
   */
  install(bytes: Uint8Array): Refusal | undefined {
    const image = this.check(bytes);
    if (typeof image === "string") return image;
    const { record } = this;
    const kept = this.keptSlot();
    if (kept !== undefined) record.good = kept;
    const slot: Slot = kept === 0 ? 1 : 0;
    if (record.trial === slot) {
      // The record must not name a slot that is being written.
      record.trial = NO_SLOT;
      record.tries = 0;
      this.writeRecord();
    }
    this.store.replace(FILES[slot], bytes);
    record.trial = slot;
    record.tries = TRIES;
    this.writeRecord();
    return undefined;
  }

  /**
   * Chooses what to run: the trial while it has tries left, one of which is taken away first; then the
   * last good image; then any valid one.
   * @returns the checked image, or the refusal of the one that should have run
   * @throws Error of the store
   */
  choose(): Image | BootRefusal {
    const trial = this.tryTrial();
    if (typeof trial !== "string") return trial;
    const { good } = this.record;
    const slot = good === NO_SLOT ? (this.bestSlot() ?? 0) : good;
    const first = this.run(slot);
    if (typeof first !== "string") return first;
    // Whatever is valid in the other slot is better than a device that does not start.
    const second = this.run(slot === 0 ? 1 : 0);
    return typeof second !== "string" || first === "none" ? second : first;
  }

  /**
   * The chosen image has completed its first tick: it is the good one from now on, and older counters are
   * refused. A second call does nothing.
   * @throws Error of the store
   */
  firstTick(): void {
    const { record, running } = this;
    if (running === undefined) return;
    this.running = undefined;
    // Not below the record's: it would have been refused.
    const { counter } = running;
    const { good, trial } = record;
    if (this.known && good === running.slot && trial === NO_SLOT && counter === record.counter)
      return;
    Object.assign(record, { good: running.slot, trial: NO_SLOT, tries: 0, counter });
    this.writeRecord();
  }

  private tryTrial(): Image | BootRefusal {
    const { record } = this;
    if (record.trial === NO_SLOT) return "none";
    if (record.tries > 0) {
      record.tries--;
      // Recorded first: an image that takes the device down has had its try.
      this.writeRecord();
      const image = this.run(record.trial);
      if (typeof image !== "string") return image;
    }
    record.trial = NO_SLOT;
    record.tries = 0;
    this.writeRecord();
    return "none";
  }

  private run(slot: Slot): Image | BootRefusal {
    const image = this.checkSlot(slot);
    if (typeof image !== "string") this.running = { slot, counter: image.counter };
    return image;
  }

  /** What an installation must leave alone; undefined where neither slot can run. */
  private keptSlot(): Slot | undefined {
    const { good } = this.record;
    return good === NO_SLOT ? this.bestSlot() : good;
  }

  /** The valid slot with the higher counter, A where they are equal. */
  private bestSlot(): Slot | undefined {
    let best: { slot: Slot; counter: number } | undefined;
    for (const slot of SLOTS) {
      const image = this.checkSlot(slot);
      if (typeof image === "string") continue;
      if (best === undefined || image.counter > best.counter)
        best = { slot, counter: image.counter };
    }
    return best?.slot;
  }

  private checkSlot(slot: Slot): Image | BootRefusal {
    const bytes = this.read(FILES[slot], this.limit + 1);
    if (bytes === undefined) return "none";
    return bytes === null ? "unreadable" : this.check(bytes);
  }

  /** `null` where it cannot be read: that must not keep the other slot from running. */
  private read(name: StoreFile, limit: number): Uint8Array | undefined | null {
    try {
      return this.store.read(name, limit);
    } catch {
      return null;
    }
  }

  private check(bytes: Uint8Array): Image | Refusal {
    const counterMin = Math.max(this.record.counter, this.requirements.counterMin);
    return checkImage(bytes, { ...this.requirements, counterMin });
  }

  private writeRecord(): void {
    this.record.sequence = nextSequence(this.record.sequence);
    this.store.replace("boot", encodeRecord(this.record));
  }
}
