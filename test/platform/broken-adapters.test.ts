// The conformance suites can fail: each of them rejects an adapter that is broken in one way.

import { expect, it } from "vitest";
import {
  type ConformanceCase,
  displayConformance,
  entropyConformance,
  httpConformance,
  storageConformance,
  timersConformance,
} from "../../platform/conformance.ts";
import {
  ManualClock,
  MemoryStorage,
  RecordedDisplay,
  SeededEntropy,
} from "../../platform/fake/index.ts";
import { FakeBench } from "./fake-subjects.ts";
import { manualWorld } from "./worlds.ts";

function earlyTimers(): ConformanceCase[] {
  return timersConformance(() => {
    const clock = new ManualClock(1000);
    const good = clock.timers();
    const timers = {
      now: () => good.now(),
      alarm: (afterMs: number, ring: () => void) => good.alarm(Math.max(0, afterMs - 1), ring),
      cancel: () => good.cancel(),
    };
    return { timers, world: manualWorld(clock) };
  });
}

function shortStorage(): ConformanceCase[] {
  return storageConformance(() => {
    const clock = new ManualClock();
    const good = new MemoryStorage({ capacity: 300 });
    const over = (inner: MemoryStorage): MemoryStorage => {
      const write = inner.write.bind(inner);
      // Lengths in one byte.
      inner.write = (slot, bytes, from, to, done) =>
        write(slot, bytes, from, from + ((to - from) & 0xff), done);
      return inner;
    };
    const restart = (): MemoryStorage => over(good.clone());
    return { storage: over(good), world: manualWorld(clock), restart };
  });
}

function mixedDisplay(): ConformanceCase[] {
  return displayConformance(() => {
    const good = new RecordedDisplay(20, 4);
    const show = good.show.bind(good);
    good.show = (cells, from) => show(cells, from + 1);
    const world = manualWorld(new ManualClock());
    return { display: good, world, look: () => good.text.split("\n") };
  });
}

function stuckEntropy(): ConformanceCase[] {
  return entropyConformance(() => ({
    entropy: { fill: (into, from, to) => new SeededEntropy(1).fill(into, from, to) },
  }));
}

function leakyHttp(): ConformanceCase[] {
  const fake = new FakeBench({}, (http) => ({
    abort: () => http.abort(),
    send: (request, sink) => http.send({ ...request, authorization: "" }, sink),
  }));
  return httpConformance(fake.make, fake.bench);
}

/** It says that all has come, whatever was cut off. */
function credulousHttp(): ConformanceCase[] {
  const fake = new FakeBench({}, (http) => ({
    abort: () => http.abort(),
    send: (request, sink) =>
      http.send(request, {
        status: (...head) => sink.status(...head),
        body: (...piece) => sink.body(...piece),
        end: () => sink.end(),
        failed: () => sink.end(),
      }),
  }));
  return httpConformance(fake.make, fake.bench);
}

it.each([
  ["timers that ring early", earlyTimers()],
  ["a storage that keeps less than it was given", shortStorage()],
  ["a display that is one character off", mixedDisplay()],
  ["entropy that repeats itself", stuckEntropy()],
  ["http that forgets who asks", leakyHttp()],
  ["http that takes what was cut off for an answer", credulousHttp()],
])("%s", async (_, cases) => {
  const outcomes = await Promise.all(
    cases.map(({ run }) =>
      run().then(
        () => "passed",
        () => "rejected",
      ),
    ),
  );
  expect(outcomes).toContain("rejected");
  expect(outcomes).toContain("passed");
});
