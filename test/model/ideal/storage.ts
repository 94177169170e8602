// Reads and writes records by the table of core/SPEC.md, "Records", without any function of the core.

import { Command, State } from "../../../core/index.ts";

export interface StoredRecord {
  kind: number;
  sequence: number;
  intervalMs: number;
  codeLifetimeS: number;
  refreshLifetimeS: number;
  /** For a code: device code, user code, verification URI, complete URI, optional verifier. Otherwise one token. */
  values: (string | undefined)[];
}

const VERSION = 1;
const HEADER_BYTES = 16;
const CHECKSUM_BYTES = 3;

/** CRC-24 of RFC 4880 §6.1, with any start value. */
const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 16;
  for (let bit = 0; bit < 8; bit++) {
    crc <<= 1;
    if (crc & 0x1000000) crc ^= 0x1864cfb;
  }
  return crc;
});

function crc24(bytes: Uint8Array, start: number): number {
  let crc = start;
  for (const byte of bytes) crc = ((crc << 8) & 0xffffff) ^ TABLE[((crc >> 16) ^ byte) & 255]!;
  return crc;
}

/** The checksum that binds a record to its owner, `client_id=...&server=...`. */
export function bindingOf(owner: string): number {
  return crc24(Buffer.from(owner, "latin1"), VERSION);
}

export function sizeOf(record: StoredRecord): number {
  let size = HEADER_BYTES + CHECKSUM_BYTES;
  for (const value of record.values) size += 2 + (value === undefined ? 0 : value.length);
  return size;
}

export function encode(record: StoredRecord, binding: number): Uint8Array {
  const bytes = Buffer.alloc(sizeOf(record));
  bytes.writeUInt32BE(record.sequence, 0);
  bytes[0] = record.kind;
  bytes.writeUInt32BE(record.intervalMs, 4);
  bytes.writeUInt32BE(record.codeLifetimeS, 8);
  bytes.writeUInt32BE(record.refreshLifetimeS, 12);
  let at = HEADER_BYTES;
  for (const value of record.values) {
    const length = value === undefined ? 0 : bytes.write(value, at + 2, "latin1");
    bytes.writeUInt16BE(value === undefined ? 0 : length + 1, at);
    at += 2 + length;
  }
  const sum = crc24(bytes.subarray(0, at), binding ^ bytes.length);
  bytes.writeUIntBE(sum, at, CHECKSUM_BYTES);
  return new Uint8Array(bytes);
}

export function decode(bytes: Uint8Array, binding: number): StoredRecord | undefined {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < HEADER_BYTES) return undefined;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const sum = crc24(bytes.subarray(0, end), binding ^ bytes.length);
  if (buffer.readUIntBE(end, CHECKSUM_BYTES) !== sum) return undefined;
  const record: StoredRecord = {
    kind: bytes[0]!,
    sequence: buffer.readUIntBE(1, 3),
    intervalMs: buffer.readUInt32BE(4),
    codeLifetimeS: buffer.readUInt32BE(8),
    refreshLifetimeS: buffer.readUInt32BE(12),
    values: [],
  };
  let at = HEADER_BYTES;
  const isCode = record.kind === State.PENDING;
  for (let count = isCode ? 4 : 1; count > 0 || (isCode && at < end); count--) {
    const length = buffer.readUInt16BE(at) - 1;
    at += 2;
    record.values.push(length < 0 ? undefined : buffer.toString("latin1", at, at + length));
    at += Math.max(0, length);
  }
  return record;
}

/** Sequence numbers wrap, so a newer one is ahead by at most half of their range. */
function isNewer(sequence: number, other: number): boolean {
  const ahead = (sequence - other) & 0xffffff;
  return ahead > 0 && ahead <= 0x800000;
}

// The two slots (core/SPEC.md, Records): their known content, the current task, and the next command.

export enum Task {
  NONE = 0,
  READ = 1,
  WRITE = 2,
  /** Erases both slots, the older one first. Otherwise the older record would become valid again. */
  WIPE = 3,
  ERASE_OLDER = 4,
}

const TRIES = 3;
const READ_TRIES = 7;
export const SEQUENCES = 0x1000000;

export class StorageTask {
  task = Task.READ;
  active: number = Command.NONE;
  activeSlot = 0;
  /** How often the current operation has failed; -1 while the host still carries out the command of an earlier task. */
  tries = 0;
  used = 0;
  newest = 1;
  sequence = 0;
  notSaved = false;
  notErased = false;
  /** Whether a slot could not be read at the start. The slot's content is unknown until a slot is erased. */
  #isUnread = false;
  /** Whether a slot contains a record with the server's former name. This ends when a slot is erased. */
  #isFormer = false;
  kind = 0;
  found: StoredRecord | undefined;
  #readStep = 0;
  #firstSequence = -1;

  start(task: Task, kind: number): void {
    this.task = task;
    this.kind = kind;
    this.tries = this.active ? -1 : 0;
    if (task === Task.WIPE) this.notSaved = false;
  }

  get isBusy(): boolean {
    return this.task !== Task.NONE;
  }

  /** Cancels a pending write, because its record is obsolete. */
  nothingToSave(): void {
    this.notSaved = false;
    if (this.task === Task.WRITE) this.task = Task.NONE;
  }

  settle(): void {
    if (this.active) return;
    if (this.task === Task.WIPE && this.used === 0) this.task = Task.NONE;
    if (this.task === Task.ERASE_OLDER && this.used < 2) this.task = Task.NONE;
  }

  due(): number {
    if (this.active) return Command.NONE;
    this.settle();
    if (this.task === Task.NONE) return Command.NONE;
    if (this.task === Task.READ) return Command.LOAD;
    return this.task === Task.WRITE ? Command.STORE : Command.ERASE;
  }

  slotDue(): number {
    if (this.task === Task.READ) return this.#readStep === 1 ? 1 : 0;
    // Erase the newest record only if no other slot is in use.
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
   * Call this when the host has read the slot: a record, other data (`size` above 0), nothing (0), or a failure (-1).
   * Calls `take` with a record, or `readLater` with the wait before the next try.
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
      // At half the range, each number is newer than the other. The second slot wins.
      !isNewer(record.sequence, this.#firstSequence);
    if (isFirstNewer) {
      this.#readStep = 2;
      return;
    }
    this.sequence = this.found ? this.found.sequence + 1 : 0;
    // If the newer record cannot be read any more, the older one must not replace it.
    if (this.#readStep === 2 && !record) this.found = undefined;
    this.task = Task.NONE;
  }

  /** Starts a task that had to wait until the host had created a challenge. */
  challengeDone(): void {
    this.active = Command.NONE;
    if (this.tries < 0) this.tries = 0;
  }

  /**
   * Cleans up after the records have been read. `kind` is the kind of the newest record.
   * @param isOlderUseful whether the older slot has the previous refresh token
   */
  tidy(kind: number, isOlderUseful: boolean): void {
    const isSession = kind === State.SIGNED_IN || kind === State.REFRESHING;
    if (this.#isFormer) this.start(Task.WRITE, kind);
    else if (!isSession || (!this.#isUnread && !isOlderUseful)) this.start(Task.ERASE_OLDER, kind);
  }

  /**
   * Call this when the host has written or erased a record of this kind.
   * @param isOlderUseful whether the older slot has the previous refresh token
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
      // After a failed write, the content of the slot is unknown.
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
