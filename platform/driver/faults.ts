// What adapters and callbacks throw, or reject with: kept until the core has heard of what happened, then handed on.

/** The faults of others, in their order. */
export class Faults {
  readonly #held: unknown[] = [];
  readonly #onError: ((error: unknown) => void) | undefined;

  /** @param onError who wants to hear of them; undefined: they are thrown */
  constructor(onError: ((error: unknown) => void) | undefined) {
    this.#onError = onError;
  }

  /** How many wait to be thrown. */
  get count(): number {
    return this.#held.length;
  }

  hold(error: unknown): void {
    this.#held.push(error);
  }

  /** Hands them to whoever wants to hear of them. */
  report(): void {
    if (this.#onError === undefined) return;
    for (let left = this.#held.length; left > 0; left--) {
      const error = this.#held.shift();
      try {
        this.#onError(error);
      } catch {
        // Whoever was to hear of it has failed as well: what it was about is thrown.
        this.#held.push(error);
      }
    }
  }

  /** @throws the first of them */
  throwFirst(): void {
    if (this.#held.length > 0) throw this.#held.shift();
  }
}
