// A device that has nothing to do sleeps (SPEC.md, The loop: wakeIn). While a code is shown it wakes each second for its
// countdown, and where no countdown is shown it does not.

import { describe, expect, it } from "vitest";
import { Event } from "../../core/complete.ts";
import { Bench, code } from "./bench.ts";
import { shown } from "./session.ts";

/** With a code, long after it has come, and nothing due before the next poll. */
function pending(members: object, settings: object = {}): Bench {
  const bench = new Bench([code({ interval: 90_000, expires_in: 86_000, ...members })], settings);
  bench.until(1);
  bench.run(0);
  return bench;
}

describe("wakeIn while a code is shown", () => {
  it("is the next second where its countdown is shown", () => {
    const bench = pending({ expires_in: 1800 });
    expect(shown(bench)).toMatch(/29:59|30:00/);
    expect(bench.core.wakeIn(bench.device)).toBeLessThanOrEqual(1000);
  });

  it("is when the countdown begins, where the code lives longer than it has digits for", () => {
    const bench = pending({});
    expect(shown(bench)).not.toMatch(/\d\d:\d\d/);
    const wake = bench.core.wakeIn(bench.device);
    expect(wake).toBeGreaterThan(79_000_000);
    bench.nowMs += wake;
    bench.run(wake);
    expect(shown(bench)).toContain("99:59");
    expect(bench.core.wakeIn(bench.device)).toBeLessThanOrEqual(1000);
  });

  it("is the code's end where the row has no room for a countdown", () => {
    const bench = pending(
      { user_code: "ABCDEFGHIJKLM", expires_in: 1800 },
      { columns: 16, rows: 2, renewalsMax: 0 },
    );
    const frames = bench.shows;
    const wake = bench.core.wakeIn(bench.device);
    // Turning the pages of the address may come before it.
    expect(wake).toBeGreaterThanOrEqual(2000);
    bench.pass(1_799_000 - (bench.nowMs % 1000));
    expect(bench.shows - frames).toBeLessThan(700);
    bench.pass(70_000);
    expect(bench.device.event).toBe(Event.RENEWALS_EXHAUSTED);
  });

  it("is the code's end for one from before a restart, whose countdown is never shown", () => {
    const before = pending({ expires_in: 1800, interval: 600 });
    const bench = new Bench([], { slots: before.slots });
    bench.until(1);
    bench.run(0);
    expect(bench.device.codeShown).toBe(1);
    expect(bench.core.wakeIn(bench.device)).toBeGreaterThan(10_000);
  });
});
