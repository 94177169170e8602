/** Smaller differences can result from reading one clock after the other, or from slewing. */
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
