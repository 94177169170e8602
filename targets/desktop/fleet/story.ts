// A day of a city, played with one part of a fleet, and the parts put together. Runs in a thread of its own, too.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { FleetCore } from "./core-variants.ts";
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
export const MEMORY_BYTES = 3328;
const USER_S = 90;
export const MINUTE = 60_000;

export interface Episode {
  readonly name: string;
  /** Requests in the busiest second, at both endpoints together, and at each alone. */
  readonly peak: number;
  readonly codePeak: number;
  readonly tokenPeak: number;
  /** Requests a second over the whole of it. */
  readonly mean: number;
  /** Requests in the longest queue. */
  readonly queue: number;
  readonly refused: number;
  readonly slowDowns: number;
  /** Seconds from power to sign-in of those that were switched on: 50 %, 95 %, 99 %, all. */
  readonly signIn: readonly number[];
  /** Devices switched on in it, and how many of them signed in. */
  readonly devices: number;
  readonly signedIn: number;
}

export interface StoryResult {
  readonly episodes: Episode[];
  readonly requestsPerSecond: Float32Array;
  readonly requests: number;
  /** Of the fleet itself, measured: bytes of heap and buffers for each device. */
  readonly bytesPerDevice: number;
}

/** An episode of one part of the fleet, as it can be added to the others'. */
interface ShardEpisode {
  readonly name: string;
  readonly fromS: number;
  readonly toS: number;
  readonly slowDowns: number;
  readonly devices: number;
  /** Milliseconds from power to sign-in of those that got there. */
  readonly signInMs: Float32Array;
}

/** What one part of the fleet has seen, second by second. */
export interface ShardResult {
  readonly episodes: readonly ShardEpisode[];
  readonly requestsPerSecond: Float32Array;
  readonly codesPerSecond: Float32Array;
  readonly refusedPerSecond: Float32Array;
  readonly queued: Float32Array;
  readonly requests: number;
  readonly devices: number;
  readonly bytes: number;
}

export function createFleet(
  core: FleetCore,
  plan: FleetPlan,
  service: Partial<ServiceSettings>,
): Fleet {
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
export function perSecond(list: readonly number[], seconds: number): Float32Array {
  return Float32Array.from({ length: seconds }, (_, at) => list[at] ?? 0);
}

export function readEpisode(
  fleet: Fleet,
  name: string,
  range: { fromMs: number; toMs: number },
  indexes: readonly number[],
  before: { slowDowns: number },
): ShardEpisode {
  const { service, signInMs } = fleet;
  return {
    name,
    fromS: Math.floor(range.fromMs / 1000),
    toS: Math.ceil(range.toMs / 1000),
    slowDowns: service.slowDowns - before.slowDowns,
    devices: indexes.length,
    signInMs: Float32Array.from(indexes.map((index) => signInMs[index]!).filter((ms) => ms >= 0)),
  };
}

export function readShard(
  fleet: Fleet,
  episodes: readonly ShardEpisode[],
  endMs: number,
  bytes: number,
): ShardResult {
  const seconds = Math.floor(endMs / 1000) + 1;
  const { service } = fleet;
  return {
    episodes,
    requestsPerSecond: perSecond(service.requests, seconds),
    codesPerSecond: perSecond(service.codeRequests, seconds),
    refusedPerSecond: perSecond(service.refused, seconds),
    queued: perSecond(service.queued, seconds),
    requests: fleet.requests,
    devices: fleet.settings.devices,
    bytes,
  };
}

function sumOf(lists: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(lists[0]!.length);
  for (const list of lists) for (let at = 0; at < sum.length; at++) sum[at]! += list[at]!;
  return sum;
}

/** Puts the parts of a fleet together: what they asked for in the same second came in the same second. */
export function mergeShards(shards: readonly ShardResult[]): StoryResult {
  const all = sumOf(shards.map((shard) => shard.requestsPerSecond));
  const codes = sumOf(shards.map((shard) => shard.codesPerSecond));
  const refused = sumOf(shards.map((shard) => shard.refusedPerSecond));
  const queued = sumOf(shards.map((shard) => shard.queued));
  const tokens = all.map((value, at) => value - codes[at]!);
  const total = (pick: (shard: ShardResult) => number): number =>
    shards.reduce((sum, shard) => sum + pick(shard), 0);
  const episodes = shards[0]!.episodes.map(({ name, fromS, toS }, which): Episode => {
    const most = (list: Float32Array): number =>
      list.subarray(fromS, toS).reduce((max, value) => Math.max(max, value), 0);
    const sum = (list: Float32Array): number =>
      list.subarray(fromS, toS).reduce((sum, value) => sum + value, 0);
    const parts = shards.map((shard) => shard.episodes[which]!);
    const signedIn = parts.reduce((count, part) => count + part.signInMs.length, 0);
    const times = new Float32Array(signedIn);
    let at = 0;
    for (const { signInMs } of parts) {
      times.set(signInMs, at);
      at += signInMs.length;
    }
    times.sort();
    const timeOf = (share: number): number =>
      signedIn ? times[Math.min(signedIn - 1, Math.floor(share * signedIn))]! / 1000 : 0;
    return {
      name,
      peak: most(all),
      codePeak: most(codes),
      tokenPeak: most(tokens),
      mean: sum(all) / Math.max(1, toS - fromS),
      queue: Math.round(most(queued)),
      refused: sum(refused),
      slowDowns: parts.reduce((sum, part) => sum + part.slowDowns, 0),
      signIn: [timeOf(0.5), timeOf(0.95), timeOf(0.99), timeOf(1)],
      devices: parts.reduce((sum, part) => sum + part.devices, 0),
      signedIn,
    };
  });
  return {
    episodes,
    requestsPerSecond: all,
    requests: total((shard) => shard.requests),
    bytesPerDevice: Math.round(total((shard) => shard.bytes) / total((shard) => shard.devices)),
  };
}

/**
 * A day of a city: everybody unpacks a device, the power goes and comes back for all at once, the
 * service fails for a while, and a release with a clock five times too fast reaches a tenth of them.
 */
export function playShard(
  core: FleetCore,
  plan: FleetPlan,
  progress: (share: number) => void,
): ShardResult {
  const beforeBytes = usedBytes();
  const fleet = createFleet(core, plan, {});
  const all = Array.from({ length: plan.devices }, (_, index) => index);
  const endMs = plan.hours * 60 * MINUTE;
  const episodes: ShardEpisode[] = [];
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
  return readShard(fleet, episodes, endMs, bytes);
}

/** Switches the devices on one by one over so long. */
export function unpack(
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
