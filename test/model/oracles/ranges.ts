// Ranges of memory that a command handed to the host: they stay as they are until it is done.

import { type Scene, same, textAt } from "./oracle.ts";

export class RangeOracle {
  readonly #pinned = new Map<string, { from: number; size: number; text: string }>();

  pin(scene: Scene, name: string, from: number, size: number): void {
    if (size > 0) this.#pinned.set(name, { from, size, text: textAt(scene.memory, from, size) });
  }

  release(name: string): void {
    this.#pinned.delete(name);
  }

  check(scene: Scene): void {
    for (const [name, { from, size, text }] of this.#pinned) {
      same(scene, "ranges", `the range of ${name}`, textAt(scene.memory, from, size), text);
    }
  }
}
