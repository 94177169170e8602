// Many lives one after the other, and what there is to say of them together.

import { transitions } from "../../core/device/states.ts";
import { Event, State } from "../../core/index.ts";
import type { LivesCore } from "./core-of.ts";
import { FAULTS, type StrikeId } from "./dice.ts";
import { type LifeResult, runLife } from "./life.ts";
import type { Coverage } from "./oracle.ts";
import type { MediumName, Surroundings } from "./surroundings.ts";

export interface CampaignOptions {
  core: LivesCore;
  firstSeed: number;
  lives: number;
  sealedShare?: number;
  medium?: MediumName;
  surroundings?: Surroundings;
  /** Stop after so many failing lives. */
  failuresMax?: number;
  /** Told how many have been lived, now and then. */
  progress?: (lives: number) => void;
}

const PROGRESS_LIVES = 500;

export interface Campaign {
  lives: number;
  failures: LifeResult[];
  /** How often each fault and each deed struck. */
  strikes: Map<string, number>;
  /** How many lives were made of what (medium, sealing, events, log). */
  traits: Map<string, number>;
  coverage: Coverage;
  steps: number;
  powerOns: number;
  virtualHours: number;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Kind of a strike, without its number. */
export function kindOf(id: StrikeId): string {
  return id.slice(0, id.indexOf(":"));
}

function empty(): Campaign {
  return {
    lives: 0,
    failures: [],
    strikes: new Map(),
    traits: new Map(),
    coverage: new Map(),
    steps: 0,
    powerOns: 0,
    virtualHours: 0,
  };
}

/** What several campaigns come to together. */
export function sumOf(campaigns: readonly Campaign[]): Campaign {
  const sum = empty();
  const add = (to: Map<string, number>, from: ReadonlyMap<string, number>): void => {
    for (const [name, times] of from) to.set(name, (to.get(name) ?? 0) + times);
  };
  for (const one of campaigns) {
    sum.lives += one.lives;
    sum.failures.push(...one.failures);
    add(sum.strikes, one.strikes);
    add(sum.traits, one.traits);
    add(sum.coverage, one.coverage);
    sum.steps += one.steps;
    sum.powerOns += one.powerOns;
    sum.virtualHours += one.virtualHours;
  }
  return sum;
}

/** Lives of the seeds from `firstSeed` on (32 bits, wrapping). */
export function runCampaign(options: CampaignOptions): Campaign {
  const campaign = empty();
  const { failuresMax = 1, firstSeed, lives, progress, ...shared } = options;
  const lifeOptions = { ...shared, coverage: campaign.coverage };
  while (campaign.lives < lives && campaign.failures.length < failuresMax) {
    const seed = (firstSeed + campaign.lives) >>> 0;
    const result = runLife(seed, lifeOptions);
    campaign.lives++;
    campaign.steps += result.steps;
    campaign.powerOns += result.powerOns;
    campaign.virtualHours += result.virtualMs / 3_600_000;
    for (const id of result.struck) count(campaign.strikes, kindOf(id));
    for (const trait of result.traits) count(campaign.traits, trait);
    if (result.violation) campaign.failures.push(result);
    if (campaign.lives % PROGRESS_LIVES === 0) progress?.(campaign.lives);
  }
  return campaign;
}

/** Rows of the transition table that no life went through, in words. */
export function uncoveredRows(coverage: Coverage): string[] {
  return transitions()
    .filter(({ from, event, to }) => !coverage.has(`${from},${event},${to}`))
    .map(({ from, event, to }) => `${State[from]} -${Event[event]}-> ${State[to]}`);
}

/** How often lives went through each row of the table, a line for each state. */
function coveredRows(coverage: Coverage): string[] {
  const lines = new Map<number, string[]>();
  for (const { from, event, to } of transitions()) {
    const times = coverage.get(`${from},${event},${to}`) ?? 0;
    const row = `${Event[event]} -> ${State[to]} ${times}`;
    lines.set(from, [...(lines.get(from) ?? []), row]);
  }
  return [...lines].map(([from, rows]) => `  ${State[from]}: ${rows.join(", ")}`);
}

/** Kinds of faults that never struck. */
export function unusedFaults(strikes: ReadonlyMap<string, number>): string[] {
  return FAULTS.filter((kind) => !strikes.has(kind));
}

/** The whole report as lines. */
export function describe(campaign: Campaign, seconds: number): string[] {
  const perSecond = Math.round(campaign.lives / seconds);
  const injected = [...campaign.strikes].sort((a, b) => b[1] - a[1]);
  const isFault = (kind: string): boolean => (FAULTS as readonly string[]).includes(kind);
  const list = (entries: [string, number][]): string =>
    entries.map(([kind, count]) => `${kind} ${count}`).join(", ");
  const rows = transitions().length;
  const uncovered = uncoveredRows(campaign.coverage);
  const states = new Set(
    [...campaign.coverage.keys()].flatMap((row) => [row.split(",")[0], row.split(",")[2]]),
  );
  return [
    `${campaign.lives} lives in ${seconds.toFixed(1)} s: ${perSecond} lives/s, ` +
      `${campaign.steps} steps, ${campaign.powerOns} power-ons, ` +
      `${Math.round(campaign.virtualHours)} virtual hours`,
    `made of: ${list([...campaign.traits].sort((a, b) => b[1] - a[1]))}`,
    `faults: ${list(injected.filter(([kind]) => isFault(kind)))}`,
    `deeds: ${list(injected.filter(([kind]) => !isFault(kind)))}`,
    `states: ${states.size} of 8; transitions: ${rows - uncovered.length} of ${rows}` +
      (uncovered.length ? `; never: ${uncovered.join(", ")}` : ""),
    ...coveredRows(campaign.coverage),
    `failing lives: ${campaign.failures.length}`,
  ];
}
