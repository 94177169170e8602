// The experiments on a fleet: what is done to it when, and what is read off it.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { buildVariant, type FleetCore, VARIANTS } from "./core-variants.ts";
import { Fleet } from "./fleet.ts";
import { type ServiceSettings, serviceDefaults } from "./service-model.ts";

export interface FleetPlan {
  readonly devices: number;
  readonly hours: number;
  /** Requests a second; 0: half of what the devices would ask for if all of them were pending. */
  readonly capacity: number;
  readonly seed: number;
}

/** The smallest memory in which these devices keep their tokens comfortably. */
export const MEMORY_BYTES = 3072;
const USER_S = 90;
const MINUTE = 60_000;

export interface Episode {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Requests in the busiest second. */
  peak: number;
  /** Requests in the longest queue. */
  queue: number;
  refused: number;
  slowDowns: number;
  /** Seconds from power to sign-in of those that were switched on: 50 %, 95 %, 99 %, all. */
  signIn: readonly number[];
  /** Devices switched on in it, and how many of them signed in. */
  devices: number;
  signedIn: number;
}

export interface StoryResult {
  readonly episodes: Episode[];
  readonly requestsPerSecond: Float32Array;
  readonly requests: number;
  /** Of the fleet itself, measured: bytes of heap and buffers for each device. */
  readonly bytesPerDevice: number;
}

function createFleet(core: FleetCore, plan: FleetPlan, service: Partial<ServiceSettings>): Fleet {
  const capacity = plan.capacity || Math.max(10, plan.devices / serviceDefaults.intervalS / 2);
  return new Fleet({
    devices: plan.devices,
    core,
    service: { ...serviceDefaults, capacity, ...service },
    memoryBytes: MEMORY_BYTES,
    seed: plan.seed,
    userS: USER_S,
  });
}

/** What is really in use: after a collection, buffers included. */
function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Requests a second, exactly as many as there are seconds. */
function perSecond(list: readonly number[], seconds: number): Float32Array {
  return Float32Array.from({ length: seconds }, (_, at) => list[at] ?? 0);
}

function readEpisode(
  fleet: Fleet,
  name: string,
  range: { fromMs: number; toMs: number },
  indexes: readonly number[],
  before: { slowDowns: number },
): Episode {
  const { service, signInMs } = fleet;
  const [from, to] = [Math.floor(range.fromMs / 1000), Math.ceil(range.toMs / 1000)];
  const most = (list: readonly number[]): number =>
    list.slice(from, to).reduce((max, value) => Math.max(max, value ?? 0), 0);
  const times = indexes.map((index) => signInMs[index]!).filter((ms) => ms >= 0);
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    times.length ? times[Math.min(times.length - 1, Math.floor(share * times.length))]! / 1000 : 0;
  return {
    name,
    ...range,
    peak: most(service.requests),
    queue: Math.round(most(service.queued)),
    refused: service.refused.slice(from, to).reduce((sum, value) => sum + (value ?? 0), 0),
    slowDowns: service.slowDowns - before.slowDowns,
    signIn: [at(0.5), at(0.95), at(0.99), at(1)],
    devices: indexes.length,
    signedIn: times.length,
  };
}

/**
 * A day of a city: everybody unpacks a device, the power goes and comes back for all at once, the
 * service fails for a while, and a release with a clock five times too fast reaches a tenth of them.
 */
export async function playStory(
  plan: FleetPlan,
  progress: (share: number) => void,
): Promise<StoryResult> {
  const beforeBytes = usedBytes();
  const fleet = createFleet(await buildVariant(VARIANTS[0]!), plan, {});
  const all = Array.from({ length: plan.devices }, (_, index) => index);
  const endMs = plan.hours * 60 * MINUTE;
  const episodes: Episode[] = [];
  const tell = (nowMs: number): void => progress(nowMs / endMs);
  const episode = (name: string, fromMs: number, toMs: number, who: readonly number[]): void => {
    const slowDowns = fleet.service.slowDowns;
    fleet.runUntil(toMs, tell);
    episodes.push(readEpisode(fleet, name, { fromMs, toMs }, who, { slowDowns }));
  };
  unpack(fleet, all, endMs / 24, tell);
  episode("unpacking, spread over time", 0, endMs * 0.25, all);
  const bytes = usedBytes() - beforeBytes;

  for (const index of all) fleet.powerOff(index);
  fleet.runUntil(fleet.nowMs + 10 * MINUTE, tell);
  const powerMs = fleet.nowMs;
  for (const index of all) fleet.powerOn(index);
  episode("power back in the whole city", powerMs, endMs * 0.5, all);

  const outageMs = fleet.nowMs;
  fleet.service.down = true;
  episode("service out for 15 minutes", outageMs, outageMs + 15 * MINUTE, []);
  fleet.service.down = false;
  episode("... and back again", fleet.nowMs, endMs * 0.75, []);

  const bad = all.filter((index) => index % 10 === 0);
  const badMs = fleet.nowMs;
  for (const index of bad) {
    fleet.powerOff(index);
    fleet.wipe(index);
    fleet.setPace(index, 5);
    fleet.powerOn(index);
  }
  episode("bad release: clock 5 times too fast", badMs, endMs, bad);
  return {
    episodes,
    requestsPerSecond: perSecond(fleet.service.requests, Math.floor(endMs / 1000) + 1),
    requests: fleet.requests,
    bytesPerDevice: Math.round(bytes / plan.devices),
  };
}

/** Switches the devices on one by one over so long. */
function unpack(
  fleet: Fleet,
  indexes: readonly number[],
  spreadMs: number,
  tell: (nowMs: number) => void,
): void {
  const startMs = fleet.nowMs;
  indexes.forEach((index, at) => {
    fleet.runUntil(startMs + (at / indexes.length) * spreadMs, tell);
    fleet.powerOn(index);
  });
}

export interface Restart {
  readonly name: string;
  /** What the devices had before: nothing, a pending code, or tokens. */
  readonly kept: "nothing" | "code" | "tokens";
  readonly peak: number;
  readonly steady: number;
  readonly queue: number;
  readonly refused: number;
  readonly signIn: readonly number[];
  readonly requestsPerSecond: Float32Array;
}

const SETTLE_MS = 2 * MINUTE;
const STEADY_MS = MINUTE;
const WATCH_MS = 4 * MINUTE;

/**
 * All devices restart at the same moment, against the load of the same devices pending.
 * @param capacityShare of that load; Infinity for a service that is never the bottleneck
 */
export async function restartAll(
  variant: (typeof VARIANTS)[number],
  kept: Restart["kept"],
  plan: FleetPlan,
  capacityShare: number,
): Promise<Restart> {
  const steady = plan.devices / serviceDefaults.intervalS;
  const capacity = Number.isFinite(capacityShare) ? steady * capacityShare : 1e9;
  const fleet = createFleet(await buildVariant(variant), plan, { capacity: 1e9 });
  const all = Array.from({ length: plan.devices }, (_, index) => index);
  fleet.service.usersCome = kept === "tokens";
  unpack(fleet, all, SETTLE_MS, () => {});
  if (kept === "tokens") fleet.runUntil(SETTLE_MS + 20 * MINUTE);
  // Everybody's code is there and polled: this is the load to compare with.
  const steadyFrom = Math.floor(fleet.nowMs / 1000);
  fleet.runUntil(fleet.nowMs + STEADY_MS);
  const measured = fleet.service.requests.slice(steadyFrom, steadyFrom + STEADY_MS / 1000);
  const mean = measured.reduce((sum, value) => sum + (value ?? 0), 0) / (STEADY_MS / 1000);
  for (const index of all) {
    fleet.powerOff(index);
    if (kept === "nothing") fleet.wipe(index);
  }
  fleet.runUntil(fleet.nowMs + MINUTE);
  fleet.service.capacity = capacity;
  const fromMs = Math.ceil(fleet.nowMs / 1000) * 1000;
  fleet.runUntil(fromMs);
  for (const index of all) fleet.powerOn(index);
  fleet.runUntil(fromMs + WATCH_MS);
  const range = { fromMs, toMs: fleet.nowMs };
  const episode = readEpisode(fleet, "", range, all, { slowDowns: 0 });
  const { peak, queue, refused, signIn } = episode;
  const seconds = perSecond(fleet.service.requests, Math.ceil(fleet.nowMs / 1000));
  return {
    name: variant.name,
    kept,
    peak,
    steady: kept === "tokens" ? steady : mean,
    queue,
    refused,
    signIn,
    requestsPerSecond: seconds.slice(fromMs / 1000),
  };
}
