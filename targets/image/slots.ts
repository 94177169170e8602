// Two slots and the boot record (FORMAT.md): which image runs, what becomes of one that is not confirmed,
// and that nothing older than the newest confirmed one runs. The same rules as boot.c; files are behind
// SlotStore. Whatever changes the record takes the lock and reads it again first: what another program
// has written in the meantime is never undone.

import {
  type BootRecord,
  decodeRecord,
  encodeRecord,
  isNewer,
  NO_SLOT,
  newRecord,
  nextSequence,
  RECORD_BYTES,
  type Slot,
  TRIES,
} from "./boot-record.ts";
import { checkImage, type Image, orderOf, type Requirements, readHeader } from "./check.ts";
import { Flag, HEADER_BYTES, IMAGE_BYTES_MAX, type Refusal } from "./format.ts";

export type StoreFile = "slot-a.img" | "slot-b.img" | "boot-0" | "boot-1";

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
   * @throws Error where that failed; the old content is there then, or the new one undurably
   */
  replace(name: StoreFile, bytes: Uint8Array): void;
  /**
   * Keeps other programs from writing.
   * @returns false where another one is at it
   * @throws Error where there is no telling
   */
  lock(): boolean;
  unlock(): void;
}

/**
 * `none`: there is no image in the slot, or in either. `unreadable`: the store could not read it.
 * `busy`: another program is writing.
 */
export type BootRefusal = Refusal | "none" | "unreadable" | "busy";

const FILES: readonly [StoreFile, StoreFile] = ["slot-a.img", "slot-b.img"];
const COPIES: readonly [StoreFile, StoreFile] = ["boot-0", "boot-1"];
const SLOTS: readonly Slot[] = [0, 1];

export class Slots {
  /** Why the last choice could not be recorded; what runs then is not the trial. */
  unwritten: string | undefined;
  private readonly store: SlotStore;
  private readonly requirements: Requirements;
  private readonly limit: number;
  private record = newRecord();
  /** The copy that the record is from; undefined where there is none. */
  private copy: Slot | undefined;
  private running: { slot: Slot; image: Image } | undefined;

  /** @param requirements `counterMin` is the floor of the hardware, 0 where there is none */
  constructor(store: SlotStore, requirements: Requirements) {
    this.store = store;
    this.requirements = requirements;
    this.limit = requirements.limit ?? IMAGE_BYTES_MAX;
  }

  /**
   * Checks an image, writes it into the slot that is not to be kept, and makes that the trial. Whoever
   * calls restarts the device.
   * @returns the refusal, or undefined where it is installed
   * @throws Error of the store; the device starts with what it had then
   */
  install(bytes: Uint8Array): BootRefusal | undefined {
    return this.alone(() => this.installAlone(bytes));
  }

  /**
   * Chooses what to run: the trial while it has tries left, one of which is taken away first; then the
   * last good image; then any valid one. A record that cannot be written keeps the trial from running,
   * and nothing else.
   * @returns the checked image, or the refusal of the one that should have run
   */
  choose(): Image | BootRefusal {
    this.unwritten = undefined;
    this.readRecord();
    const trial = this.record.trial === NO_SLOT ? "none" : this.tryTrial();
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
   * The chosen image has passed its own test: it is the good one from now on, and older counters and
   * retired keys are refused. Does nothing where that is known already, or where another image has taken
   * its slot since. Where it did not come to it, it may be called again.
   * @throws Error of the store
   */
  confirm(): "busy" | "unreadable" | undefined {
    if (this.running === undefined) return undefined;
    this.readRecord();
    const said = this.isConfirmed(this.running)
      ? undefined
      : this.alone(() => this.confirmAlone(this.running!));
    if (said === undefined) this.running = undefined;
    return said;
  }

  private installAlone(bytes: Uint8Array): Refusal | undefined {
    const image = this.check(bytes);
    if (typeof image === "string") return image;
    const { record } = this;
    const kept = this.keptSlot();
    const slot = other(kept ?? record.good);
    const isNamed = record.trial === slot || record.good === slot;
    if (isNamed || (kept !== undefined && record.good !== kept)) {
      // The record must not name a slot that is being written.
      Object.assign(record, { good: kept ?? record.good, trial: NO_SLOT, tries: 0 });
      this.writeRecord();
    }
    this.store.replace(FILES[slot], bytes);
    record.trial = slot;
    record.tries = TRIES;
    this.writeRecord();
    return undefined;
  }

  private tryTrial(): Image | BootRefusal {
    try {
      const said = this.alone(() => this.tryTrialAlone());
      if (said === "busy") this.unwritten = "another program is writing";
      return said;
    } catch (error) {
      this.unwritten = error instanceof Error ? error.message : String(error);
      return "none";
    }
  }

  private tryTrialAlone(): Image | BootRefusal {
    const { record } = this;
    if (record.trial === NO_SLOT) return "none";
    if (record.tries > 0) {
      record.tries--;
      // Recorded first: an image that takes the device down has had its try.
      this.writeRecord();
      const image = this.run(record.trial);
      // One that cannot be read at the moment has lost a try, and is not given up for that.
      if (typeof image !== "string" || image === "unreadable") return image;
    }
    record.trial = NO_SLOT;
    record.tries = 0;
    this.writeRecord();
    return "none";
  }

  private confirmAlone({ slot, image }: { slot: Slot; image: Image }): "unreadable" | undefined {
    const header = this.read(FILES[slot], HEADER_BYTES);
    if (header === null) return "unreadable";
    if (!header || header.length < HEADER_BYTES) return undefined;
    // Only what ran is confirmed: an installation may have put another image there.
    if (!isSame(readHeader(header).hash, image.hash)) return undefined;
    const { record } = this;
    record.good = slot;
    record.counter = Math.max(record.counter, image.counter);
    if (this.retires(image)) record.oldestKey = image.keyId;
    if (record.trial === slot) {
      record.trial = NO_SLOT;
      record.tries = 0;
    }
    this.writeRecord();
    return undefined;
  }

  /** Whether there is nothing to write: flash wears out. */
  private isConfirmed({ slot, image }: { slot: Slot; image: Image }): boolean {
    const { good, trial, counter } = this.record;
    const isKnown = this.copy !== undefined && counter >= image.counter && !this.retires(image);
    return isKnown && good === slot && trial !== slot;
  }

  /** Whether an image retires keys that still count. */
  private retires({ flags, keyId }: Image): boolean {
    const { keys } = this.requirements;
    const isAsked = (flags & Flag.retireOlderKeys) !== 0;
    return isAsked && orderOf(keys, keyId) > orderOf(keys, this.record.oldestKey);
  }

  private run(slot: Slot): Image | BootRefusal {
    const image = this.checkSlot(slot);
    if (typeof image !== "string") this.running = { slot, image };
    return image;
  }

  /** What an installation must leave alone; undefined where neither slot can run. */
  private keptSlot(): Slot | undefined {
    const { good } = this.record;
    if (good !== NO_SLOT && typeof this.checkSlot(good) !== "string") return good;
    return this.bestSlot();
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
    const { counter, oldestKey } = this.record;
    const counterMin = Math.max(counter, this.requirements.counterMin);
    return checkImage(bytes, { ...this.requirements, counterMin, oldestKey });
  }

  /** Does something as the only writer, on the record as it is now. */
  private alone<Result>(act: () => Result): Result | "busy" {
    if (!this.store.lock()) return "busy";
    try {
      this.readRecord();
      return act();
    } finally {
      this.store.unlock();
    }
  }

  /** The newer of the two copies. One that cannot be read counts as none: the slots may still be right. */
  private readRecord(): void {
    let newest: BootRecord | undefined;
    this.copy = undefined;
    for (const copy of SLOTS) {
      const record = decodeRecord(this.read(COPIES[copy], RECORD_BYTES + 1) ?? new Uint8Array(0));
      if (record === undefined || (newest !== undefined && !isNewer(record, newest))) continue;
      newest = record;
      this.copy = copy;
    }
    this.record = newest ?? newRecord();
  }

  /** Writes the copy that is not the newer one, so that one is whole at every moment. */
  private writeRecord(): void {
    this.record.sequence = nextSequence(this.record.sequence);
    const copy = other(this.copy ?? 1);
    this.store.replace(COPIES[copy], encodeRecord(this.record));
    this.copy = copy;
  }
}

/** The other slot; A where none is given. */
function other(slot: Slot | typeof NO_SLOT): Slot {
  return slot === 0 ? 1 : 0;
}

function isSame(one: Uint8Array, another: Uint8Array): boolean {
  return one.every((byte, at) => byte === another[at]);
}
