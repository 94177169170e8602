// The counter that the simulator shows: it sees what a function of the core allocates, and tells it from
// everything else.

import { readdirSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { create, State, tick, wakeIn } from "../../core/complete.ts";
import { deviceConfig } from "../../platform/fake/config.ts";
import { virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import {
  AllocationCounter,
  isOfCore,
} from "../../targets/desktop/simulator/device/allocation-counter.ts";
import { warmUp } from "../../targets/desktop/simulator/device/warm-up.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
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

test("every file of the core is counted as the core's, in whatever room it is, and no other", () => {
  const core = new URL("../../core/", import.meta.url);
  const files = readdirSync(core, { recursive: true, encoding: "utf8" });
  const sources = files.filter((name) => name.endsWith(".ts"));
  expect(sources.length).toBeGreaterThan(30);
  expect(sources.filter((name) => !isOfCore(new URL(name, core).href))).toEqual([]);
  for (const other of ["platform/driver.ts", "node_modules/x/core/index.ts", "core-code.ts"])
    expect(isOfCore(new URL(`../../${other}`, import.meta.url).href)).toBe(false);
});

test("before it is counted, the core has lived through whatever people do at the simulator", () => {
  const { REQUESTING, PENDING, SIGNED_IN, REFRESHING, REVOKING, FAILED } = State;
  const wanted = [REQUESTING, PENDING, SIGNED_IN, REFRESHING, REVOKING, FAILED];
  const lived = warmUp();
  expect(wanted.filter((state) => !lived.has(state))).toEqual([]);
});

test("core/DESIGN.md, One array of bytes: ticks of the core allocate less than one byte each, V8's own included", () => {
  const device = create(new Uint8Array(8192), settings)!;
  for (let i = 0; i < 20_000; i++) tick(device, 1 + (wakeIn(device) & 1));
  counter = new AllocationCounter();
  counter.read();
  counter.take();
  // The counter sees the core here: a device is made once.
  const seen = new Set<boolean>();
  const watching = new AllocationCounter((url) => {
    seen.add(isOfCore(url));
    return true;
  });
  watching.read();
  create(new Uint8Array(8192), settings);
  watching.take();
  watching.close();
  expect(seen).toContain(true);
  counter.take();
  // So many that V8's own, which comes when it optimizes a function, weighs little.
  for (let i = 0; i < 200_000; i++) tick(device, 1 + (wakeIn(device) & 1));
  expect(counter.take().core).toBeLessThan(200_000);
});

test("what panel and terminal say of an error is not made anew for each view, and never passes for the core's", async () => {
  const simulation = virtualWorld();
  simulation.powerOn();
  await simulation.clock.advance(20_000);
  const viewer = new Viewer(simulation);
  expect(viewer.view().device.reason?.name).toBe("authorization_pending");
  counter = new AllocationCounter();
  counter.read();
  const VIEWS = 1000;
  for (let i = 0; i < VIEWS; i++) viewer.view();
  counter.take();
  for (let i = 0; i < VIEWS; i++) viewer.view();
  const { core, others } = counter.take();
  expect(others).toBeGreaterThan(VIEWS);
  // The tables took some 4,000 bytes for each view; V8's own for functions that it optimizes is tens of bytes at most.
  expect(core).toBeLessThan(VIEWS * 100);
});
