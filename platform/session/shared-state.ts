// Several programs that share a session, such as a daemon and a command that a timer starts. Each has its own device,
// which knows the records as it last read them. A program has exclusive access while it writes the records, or sends a
// request that changes them; a program with outdated records starts again with the newest.

import type { HttpRequest, Storage } from "../contracts.ts";
import { operate } from "../exchange/callbacks.ts";
import { Filter } from "../exchange/filter.ts";
import type { SignInError } from "./sign-in-error.ts";

/** The records that several programs use. */
export interface SharedState {
  /** The records are about to be read: later changes are another program's. */
  begin(): void;
  /** The storage for a device that reads it again. */
  open(): Storage;
  /** Whether only this program has changed them since they were read. */
  readonly isCurrent: boolean;
  /**
   * Calls back, now or later, when no other program may change them, until `leave`. After the first callback access
   * stays exclusive. A later call replaces a waiting one.
   * @param onBusy receives `state_busy` once, if it takes long
   */
  enter(then: () => void, onBusy: (trouble: SignInError) => void): void;
  /** Within `enter`: why so many bytes cannot be written, "" if they can. Without the lock not even 0 bytes can. */
  unwritable(bytes: number): string;
  /** Another program uses them, and `enter` waits: no storage operation has started. */
  readonly isWaiting: boolean;
  /** Ends exclusive access, and cancels a waiting `enter`. */
  leave(): void;
  /**
   * Wraps a device's adapters. Reached through this object, because a program without shared records does not load it.
   */
  between(user: SharedUser): Between;
}

/** The device's storage, and the filter that delays its requests. */
export interface Between {
  readonly storage: Storage;
  readonly lock: Filter;
}

export function between(shared: SharedState, user: SharedUser): Between {
  return { storage: sharedStorage(shared.open(), shared, user), lock: new Lock(shared, user) };
}

/** The owner of the device. */
export interface SharedUser {
  /** Another program has changed the records: start again. */
  readonly onStale: () => void;
  readonly onBusy: (trouble: SignInError) => void;
  /** The request is a refresh whose response may replace the stored refresh token. */
  readonly mayRotate: () => boolean;
  /** Such a refresh is not sent, because the new token could not be stored. @param problem where, and why */
  readonly onUnwritable: (problem: string) => void;
  /** The storage has thrown, or rejected. @param giveUp to be called next: it reports the failure */
  readonly onFault: (error: unknown, giveUp: () => void) => void;
}

/** A record with long tokens, and the file beside the records. */
const CAPACITY_BYTES = 16_384;

/** Sends nothing before the device knows the newest records, and no refresh whose new token could not be stored. */
export class Lock extends Filter {
  readonly #shared: SharedState;
  readonly #user: SharedUser;
  #turn = 0;

  constructor(shared: SharedState, user: SharedUser) {
    super();
    this.#shared = shared;
    this.#user = user;
  }

  override send(request: HttpRequest): void {
    const own = ++this.#turn;
    this.#shared.enter(() => {
      if (own !== this.#turn) return;
      const problem = this.#user.mayRotate() ? this.#shared.unwritable(CAPACITY_BYTES) : "";
      if (!this.#shared.isCurrent) this.#user.onStale();
      else if (problem === "") this.below.send(request);
      else this.#refuse(problem);
    }, this.#user.onBusy);
  }

  /** The device treats it as a failed request, and retries with growing waits. */
  #refuse(problem: string): void {
    const own = this.#turn;
    queueMicrotask(() => {
      if (own !== this.#turn) return;
      this.#user.onUnwritable(problem);
      this.above.failed("unreachable", problem);
    });
  }

  override abort(): void {
    this.#turn++;
    this.below.abort();
  }
}

/** Prevents writes over another program's records. */
export function sharedStorage(storage: Storage, shared: SharedState, user: SharedUser): Storage {
  let problem = "";
  const alone = (act: (done: (ok: boolean) => void) => unknown, done: (ok: boolean) => void) =>
    shared.enter(() => {
      problem = shared.unwritable(0);
      if (!shared.isCurrent) user.onStale();
      else if (problem === "") operate(act, false, done, user.onFault);
      else done(false);
    }, user.onBusy);
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
