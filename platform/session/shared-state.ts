// Several programs that share a session, such as a daemon and a command that a timer starts. Each program has its own
// device, which knows the records as it last read them. A program needs exclusive access to write the records, or to send a
// request that changes them. If its records are outdated, it reads them again.

import type { HttpRequest, Storage } from "../contracts.ts";
import { operate } from "../exchange/callbacks.ts";
import { Filter } from "../exchange/filter.ts";
import { adapterFailed, notRenewed, type SignInError } from "./sign-in-error.ts";

export interface SharedState {
  /** Whether no other program has changed the records since they were read. */
  readonly isCurrent: boolean;
  /**
   * Calls `then`, now or later, with exclusive access to the records, which lasts until `leave`. A later call replaces a
   * waiting one.
   * @param onBusy receives `state_busy` once, if the wait is long
   */
  enter(then: () => void, onBusy: (trouble: SignInError) => void): void;
  /** During exclusive access, returns why `bytes` bytes cannot be written, "" if they can; for 0, why there is no lock. */
  unwritable(bytes: number): string;
  /** Whether `enter` waits for another program, so that no storage operation has started. */
  readonly isWaiting: boolean;
  /** Ends exclusive access, and cancels a waiting `enter`. */
  leave(): void;
  /** Wraps the adapters of a device that is about to read the records. Changes after that come from another program. */
  between(user: SharedUser): Between;
}

export interface Between {
  readonly storage: Storage;
  /** Delays the device's requests. */
  readonly lock: Filter;
}

export interface SharedUser {
  /** Called when another program has changed the records. The owner must then start a new device. */
  readonly onStale: () => void;
  /** Whether the request is a refresh whose response may replace the stored refresh token. */
  readonly mayRotate: () => boolean;
  readonly report: (trouble: SignInError) => void;
}

/** Space for a record with long tokens and for the token cache. */
const CAPACITY_BYTES = 16_384;

/** Sends no request while the device's records are outdated, and no refresh whose new token could not be stored. */
export class Lock extends Filter {
  readonly #shared: SharedState;
  readonly #user: SharedUser;

  constructor(shared: SharedState, user: SharedUser) {
    super();
    this.#shared = shared;
    this.#user = user;
  }

  override send(request: HttpRequest): void {
    const own = ++this.turn;
    this.#shared.enter(() => {
      if (own !== this.turn) return;
      const problem = this.#user.mayRotate() ? this.#shared.unwritable(CAPACITY_BYTES) : "";
      if (!this.#shared.isCurrent) this.#user.onStale();
      else if (problem === "") this.below.send(request);
      else this.#refuse(problem);
    }, this.#user.report);
  }

  #refuse(problem: string): void {
    const own = this.turn;
    queueMicrotask(() => {
      if (own !== this.turn) return;
      this.#user.report(notRenewed(problem));
      this.above.failed("unreachable", problem);
    });
  }
}

/** Wraps a storage, so that it never overwrites records of another program. */
export function sharedStorage(storage: Storage, shared: SharedState, user: SharedUser): Storage {
  let problem = "";
  const fault = (error: unknown, giveUp: () => void): void => {
    giveUp();
    user.report(adapterFailed(error));
  };
  const alone = (act: (done: (ok: boolean) => void) => unknown, done: (ok: boolean) => void) =>
    shared.enter(() => {
      problem = shared.unwritable(0);
      if (!shared.isCurrent) user.onStale();
      else if (problem === "") operate(act, false, done, fault);
      else done(false);
    }, user.report);
  return {
    capacity: storage.capacity,
    read: (slot, into, from, to, done) => storage.read(slot, into, from, to, done),
    write: (slot, bytes, from, to, done) =>
      alone((stored) => storage.write(slot, bytes, from, to, stored), done),
    erase: (slot, done) => alone((erased) => storage.erase(slot, erased), done),
    get lastFailure() {
      return problem || (storage.lastFailure ?? "");
    },
  };
}
