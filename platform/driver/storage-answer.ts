// What storage reports about one operation, told to the core. It serves again and again: a record must make no object.

import type { SinkOwner } from "./answer-sink.ts";

/** The callbacks of one operation. They count once: what a broken adapter reports again finds them closed. */
export class StorageAnswer {
  readonly #owner: SinkOwner;
  #isOpen = false;
  #result = 0;
  /** What the core is told where the adapter throws. */
  #failure = 0;
  readonly #told = (): void => {
    this.#owner.core.storageDone(this.#owner.device, this.#result);
  };
  /** For a read: bytes of the record, 0 where there is none, -1 where it cannot be read. */
  readonly done = (result: number): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#result = result;
    this.#owner.report(this.#told);
  };
  /** For a write or an erasure. */
  readonly written = (ok: boolean): void => this.done(ok ? 1 : 0);
  /** The adapter has thrown. */
  readonly giveUp = (): void => this.done(this.#failure);

  constructor(owner: SinkOwner) {
    this.#owner = owner;
  }

  begin(failure: number): this {
    this.#failure = failure;
    this.#isOpen = true;
    return this;
  }
}
