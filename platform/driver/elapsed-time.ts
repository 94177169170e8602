// Elapsed time on a computer that may sleep. Its monotonic clock may stop meanwhile. Its wall clock does not, but can
// be set, also backwards.

/** Smaller differences come from reading two clocks one after the other, and from slewing. */
const JUMP_MIN_MS = 1000;

/**
 * The larger of the monotonic clock's time and the wall clock's forward jumps.
 * @param monotonicMs never goes back
 * @param wallMs may jump; backward jumps are ignored
 * @returns milliseconds of the monotonic clock plus the observed jumps
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
