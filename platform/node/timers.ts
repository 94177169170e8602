// Timers on the system's monotonic clock.

import type { Timers } from "../contracts.ts";
import { ScaledClock } from "./scaled-clock.ts";

/**
 * One alarm on real time. While the computer is suspended the clock may stand still (it does on Linux):
 * a code's lifetime then ends later here than at the server, which answers `expired_token` first.
 */
export function nodeTimers(): Timers {
  return new ScaledClock().timers();
}
