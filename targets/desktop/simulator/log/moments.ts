// When things happen in the simulated world. Much of it happens at one and the same millisecond, so time
// alone does not tell what led to what.

export interface Moment {
  /** The world's time. */
  readonly atMs: number;
  /** Place among all that happened; what led to it has a smaller one. */
  readonly order: number;
}

/** Hands out moments, each once, for all the logs of one world. */
export class Moments {
  #order = 0;

  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  next(): Moment {
    return { atMs: this.#nowMs(), order: this.#order++ };
  }
}
