// The simulation's clock runs every timer at its time, at any speed and with pauses, holds and jumps.
import { expect, test } from "vitest";
import { SimulatedClock } from "../../targets/desktop/simulator/environment/simulated-clock.ts";
import { Handmade } from "./bench.ts";

function bench(speed = 1): { real: Handmade; clock: SimulatedClock; seen: [string, number][] } {
  const real = new Handmade();
  return { real, clock: new SimulatedClock({ speed, real }), seen: [] };
}

test.each([1, 10, 100, 1000])("at x%i every timer runs at its time, in order", (speed) => {
  const { real, clock, seen } = bench(speed);
  for (const ms of [700, 5, 5000, 5001]) clock.after(ms, () => seen.push([`${ms}`, clock.nowMs()]));
  real.pass(10_000 / speed);
  expect(seen).toEqual([
    ["5", 5],
    ["700", 700],
    ["5000", 5000],
    ["5001", 5001],
  ]);
  expect(clock.nowMs()).toBe(10_000);
});

test("a paused clock stops, and a change of speed does not change the time", () => {
  const { real, clock, seen } = bench();
  clock.after(1000, () => seen.push(["rang", clock.nowMs()]));
  real.pass(400);
  clock.paused = true;
  real.pass(100_000);
  expect(clock.nowMs()).toBe(400);
  clock.speed = 10;
  clock.paused = false;
  real.pass(59);
  expect(seen).toEqual([]);
  real.pass(1);
  expect(seen).toEqual([["rang", 1000]]);
});

test("a hold in a timer delays all later timers until it is released", () => {
  const { real, clock, seen } = bench(1000);
  let release = (): void => {};
  clock.after(100, () => {
    release = clock.hold();
  });
  clock.after(200, () => seen.push(["later", clock.nowMs()]));
  real.pass(60_000);
  expect(clock.nowMs()).toBe(100);
  expect(seen).toEqual([]);
  release();
  release();
  real.pass(1);
  expect(seen).toEqual([["later", 200]]);
});

test("a jump runs every timer at its time, and waits for real exchanges", async () => {
  const clock = new SimulatedClock({ paused: true });
  const seen: number[] = [];
  const again = (): void => {
    seen.push(clock.nowMs());
    const release = clock.hold();
    setTimeout(release, 1);
    clock.after(600_000, again);
  };
  clock.after(600_000, again);
  await clock.advance(1_800_000);
  expect(seen).toEqual([600_000, 1_200_000, 1_800_000]);
  expect(clock.nowMs()).toBe(1_800_000);
  await clock.step();
  expect(seen.at(-1)).toBe(2_400_000);
  clock.close();
});

test("a cancelled timer does not run, even if it is due at the same time as the timer that cancels it", async () => {
  const clock = new SimulatedClock({ paused: true });
  const seen: string[] = [];
  const takeBack = { second: (): void => {} };
  clock.after(5, () => takeBack.second());
  takeBack.second = clock.after(5, () => seen.push("second"));
  await clock.advance(10);
  expect(seen).toEqual([]);
});

test("a jump reports its remaining time, and can be aborted", async () => {
  const clock = new SimulatedClock({ paused: true });
  const left: number[] = [];
  for (const ms of [1000, 2000, 3000, 4000]) {
    clock.after(ms, () => {
      left.push(clock.jumpLeftMs);
      if (ms === 3000) clock.endJump();
    });
  }
  expect(clock.jumpLeftMs).toBe(0);
  await clock.jump(10_000);
  expect(left).toEqual([9000, 8000, 7000]);
  expect(clock.nowMs()).toBe(3000);
  expect(clock.jumpLeftMs).toBe(0);
  await clock.jump(10_000);
  expect(clock.nowMs()).toBe(13_000);
});
