// A clock that stands still until a test advances it, and its Timers adapter. All delays of the test adapters use it.

import type { Timers } from "../contracts.ts";

interface Appointment {
  dueMs: number;
  run: () => void;
}

export interface ManualTimers extends Timers {
  /** When the alarm is due, in the clock's `elapsedMs`; undefined if there is no alarm. */
  dueMs: number | undefined;
}

const WRAP_MS = 2 ** 32;
const ALARM_MAX_MS = 134_217_727;
const STORM_LIMIT = 1_000_000;

/** A manual clock. Several devices can use it: each takes its own `timers()`. */
export class ManualClock {
  #elapsedMs = 0;
  #appointments: Appointment[] = [];
  readonly #startMs: number;

  /** @param startMs the first value of `now()`, 0..2^32-1; a value close to 2^32 tests a wrap */
  constructor(startMs = 0) {
    this.#startMs = startMs;
  }

  /** Milliseconds since the clock was made; does not wrap. */
  get elapsedMs(): number {
    return this.#elapsedMs;
  }

  /** As `Timers.now`: milliseconds from 0 to 2^32-1, which wrap. */
  now(): number {
    return (this.#startMs + this.#elapsedMs) % WRAP_MS;
  }

  /** Calls `run` once, `afterMs` milliseconds from now, in a later `advance`. @returns a function that cancels it */
  after(afterMs: number, run: () => void): () => void {
    const appointment = { dueMs: this.#elapsedMs + afterMs, run };
    this.#appointments.push(appointment);
    this.#appointments.sort((a, b) => a.dueMs - b.dueMs);
    return () => {
      this.#appointments = this.#appointments.filter((other) => other !== appointment);
    };
  }

  /** Advances by `ms` milliseconds. Everything that becomes due runs at its own time, in order. */
  advance(ms: number): void {
    const targetMs = this.#elapsedMs + ms;
    for (let count = 0; (this.#appointments[0]?.dueMs ?? Infinity) <= targetMs; count++) {
      if (count >= STORM_LIMIT) throw new Error("manual clock: callbacks without end");
      const { dueMs, run } = this.#appointments.shift()!;
      // A callback may have advanced the clock itself. The clock never goes back.
      this.#elapsedMs = Math.max(this.#elapsedMs, dueMs);
      run();
    }
    this.#elapsedMs = Math.max(this.#elapsedMs, targetMs);
  }

  /** The device sleeps: first `ms` milliseconds pass, then everything that has become due runs at once. */
  sleep(ms: number): void {
    this.#elapsedMs += ms;
    this.advance(0);
  }

  /** Returns the milliseconds until the next callback, or -1 for none. */
  nextInMs(): number {
    const [next] = this.#appointments;
    return next === undefined ? -1 : Math.max(0, next.dueMs - this.#elapsedMs);
  }

  /** Advances to the next callback. @returns false if there is none */
  advanceToNext(): boolean {
    const inMs = this.nextInMs();
    if (inMs < 0) return false;
    this.advance(inMs);
    return true;
  }

  /** Creates a Timers adapter with its own alarm on this clock. */
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
