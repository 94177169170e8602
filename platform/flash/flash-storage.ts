// Secure storage on bare flash: each slot is a log in erase blocks of its own, so that a write never touches
// the record that it replaces, nor the other slot. The chip is behind device.ts; records are opaque.

import type { Bytes, Storage } from "../contracts.ts";
import type { FlashDevice } from "./device.ts";

/** What flash storage is made of. */
export interface FlashStorageOptions {
  /** Largest record in bytes; default and most: what fits into one block. */
  capacity?: number;
}

// A page begins with a tag: the first page of an entry, or a further one. So nothing that a record contains
// is ever taken for an entry. Programming only clears bits, and each tag has a 1 where the other has a 0:
// a torn page never shows the other tag.
const START_TAG = 0x5a;
const MORE_TAG = 0xa5;
const BLANK = 0xff;
/** Start page, after its tag: generation (4), record length (2), checksum (4), then the record. */
const ENTRY_HEAD_BYTES = 10;
const LENGTH_MAX_BYTES = 0xffff;

/** Where a slot stands. */
interface SlotLog {
  /** Block (counted within the slot) and page of the newest whole entry; page -1: there is none. */
  block: number;
  page: number;
  /** Of that entry; 0 where there is none. */
  generation: number;
  length: number;
  /** First page of `block` that was never programmed since its erase; past the last: the block is full. */
  freePage: number;
}

/**
 * Storage on a flash chip with at least four erase blocks, half of them for each slot. Synchronous. After any
 * loss of power each slot reads as the old record or the new one. Old records stay in the cells until their
 * block is used again (`erase` clears them at once): wrap with sealed-storage against who reads out the chip.
 */
export class FlashStorage implements Storage {
  readonly capacity: number;
  readonly #device: FlashDevice;
  readonly #pagesPerBlock: number;
  readonly #blocksPerSlot: number;
  readonly #page: Uint8Array;
  /** Head and record of one entry, as they are spread over its pages. */
  readonly #entry: Uint8Array;
  #logs: [SlotLog, SlotLog] | undefined;

  /** @throws RangeError for a geometry that cannot hold two slots, or a capacity over one block */
  constructor(device: FlashDevice, options: FlashStorageOptions = {}) {
    const { pageBytes, blockBytes, blockCount } = device.geometry;
    this.#device = device;
    this.#pagesPerBlock = Math.floor(blockBytes / pageBytes);
    this.#blocksPerSlot = Math.floor(blockCount / 2);
    if (pageBytes < 16 || this.#pagesPerBlock < 1 || this.#blocksPerSlot < 2) {
      throw new RangeError("flash storage: needs pages of 16 bytes and four erase blocks at least");
    }
    const room = this.#pagesPerBlock * (pageBytes - 1) - ENTRY_HEAD_BYTES;
    this.capacity = options.capacity ?? Math.min(room, LENGTH_MAX_BYTES);
    if (!(this.capacity > 0 && this.capacity <= Math.min(room, LENGTH_MAX_BYTES))) {
      throw new RangeError(`flash storage: one block holds records of 1 to ${room} bytes`);
    }
    this.#page = new Uint8Array(pageBytes);
    this.#entry = new Uint8Array(this.#pagesPerBlock * (pageBytes - 1));
  }

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    mustBeSlot(slot);
    let result = -1;
    this.#attempt((logs) => {
      const { page, length } = logs[slot as 0 | 1];
      if (page < 0 || length === 0) {
        result = 0;
      } else if (length <= to - from && this.#readEntry(slot, logs[slot as 0 | 1])) {
        for (let i = 0; i < length; i++) into[from + i] = this.#entry[ENTRY_HEAD_BYTES + i]!;
        result = length;
      }
    });
    this.#entry.fill(0);
    done(result);
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    mustBeSlot(slot);
    const ok =
      to - from <= this.capacity &&
      this.#attempt((logs) => this.#append(slot, logs[slot as 0 | 1], bytes, from, to - from));
    this.#entry.fill(0);
    done(ok);
  }

  /** As durable as `write`; old records of the slot are gone from the cells when it is done. */
  erase(slot: number, done: (ok: boolean) => void): void {
    mustBeSlot(slot);
    const ok = this.#attempt((logs) => {
      const log = logs[slot as 0 | 1];
      // An entry of no length in a block of its own first: the slot is empty from here on, and only then
      // may the blocks go that hold what it replaces.
      log.freePage = this.#pagesPerBlock;
      this.#append(slot, log, [], 0, 0);
      for (let block = 0; block < this.#blocksPerSlot; block++) {
        if (block !== log.block) this.#device.eraseBlock(this.#chipBlock(slot, block));
      }
      this.#device.sync();
    });
    done(ok);
  }

  /** Runs an operation on what is known of the chip; after a failure it is looked at anew. */
  #attempt(run: (logs: [SlotLog, SlotLog]) => void): boolean {
    try {
      this.#logs ??= [this.#scanSlot(0), this.#scanSlot(1)];
      run(this.#logs);
      return true;
    } catch {
      this.#logs = undefined;
      return false;
    }
  }

  #chipBlock(slot: number, block: number): number {
    return slot * this.#blocksPerSlot + block;
  }

  #address(slot: number, block: number, page: number): number {
    const { blockBytes, pageBytes } = this.#device.geometry;
    return this.#chipBlock(slot, block) * blockBytes + page * pageBytes;
  }

  // Writing

  /** Puts an entry behind the newest, in the next block where this one is full or will not take it. */
  #append(slot: number, log: SlotLog, bytes: Bytes, from: number, length: number): void {
    const pages = this.#pagesFor(length);
    const next = { ...log, generation: log.generation + 1, length };
    // Every block may be tried but the one with the record that must survive.
    for (let tries = 0; tries < this.#blocksPerSlot; tries++) {
      if (next.freePage + pages > this.#pagesPerBlock) {
        next.block = (next.block + 1) % this.#blocksPerSlot;
        if (next.block === log.block && log.page >= 0) break;
        // Also where it reads as blank: a cut may have left cells that are erased only just.
        this.#device.eraseBlock(this.#chipBlock(slot, next.block));
        next.freePage = 0;
      }
      next.page = next.freePage;
      this.#fillEntry(next, bytes, from);
      this.#programEntry(slot, next, pages);
      next.freePage += pages;
      if (this.#readEntry(slot, next)) {
        Object.assign(log, next);
        return;
      }
      // Cells that do not take what they are given: leave the rest of this block alone.
      next.freePage = this.#pagesPerBlock;
    }
    throw new Error("flash storage: no block took the record");
  }

  #fillEntry(log: SlotLog, bytes: Bytes, from: number): void {
    const entry = this.#entry.fill(0);
    writeUint32(entry, 0, log.generation);
    entry[4] = log.length >> 8;
    entry[5] = log.length & 0xff;
    for (let i = 0; i < log.length; i++) entry[ENTRY_HEAD_BYTES + i] = bytes[from + i]!;
    writeUint32(entry, 6, this.#checksum(log.length));
  }

  #programEntry(slot: number, log: SlotLog, pages: number): void {
    const perPage = this.#page.length - 1;
    const used = ENTRY_HEAD_BYTES + log.length;
    for (let i = 0; i < pages; i++) {
      const count = Math.min(perPage, used - i * perPage);
      this.#page[0] = i === 0 ? START_TAG : MORE_TAG;
      this.#page.set(this.#entry.subarray(i * perPage, i * perPage + count), 1);
      const at = this.#address(slot, log.block, log.page + i);
      this.#device.program(at, this.#page.subarray(0, 1 + count));
    }
    this.#device.sync();
    this.#page.fill(0);
  }

  // Reading

  /** Finds the newest whole entry of a slot, and where the next one goes. */
  #scanSlot(slot: number): SlotLog {
    // Where nothing is found the next write begins with block 0.
    const last = this.#blocksPerSlot - 1;
    const log = { block: last, page: -1, generation: 0, length: 0, freePage: this.#pagesPerBlock };
    for (let block = 0; block < this.#blocksPerSlot; block++) {
      this.#scanBlock(slot, block, log);
    }
    return log;
  }

  #scanBlock(slot: number, block: number, log: SlotLog): void {
    let freePage = 0;
    for (let page = 0; page < this.#pagesPerBlock; page++) {
      this.#readPage(slot, block, page);
      if (!this.#isBlank()) freePage = page + 1;
    }
    for (let page = 0; page < freePage; ) {
      const found = this.#entryAt(slot, block, page);
      if (found !== undefined && found.generation > log.generation) Object.assign(log, found);
      // What is no whole entry was cut off: the next one begins at some later page.
      page += found === undefined ? 1 : this.#pagesFor(found.length);
    }
    if (log.block === block && log.page >= 0) log.freePage = freePage;
  }

  #entryAt(slot: number, block: number, page: number): SlotLog | undefined {
    this.#readPage(slot, block, page);
    const generation = readUint32(this.#page, 1);
    const length = (this.#page[5]! << 8) | this.#page[6]!;
    const log = { block, page, generation, length, freePage: 0 };
    return this.#readEntry(slot, log) ? log : undefined;
  }

  /** Reads an entry's pages into `#entry`; false unless it is there as described, whole. */
  #readEntry(slot: number, log: SlotLog): boolean {
    const pages = this.#pagesFor(log.length);
    if (log.length > this.capacity || log.page + pages > this.#pagesPerBlock) return false;
    const perPage = this.#page.length - 1;
    for (let i = 0; i < pages; i++) {
      this.#readPage(slot, log.block, log.page + i);
      if (i === 0 && this.#page[0] !== START_TAG) return false;
      this.#entry.set(this.#page.subarray(1), i * perPage);
    }
    return readUint32(this.#entry, 6) === this.#checksum(log.length);
  }

  /** Whether no byte of the page read last has been programmed. */
  #isBlank(): boolean {
    const page = this.#page;
    for (let i = 0; i < page.length; i++) if (page[i] !== BLANK) return false;
    return true;
  }

  #readPage(slot: number, block: number, page: number): Uint8Array {
    this.#device.read(this.#address(slot, block, page), this.#page, 0, this.#page.length);
    return this.#page;
  }

  #pagesFor(length: number): number {
    return Math.ceil((ENTRY_HEAD_BYTES + length) / (this.#page.length - 1));
  }

  /** Of the entry in `#entry`: generation, length and record. */
  #checksum(length: number): number {
    return crc32(this.#entry, ENTRY_HEAD_BYTES, length, crc32(this.#entry, 0, 6, 0));
  }
}

function mustBeSlot(slot: number): void {
  if (slot !== 0 && slot !== 1) throw new RangeError(`storage: no slot ${slot}`);
}

/** CRC-32 (IEEE 802.3) of a range, continued from `seed`; bit by bit, since tables cost memory. */
function crc32(bytes: Uint8Array, at: number, length: number, seed: number): number {
  let crc = ~seed;
  for (let i = 0; i < length; i++) {
    crc ^= bytes[at + i]!;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = (value >>> (24 - 8 * i)) & 0xff;
}

function readUint32(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = 0; i < 4; i++) value = value * 256 + bytes[at + i]!;
  return value;
}
