// The scaled clock on a manual clock as its real time: exact, without waiting.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../platform/fake/index.ts";
import { type RealTime, ScaledClock } from "../../platform/node/scaled-clock.ts";

const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Real time by hand, as strict as setTimeout: it takes no more than 2^31-1. */
function handTime(): { real: RealTime; hand: ManualClock; waits: number[] } {
  const hand = new ManualClock();
  const waits: number[] = [];
  const real: RealTime = {
    nowMs: () => hand.elapsedMs,
    wait(ms, ring) {
      expect(ms).toBeLessThanOrEqual(LONGEST_WAIT_MS);
      expect(ms).toBeGreaterThanOrEqual(0);
      waits.push(ms);
      return hand.after(ms, ring);
    },
  };
  return { real, hand, waits };
}

describe("scaled clock", () => {
  it("changes of speed while an alarm is under way move its real moment, not its own", () => {
    const { real, hand } = handTime();
    const clock = new ScaledClock(1, real);
    const rang: number[] = [];
    clock.after(1000, () => rang.push(clock.nowMs()));
    hand.advance(400);
    clock.factor = 10;
    hand.advance(59);
    expect(rang).toEqual([]);
    hand.advance(1);
    expect(rang).toEqual([1000]);
    expect(hand.elapsedMs).toBe(460);
  });

  it("stands still while paused and rings after going on", () => {
    const { real, hand } = handTime();
    const clock = new ScaledClock(2, real);
    let rang = 0;
    clock.after(100, () => rang++);
    hand.advance(10);
    clock.paused = true;
    clock.factor = 4;
    hand.advance(100_000);
    expect([clock.nowMs(), rang]).toEqual([20, 0]);
    clock.paused = false;
    hand.advance(19);
    expect(rang).toBe(0);
    hand.advance(1);
    expect([clock.nowMs(), rang]).toEqual([100, 1]);
  });

  it("skips ahead: what came due on the way happens in its order, also while paused", () => {
    const { real, hand } = handTime();
    const clock = new ScaledClock(1, real);
    const rang: string[] = [];
    clock.after(50, () => rang.push("b"));
    clock.after(20, () => {
      rang.push("a");
      clock.after(0, () => rang.push("later"));
    });
    clock.after(70, () => rang.push("not yet"));
    clock.paused = true;
    clock.skip(60);
    hand.advance(0);
    expect(rang).toEqual(["a", "b", "later"]);
    expect(clock.nowMs()).toBe(60);
    expect(() => clock.skip(-1)).toThrow(RangeError);
  });

  it("splits waits longer than setTimeout takes", () => {
    const { real, hand, waits } = handTime();
    const clock = new ScaledClock(0.01, real);
    let rang = 0;
    clock.timers().alarm(134_217_727, () => rang++);
    expect(waits).toEqual([LONGEST_WAIT_MS]);
    hand.advance(13_421_772_699);
    expect(rang).toBe(0);
    hand.advance(1);
    expect(rang).toBe(1);
    expect(waits).toHaveLength(7);
  });

  it("an appointment taken back by an earlier one does not happen", () => {
    const { real, hand } = handTime();
    const clock = new ScaledClock(1, real);
    let rang = 0;
    let takeBack = (): void => {};
    clock.after(5, () => takeBack());
    takeBack = clock.after(5, () => rang++);
    hand.advance(10);
    expect(rang).toBe(0);
  });

  it("one callback that throws does not silence the others", () => {
    const { real, hand } = handTime();
    const clock = new ScaledClock(1, real);
    let rang = 0;
    clock.after(5, () => {
      throw new Error("broken");
    });
    clock.after(5, () => rang++);
    expect(() => hand.advance(5)).toThrow("broken");
    hand.advance(5);
    expect(rang).toBe(1);
  });

  it("refuses a factor that is not above 0", () => {
    for (const factor of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new ScaledClock(factor)).toThrow("pause");
    }
  });

  it("never rings early, never more than once, whatever is done to its speed", () => {
    const step = fc.oneof(
      fc.record({ factor: fc.constantFrom(0.1, 0.5, 1, 3, 60, 1000) }),
      fc.record({ paused: fc.boolean() }),
      fc.record({ advance: fc.nat(5000) }),
      fc.record({ skip: fc.nat(5000) }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.array(fc.nat(20_000), { minLength: 1, maxLength: 5 }),
        (steps, delays) => {
          const { real, hand } = handTime();
          const clock = new ScaledClock(1, real);
          const rang = delays.map(() => [] as number[]);
          for (const [i, delay] of delays.entries()) {
            clock.after(delay, () => rang[i]!.push(clock.nowMs()));
          }
          let last = 0;
          for (const one of steps) {
            if ("factor" in one) clock.factor = one.factor;
            if ("paused" in one) clock.paused = one.paused;
            if ("advance" in one) hand.advance(one.advance);
            if ("skip" in one) clock.skip(one.skip);
            expect(clock.nowMs()).toBeGreaterThanOrEqual(last);
            last = clock.nowMs();
          }
          clock.paused = false;
          hand.advance(20_000 / 0.1);
          for (const [i, delay] of delays.entries()) {
            expect(rang[i]).toHaveLength(1);
            expect(rang[i]![0]).toBeGreaterThanOrEqual(delay);
          }
        },
      ),
    );
  });
});
