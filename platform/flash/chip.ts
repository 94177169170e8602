// A NOR flash chip in memory that behaves as badly as a real one may: programming only clears bits,
// erasing works on whole blocks and wears them out, and the power can go at any byte of any operation.
// It knows nothing of slots or records; what is built on it lives next door in flash storage.

import type { FlashDevice, FlashGeometry } from "./device.ts";

/** Thrown out of a chip operation when the power goes; the chip is dead until `powerOn`. */
export class PowerCut extends Error {
  constructor() {
    super("power cut");
    this.name = "PowerCut";
  }
}

/**
 * How the operation that a power cut hit leaves the bytes it had not come to: untouched, or each bit either
 * as it was or as it was to be, at random (cells are programmed and erased side by side).
 */
export type TearStyle = "clean" | "mixed-bits";

interface PendingOperation {
  /** "set": what a torn operation left, whichever it was. */
  kind: "program" | "erase" | "set";
  at: number;
  /** For a program the data, for an erase a block of 0xff. */
  bytes: Uint8Array;
}

/**
 * One chip. Operations take effect in the order in which they were given, unless `reorder` holds: then
 * everything since the last `sync` may have happened or not, in any subset, when the power goes.
 */
export class FlashChip implements FlashDevice {
  readonly geometry: FlashGeometry;
  readonly eraseCounts: number[];
  programCount = 0;
  eraseCount = 0;
  /** Bytes that can still be touched before the power goes; Infinity while it stays on. */
  #budgetBytes = Number.POSITIVE_INFINITY;
  #tear: TearStyle = "clean";
  #tearSeed = 1;
  #dead = false;
  #cells: Uint8Array;
  /** What had reached the cells at the last sync, and what was asked for since; only if reordering. */
  #synced: Uint8Array | undefined;
  #pending: PendingOperation[] = [];
  #touchedBytes = 0;

  constructor(geometry: FlashGeometry, options: { reorder?: boolean } = {}) {
    if (geometry.blockBytes % geometry.pageBytes !== 0) {
      throw new RangeError("flash: blockBytes must be a multiple of pageBytes");
    }
    this.geometry = geometry;
    this.#cells = new Uint8Array(geometry.blockBytes * geometry.blockCount).fill(0xff);
    this.eraseCounts = new Array<number>(geometry.blockCount).fill(0);
    if (options.reorder) this.#synced = this.#cells.slice();
  }

  get sizeBytes(): number {
    return this.#cells.length;
  }

  /** Bytes programmed and erased since the chip was made: the range in which a cut can be placed. */
  get touchedBytes(): number {
    return this.#touchedBytes;
  }

  /** Cuts the power after so many more touched bytes (0 = before the next one). */
  cutAfter(bytes: number, tear: TearStyle = "clean", seed = 1): void {
    this.#budgetBytes = bytes;
    this.#tear = tear;
    this.#tearSeed = seed;
  }

  /**
   * Power again. On a reordering chip `survives` decides, operation by operation since the last sync (the
   * torn one is the last), which of them reached the cells; default: all.
   */
  powerOn(survives: (index: number) => boolean = () => true): void {
    if (this.#synced !== undefined && this.#dead) {
      const cells = this.#synced.slice();
      for (const [index, operation] of this.#pending.entries()) {
        if (survives(index)) applyTo(cells, operation);
      }
      this.#cells = cells;
      this.#synced = cells.slice();
    }
    this.#pending = [];
    this.#dead = false;
    this.#budgetBytes = Number.POSITIVE_INFINITY;
  }

  /** How many operations a `powerOn` would ask about now. */
  get unsyncedOperations(): number {
    return this.#pending.length;
  }

  /** Copies `length` bytes from `at` into `into` at `intoAt`. */
  read(at: number, into: Uint8Array, intoAt: number, length: number): void {
    this.#mustLive();
    this.#mustFit(at, length);
    into.set(this.#cells.subarray(at, at + length), intoAt);
  }

  /**
   * Programs bytes: each cell becomes `old & new`. The range must lie inside one page. Asking for a 1
   * where the cell holds a 0 is a fault of the caller (no chip can do it) and throws.
   */
  program(at: number, bytes: Uint8Array): void {
    this.#mustLive();
    this.#mustFit(at, bytes.length);
    const page = Math.floor(at / this.geometry.pageBytes);
    if (Math.floor((at + bytes.length - 1) / this.geometry.pageBytes) !== page) {
      throw new RangeError(`flash: program at ${at} crosses a page`);
    }
    for (let i = 0; i < bytes.length; i++) {
      if ((bytes[i]! & ~this.#cells[at + i]!) !== 0) {
        throw new RangeError(`flash: program at ${at + i} would set a bit that needs an erase`);
      }
    }
    this.programCount++;
    this.#carryOut({ kind: "program", at, bytes: bytes.slice() });
  }

  /** Sets a whole block to 0xff and wears it by one. */
  eraseBlock(block: number): void {
    this.#mustLive();
    if (block < 0 || block >= this.geometry.blockCount) {
      throw new RangeError(`flash: no block ${block}`);
    }
    this.eraseCount++;
    this.eraseCounts[block] = this.eraseCounts[block]! + 1;
    const bytes = new Uint8Array(this.geometry.blockBytes).fill(0xff);
    this.#carryOut({ kind: "erase", at: block * this.geometry.blockBytes, bytes });
  }

  /** Everything asked for so far has reached the cells when this returns. */
  sync(): void {
    this.#mustLive();
    if (this.#synced !== undefined) this.#synced = this.#cells.slice();
    this.#pending = [];
  }

  /** A second chip with the same cells and wear, for trying several futures of one moment. */
  clone(): FlashChip {
    const twin = new FlashChip(this.geometry, { reorder: this.#synced !== undefined });
    twin.#cells = this.#cells.slice();
    twin.#synced = this.#synced?.slice();
    twin.#pending = this.#pending.slice();
    twin.#dead = this.#dead;
    for (const [block, count] of this.eraseCounts.entries()) twin.eraseCounts[block] = count;
    return twin;
  }

  /** The cells as they are now: a copy, for comparing and for spoiling bytes in tests. */
  image(): Uint8Array {
    return this.#cells.slice();
  }

  /** Makes a bit flip or any other damage: writes cells past every rule of the chip. */
  corrupt(at: number, value: number): void {
    this.#cells[at] = value;
    if (this.#synced !== undefined) this.#synced[at] = value;
  }

  #carryOut(operation: PendingOperation): void {
    const length = operation.bytes.length;
    const whole = this.#budgetBytes >= length;
    const done = whole ? length : this.#budgetBytes;
    this.#touchedBytes += done;
    this.#budgetBytes -= done;
    const partial = { ...operation, bytes: operation.bytes.subarray(0, done) };
    applyTo(this.#cells, partial);
    if (whole) {
      if (this.#synced !== undefined) this.#pending.push(operation);
      return;
    }
    if (this.#tear === "mixed-bits") this.#mixBits(operation, done);
    // Under reordering the torn operation, too, may survive or not, but only as far as it came.
    const bytes = this.#cells.slice(operation.at, operation.at + length);
    if (this.#synced !== undefined) this.#pending.push({ ...operation, kind: "set", bytes });
    this.#dead = true;
    throw new PowerCut();
  }

  #mixBits(operation: PendingOperation, done: number): void {
    for (let i = done; i < operation.bytes.length; i++) {
      const at = operation.at + i;
      const old = this.#cells[at]!;
      const target = operation.kind === "erase" ? 0xff : old & operation.bytes[i]!;
      this.#tearSeed = (Math.imul(this.#tearSeed, 1103515245) + 12345) >>> 0;
      const keep = (this.#tearSeed >>> 16) & 0xff;
      this.#cells[at] = (old & keep) | (target & ~keep);
    }
  }

  #mustLive(): void {
    if (this.#dead) throw new PowerCut();
  }

  #mustFit(at: number, length: number): void {
    if (at < 0 || length < 0 || at + length > this.#cells.length) {
      throw new RangeError(`flash: ${length} bytes at ${at} are outside the chip`);
    }
  }
}

function applyTo(cells: Uint8Array, { kind, at, bytes }: PendingOperation): void {
  for (let i = 0; i < bytes.length; i++) {
    cells[at + i] = kind === "program" ? cells[at + i]! & bytes[i]! : bytes[i]!;
  }
}
