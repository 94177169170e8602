// A clock that stands still until it is advanced, and its Timers adapter. All delays of the test adapters (responses,
// storage callbacks) use the same clock, so runs are repeatable.

import type { Timers } from "../contracts.ts";

interface Appointment {
  dueMs: number;
  run: () => void;
}

/** Timers on a manual clock. */
export interface ManualTimers extends Timers {
  /** When the alarm is due, in the clock's `elapsedMs`; undefined for none. */
  dueMs: number | undefined;
}

const WRAP_MS = 2 ** 32;
const ALARM_MAX_MS = 134_217_727;
/** So many callbacks within one `advance` are an endless loop. */
const STORM_LIMIT = 1_000_000;

/** A manual clock. It may serve several devices: each takes its own `timers()`. */
export class ManualClock {
  #elapsedMs = 0;
  /** Ordered by time, then by creation. */
  #appointments: Appointment[] = [];
  readonly #startMs: number;

  /** @param startMs the first value of `now()`, 0..2^32-1; close to 2^32 to test a wrap */
  constructor(startMs = 0) {
    this.#startMs = startMs;
  }

  /** Milliseconds since the clock was made; does not wrap. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** As `Timers.now`: integer 0..2^32-1, wrapping. */
  now(): number {
    return (this.#startMs + this.#elapsedMs) % WRAP_MS;
  }

  /** Runs `run` once, `afterMs` from now, in a later `advance`; returns a function that cancels it. */
  after(afterMs: number, run: () => void): () => void {
    const appointment = { dueMs: this.#elapsedMs + afterMs, run };
    this.#appointments.push(appointment);
    this.#appointments.sort((a, b) => a.dueMs - b.dueMs);
    return () => {
      this.#appointments = this.#appointments.filter((other) => other !== appointment);
    };
  }

  /** Advances by `ms`: everything due runs at its own time, in order. */
  advance(ms: number): void {
    const targetMs = this.#elapsedMs + ms;
    for (let count = 0; (this.#appointments[0]?.dueMs ?? Infinity) <= targetMs; count++) {
      if (count >= STORM_LIMIT) throw new Error("manual clock: callbacks without end");
      const { dueMs, run } = this.#appointments.shift()!;
      // A callback may itself have advanced the clock: never go back.
      this.#elapsedMs = Math.max(this.#elapsedMs, dueMs);
      run();
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, targetMs);
  }

  /** The device sleeps: `ms` pass first, then everything that became due runs at once. */
  sleep(ms: number): void {
    this.#elapsedMs += ms;
    this.advance(0);
  }

  /** Milliseconds until the next callback, or -1 for none. */
  nextInMs(): number {
    const [next] = this.#appointments;
    return next === undefined ? -1 : Math.max(0, next.dueMs - this.#elapsedMs);
  }

  /** Advances to the next callback; false for none. */
  advanceToNext(): boolean {
    const inMs = this.nextInMs();
    if (inMs < 0) return false;
    this.advance(inMs);
    return true;
  }

  /** A Timers adapter with an alarm of its own on this clock. */
  timers(): ManualTimers {
    let takeBack = (): void => {};
    const timers: ManualTimers = {
      dueMs: undefined,
      now: () => this.now(),
      alarm: (afterMs, ring) => {
        if (!Number.isInteger(afterMs) || afterMs < 0 || afterMs > ALARM_MAX_MS) {
          throw new RangeError(`alarm: ${afterMs} ms is outside 0..${ALARM_MAX_MS}`);
        }
        timers.cancel();
        timers.dueMs = this.#elapsedMs + afterMs;
        takeBack = this.after(afterMs, () => {
          timers.dueMs = undefined;
          ring();
        });
      },
      cancel: () => {
        takeBack();
        timers.dueMs = undefined;
      },
    };
    return timers;
  }
}
