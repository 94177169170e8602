// How much time has passed on a computer that may sleep: its monotonic clock may stand still meanwhile, its wall clock
// does not, but is set, and may go back.

/** What both clocks differ by when they are read one after the other, and what a wall clock is slewed by: no sleep. */
const JUMP_MIN_MS = 1000;

/**
 * The larger of what the monotonic clock shows and of the wall clock's forward jumps.
 * @param monotonicMs never goes back
 * @param wallMs may jump; back counts for nothing
 * @returns milliseconds of the monotonic clock, and of the jumps seen since
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
