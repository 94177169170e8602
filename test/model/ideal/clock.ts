// The clocks of a device, counted down by what its host tells it: core/SPEC.md, Time. Where chance has a
// share (backoff, refresh margin, start) both ends of what is allowed are kept.

import { ENDLESS_S } from "./answers.ts";

/** Longest step that one tick takes in. */
const STEP_MS_MAX = 100_000_000;
export const EXCHANGE_MS = 120_000;
export const PAGE_MS = 3000;
/** Storage that has refused is asked again. */
export const SAVE_AGAIN_MS = 60_000;
const RETRY_AFTER_S_MAX = 3600;
const BACKOFF_MS_MIN = 2000;
const BACKOFF_MS_MAX = 64_000;
/** The longest wait after a refusal that only people can mend. */
export const REFUSED_MS_MAX = 4_096_000;

const INTERVAL_MS_MAX = 99_930_000;
/** Of a code whose interval is longer than that: it ends so early that it is not even polled a last time. */
const UNPOLLED_LIFE_S = 99_840;
export const SLOW_DOWN_MS = 5000;

/** A wait that ends within these bounds. */
interface Bounds {
  leastMs: number;
  mostMs: number;
}

function less(value: number, step: number): number {
  return value > step ? value - step : 0;
}

export class Clock {
  #totalMs = 0;
  codeLifeS = 0;
  accessLifeS = ENDLESS_S;
  refreshLifeS = ENDLESS_S;
  /** How much longer refusals by unknown names are borne. */
  patienceS = ENDLESS_S;
  /** Before the next request of the grant. It stands still while one is under way. */
  readonly wait: Bounds = { leastMs: 0, mostMs: 0 };
  exchangeMs = 0;
  /** How long ahead of its end the access token is renewed, in seconds. */
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
    if (this.codeLifeS !== ENDLESS_S) this.codeLifeS = less(this.codeLifeS, seconds);
    if (this.accessLifeS !== ENDLESS_S) this.accessLifeS = less(this.accessLifeS, seconds);
    if (this.refreshLifeS !== ENDLESS_S) this.refreshLifeS = less(this.refreshLifeS, seconds);
    if (this.patienceS !== ENDLESS_S) this.patienceS = less(this.patienceS, seconds);
  }

  /** Milliseconds until a count of whole seconds that is now `seconds` comes to 0. */
  msUntil(seconds: number): number {
    if (seconds === ENDLESS_S) return Number.POSITIVE_INFINITY;
    return Math.max(0, seconds * 1000 - (this.#totalMs % 1000));
  }

  /** An interval that cannot be waited for: the code ends before it would be polled too early. */
  pollEvery(intervalMs: number): void {
    this.intervalMs = Math.min(intervalMs, INTERVAL_MS_MAX);
    if (intervalMs > INTERVAL_MS_MAX) this.codeLifeS = Math.min(this.codeLifeS, UNPOLLED_LIFE_S);
  }

  /** The next request waits as long, and at least what Retry-After asks for (RFC 9110 §10.2.3). */
  setWait(leastMs: number, mostMs: number, retryAfterS: number): void {
    const askedMs = Math.min(retryAfterS, RETRY_AFTER_S_MAX) * 1000;
    this.wait.leastMs = Math.max(leastMs, askedMs);
    this.wait.mostMs = Math.max(mostMs, askedMs);
  }

  /** After a failure: doubled each time up to `capMs`, the upper half at random; `floorMs` at the least. */
  backOff(floorMs: number, retryAfterS: number, capMs = BACKOFF_MS_MAX): void {
    this.backoffMs = Math.min(capMs, Math.max(BACKOFF_MS_MIN, this.backoffMs * 2));
    const half = this.backoffMs / 2;
    this.setWait(Math.max(floorMs, half), Math.max(floorMs, this.backoffMs - 1), retryAfterS);
  }
}
