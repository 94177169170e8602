// A clock that runs at any multiple of real time, stands still and jumps ahead: for a simulator that
// shows half an hour in a minute. At factor 1 it is simply the system's clock, see timers.ts.

import type { Timers } from "../contracts.ts";

/** Where real time comes from; replaced in tests. */
export interface RealTime {
  /** Milliseconds since any fixed moment, fractions allowed, never going back. */
  nowMs(): number;
  /** Calls `ring` once after about so many ms (at most 2^31-1); returns what takes it back. */
  wait(ms: number, ring: () => void): () => void;
}

/** The system's monotonic clock. It may stand still while the computer is suspended. */
export const systemTime: RealTime = {
  nowMs: () => performance.now(),
  wait(ms, ring) {
    const timeout = setTimeout(ring, ms);
    return () => clearTimeout(timeout);
  },
};

interface Appointment {
  dueMs: number;
  order: number;
  run: () => void;
}

const WRAP_MS = 2 ** 32;
/** The longest that setTimeout takes; beyond it, it would ring at once. Longer waits go in pieces. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** One clock, for any number of devices and for whatever else is to live in the same time. */
export class ScaledClock {
  readonly #real: RealTime;
  #factor: number;
  #paused = false;
  /** Clock time and real time at the last change of speed. */
  #anchorMs = 0;
  #realAnchorMs: number;
  #appointments: Appointment[] = [];
  #order = 0;
  #takeBack: () => void = () => {};

  /** @param factor clock seconds per real second, above 0 */
  constructor(factor = 1, real: RealTime = systemTime) {
    this.#real = real;
    this.#realAnchorMs = real.nowMs();
    this.#factor = checkedFactor(factor);
  }

  get factor(): number {
    return this.#factor;
  }

  set factor(factor: number) {
    this.#change(() => {
      this.#factor = checkedFactor(factor);
    });
  }

  get paused(): boolean {
    return this.#paused;
  }

  set paused(paused: boolean) {
    this.#change(() => {
      this.#paused = paused;
    });
  }

  /** Milliseconds of this clock since it was made, fractions included. */
  nowMs(): number {
    if (this.#paused) return this.#anchorMs;
    return this.#anchorMs + (this.#real.nowMs() - this.#realAnchorMs) * this.#factor;
  }

  /** Jumps ahead. What came due on the way happens at once, in its order, soon after this call. */
  skip(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`clock: cannot skip ${ms} ms`);
    this.#change(() => {
      this.#anchorMs += ms;
    });
  }

  /** Runs `run` once when `afterMs` of this clock have passed, never earlier; returns what takes it back. */
  after(afterMs: number, run: () => void): () => void {
    // Counted from the whole millisecond that `now()` shows, so that who reads it never sees too few.
    const appointment = { dueMs: Math.floor(this.nowMs()) + afterMs, order: this.#order++, run };
    this.#appointments.push(appointment);
    this.#appointments.sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
    this.#arm();
    return () => {
      this.#appointments = this.#appointments.filter((other) => other !== appointment);
      this.#arm();
    };
  }

  /** A Timers adapter with an alarm of its own on this clock. */
  timers(): Timers {
    let takeBack = (): void => {};
    return {
      now: () => Math.floor(this.nowMs()) % WRAP_MS,
      alarm: (afterMs, ring) => {
        takeBack();
        takeBack = this.after(afterMs, ring);
      },
      cancel: () => takeBack(),
    };
  }

  #change(apply: () => void): void {
    const nowMs = this.nowMs();
    this.#realAnchorMs = this.#real.nowMs();
    this.#anchorMs = nowMs;
    apply();
    this.#arm();
  }

  /** Waits in real time for the next appointment; none, or a standing clock: waits for nothing. */
  #arm(): void {
    this.#takeBack();
    this.#takeBack = () => {};
    const next = this.#appointments[0];
    if (next === undefined) return;
    const missingMs = next.dueMs - this.nowMs();
    if (this.#paused && missingMs > 0) return;
    const waitMs = Math.ceil(Math.max(0, missingMs) / this.#factor);
    this.#takeBack = this.#real.wait(Math.min(waitMs, LONGEST_WAIT_MS), () => this.#ring());
  }

  #ring(): void {
    const nowMs = this.nowMs();
    try {
      // Only what was due when the ringing began: a callback asking for "at once" waits for the next.
      const due = this.#appointments.filter(({ dueMs }) => dueMs <= nowMs);
      for (const appointment of due) {
        const at = this.#appointments.indexOf(appointment);
        // An earlier callback may have taken it back.
        if (at < 0) continue;
        this.#appointments.splice(at, 1);
        appointment.run();
      }
    } finally {
      this.#arm();
    }
  }
}

function checkedFactor(factor: number): number {
  if (!(factor > 0) || !Number.isFinite(factor)) {
    throw new RangeError(`clock: a factor of ${factor} is not above 0 (to stop it, pause it)`);
  }
  return factor;
}
