// The counter that the simulator shows: it sees what a function of the core allocates, and tells it from
// everything else.

import { afterEach, expect, test } from "vitest";
import { create, tick, wakeIn } from "../../core/complete.ts";
import { deviceConfig } from "../../platform/fake/config.ts";
import { AllocationCounter } from "../../targets/desktop/simulator/device/allocation-counter.ts";
import { planted } from "./planted-allocation.ts";

let counter: AllocationCounter | undefined;

afterEach(() => counter?.close());

const settings = { ...deviceConfig, autoStart: 0 };

test("what a function of its files allocates is counted, and what others do is counted apart", () => {
  counter = new AllocationCounter((url) => url.endsWith("planted-allocation.ts"));
  counter.read();
  counter.take();
  let others = 0;
  for (let i = 0; i < 1000; i++) others += [i].length + planted(i);
  const { core, others: rest } = counter.take();
  expect(others).toBe(3000);
  // An object with two members and an array, a thousand times.
  expect(core).toBeGreaterThan(1000 * 2 * 16);
  expect(rest).toBeGreaterThan(1000 * 8);
});

test("core/DESIGN.md, One array of bytes: ticks of the core allocate less than one byte each, V8's own included", () => {
  const device = create(new Uint8Array(8192), settings)!;
  for (let i = 0; i < 20_000; i++) tick(device, 1 + (wakeIn(device) & 1));
  counter = new AllocationCounter();
  counter.read();
  counter.take();
  // So many that V8's own, which comes when it optimizes a function, weighs little.
  for (let i = 0; i < 200_000; i++) tick(device, 1 + (wakeIn(device) & 1));
  expect(counter.take().core).toBeLessThan(200_000);
});

test("read gives the figures of the last period, not of the moment", () => {
  counter = new AllocationCounter();
  expect(counter.read()).toEqual({ core: 0, others: 0 });
  expect(counter.read()).toEqual({ core: 0, others: 0 });
});
