// The two slots as the device should treat them (core/SPEC.md, Records): what it knows
// of them, what it still has to do, and which command follows from that.

import { Command, State } from "../../../core/index.ts";
import { isNewer, type StoredRecord } from "./record.ts";

export enum Task {
  NONE = 0,
  /** Both slots are read at the start. */
  READ = 1,
  /** A record of the present state is written. */
  WRITE = 2,
  /** Everything is emptied, the older slot first: the other way the older record would come back. */
  WIPE = 3,
  /** Only the newest record is left. */
  ERASE_OLDER = 4,
}

/** Tries to write or to erase before the device goes on without it. */
const TRIES = 3;
/** Tries to read. */
const READ_TRIES = 7;
/** Sequences of records wrap at this. */
export const SEQUENCES = 0x1000000;

export class StorageTask {
  task = Task.READ;
  /** What the host is at. */
  active: number = Command.NONE;
  activeSlot = 0;
  /** Failures of the present operation; -1: the host is at one of a task before. */
  tries = 0;
  /** How many slots may hold something: none, the newest, both. */
  used = 0;
  newest = 1;
  /** Of the record to be written next; it wraps there. */
  sequence = 0;
  notSaved = false;
  /** Storage refuses to erase what should be gone. */
  notErased = false;
  /** A slot that was not read at the start may hold anything, until one is erased. */
  #isUnread = false;
  /** A slot holds a record under the server's former name, until one is erased. */
  #isFormer = false;
  /** What the record to be written is of: the state at the time when it was asked for. */
  kind = 0;
  /** Newest record read so far, the one before it, and which slot is read next. */
  found: StoredRecord | undefined;
  #readStep = 0;
  #firstSequence = -1;

  start(task: Task, kind: number): void {
    this.task = task;
    this.kind = kind;
    this.tries = this.active ? -1 : 0;
    // What is to be wiped need not be saved any more.
    if (task === Task.WIPE) this.notSaved = false;
  }

  get isBusy(): boolean {
    return this.task !== Task.NONE;
  }

  /** What should have been saved, or still is to be written, is of no use any more. */
  nothingToSave(): void {
    this.notSaved = false;
    if (this.task === Task.WRITE) this.task = Task.NONE;
  }

  /** Drops a task that has nothing to do (more). */
  settle(): void {
    if (this.active) return;
    if (this.task === Task.WIPE && this.used === 0) this.task = Task.NONE;
    if (this.task === Task.ERASE_OLDER && this.used < 2) this.task = Task.NONE;
  }

  /** The command that is due; NONE while the host is at one. */
  due(): number {
    if (this.active) return Command.NONE;
    this.settle();
    if (this.task === Task.NONE) return Command.NONE;
    if (this.task === Task.READ) return Command.LOAD;
    return this.task === Task.WRITE ? Command.STORE : Command.ERASE;
  }

  /** The slot that the command is for. */
  slotDue(): number {
    if (this.task === Task.READ) return this.#readStep === 1 ? 1 : 0;
    // Never the newest, but where it is the last to be erased.
    if (this.task !== Task.WRITE && this.used < 2) return this.newest;
    return 1 - this.newest;
  }

  begin(command: number, slot: number): void {
    this.active = command;
    this.activeSlot = slot;
  }

  #holds(isWhole: boolean): void {
    this.used = isWhole && this.used === 0 ? 1 : 2;
    if (isWhole) this.newest = this.activeSlot;
  }

  /**
   * The host has read the slot: a record, something else (`size` above 0), nothing (0), or it could not (-1).
   * `take` is told of each record in the order in which they are read, `readLater` of the time before the next try.
   */
  loaded(
    size: number,
    record: StoredRecord | undefined,
    isFormer: boolean,
    take: (record: StoredRecord) => void,
    readLater: (waitMs: number) => void,
  ): void {
    this.active = Command.NONE;
    if (isFormer) this.#isFormer = true;
    if (record) {
      take(record);
      this.found = record;
    }
    if (size !== 0) this.#holds(record !== undefined);
    if (size < 0 && ++this.tries < READ_TRIES) {
      readLater(100 * 2 ** (this.tries - 1));
      return;
    }
    this.tries = 0;
    if (size < 0 || (this.#readStep === 2 && !record)) this.#isUnread = true;
    if (this.#readStep === 0) {
      this.#firstSequence = record ? record.sequence : -1;
      this.#readStep = 1;
      return;
    }
    const isFirstNewer =
      this.#readStep === 1 &&
      record !== undefined &&
      this.#firstSequence >= 0 &&
      isNewer(this.#firstSequence, record.sequence) &&
      // Exactly half of all numbers apart each is newer than the other: then it is the second.
      !isNewer(record.sequence, this.#firstSequence);
    if (isFirstNewer) {
      this.#readStep = 2;
      return;
    }
    this.sequence = this.found ? this.found.sequence + 1 : 0;
    // The newer record was there and cannot be read again: the older one does not count in its place.
    if (this.#readStep === 2 && !record) this.found = undefined;
    this.task = Task.NONE;
  }

  /** The host is not at storage, but it does one thing at a time: what came meanwhile begins now. */
  challengeDone(): void {
    this.active = Command.NONE;
    if (this.tries < 0) this.tries = 0;
  }

  /**
   * The records have been read, and the newest is of `kind`.
   * @param isOlderUseful whether the older slot holds the refresh token before the present one
   */
  tidy(kind: number, isOlderUseful: boolean): void {
    const isSession = kind === State.SIGNED_IN || kind === State.REFRESHING;
    if (this.#isFormer) this.start(Task.WRITE, kind);
    else if (!isSession || (!this.#isUnread && !isOlderUseful)) this.start(Task.ERASE_OLDER, kind);
  }

  /**
   * The host has written or erased, or not. `kind` is of the record written.
   * @param isOlderUseful as above
   */
  finished(isDone: boolean, kind: number, isOlderUseful: boolean): void {
    const command = this.active;
    if (!command) return;
    this.active = Command.NONE;
    const isStray = this.#isUnread || this.notErased || this.#isFormer || this.notSaved;
    if (command === Command.ERASE) {
      if (isDone) this.used--;
      if (isDone) this.#isUnread = this.#isFormer = false;
    } else {
      // A write that failed may have left anything.
      this.#holds(isDone);
      if (isDone) this.sequence = (this.sequence % SEQUENCES) + 1;
    }
    if ((!isDone || this.tries < 0) && ++this.tries < TRIES) return;
    this.tries = 0;
    if (command === Command.STORE) this.notSaved = !isDone;
    else this.notErased = !isDone;
    if (!isDone) this.task = Task.NONE;
    else if (command === Command.STORE) {
      const isFirstOfAll = this.sequence < 2;
      const standsAlone = kind > State.REFRESHING || isFirstOfAll || isStray || !isOlderUseful;
      this.task = standsAlone ? Task.ERASE_OLDER : Task.NONE;
    }
  }
}
