// Timers on the system's clocks. Time that runs at another speed is the simulator's.

import type { Timers } from "../contracts.ts";
import { timePassed } from "../driver/elapsed-time.ts";

/** Where real time comes from; replaced in tests. */
export interface RealTime {
  /** Milliseconds since any fixed moment, fractions allowed, never going back. */
  nowMs(): number;
  /** Calls `ring` once after about so many ms (at most 2^31-1); returns what takes it back. */
  wait(ms: number, ring: () => void): () => void;
}

/** The system's monotonic clock, and what the wall clock shows of the time in which the computer was suspended. */
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

const WRAP_MS = 2 ** 32;
/** The longest that setTimeout takes; beyond it, it would ring at once. Longer waits go in pieces. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * One alarm on real time. The system's own may stand still while the computer is suspended (it does on Linux): what is
 * due then is so when something wakes the program, or at the alarm's own time.
 */
export function nodeTimers(real: RealTime = systemTime): Timers {
  const startMs = real.nowMs();
  const elapsedMs = (): number => real.nowMs() - startMs;
  let takeBack = (): void => {};
  const ringAt = (dueMs: number, ring: () => void): void => {
    const waitMs = Math.min(Math.max(0, Math.ceil(dueMs - elapsedMs())), LONGEST_WAIT_MS);
    // Hosts wake a little early by their own clock, and a long wait has only ended in part.
    takeBack = real.wait(waitMs, () => (elapsedMs() < dueMs ? ringAt(dueMs, ring) : ring()));
  };
  return {
    now: () => Math.floor(elapsedMs()) % WRAP_MS,
    alarm(afterMs, ring) {
      takeBack();
      // From the whole millisecond that `now` shows, so that who reads it never sees too few.
      ringAt(Math.floor(elapsedMs()) + afterMs, ring);
    },
    cancel: () => takeBack(),
  };
}
