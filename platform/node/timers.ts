// Timers on the system's clocks. The simulator has timers at other speeds.

import type { Timers } from "../contracts.ts";
import { type RealTime, timePassed, timersOn } from "../driver/elapsed-time.ts";

export type { RealTime } from "../driver/elapsed-time.ts";

/** The system's monotonic clock, plus forward jumps of the wall clock, because it may stop during a suspension. */
export const systemTime: RealTime = {
  nowMs: timePassed(
    () => performance.now(),
    () => Date.now(),
  ),
  wait: waitWith(false),
};

/** Like `systemTime`, but its waits do not keep the process alive. */
export const backgroundTime: RealTime = {
  ...systemTime,
  wait: waitWith(true),
};

function waitWith(isBackground: boolean): RealTime["wait"] {
  return (ms, ring) => {
    const timeout = setTimeout(ring, ms);
    if (isBackground) timeout.unref?.();
    return () => clearTimeout(timeout);
  };
}

/** Returns timers with one alarm, which keeps the process alive unless `real` says otherwise. */
export function nodeTimers(real: RealTime = systemTime): Timers {
  return timersOn(real);
}
