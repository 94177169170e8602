// Every adapter of this repository that needs no medium of its own, under the conformance suite. (The Node
// HTTP adapter, the sealed storage and the flash storage are run through it next to their own tests.)

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  displayConformance,
  entropyConformance,
  httpConformance,
  runConformance,
  storageConformance,
  timersConformance,
} from "../../platform/conformance.ts";
import {
  type FakeHttpOptions,
  ManualClock,
  MemoryStorage,
  RecordedDisplay,
  SeededEntropy,
} from "../../platform/fake/index.ts";
import { FileStorage, NodeEntropy, nodeTimers } from "../../platform/node/index.ts";
import { WorldClock } from "../../targets/desktop/simulator/world/world-clock.ts";
import { FakeBench } from "./fake-subjects.ts";
import { manualWorld, realWorld, rows } from "./worlds.ts";

describe.each([
  ["at once", {}],
  ["with latency", { latencyMs: 20 }],
  ["in single bytes, plain arrays", { chunkBytes: 1, plainArrays: true }],
] as [string, FakeHttpOptions][])("fake HTTP, %s", (_, options) => {
  const fake = new FakeBench(options);
  it.each(rows(httpConformance(fake.make, fake.bench)))("%s", (_, one) => one.run());
});

describe.each([
  ["from 0", 0],
  ["over the wrap", 2 ** 32 - 20],
])("manual timers %s", (_, startMs) => {
  const cases = timersConformance(() => {
    const clock = new ManualClock(startMs);
    return { timers: clock.timers(), world: manualWorld(clock) };
  });
  it.each(rows(cases))("%s", (_, one) => one.run());
});

describe("Node timers", () => {
  const cases = timersConformance(() => {
    const timers = nodeTimers();
    return { timers, world: realWorld, dispose: () => timers.cancel() };
  });
  it.each(rows(cases))("%s", (_, one) => one.run());
});

describe("the simulator's timers, 7 times as fast", () => {
  const cases = timersConformance(() => {
    const timers = new WorldClock({ speed: 7 }).timers();
    const world = { wait: (ms: number) => realWorld.wait(ms / 7) };
    return { timers, world, dispose: () => timers.cancel() };
  });
  it.each(rows(cases))("%s", (_, one) => one.run());
});

describe.each([
  ["at once", -1],
  ["with delay", 3],
])("memory storage, %s", (_, delayMs) => {
  const cases = storageConformance(() => {
    const clock = new ManualClock();
    const options = delayMs < 0 ? { capacity: 300 } : { capacity: 300, clock, delayMs };
    let storage = new MemoryStorage(options);
    const restart = (): MemoryStorage => {
      storage = storage.clone(options);
      return storage;
    };
    return { storage, world: manualWorld(clock), restart };
  });
  it.each(rows(cases))("%s", (_, one) => one.run());
});

describe("file storage", () => {
  const cases = storageConformance(() => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-"));
    let storage = new FileStorage(directory, { capacity: 300 });
    return {
      storage,
      world: realWorld,
      restart() {
        storage.close();
        storage = new FileStorage(directory, { capacity: 300 });
        return storage;
      },
      dispose() {
        storage.close();
        fs.rmSync(directory, { recursive: true });
      },
    };
  });
  it.each(rows(cases))("%s", (_, one) => one.run());
});

describe.each([
  ["seeded", () => new SeededEntropy(7)],
  ["Node", () => new NodeEntropy()],
])("%s entropy", (_, make) => {
  const cases = entropyConformance(() => ({ entropy: make() }));
  it.each(rows(cases))("%s", (_, one) => one.run());
});

describe.each([
  [16, 2],
  [20, 4],
  [80, 8],
])("recorded display %ix%i", (columns, rowCount) => {
  const cases = displayConformance(() => {
    const display = new RecordedDisplay(columns, rowCount);
    return { display, world: realWorld, look: () => display.text.split("\n") };
  });
  it.each(rows(cases))("%s", (_, one) => one.run());
});

describe("running without a test runner", () => {
  it("reports every case by name, broken ones with their reason", async () => {
    const good = entropyConformance(() => ({ entropy: new SeededEntropy(1) }));
    expect(await runConformance(good)).toEqual({ passed: good.map((c) => c.name), failed: [] });
    const broken = await runConformance(
      entropyConformance(() => ({ entropy: { fill: () => false } })),
    );
    expect(broken.passed).toEqual([]);
    expect(broken.failed.map((c) => c.name)).toEqual(good.map((c) => c.name));
    expect(broken.failed[0]?.reason).toContain("no entropy");
  });
});
