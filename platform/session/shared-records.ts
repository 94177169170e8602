// Several programs can share a session, such as a daemon and a command that a timer starts. Each program has its own
// device, which knows the records as it last read or wrote them. A program needs exclusive access to write the records,
// and for each request of its device. If another program has changed the records, a new device reads them (drivers.ts).

import { type Device, Endpoint, State } from "../../core/index.ts";
import type { HttpRequest, Storage } from "../contracts.ts";
import { operate } from "../exchange/callbacks.ts";
import { Filter } from "../exchange/filter.ts";
import { adapterFailed, notRenewed, SignInError } from "./sign-in-error.ts";

export interface SharedMedium {
  /** `stamp` changes whenever a record or the token cache is written or erased. */
  readonly files: { readonly stamp: string };
  /** Opens the storage for a device that reads the records again. */
  readonly open: () => Storage;
  readonly lock: RecordsLock;
}

export interface RecordsLock {
  readonly isHeld: boolean;
  /** @returns the ID of the other process that holds the lock, 0 if this process has taken the lock */
  tryTake(): number;
  /** Checks that the medium has this much space. @throws the system's error, as `tryTake` does */
  reserve(bytes: number): void;
  release(): void;
  problemOf(error: unknown): string;
}

export interface SharedUser {
  readonly device: () => Device;
  /** Called when another program has changed the records. The owner must then start a new device. */
  readonly onStale: () => void;
  /** Whether the last refresh left the refresh token unchanged. */
  readonly isLasting: () => boolean;
  readonly report: (trouble: SignInError) => void;
}

/** Waits are reported only after this time, because a refresh of another process usually takes less. */
const BUSY_MS = 3000;

/** Coordinates several processes that use the same records at the same time. */
export class SharedRecords {
  /** Whether `enter` waits for another program, so that no storage operation has started. */
  isWaiting = false;
  readonly #medium: SharedMedium;
  /** The `stamp` of the records when this process last read or wrote them. */
  #known = "";
  /** Whether the records were current when this process took the lock. Only valid while it holds the lock. */
  #wasCurrent = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #problem = "";

  constructor(medium: SharedMedium) {
    this.#medium = medium;
  }

  /** Marks the records as current, and returns the adapters of a device that is about to read them. */
  between(user: SharedUser): { readonly storage: Storage; readonly lock: Filter } {
    const { files, open } = this.#medium;
    this.#known = files.stamp;
    this.#wasCurrent = true;
    const storage = sharedStorage(open(), this, user);
    return { storage, lock: new SharedRequests(this, user) };
  }

  /** Whether no other program has changed the records since they were read. */
  get isCurrent(): boolean {
    const { files, lock } = this.#medium;
    return lock.isHeld ? this.#wasCurrent : files.stamp === this.#known;
  }

  /**
   * Calls `then`, now or later, with exclusive access until `leave`. If this process cannot create a lock file, calls
   * `then` without exclusive access, and `unwritable(0)` returns the reason. A later call replaces a waiting call.
   * @param onBusy receives `state_busy` once, if the wait is long
   */
  enter(then: () => void, onBusy: (trouble: SignInError) => void): void {
    clearTimeout(this.#timer);
    const sinceMs = performance.now();
    let isReported = false;
    const attempt = (): void => {
      const holder = this.#tryTake();
      this.isWaiting = holder !== 0;
      if (holder === 0) {
        then();
        return;
      }
      if (!isReported && performance.now() - sinceMs > BUSY_MS) {
        isReported = true;
        const what = `process ${holder} is signing in with the same state, or asks the server`;
        onBusy(new SignInError("state_busy", "user", `${what}; waiting for it`));
      }
      this.#timer = setTimeout(attempt, 10 + Math.random() * 90);
    };
    attempt();
  }

  /** Ends exclusive access, and cancels a waiting `enter`. */
  leave(): void {
    clearTimeout(this.#timer);
    this.isWaiting = false;
    const { files, lock } = this.#medium;
    if (lock.isHeld && this.#wasCurrent) this.#known = files.stamp;
    lock.release();
  }

  /** Returns why `bytes` bytes cannot be written or, for 0, why this process has no lock; "" if there is no problem. */
  unwritable(bytes: number): string {
    if (this.#problem === "" && bytes > 0) this.#try(() => this.#medium.lock.reserve(bytes));
    return this.#problem;
  }

  /** @returns the ID of another process that holds the lock; 0 for this process, or if it cannot create a lock file */
  #tryTake(): number {
    const { files, lock } = this.#medium;
    this.#problem = "";
    const isHeld = lock.isHeld;
    const holder = this.#try(() => lock.tryTake()) ?? 0;
    if (holder === 0 && !isHeld) this.#wasCurrent = files.stamp === this.#known;
    return holder;
  }

  #try<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      this.#problem = this.#medium.lock.problemOf(error);
      return undefined;
    }
  }
}

type Access = Pick<SharedRecords, "enter" | "isCurrent" | "unwritable">;

/** Bytes for a record with long tokens and for the token cache. */
const CAPACITY_BYTES = 16_384;

/** Sends no request while the device's records are outdated, and no refresh whose new token could not be stored. */
export class SharedRequests extends Filter {
  readonly #access: Access;
  readonly #user: SharedUser;

  constructor(access: Access, user: SharedUser) {
    super();
    this.#access = access;
    this.#user = user;
  }

  override send(request: HttpRequest): void {
    const own = ++this.turn;
    let hasWaited = false;
    this.#access.enter(() => {
      if (own !== this.turn) return;
      const problem = this.#mayRotate() ? this.#access.unwritable(CAPACITY_BYTES) : "";
      // A killed program may just have polled. A new device waits for a whole interval (RFC 8628 §3.5).
      const mayBeEarly = hasWaited && this.#user.device().state === State.PENDING;
      if (!this.#access.isCurrent || mayBeEarly) this.#user.onStale();
      else if (problem === "") this.below.send(request);
      else this.#refuse(problem);
    }, this.#user.report);
    hasWaited = true;
  }

  /** Whether the request is a refresh that may replace the stored refresh token. */
  #mayRotate(): boolean {
    const { endpoint, state, notSaved } = this.#user.device();
    const isRefresh = endpoint === Endpoint.TOKEN && state === State.REFRESHING;
    return isRefresh && notSaved === 0 && !this.#user.isLasting();
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

/** Wraps a storage, so that it does not overwrite records that another program has written. */
export function sharedStorage(storage: Storage, access: Access, user: SharedUser): Storage {
  const fault = (error: unknown, giveUp: () => void): void => {
    giveUp();
    user.report(adapterFailed(error));
  };
  const alone = (act: (done: (ok: boolean) => void) => unknown, done: (ok: boolean) => void) =>
    access.enter(() => {
      if (!access.isCurrent) user.onStale();
      else if (access.unwritable(0) === "") operate(act, false, done, fault);
      else done(false);
    }, user.report);
  return {
    capacity: storage.capacity,
    read: (slot, into, from, to, done) => storage.read(slot, into, from, to, done),
    write: (slot, bytes, from, to, done) =>
      alone((stored) => storage.write(slot, bytes, from, to, stored), done),
    erase: (slot, done) => alone((erased) => storage.erase(slot, erased), done),
    get lastFailure() {
      return access.unwritable(0) || (storage.lastFailure ?? "");
    },
  };
}
