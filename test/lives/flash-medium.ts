// The flash adapter on its chip as the memory of a life: the power goes at any byte that the chip is at,
// operations may be reordered until a sync, and blocks wear.

import type { Storage } from "../../platform/contracts.ts";
import { FlashChip } from "../../platform/flash/chip.ts";
import type { FlashDevice } from "../../platform/flash/device.ts";
import { FlashStorage } from "../../platform/flash/flash-storage.ts";
import type { Roll } from "./dice.ts";
import { type Medium, NOTHING, putInto, recordIn } from "./media.ts";
import { Violation } from "./violation.ts";

const GEOMETRIES = [
  { pageBytes: 64, blockBytes: 1024, blockCount: 4 },
  { pageBytes: 32, blockBytes: 1024, blockCount: 6 },
  { pageBytes: 256, blockBytes: 2048, blockCount: 4 },
];
const ENTRY_HEAD_BYTES = 10;

export type MakeFlash = (device: FlashDevice) => Storage;
export const makeFlash: MakeFlash = (device) => new FlashStorage(device);

export class FlashMedium implements Medium {
  readonly capacity: number;
  private readonly chip: FlashChip;
  private storage: Storage;
  /** What both slots read as, until something is done to the chip. */
  private found: readonly [Uint8Array, Uint8Array] | undefined;
  /** What the adapter's promise comes to: pages filled, and erases that something else was good for. */
  private pages = 0;
  private erasesAllowed: number;
  private readonly reorders: boolean;
  private isRotten = false;

  constructor(
    roll: Roll,
    private readonly make: MakeFlash,
  ) {
    this.reorders = roll.chance(0.5);
    this.chip = new FlashChip(roll.pick(GEOMETRIES), { reorder: this.reorders });
    this.storage = make(this.chip);
    this.capacity = this.storage.capacity;
    // The first block of each slot.
    this.erasesAllowed = 2;
  }

  peek(slot: number): Uint8Array {
    this.found ??= this.look();
    return this.found[slot as 0 | 1];
  }

  /** By an adapter of its own: the device's must find everything by itself. */
  private look(): readonly [Uint8Array, Uint8Array] {
    const storage = new FlashStorage(this.chip);
    return [recordIn(storage, 0) ?? NOTHING, recordIn(storage, 1) ?? NOTHING];
  }

  get(slot: number): Uint8Array | undefined {
    return recordIn(this.storage, slot);
  }

  put(slot: number, record: Uint8Array): boolean {
    this.account(record);
    const isTaken = putInto(this.storage, slot, record);
    // A bit that has fallen in a free page is found out by the write, and left alone by the next.
    if (!isTaken && !this.isRotten) {
      throw new Violation("flash-wear", "a sound chip did not take a record");
    }
    this.forget();
    return isTaken;
  }

  tear(slot: number, record: Uint8Array, roll: Roll, isCut: boolean): void {
    this.account(record);
    // What was begun may have to be begun again in another block.
    this.erasesAllowed += this.blocksPerSlot;
    const { blockBytes } = this.chip.geometry;
    const bytes = roll.below(roll.chance(0.6) ? record.length + 40 : 3 * blockBytes);
    this.chip.cutAfter(bytes, roll.chance(0.5) ? "clean" : "mixed-bits", roll.bits());
    putInto(this.storage, slot, record);
    const keepsOrder = !isCut || !this.reorders;
    this.chip.powerOn(keepsOrder ? undefined : () => roll.chance(0.6));
    this.forget();
  }

  rot(_slot: number, roll: Roll): boolean {
    this.isRotten = true;
    const image = this.chip.image();
    const at = roll.below(image.length);
    this.chip.corrupt(at, image[at]! ^ (1 << roll.below(8)));
    this.erasesAllowed += this.blocksPerSlot;
    this.forget();
    return true;
  }

  powerOn(): void {
    this.storage = this.make(this.chip);
  }

  raw(): Uint8Array {
    return this.chip.image();
  }

  /** A block is erased once for as many records as fit into it, and all of a slot's when it is emptied. */
  check(): void {
    const { pageBytes, blockBytes } = this.chip.geometry;
    // A record never spans blocks: in the worst case half of each block stays unused.
    const perBlock = Math.max(1, blockBytes / pageBytes / 2);
    const allowed = this.erasesAllowed + Math.ceil(this.pages / perBlock);
    if (this.chip.eraseCount > allowed) {
      throw new Violation("flash-wear", `${this.chip.eraseCount} erases, ${allowed} allowed`);
    }
  }

  dispose(): void {}

  private get blocksPerSlot(): number {
    return this.chip.geometry.blockCount / 2;
  }

  private account(record: Uint8Array): void {
    if (record.length === 0) this.erasesAllowed += this.blocksPerSlot;
    else {
      this.pages += Math.ceil(
        (ENTRY_HEAD_BYTES + record.length) / (this.chip.geometry.pageBytes - 1),
      );
    }
  }

  private forget(): void {
    this.found = undefined;
  }
}
