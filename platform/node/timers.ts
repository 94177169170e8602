// Timers on the system's clocks. The simulator has timers at other speeds.

import type { Timers } from "../contracts.ts";
import { timePassed } from "../driver/elapsed-time.ts";

/** The source of real time; replaced in tests. */
export interface RealTime {
  /** Returns the milliseconds since any fixed moment, possibly fractional, never decreasing. */
  nowMs(): number;
  /** Calls `ring` once after about `ms` milliseconds (at most 2^31-1). @returns a function that cancels this */
  wait(ms: number, ring: () => void): () => void;
}

/** The system's monotonic clock. Forward jumps of the wall clock add the time of a suspension. */
export const systemTime: RealTime = {
  nowMs: timePassed(
    () => performance.now(),
    () => Date.now(),
  ),
  wait(ms, ring) {
    const timeout = setTimeout(ring, ms);
    return () => clearTimeout(timeout);
  },
};

/** Like `systemTime`, but its waits do not keep the process alive. */
export const backgroundTime: RealTime = {
  ...systemTime,
  wait(ms, ring) {
    const timeout = setTimeout(ring, ms);
    timeout.unref?.();
    return () => clearTimeout(timeout);
  },
};

const WRAP_MS = 2 ** 32;
/** The longest wait of setTimeout, which fires at once for a longer one. Longer waits are split. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Returns one alarm in real time. While the computer is suspended, the monotonic clock may stop (as on Linux). An alarm
 * that became due meanwhile fires when the program wakes for another reason, or at the alarm's own time.
 */
export function nodeTimers(real: RealTime = systemTime): Timers {
  const startMs = real.nowMs();
  const elapsedMs = (): number => real.nowMs() - startMs;
  let takeBack = (): void => {};
  const ringAt = (dueMs: number, ring: () => void): void => {
    const waitMs = Math.min(Math.max(0, Math.ceil(dueMs - elapsedMs())), LONGEST_WAIT_MS);
    // setTimeout may fire slightly early, and a long wait is split.
    takeBack = real.wait(waitMs, () => (elapsedMs() < dueMs ? ringAt(dueMs, ring) : ring()));
  };
  return {
    now: () => Math.floor(elapsedMs()) % WRAP_MS,
    alarm(afterMs, ring) {
      takeBack();
      // Count from the whole millisecond that `now` returns, so that its caller does not measure too little.
      ringAt(Math.floor(elapsedMs()) + afterMs, ring);
    },
    cancel: () => takeBack(),
  };
}
