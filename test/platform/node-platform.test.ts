// Tests the adapters on Node as one platform (platform/node/index.ts), and the system's timers with a simulated
// setTimeout. conformance.test.ts and node-http.test.ts test the adapters' contracts.

import fs from "node:fs";
import https from "node:https";
import path from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { timePassed } from "../../platform/driver/elapsed-time.ts";
import { FileStorage, NodeEntropy, nodePlatform } from "../../platform/node/index.ts";
import { nodePlatformWith } from "../../platform/node/state-directory.ts";
import { nodeTimers, type RealTime } from "../../platform/node/timers.ts";
import { ManualClock } from "../../platform/testing/index.ts";
import { temporaryFolder } from "../listening.ts";

let directory: string;
beforeEach(() => {
  directory = temporaryFolder();
});

it("has five adapters; the display is the terminal, or the program's own", () => {
  const own = { columns: 16, rows: 2, show: () => {} };
  for (const [display, size] of [
    [undefined, [20, 4]],
    [{ columns: 40, rows: 2 }, [40, 2]],
    [own, [16, 2]],
  ] as const) {
    const platform = nodePlatform({ stateDirectory: directory, ...(display && { display }) });
    expect([platform.display.columns, platform.display.rows]).toEqual(size);
    expect(platform.storage).toBeInstanceOf(FileStorage);
    expect(platform.entropy).toBeInstanceOf(NodeEntropy);
    if (display === own) expect(platform.display).toBe(own);
    platform.dispose();
  }
});

it("after dispose, no alarm calls back, and another process can use the directory", async () => {
  const platform = nodePlatform({ stateDirectory: directory });
  let rings = 0;
  platform.timers.alarm(0, () => rings++);
  platform.dispose();
  await new Promise((done) => setTimeout(done, 20));
  expect(rings).toBe(0);
  expect(fs.readdirSync(directory)).toEqual([]);
  nodePlatform({ stateDirectory: directory }).dispose();
});

it("a directory belongs to one process, or to several if it is shared", () => {
  const { display, ...one } = nodePlatform({ stateDirectory: directory });
  expect(() => nodePlatform({ stateDirectory: directory })).toThrow("in use by process");
  one.dispose();
  const shared = { stateDirectory: directory, isShared: true };
  const both = [nodePlatformWith(display, shared), nodePlatformWith(display, shared)];
  for (const platform of both) platform.dispose();
});

it("wrong network settings are reported before anything in the directory changes", () => {
  const stateDirectory = path.join(directory, "none");
  const agent = new https.Agent({ rejectUnauthorized: false });
  expect(() => nodePlatform({ stateDirectory, http: { agent } })).toThrow("http.agent must check");
  expect(fs.existsSync(stateDirectory)).toBe(false);
});

/** Simulated real time. Like setTimeout, it may call back too early. */
function handTime(earlyMs = () => 0): { real: RealTime; hand: ManualClock } {
  const hand = new ManualClock();
  const real: RealTime = {
    nowMs: () => hand.elapsedMs,
    wait(ms, ring) {
      expect(ms).toBeGreaterThanOrEqual(0);
      return hand.after(Math.max(0, ms - earlyMs()), ring);
    },
  };
  return { real, hand };
}

describe("timers on the system's clock", () => {
  it("an alarm is never early and rings exactly once, whatever the wait; now() wraps at 2^32", () => {
    const ms = fc.oneof(fc.nat(200), fc.integer({ min: 99_999_990, max: 2 ** 32 - 1 }));
    const act = fc.oneof(
      fc.record({ alarm: ms }),
      fc.record({ advance: ms }),
      fc.constant({ cancel: true }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), fc.infiniteStream(fc.nat(3)), (acts, early) => {
        const { real, hand } = handTime(() => early.next().value);
        hand.advance(1000);
        const timers = nodeTimers(real);
        let dueMs: number | undefined;
        const ring = (): void => {
          expect(hand.elapsedMs).toBe(dueMs);
          dueMs = undefined;
        };
        for (const one of acts) {
          if ("alarm" in one) {
            dueMs = hand.elapsedMs + one.alarm;
            timers.alarm(one.alarm, ring);
          } else if ("advance" in one) hand.advance(one.advance);
          else {
            timers.cancel();
            dueMs = undefined;
          }
          expect(dueMs ?? hand.elapsedMs).toBeGreaterThanOrEqual(hand.elapsedMs);
          expect(timers.now()).toBe((hand.elapsedMs - 1000) % 2 ** 32);
        }
        hand.advance(2 ** 32);
        expect(dueMs).toBe(undefined);
      }),
    );
  });
});

it("elapsed time is the larger of two clocks: it includes sleep, and setting back the wall clock has no effect", () => {
  const clocks = { monotonic: 100, wall: 1_700_000_000_000 };
  const passed = timePassed(
    () => clocks.monotonic,
    () => clocks.wall,
  );
  const after = (monotonic: number, wall: number): number => {
    const before = passed();
    clocks.monotonic += monotonic;
    clocks.wall += wall;
    return passed() - before;
  };
  expect(after(5, 5)).toBe(5);
  expect(after(0, 8 * 3_600_000)).toBe(8 * 3_600_000);
  expect(after(5000, -3_600_000)).toBe(5000);
  expect(after(1000, 3_600_000)).toBe(3_600_000);
  // The clocks are read one after the other, and a wall clock is adjusted slowly. The differences must not add up.
  for (let i = 0; i < 1000; i++) expect(after(100, 150)).toBe(100);
});
