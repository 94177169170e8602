// Models the purposes of requests, the owners of the output buffer, the clocks, and what is due in each state.

import { Command, Region, State } from "../../../core/index.ts";
import type { Ideal } from "./device.ts";
import { formEncoded, type Request, Requests } from "./requests.ts";
import { ENDLESS_S } from "./responses.ts";
import { sizeOf, Task } from "./storage.ts";

export enum Purpose {
  NONE = 0,
  CODE = 1,
  POLL = 2,
  REFRESH = 3,
  REVOCATION = 4,
  CALL = 5,
  /** No request: storage refused the tokens, and the device writes them again. */
  SAVE = 6,
  /** No request: storage refused to erase, and the device retries. */
  ERASE = 7,
}

/** The current owner of the output buffer, which requests, records and responses to calls share. */
export enum Holder {
  NOBODY = 0,
  /** A request of the grant, until it ends or the host has received ABORT. */
  REQUEST = 1,
  /** A record, from LOAD or STORE until the host is done. */
  RECORD = 2,
  /** The response to a call. Until tick has returned NONE, the host may not have read it. */
  RESPONSE = 3,
  /** The response to a call that the host has had time to read. */
  READ = 4,
}

// The clocks of a device (core/SPEC.md, Time). Where the core chooses a time at random (backoff, refresh margin,
// start), the model has the lower and the upper limit.

const STEP_MS_MAX = 100_000_000;
export const EXCHANGE_MS = 120_000;
export const PAGE_MS = 3000;
/** After failed tries to write or erase, the device waits this long before it retries. */
export const SAVE_AGAIN_MS = 60_000;
const RETRY_AFTER_S_MAX = 3600;
const BACKOFF_MS_MIN = 2000;
const BACKOFF_MS_MAX = 64_000;
/** The longest wait after a refusal that only the user, the administrator or the developer can fix. */
export const REFUSED_MS_MAX = 4_096_000;

const INTERVAL_MS_MAX = 99_930_000;
/** The longest lifetime of a code whose interval exceeds INTERVAL_MS_MAX. The code expires before its next poll. */
const UNPOLLED_LIFETIME_S = 99_840;
export const SLOW_DOWN_MS = 5000;

interface Bounds {
  leastMs: number;
  mostMs: number;
}

function less(value: number, step: number): number {
  return value > step ? value - step : 0;
}

export class Clock {
  #totalMs = 0;
  codeLifetimeS = 0;
  accessLifetimeS = ENDLESS_S;
  refreshLifetimeS = ENDLESS_S;
  /** How much longer the server may refuse refreshes before the session ends (TIMEOUT_S in grant.ts). */
  timeoutS = ENDLESS_S;
  /** How long the device continues to refresh only on demand. */
  restS = 0;
  readonly wait: Bounds = { leastMs: 0, mostMs: 0 };
  exchangeMs = 0;
  /** The time between a refresh and the expiry of the access token. */
  marginLeastS = 0;
  marginMostS = 0;
  intervalMs = 5000;
  backoffMs = 0;

  advance(elapsedMs: number, isInFlight: boolean): void {
    if (!(elapsedMs > 0)) return;
    const step = Math.min(elapsedMs, STEP_MS_MAX);
    this.exchangeMs = less(this.exchangeMs, step);
    if (!isInFlight) {
      this.wait.leastMs = less(this.wait.leastMs, step);
      this.wait.mostMs = less(this.wait.mostMs, step);
    }
    const seconds = Math.floor((this.#totalMs + step) / 1000) - Math.floor(this.#totalMs / 1000);
    this.#totalMs += step;
    if (this.codeLifetimeS !== ENDLESS_S) this.codeLifetimeS = less(this.codeLifetimeS, seconds);
    if (this.accessLifetimeS !== ENDLESS_S)
      this.accessLifetimeS = less(this.accessLifetimeS, seconds);
    if (this.refreshLifetimeS !== ENDLESS_S)
      this.refreshLifetimeS = less(this.refreshLifetimeS, seconds);
    this.restS = less(this.restS, seconds);
    if (this.timeoutS !== ENDLESS_S) this.timeoutS = less(this.timeoutS, seconds);
  }

  msUntil(seconds: number): number {
    if (seconds === ENDLESS_S) return Number.POSITIVE_INFINITY;
    return Math.max(0, seconds * 1000 - (this.#totalMs % 1000));
  }

  /** Sets the poll interval. If the interval exceeds the longest wait, the code expires before its next poll. */
  pollEvery(intervalMs: number): void {
    this.intervalMs = Math.min(intervalMs, INTERVAL_MS_MAX);
    if (intervalMs > INTERVAL_MS_MAX)
      this.codeLifetimeS = Math.min(this.codeLifetimeS, UNPOLLED_LIFETIME_S);
  }

  /** Sets the wait before the next request: at least Retry-After (RFC 9110 §10.2.3), but no more than an hour of it. */
  setWait(leastMs: number, mostMs: number, retryAfterS: number): void {
    const requestedMs = Math.min(retryAfterS, RETRY_AFTER_S_MAX) * 1000;
    this.wait.leastMs = Math.max(leastMs, requestedMs);
    this.wait.mostMs = Math.max(mostMs, requestedMs);
  }

  /** Doubles the backoff, up to `capMs`. The wait is random between half and all of it, and at least `floorMs`. */
  backOff(floorMs: number, retryAfterS: number, capMs = BACKOFF_MS_MAX): void {
    this.backoffMs = Math.min(capMs, Math.max(BACKOFF_MS_MIN, this.backoffMs * 2));
    const half = Math.floor(this.backoffMs / 2);
    this.setWait(Math.max(floorMs, half), Math.max(floorMs, this.backoffMs - 1), retryAfterS);
  }
}

// Decides in each state which command is due, which request it is for, and when the host must wake up.

interface Expectation {
  command: number;
  isOptional: boolean;
}

export class Due {
  constructor(readonly device: Ideal) {}

  expected(): Expectation {
    const device = this.device;
    if (device.isAbortDue) return { command: Command.ABORT, isOptional: false };
    const { storage } = device;
    const stored = this.#isReadingLater ? Command.NONE : storage.due();
    if (stored && (stored === Command.ERASE || device.isOutputFree))
      return { command: stored, isOptional: false };
    if (device.calls.isVerifyDue) return { command: Command.VERIFY, isOptional: false };
    if (device.prompt.isChanged()) return { command: Command.SHOW, isOptional: false };
    const purpose = this.purposeDue();
    let command: number = Command.SEND;
    if (purpose === Purpose.SAVE) command = Command.STORE;
    if (purpose === Purpose.ERASE) command = Command.ERASE;
    if (purpose === Purpose.CODE && device.isChallengeDue) command = Command.CHALLENGE;
    const isNow = purpose === Purpose.CALL;
    if (purpose === Purpose.NONE || (device.clock.wait.leastMs > 0 && !isNow)) {
      return { command: Command.NONE, isOptional: false };
    }
    const isClaiming = command === Command.SEND || command === Command.CHALLENGE;
    if (isClaiming && !device.isOutputFree) {
      return { command: Command.NONE, isOptional: false };
    }
    return { command, isOptional: device.clock.wait.mostMs > 0 && !isNow };
  }

  /** Cancels the write of a record that does not fit. */
  dropMisfits(): void {
    const device = this.device;
    const { storage } = device;
    const isWrite = storage.task === Task.WRITE && !storage.active && device.isOutputFree;
    if (device.isAbortDue || !isWrite) return;
    if (sizeOf(device.record()) <= device.capacity(Region.OUTPUT)) return;
    storage.task = Task.NONE;
    storage.notSaved = true;
    device.holder = Holder.NOBODY;
  }

  /** Whether a slot could not be read, and the device will retry. */
  get #isReadingLater(): boolean {
    const { clock, storage } = this.device;
    return storage.task === Task.READ && clock.wait.mostMs > 0;
  }

  purposeDue(): Purpose {
    const device = this.device;
    const isHeld =
      !device.isOutputFree && !(device.holder === Holder.RESPONSE && device.calls.isDone);
    if (device.isInFlight || device.storage.isBusy || device.storage.active || isHeld) {
      return Purpose.NONE;
    }
    if (device.calls.isDue) return Purpose.CALL;
    switch (device.state) {
      case State.REQUESTING:
        return Purpose.CODE;
      case State.PENDING:
        return Purpose.POLL;
      case State.REFRESHING:
        return Purpose.REFRESH;
      case State.REVOKING:
        return Purpose.REVOCATION;
      case State.SIGNED_IN:
        if (device.storage.notSaved) return Purpose.SAVE;
        return device.storage.notErased ? Purpose.ERASE : Purpose.NONE;
      case State.SIGNED_OUT:
      case State.FAILED:
        // While tokens are unsaved, the device erases nothing.
        if (device.storage.notSaved) return Purpose.NONE;
        return device.storage.notErased ? Purpose.ERASE : Purpose.NONE;
      default:
        return Purpose.NONE;
    }
  }

  request(purpose: Purpose): Request {
    const device = this.device;
    switch (purpose) {
      case Purpose.CODE:
        return device.requests.deviceAuthorization(device.challenge);
      case Purpose.POLL:
        return device.requests.poll(device.deviceCode ?? "", device.verifier ?? "");
      case Purpose.REFRESH:
        return device.requests.refresh(device.refreshToken ?? "");
      case Purpose.REVOCATION:
        return device.requests.revocation(device.refreshToken || device.accessToken || "");
      default:
        return device.calls.request();
    }
  }

  requestFits(purpose: Purpose, request: Request): boolean {
    const device = this.device;
    const region = purpose === Purpose.CALL ? Region.CALL : Region.OUTPUT;
    const missing = Requests.sizeOf(request) - device.capacity(region);
    // If the form encoding does not change the access token, the request can use the token's own place as its end.
    const { accessToken = "" } = device;
    const isAlone = purpose === Purpose.REVOCATION && !device.refreshToken;
    const isPlain = formEncoded(accessToken) === accessToken;
    return missing <= (isAlone && isPlain ? accessToken.length : 0);
  }

  nextDueMs(waitMs: "leastMs" | "mostMs" = "mostMs"): number {
    const device = this.device;
    const { clock } = device;
    const { command, isOptional } = this.expected();
    if (command !== Command.NONE && !isOptional) return 0;
    let due = Number.POSITIVE_INFINITY;
    const purpose = this.purposeDue();
    if (device.isInFlight || device.calls.isRequested) due = clock.exchangeMs;
    else if (purpose !== Purpose.NONE || this.#isReadingLater) due = clock.wait[waitMs];
    if (device.state === State.PENDING && clock.codeLifetimeS > 0) {
      due = Math.min(due, clock.msUntil(clock.codeLifetimeS));
    }
    if (device.state === State.SIGNED_IN && !device.isInFlight) {
      due = Math.min(due, clock.msUntil(this.refreshDueS.most));
    }
    return Math.min(due, device.prompt.nextChangeMs());
  }

  get refreshDueS(): { least: number; most: number } {
    const device = this.device;
    const left = device.accessToken ? device.clock.accessLifetimeS : 0;
    if (!device.refreshToken) return { least: left, most: left };
    const { marginLeastS, marginMostS, restS } = device.clock;
    return {
      least: Math.max(restS, left - marginMostS),
      most: Math.max(restS, left - marginLeastS),
    };
  }
}
