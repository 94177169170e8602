// How the conformance suite lets time pass in these tests: on the real clock, or on a manual one.

import type { ConformanceCase, World } from "../../platform/conformance.ts";
import type { ManualClock } from "../../platform/fake/index.ts";

export const realWorld: World = {
  wait: (ms) =>
    new Promise((done) => {
      if (ms === 0) setImmediate(done);
      else setTimeout(done, ms);
    }),
};

/** A world without waiting: its time is the clock's. */
export function manualWorld(clock: ManualClock): World {
  return {
    async wait(ms) {
      clock.advance(ms);
    },
  };
}

/** Cases as rows for `it.each`. */
export function rows(cases: ConformanceCase[]): [string, ConformanceCase][] {
  return cases.map((one) => [one.name, one]);
}
