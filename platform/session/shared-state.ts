// Several programs with one session: a daemon, and a command that a timer starts. Each has its own device, which knows
// the records as they were when it read them. Whoever is about to ask the server for something that changes them, or to
// write them, has them alone meanwhile; and whose are not the newest any more begins again with those that are.

import type { HttpRequest, Storage } from "../contracts.ts";
import { operate } from "../exchange/callbacks.ts";
import { Filter } from "../exchange/filter.ts";
import type { SignInError } from "./sign-in-error.ts";

/** Where the records are kept that several programs use. */
export interface SharedState {
  /** The records are going to be read: what changes from now on has been changed by another. */
  begin(): void;
  /** The same storage for a device that reads it anew. */
  open(): Storage;
  /** Whether they are as they were when they were read, but for what has been written here. */
  readonly isCurrent: boolean;
  /**
   * Calls back, now or later, when nobody else may change them, until `leave`. Once it has been called back it is so at
   * once. A later call takes the place of one that waits.
   * @param onBusy told once where that takes long, of `state_busy`
   */
  enter(then: () => void, onBusy: (trouble: SignInError) => void): void;
  /** Within `enter`: why so many bytes cannot be written, "" where they can. Without the lock not even 0 bytes can. */
  unwritable(bytes: number): string;
  /** Somebody else has them, and `enter` waits: the storage behind it has not been asked yet. */
  readonly isWaiting: boolean;
  /** Lets others have them. What waits for `enter` waits no more. */
  leave(): void;
  /** What stands between a device and its adapters. Through here, since a program alone loads none of it. */
  between(user: SharedUser): Between;
}

/** The storage that a device is given, and what holds its requests back. */
export interface Between {
  readonly storage: Storage;
  readonly lock: Filter;
}

export function between(shared: SharedState, user: SharedUser): Between {
  return { storage: sharedStorage(shared.open(), shared, user), lock: new Lock(shared, user) };
}

/** Who uses them: an attempt. */
export interface SharedUser {
  /** Another has changed them: begin again. */
  readonly onStale: () => void;
  readonly onBusy: (trouble: SignInError) => void;
  /** The request is a refresh whose response may replace the stored refresh token. */
  readonly mayRotate: () => boolean;
  /** Such a refresh is not sent, since the new token could not be stored. @param problem where, and why */
  readonly onUnwritable: (problem: string) => void;
  /** The storage has thrown, or rejected. @param giveUp to be called next: it reports that */
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

  /** For the device it is a failed request: it retries with growing waits. */
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

/** Writes nothing over what another has written. */
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
