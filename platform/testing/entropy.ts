// Repeatable bytes that look random, for tests only.

import type { Bytes, Entropy } from "../contracts.ts";

/** The same seed gives the same bytes. Never for a real device. */
export class SeededEntropy implements Entropy {
  #state: number;

  /** @param seed any 32-bit integer */
  constructor(seed = 1) {
    this.#state = seed | 0;
  }

  fill(into: Bytes, from: number, to: number): boolean {
    for (let i = from; i < to; i++) into[i] = this.#nextByte();
    return true;
  }

  /** The mixer of splitmix32: every seed works, including 0. */
  #nextByte(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) & 0xff;
  }
}
