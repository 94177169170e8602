// Runs the conformance suites on the fake adapters, the simulator's timers, and Node's timers, storage, entropy and
// signer (node-http.test.ts tests Node's HTTP adapter). Checks that each suite rejects an adapter with one fault.

import { expect, it } from "vitest";
import {
  type ConformanceCase,
  displayConformance,
  entropyConformance,
  httpConformance,
  runConformance,
  signerConformance,
  storageConformance,
  timersConformance,
} from "../../platform/conformance/index.ts";
import type { Signer } from "../../platform/contracts.ts";
import { FileStorage, NodeEntropy, nodeTimers } from "../../platform/node/index.ts";
import { fileSigner } from "../../platform/node/keys.ts";
import {
  type FakeHttpOptions,
  fakeSigner,
  ManualClock,
  MemoryStorage,
  RecordedDisplay,
  SeededEntropy,
} from "../../platform/testing/index.ts";
import { signerSubject } from "../../targets/command/conform.ts";
import { SimulatedClock } from "../../targets/desktop/simulator/environment/simulated-clock.ts";
import { temporaryFolder } from "../listening.ts";
import {
  fakeServers,
  itConforms,
  manualEnvironment,
  realEnvironment,
} from "./conformance-bench.ts";

for (const [how, options] of Object.entries<FakeHttpOptions>({
  "at once": {},
  "with latency": { latencyMs: 20 },
  "in single bytes, plain arrays": { chunkBytes: 1, plainArrays: true },
})) {
  const fake = fakeServers(options);
  itConforms(`fake HTTP, ${how}`, (make) => httpConformance(make, fake.bench), fake.make);
}

for (const startMs of [0, 2 ** 32 - 20])
  itConforms(`manual timers from ${startMs}`, timersConformance, () => {
    const clock = new ManualClock(startMs);
    return { timers: clock.timers(), environment: manualEnvironment(clock) };
  });

itConforms("Node timers", timersConformance, () => {
  const timers = nodeTimers();
  return { timers, environment: realEnvironment, dispose: () => void timers.cancel() };
});

itConforms("the simulator's timers at seven times the speed", timersConformance, () => {
  const timers = new SimulatedClock({ speed: 7 }).timers();
  const environment = { wait: (ms: number) => realEnvironment.wait(ms / 7) };
  return { timers, environment, dispose: () => void timers.cancel() };
});

for (const delayed of [false, true])
  itConforms(delayed ? "delayed memory storage" : "memory storage", storageConformance, () => {
    const clock = new ManualClock();
    const options = { capacity: 300, ...(delayed && { clock, delayMs: 3 }) };
    let storage = new MemoryStorage(options);
    const restart = (): MemoryStorage => {
      storage = storage.clone(options);
      return storage;
    };
    return { storage, environment: manualEnvironment(clock), restart };
  });

itConforms("file storage", storageConformance, () => {
  const directory = temporaryFolder();
  let storage = new FileStorage(directory, { capacity: 300 });
  return {
    storage,
    environment: realEnvironment,
    restart() {
      storage.close();
      storage = new FileStorage(directory, { capacity: 300 });
      return storage;
    },
    dispose() {
      storage.close();
    },
  };
});

for (const Entropy of [SeededEntropy, NodeEntropy])
  itConforms(Entropy.name, entropyConformance, () => ({ entropy: new Entropy(7) }));

const casesFor = (make: () => Signer | Promise<Signer>): ConformanceCase[] =>
  signerConformance(async () => signerSubject(await make()));

itConforms("fake signer", casesFor, fakeSigner);
itConforms("file signer", casesFor, () => fileSigner(temporaryFolder()));

for (const [columns, rowCount] of [
  [16, 2],
  [20, 4],
  [80, 8],
] as const)
  itConforms(`recorded display ${columns}x${rowCount}`, displayConformance, () => {
    const display = new RecordedDisplay(columns, rowCount);
    return { display, environment: realEnvironment, look: () => display.text.split("\n") };
  });

it("without a test runner: each case is reported by name, and failed cases with their reason", async () => {
  const valid = entropyConformance(() => ({ entropy: new SeededEntropy(1) }));
  expect(await runConformance(valid)).toEqual({ passed: valid.map((c) => c.name), failed: [] });
  const broken = await runConformance(
    entropyConformance(() => ({ entropy: { fill: () => false } })),
  );
  expect(broken.passed).toEqual([]);
  expect(broken.failed.map((c) => c.name)).toEqual(valid.map((c) => c.name));
  expect(broken.failed[0]?.reason).toContain("no entropy");
});

function earlyTimers(): ConformanceCase[] {
  return timersConformance(() => {
    const clock = new ManualClock(1000);
    const valid = clock.timers();
    const alarm = valid.alarm.bind(valid);
    valid.alarm = (afterMs, ring) => alarm(Math.max(0, afterMs - 1), ring);
    return { timers: valid, environment: manualEnvironment(clock) };
  });
}

function shortStorage(): ConformanceCase[] {
  return storageConformance(() => {
    const storage = new MemoryStorage({ capacity: 300 });
    const write = storage.write.bind(storage);
    // Fault: writes only as many bytes as the low byte of the length says.
    storage.write = (slot, bytes, from, to, done) =>
      write(slot, bytes, from, from + ((to - from) & 0xff), done);
    return { storage, environment: manualEnvironment(new ManualClock()) };
  });
}

function mixedDisplay(): ConformanceCase[] {
  return displayConformance(() => {
    const valid = new RecordedDisplay(20, 4);
    const show = valid.show.bind(valid);
    valid.show = (cells, from) => show([...Array.from(cells as Uint8Array), 32], from + 1);
    return {
      display: valid,
      environment: manualEnvironment(new ManualClock()),
      look: () => valid.lines,
    };
  });
}

function stuckEntropy(): ConformanceCase[] {
  return entropyConformance(() => ({
    entropy: { fill: (into, from, to) => new SeededEntropy(1).fill(into, from, to) },
  }));
}

function otherSigner(): Signer {
  const signer = fakeSigner();
  return { ...signer, sign: () => signer.sign(Uint8Array.of(1)) };
}

/** Fault: reports an incomplete response as complete. */
function credulousHttp(): ConformanceCase[] {
  const fake = fakeServers({}, (http) => ({
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
  ["timers that call back too early", earlyTimers(), /never early/],
  ["a storage that stores less than it was given", shortStorage(), /any length|200|capacity/],
  ["a display with one wrong character", mixedDisplay(), /shows|frame|copy/],
  ["entropy that repeats itself", stuckEntropy(), /twice/],
  ["a signer that signs something else", casesFor(otherSigner), /any length/],
  [
    "http that takes what was cut off for a response",
    credulousHttp(),
    /unreachable|too-large|timeout|cut off|failed\(\)/,
  ],
])("%s: only the cases that test this fail", async (_, cases, about) => {
  const { failed } = await runConformance(cases);
  const expected = cases.filter(({ name }) => about.test(name));
  expect(expected).not.toEqual([]);
  expect(failed.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
});
