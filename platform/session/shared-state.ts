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
  /** The storage has thrown, or rejected. @param giveUp to be called next: it reports that */
  readonly onFault: (error: unknown, giveUp: () => void) => void;
}

/** Sends nothing before it is sure that the device knows the newest records. */
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
      if (this.#shared.isCurrent) this.below.send(request);
      else this.#user.onStale();
    }, this.#user.onBusy);
  }

  override abort(): void {
    this.#turn++;
    this.below.abort();
  }
}

/** Writes nothing over what another has written. */
export function sharedStorage(storage: Storage, shared: SharedState, user: SharedUser): Storage {
  const alone = (act: (done: (ok: boolean) => void) => unknown, done: (ok: boolean) => void) =>
    shared.enter(() => {
      if (shared.isCurrent) operate(act, false, done, user.onFault);
      else user.onStale();
    }, user.onBusy);
  return {
    capacity: storage.capacity,
    read: (slot, into, from, to, done) => storage.read(slot, into, from, to, done),
    write: (slot, bytes, from, to, done) =>
      alone((stored) => storage.write(slot, bytes, from, to, stored), done),
    erase: (slot, done) => alone((erased) => storage.erase(slot, erased), done),
    get lastFailure() {
      return storage.lastFailure ?? "";
    },
  };
}
