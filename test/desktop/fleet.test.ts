// A small fleet: the finding about restarts, the machinery under it, and that the comparison compares.
import { spawn } from "node:child_process";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildVariant, VARIANTS } from "../../targets/desktop/fleet/core-variants.ts";
import { EventQueue } from "../../targets/desktop/fleet/event-queue.ts";
import {
  dayAfterOutage,
  intervals,
  playStory,
  restartAll,
} from "../../targets/desktop/fleet/experiments.ts";
import { ServiceModel, serviceDefaults } from "../../targets/desktop/fleet/service-model.ts";
import { inWorkers, shardSizes } from "../../targets/desktop/fleet/shards.ts";
import { type FleetPlan, mergeShards, playShard } from "../../targets/desktop/fleet/story.ts";
import { ended, inFolder } from "./command.ts";

const PLAN: FleetPlan = { devices: 400, hours: 4, capacity: 0, seed: 7 };
const AS_SHIPPED = VARIANTS[0]!;

test.each(["nothing", "code", "tokens"] as const)(
  "a full restart peaks below 3 times the load of the same devices pending (kept: %s)",
  async (kept) => {
    for (const capacityShare of [Number.POSITIVE_INFINITY, 0.5, 0.1]) {
      const { peak, steady } = await restartAll(AS_SHIPPED, kept, PLAN, capacityShare);
      expect(steady).toBeGreaterThan(0.9 * (PLAN.devices / serviceDefaults.intervalS));
      expect(peak / steady).toBeLessThan(3);
    }
  },
);

test("without the spread at boot they all come in one second: the measurement sees it", async () => {
  const variant = VARIANTS.find(({ name }) => name === "no spread at boot")!;
  const { peak, steady } = await restartAll(variant, "tokens", PLAN, Number.POSITIVE_INFINITY);
  expect(peak).toBe(PLAN.devices);
  expect(peak / steady).toBeGreaterThan(3);
});

test("a day of the city: everybody signs in, through power cut, outage and a bad release", async () => {
  const { episodes, requestsPerSecond, requests } = await playStory(PLAN, () => {});
  for (const { name, devices, signedIn } of episodes)
    expect([name, signedIn]).toEqual([name, devices]);
  const sum = requestsPerSecond.reduce((total, value) => total + value, 0);
  expect(sum).toBe(requests);
  const [, power, outage, , bad] = episodes;
  expect(power!.refused).toBe(0);
  expect(outage!.refused).toBeGreaterThan(PLAN.devices);
  // RFC 8628 section 3.5: who polls too early is told so, and slows down.
  expect(bad!.slowDowns).toBeGreaterThan(0);
  expect(bad!.slowDowns).toBeLessThan(10 * bad!.devices);
});

test("a fleet in parts is the same fleet: every device once, seconds added up", async () => {
  expect(shardSizes(1_000_003, 7).reduce((sum, size) => sum + size, 0)).toBe(1_000_003);
  expect(Math.max(...shardSizes(1000, 7)) - Math.min(...shardSizes(1000, 7))).toBe(1);
  const core = await buildVariant(AS_SHIPPED);
  const shards = shardSizes(300, 3).map((devices, at) =>
    playShard(core, { ...PLAN, devices, seed: at + 1 }, () => {}),
  );
  const merged = mergeShards(shards);
  expect(merged.requests).toBe(shards.reduce((sum, { requests }) => sum + requests, 0));
  expect(merged.episodes.map(({ signedIn }) => signedIn)).toEqual([300, 300, 0, 0, 30]);
  const second = merged.requestsPerSecond.indexOf(merged.episodes[1]!.peak);
  const parts = shards.map(({ requestsPerSecond }) => requestsPerSecond[second]!);
  expect(parts.reduce((sum, value) => sum + value, 0)).toBe(merged.episodes[1]!.peak);
  const [power] = merged.episodes.slice(1);
  expect(power!.codePeak + power!.tokenPeak).toBeGreaterThanOrEqual(power!.peak);
});

test("threads report progress and results in the order of their jobs; one that fails is told", async () => {
  const program = (body: string): Worker =>
    new Worker(`const { parentPort } = require("node:worker_threads"); ${body}`, { eval: true });
  const echo = (job: number): Worker =>
    program(
      `parentPort.postMessage({ kind: "progress", share: 0.5 });
       parentPort.postMessage({ kind: "result", result: ${job} * 2 });`,
    );
  const shares: number[] = [];
  expect(await inWorkers([1, 2, 3], 2, echo, (share) => shares.push(share))).toEqual([2, 4, 6]);
  expect(shares).toHaveLength(3);
  await expect(
    inWorkers(
      [1],
      1,
      () => program("throw new Error('broken')"),
      () => {},
    ),
  ).rejects.toThrow("broken");
});

test("a longer interval costs the service less and the user more", async () => {
  const [short, long] = await intervals({ ...PLAN, devices: 200 }, [5, 20]);
  expect(short!.steady / long!.steady).toBeCloseTo(4, 0);
  expect(long!.claimS).toBeGreaterThan(2 * short!.claimS);
});

test("after an outage the devices do not go on coming at the same moment", async () => {
  const [before, ...hours] = await dayAfterOutage({ ...PLAN, devices: 500, capacity: 500 }, 2);
  expect(before!.peak).toBeGreaterThan(0);
  expect(hours).toHaveLength(24);
  // All of them in the first minute or so, and nobody lost; hour by hour they drift apart.
  expect(hours[0]!.peak).toBeGreaterThan(before!.peak);
  expect(hours[23]!.peak).toBeLessThan(hours[0]!.peak);
  expect(hours[23]!.mean).toBeGreaterThan(0.8 * before!.mean);
});

test("into a pipe it says what it plays, and no row is all zeros", () =>
  inFolder(async (out) => {
    const flags = ["--devices", "60", "--hours", "2", "--workers", "1", "--no-compare"];
    const command = ["--import", "tsx", "targets/desktop/fleet/main.ts", ...flags, "--out", out];
    const { code, stdout, stderr } = await ended(spawn(process.execPath, command));
    expect(code).toBe(0);
    expect(stderr).toContain("fleet: a restart, kept: tokens\n");
    expect(stderr).not.toContain("\r");
    expect(stdout).not.toMatch(/^[a-z. ]+( +(0|-|0\/0))+$/m);
    expect(stdout).toContain("service out for 15 minutes: nobody asked for anything then");
    expect(stdout).toMatch(/^[\d,]+ bytes of this computer per device$/m);
  }));

test("the same seed gives the same fleet", async () => {
  const plan = { ...PLAN, devices: 100 };
  const [a, b] = [await playStory(plan, () => {}), await playStory(plan, () => {})];
  expect(a.episodes).toEqual(b.episodes);
});

test("the event queue gives events in the order of their times", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1000 })), (times) => {
      const queue = new EventQueue();
      times.forEach((time, at) => {
        queue.push(time, at);
      });
      const out: number[] = [];
      while (queue.size > 0) out.push(times[queue.pop()]!);
      expect(out).toEqual([...times].sort((a, b) => a - b));
    }),
  );
});

test("the service model: capacity, queue, refusal beyond it, early polls, approval, expiry", () => {
  const settings = { ...serviceDefaults, capacity: 10, queueSeconds: 1, latencyMs: 0 };
  const service = new ServiceModel(1, settings, () => 20_000);
  const arrivals = Array.from({ length: 20 }, () => service.arrive(0, "poll"));
  expect(arrivals[0]).toEqual({ atMs: 100, served: true });
  expect(arrivals[9]).toEqual({ atMs: 1000, served: true });
  expect(arrivals.filter(({ served }) => served)).toHaveLength(11);
  const text = (kind: "code" | "poll" | "refresh", atMs: number): string =>
    new TextDecoder().decode(service.answerTo(0, kind, true, atMs).body);
  expect(text("code", 0)).toContain("device_code");
  expect(text("poll", 5000)).toContain("authorization_pending");
  expect(text("poll", 6000)).toContain("slow_down");
  expect(text("poll", 11_000)).toContain("authorization_pending");
  expect(text("poll", 20_000)).toContain("refresh_token");
  expect(text("poll", 1_800_001)).toContain("expired_token");
  expect(service.answerTo(0, "poll", false, 0).status).toBe(503);
});

test.each(VARIANTS)("the core has what is varied in the fleet: $name", async (variant) => {
  expect(typeof (await buildVariant(variant)).tick).toBe("function");
});
