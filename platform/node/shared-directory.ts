// A state directory that several processes use at the same time.

import type { Storage } from "../contracts.ts";
import type { SharedState } from "../session/shared-state.ts";
import type { FileStorage } from "./file-storage.ts";
import { StateLock } from "./state-lock.ts";

/** So long whoever waits does so in silence: a refresh takes less. */
const BUSY_MS = 3000;

export class SharedDirectory implements SharedState {
  readonly open: () => Storage;
  isWaiting = false;
  readonly #files: FileStorage;
  readonly #lock: StateLock;
  /** The records as they were read, or as they have been left here. */
  #known = "";
  /** While the lock is held: whether they were those when it was taken. */
  #wasCurrent = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param open the storage for a device that reads anew: the files, or a seal around them */
  constructor(files: FileStorage, open: () => Storage = () => files) {
    this.#files = files;
    this.open = open;
    this.#lock = new StateLock(files.directory);
  }

  begin(): void {
    this.#known = this.#files.stamp;
    this.#wasCurrent = true;
  }

  get isCurrent(): boolean {
    return this.#lock.isHeld ? this.#wasCurrent : this.#files.stamp === this.#known;
  }

  enter(then: () => void, onBusy: (holder: string) => void): void {
    clearTimeout(this.#timer);
    const sinceMs = performance.now();
    let isTold = false;
    const attempt = (): void => {
      const holder = this.#tryTake();
      this.isWaiting = holder !== 0;
      if (holder === 0) {
        then();
        return;
      }
      if (!isTold && performance.now() - sinceMs > BUSY_MS) {
        isTold = true;
        onBusy(`process ${holder}`);
      }
      // Two that come at the same moment both step back: not for the same time.
      this.#timer = setTimeout(attempt, 10 + Math.random() * 90);
    };
    attempt();
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.isWaiting = false;
    if (this.#lock.isHeld && this.#wasCurrent) this.#known = this.#files.stamp;
    this.#lock.release();
  }

  /** A medium that takes no file takes no record of another's either. */
  #tryTake(): number {
    if (this.#lock.isHeld) return 0;
    try {
      const holder = this.#lock.tryTake();
      if (holder === 0) this.#wasCurrent = this.#files.stamp === this.#known;
      return holder;
    } catch {
      return 0;
    }
  }
}
