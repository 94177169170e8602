// Time and the alarm under QuickJS. The engine's clock may stop while the system sleeps.

import type { Timers } from "../contracts.ts";
import { timePassed } from "../driver/elapsed-time.ts";
import type { Os } from "./engine.ts";

export function quickJsTimers(os: Os): Timers {
  const nowMs = timePassed(() => os.now(), Date.now);
  let timer: object | undefined;
  const cancel = (): void => {
    if (timer !== undefined) os.clearTimeout(timer);
    timer = undefined;
  };
  return {
    now: () => Math.floor(nowMs()) % 4_294_967_296,
    alarm(afterMs, ring) {
      cancel();
      // The engine truncates fractions of a millisecond: never early.
      timer = os.setTimeout(() => {
        timer = undefined;
        ring();
      }, afterMs + 1);
    },
    cancel,
  };
}
