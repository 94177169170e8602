// What storage reports about one operation, told to the core.

import type { SinkOwner } from "./answer-sink.ts";

/**
 * The callbacks of one operation, which count once. They are made for it: what a broken adapter reports again, however
 * late, is of an operation that is over. Records are rare, and a poll makes none.
 */
export class StorageAnswer {
  readonly #owner: SinkOwner;
  /** What the core is told where the adapter throws. */
  readonly #failure: number;
  #isOpen = true;

  constructor(owner: SinkOwner, failure: number) {
    this.#owner = owner;
    this.#failure = failure;
  }

  /** For a read: bytes of the record, 0 where there is none, -1 where it cannot be read. */
  readonly done = (result: number): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { core, device } = this.#owner;
    this.#owner.report(() => core.storageDone(device, result));
  };
  /** For a write or an erasure. */
  readonly written = (ok: boolean): void => this.done(ok ? 1 : 0);
  /** The adapter has thrown. */
  readonly giveUp = (): void => this.done(this.#failure);
}
