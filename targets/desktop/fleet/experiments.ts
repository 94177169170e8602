// The experiments on a fleet: what is done to it when, and what is read off it.
import { buildVariant, VARIANTS } from "./core-variants.ts";
import { serviceDefaults } from "./service-model.ts";
import {
  createFleet,
  type FleetPlan,
  MINUTE,
  mergeShards,
  perSecond,
  playShard,
  readEpisode,
  readShard,
  type StoryResult,
  unpack,
} from "./story.ts";

/** The story in this thread, as one part. */
export async function playStory(
  plan: FleetPlan,
  progress: (share: number) => void,
): Promise<StoryResult> {
  return mergeShards([playShard(await buildVariant(VARIANTS[0]!), plan, progress)]);
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
  const merged = mergeShards([readShard(fleet, [episode], fleet.nowMs, 0)]);
  const { peak, queue, refused, signIn } = merged.episodes[0]!;
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

export interface IntervalResult {
  readonly intervalS: number;
  /** Requests a second while all of them wait for their users. */
  readonly steady: number;
  /** Mean time from a user's decision to the poll that fetches it, seconds. */
  readonly claimS: number;
}

/** What the service's interval costs it, and what it costs the user. */
export async function intervals(
  plan: FleetPlan,
  seconds: readonly number[],
  told: (part: string) => void = () => {},
): Promise<IntervalResult[]> {
  const core = await buildVariant(VARIANTS[0]!);
  return seconds.map((intervalS) => {
    told(`an interval of ${intervalS} s`);
    const all = Array.from({ length: plan.devices }, (_, index) => index);
    const waiting = createFleet(core, plan, { capacity: 1e9, intervalS });
    waiting.service.usersCome = false;
    unpack(waiting, all, SETTLE_MS, () => {});
    const from = Math.floor(waiting.nowMs / 1000);
    waiting.runUntil(waiting.nowMs + STEADY_MS);
    const seen = waiting.service.requests.slice(from, from + STEADY_MS / 1000);
    const claiming = createFleet(core, plan, { capacity: 1e9, intervalS });
    unpack(claiming, all, SETTLE_MS, () => {});
    claiming.runUntil(claiming.nowMs + 30 * MINUTE);
    const { claims, claimDelayMs } = claiming.service;
    return {
      intervalS,
      steady: seen.reduce((sum, value) => sum + (value ?? 0), 0) / (STEADY_MS / 1000),
      claimS: claimDelayMs / Math.max(1, claims) / 1000,
    };
  });
}

export interface HourAfter {
  readonly hour: number;
  readonly peak: number;
  readonly mean: number;
  readonly refused: number;
}

/**
 * The day after an outage that was longer than an access token lives: whether the devices, which all came back at
 * the same moment, go on coming at the same moment.
 * @returns the hour before it first, as hour 0
 */
export async function dayAfterOutage(
  plan: FleetPlan,
  outageHours: number,
  told: (part: string) => void = () => {},
): Promise<HourAfter[]> {
  const HOUR = 60 * MINUTE;
  const fleet = createFleet(await buildVariant(VARIANTS[0]!), plan, {});
  const all = Array.from({ length: plan.devices }, (_, index) => index);
  unpack(fleet, all, HOUR, () => {});
  fleet.runUntil(3 * HOUR);
  fleet.service.down = true;
  fleet.runUntil((3 + outageHours) * HOUR);
  fleet.service.down = false;
  const backMs = fleet.nowMs;
  for (let hour = 4; hour <= 24; hour += 4) {
    fleet.runUntil(backMs + hour * HOUR);
    told(`the day after an outage, ${hour} of 24 hours`);
  }
  const { requests, refused } = fleet.service;
  const read = (hour: number, fromMs: number): HourAfter => {
    const from = Math.floor(fromMs / 1000);
    const counts = Array.from({ length: 3600 }, (_, at) => requests[from + at] ?? 0);
    const sum = counts.reduce((total, value) => total + value, 0);
    const lost = Array.from({ length: 3600 }, (_, at) => refused[from + at] ?? 0);
    return {
      hour,
      peak: Math.max(...counts),
      mean: sum / 3600,
      refused: lost.reduce((total, value) => total + value, 0),
    };
  };
  const hours = Array.from({ length: 24 }, (_, at) => read(at + 1, backMs + at * HOUR));
  return [read(0, 2 * HOUR), ...hours];
}
