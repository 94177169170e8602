// Scenarios for a fleet: all devices restart at once, and a day of a city.
import type * as grant from "../../../core/index.ts";
import { bundleCore } from "../../bundle/bundled-core.ts";
import type { grantFunctions } from "../../bundle/surface.ts";
import { Fleet, type FleetSettings } from "./fleet.ts";
import { serviceDefaults } from "./service-model.ts";

export type FleetCore = Pick<typeof grant, (typeof grantFunctions)[number]>;

export interface FleetPlan {
  readonly devices: number;
  readonly hours: number;
  /** Requests per second; 0: half of the load of all devices pending. */
  readonly capacity: number;
  readonly seed: number;
}

export interface Episode {
  readonly name: string;
  readonly peak: number;
  readonly mean: number;
  readonly queue: number;
  readonly refused: number;
  readonly slowDowns: number;
  /** Seconds from power-on to sign-in: 50 %, 95 %, 99 %, all. */
  readonly signIn: readonly number[];
  /** Devices switched on in it, and the number of them that signed in. */
  readonly devices: number;
  readonly signedIn: number;
}

/** What the devices had stored before a restart: nothing, a pending code, or tokens. */
export type Stored = "nothing" | "code" | "tokens";

const MINUTE = 60_000;
const SETTLE_MS = 2 * MINUTE;
const STEADY_S = 60;
const UNLIMITED = 1e9;
/** The smallest memory that is comfortable for these devices' tokens. */
const MEMORY_BYTES = 3328;
const USER_S = 90;

/**
 * The firmware's own build of the core.
 * @param replace changes of its text, for comparison; each must match
 */
export async function fleetCore(
  replace: readonly (readonly [from: RegExp, to: string])[] = [],
): Promise<FleetCore> {
  let { code } = await bundleCore("grant", { minify: false });
  for (const [from, to] of replace) {
    const changed = code.replace(from, to);
    if (changed === code) throw new Error(`${from} is not in the core any more`);
    code = changed;
  }
  return new Function(`${code}\nreturn picogrant;`)() as FleetCore;
}

function createFleet(
  core: FleetCore,
  plan: FleetPlan,
  capacity: number,
  more: Partial<FleetSettings> = {},
): Fleet {
  return new Fleet({
    devices: plan.devices,
    core,
    service: { ...serviceDefaults, capacity },
    ...more,
    memoryBytes: MEMORY_BYTES,
    seed: plan.seed,
    userS: USER_S,
  });
}

const everybody = (plan: FleetPlan): number[] => Array.from({ length: plan.devices }, (_, i) => i);

const sum = (values: readonly (number | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

const most = (values: readonly (number | undefined)[]): number =>
  values.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0);

/** Statistics since `fromMs` of the devices `who`, which were switched on then. */
function readEpisode(
  fleet: Fleet,
  name: string,
  fromMs: number,
  who: readonly number[],
  slowDownsBefore: number,
): Episode {
  const [from, to] = [Math.floor(fromMs / 1000), Math.ceil(fleet.nowMs / 1000)];
  const { requests, refused, queued, slowDowns } = fleet.service;
  const times = who
    .map((index) => fleet.signInMs[index]! / 1000)
    .filter((seconds) => seconds >= 0)
    .sort((a, b) => a - b);
  const timeOf = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0;
  return {
    name,
    peak: most(requests.slice(from, to)),
    mean: sum(requests.slice(from, to)) / Math.max(1, to - from),
    queue: Math.round(most(queued.slice(from, to))),
    refused: sum(refused.slice(from, to)),
    slowDowns: slowDowns - slowDownsBefore,
    signIn: [0.5, 0.95, 0.99, 1].map(timeOf),
    devices: who.length,
    signedIn: times.length,
  };
}

/** Switches the devices on one by one within this time. */
function unpack(
  fleet: Fleet,
  who: readonly number[],
  spreadMs: number,
  report?: (nowMs: number) => void,
): void {
  who.forEach((index, at) => {
    fleet.runUntil((at / who.length) * spreadMs, report);
    fleet.powerOn(index);
  });
}

/**
 * All devices restart at the same moment, compared with the load of the same devices pending.
 * @param capacityShare share of that load; Infinity for a service that is never the bottleneck
 */
export function restartAll(
  core: FleetCore,
  stored: Stored,
  plan: FleetPlan,
  capacityShare: number,
): { readonly peak: number; readonly steady: number } {
  const pending = plan.devices / serviceDefaults.intervalS;
  const fleet = createFleet(core, plan, UNLIMITED);
  const all = everybody(plan);
  fleet.service.usersCome = stored === "tokens";
  unpack(fleet, all, SETTLE_MS);
  if (stored === "tokens") fleet.runUntil(SETTLE_MS + 20 * MINUTE);
  // All devices poll their codes: the load to compare with.
  const steadyFrom = Math.floor(fleet.nowMs / 1000);
  fleet.runUntil(fleet.nowMs + STEADY_S * 1000);
  const polled = sum(fleet.service.requests.slice(steadyFrom, steadyFrom + STEADY_S)) / STEADY_S;
  for (const index of all) {
    fleet.powerOff(index);
    if (stored === "nothing") fleet.wipe(index);
  }
  const fromMs = Math.ceil((fleet.nowMs + MINUTE) / 1000) * 1000;
  fleet.runUntil(fromMs);
  if (Number.isFinite(capacityShare)) fleet.service.capacity = pending * capacityShare;
  for (const index of all) fleet.powerOn(index);
  fleet.runUntil(fromMs + 4 * MINUTE);
  const { peak } = readEpisode(fleet, "", fromMs, all, 0);
  return { peak, steady: stored === "tokens" ? pending : polled };
}

/**
 * The power comes back in a region: each device refreshes its tokens at a server that accepts a number of handshakes
 * per second and refuses other connections. `mostRefused`: most refusals of one device.
 */
export function returnOfRegion(
  core: FleetCore,
  plan: FleetPlan,
  handshakes: number,
  startSpreadMs: number,
): Episode & { readonly mostRefused: number } {
  const service = {
    ...serviceDefaults,
    capacity: UNLIMITED,
    queueSeconds: 1,
    refusesConnections: true,
  };
  const fleet = createFleet(core, plan, UNLIMITED, { service, startSpreadMs });
  const all = everybody(plan);
  unpack(fleet, all, SETTLE_MS);
  // Users need time, and a long spread delays the first code.
  fleet.runUntil(SETTLE_MS + 30 * MINUTE);
  for (const index of all) fleet.powerOff(index);
  const fromMs = Math.ceil((fleet.nowMs + MINUTE) / 1000) * 1000;
  fleet.runUntil(fromMs);
  fleet.service.capacity = handshakes;
  for (const index of all) fleet.powerOn(index);
  fleet.runUntil(fromMs + startSpreadMs + 60 * MINUTE);
  return {
    ...readEpisode(fleet, "", fromMs, all, 0),
    mostRefused: most([...fleet.refusals]),
  };
}

/**
 * A day of a city: all users unpack a device, the power fails and returns everywhere, the service fails for a while,
 * and a release with a clock five times too fast reaches a tenth of the devices.
 */
export function playDay(
  core: FleetCore,
  plan: FleetPlan,
  progress: (share: number) => void = () => {},
): { readonly episodes: readonly Episode[]; readonly requests: number } {
  const capacity = plan.capacity || Math.max(10, plan.devices / serviceDefaults.intervalS / 2);
  const fleet = createFleet(core, plan, capacity);
  const all = everybody(plan);
  const endMs = plan.hours * 60 * MINUTE;
  const episodes: Episode[] = [];
  const report = (nowMs: number): void => progress(nowMs / endMs);
  const episode = (name: string, fromMs: number, toMs: number, who: readonly number[]): void => {
    const { slowDowns } = fleet.service;
    fleet.runUntil(toMs, report);
    episodes.push(readEpisode(fleet, name, fromMs, who, slowDowns));
  };
  unpack(fleet, all, endMs / 24, report);
  episode("unpacking, spread over time", 0, endMs * 0.25, all);

  for (const index of all) fleet.powerOff(index);
  fleet.runUntil(fleet.nowMs + 10 * MINUTE, report);
  const powerMs = fleet.nowMs;
  for (const index of all) fleet.powerOn(index);
  episode("power back in the whole city", powerMs, endMs * 0.5, all);

  const outageMs = fleet.nowMs;
  fleet.service.down = true;
  episode("service out for 15 minutes", outageMs, outageMs + 15 * MINUTE, []);
  fleet.service.down = false;
  episode("... and back again", fleet.nowMs, endMs * 0.75, []);

  const invalid = all.filter((index) => index % 10 === 0);
  const invalidMs = fleet.nowMs;
  for (const index of invalid) {
    fleet.powerOff(index);
    fleet.wipe(index);
    fleet.setPace(index, 5);
    fleet.powerOn(index);
  }
  episode("bad release: clock 5 times too fast", invalidMs, endMs, invalid);
  return { episodes, requests: fleet.requests };
}
