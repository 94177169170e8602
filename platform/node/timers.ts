// Timers on the system's clocks. The simulator has timers at other speeds.

import type { Timers } from "../contracts.ts";
import { type RealTime, timePassed, timersOn } from "../driver/elapsed-time.ts";

export { LONGEST_WAIT_MS, type RealTime } from "../driver/elapsed-time.ts";

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

export function nodeTimers(real: RealTime = systemTime): Timers {
  return timersOn(real);
}
