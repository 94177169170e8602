// The flash that the board writes itself, as the emulator has it: a file that lies behind the board's memory, so that
// what the board has written is there after a kill. Addresses are those of targets/host/ports/board/map.h, from
// the flash's beginning on.

import { closeSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import type { Slot } from "./build.ts";
import { machine } from "./machines.ts";

/** What a test asks of the emulated flash, and what it is told. */
const STEPS_AT = 0xff_f000;
const CUT_AT = STEPS_AT + 4;

export class FlashFile {
  constructor(readonly path: string) {}

  #change(at: number, bytes: Uint8Array, flags: "r+" | "w"): void {
    const file = openSync(this.path, flags, 0o600);
    try {
      if (flags === "w") ftruncateSync(file, machine.flashFileBytes);
      writeSync(file, bytes, 0, bytes.length, at);
    } finally {
      closeSync(file);
    }
  }

  /** As it comes from its maker. */
  erase(): void {
    this.#change(0, Buffer.alloc(machine.flashBytes, 0xff), "w");
  }

  /** The factory programs a slot. */
  program(slot: Slot, image: Uint8Array): void {
    if (image.length > machine.slotBytes) throw new RangeError("the image is longer than a slot");
    this.#change(machine.slotAt[slot], image, "r+");
  }

  /** Somebody deletes both copies of the boot record. */
  eraseRecords(): void {
    this.#change(0, Buffer.alloc(machine.recordBytes, 0xff), "r+");
  }

  /** The power goes in the middle of the step of this number, counted from now on; 0: it does not. */
  cutAt(step: number): void {
    const words = Buffer.alloc(8);
    words.writeUInt32LE(step, CUT_AT - STEPS_AT);
    this.#change(STEPS_AT, words, "r+");
  }

  /** Sectors erased and pages programmed since `cutAt`. */
  get steps(): number {
    const word = Buffer.alloc(4);
    const file = openSync(this.path, "r");
    try {
      readSync(file, word, 0, word.length, STEPS_AT);
    } finally {
      closeSync(file);
    }
    return word.readUInt32LE();
  }
}
