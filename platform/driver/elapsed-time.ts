import type { Timers } from "../contracts.ts";

/** Smaller differences can arise because the two clocks are read one after the other, or because one is slewed. */
const JUMP_MIN_MS = 1000;

/**
 * Measures the elapsed time on a computer that may sleep. Its monotonic clock may stop during sleep. Its wall clock
 * continues, but can be set forward or back, so only its forward jumps are added.
 */
export function timePassed(monotonicMs: () => number, wallMs: () => number): () => number {
  let beforeMs = monotonicMs();
  let wallBeforeMs = wallMs();
  let jumpedMs = 0;
  return () => {
    const nowMs = monotonicMs();
    const wallNowMs = wallMs();
    const jumpMs = wallNowMs - wallBeforeMs - (nowMs - beforeMs);
    if (jumpMs > JUMP_MIN_MS) jumpedMs += jumpMs;
    beforeMs = nowMs;
    wallBeforeMs = wallNowMs;
    return nowMs + jumpedMs;
  };
}

/** The source of real time; replaced in tests. */
export interface RealTime {
  /** Returns the milliseconds since any fixed moment, possibly fractional, never decreasing. */
  nowMs(): number;
  /** Calls `ring` once after about `ms` milliseconds (at most 2^31-1). @returns a function that cancels this */
  wait(ms: number, ring: () => void): () => void;
}

const WRAP_MS = 2 ** 32;

/**
 * Returns timers in real time. While the computer is suspended, the monotonic clock may stop (as on Linux). An alarm
 * that became due meanwhile then fires late.
 */
export function timersOn(real: RealTime): Timers {
  const startMs = real.nowMs();
  const elapsedMs = (): number => real.nowMs() - startMs;
  let takeBack = (): void => {};
  const ringAt = (dueMs: number, ring: () => void): void => {
    const waitMs = Math.max(0, Math.ceil(dueMs - elapsedMs()));
    // setTimeout may fire slightly early.
    takeBack = real.wait(waitMs, () => (elapsedMs() < dueMs ? ringAt(dueMs, ring) : ring()));
  };
  return {
    now: () => Math.floor(elapsedMs()) % WRAP_MS,
    alarm(afterMs, ring) {
      takeBack();
      // Count from the whole millisecond that `now` returns, so that the alarm is not early by the time of `now`.
      ringAt(Math.floor(elapsedMs()) + afterMs, ring);
    },
    cancel: () => takeBack(),
  };
}
