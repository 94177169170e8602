// The flash that settings pages lie in, as the emulator has it: a file behind the board's memory, with two areas
// (targets/host/ports/board/mps2/map.h). Whoever writes it is the factory, or the maker's updater.

import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { machine } from "./machines.ts";

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
    this.#change(0, Buffer.alloc(2 * machine.pageBytes, 0xff), "w");
  }

  /** An area is erased, and gets a page, or as much of it as there is. */
  program(area: 0 | 1, page: Uint8Array): void {
    const whole = Buffer.alloc(machine.pageBytes, 0xff);
    whole.set(page);
    this.#change(area * machine.pageBytes, whole, "r+");
  }
}
