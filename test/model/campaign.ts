// Many sequences one after the other, from a seed.

import { Dice } from "./dice.ts";
import { type Counts, noCounts } from "./oracles/oracle.ts";
import { play, type Verdict } from "./sequence.ts";
import type { MakeCore } from "./subject.ts";

export interface CampaignOptions {
  makeCore: MakeCore;
  seed: number;
  /** Enough after so many steps. */
  steps: number;
  /** Enough after so many milliseconds. */
  limitMs?: number;
  /** Hears how far it is, about once a second. */
  progress?: (campaign: Campaign) => void;
}

export interface Campaign {
  steps: number;
  sequences: number;
  /** Sequences that ended early because the model could not tell. */
  unclear: number;
  counts: Counts;
  /** How often each kind of step was carried out. */
  kinds: Map<string, number>;
  failure: (Verdict & { seed: number }) | undefined;
}

const PROGRESS_MS = 1000;

/** Sequences until one fails, or there were enough steps. */
export function runCampaign(options: CampaignOptions): Campaign {
  const campaign: Campaign = {
    steps: 0,
    sequences: 0,
    unclear: 0,
    counts: noCounts(),
    kinds: new Map(),
    failure: undefined,
  };
  const seeds = new Dice(options.seed);
  const startMs = performance.now();
  let toldMs = startMs;
  while (campaign.steps < options.steps) {
    // The first seed is the one given, so that a printed one can be played again alone.
    const seed = campaign.sequences === 0 ? options.seed : seeds.next();
    const verdict = play(seed, options.makeCore, campaign.counts);
    campaign.sequences++;
    campaign.steps += verdict.script.steps.length;
    if (verdict.isUnclear) campaign.unclear++;
    for (const { step } of verdict.script.steps) {
      campaign.kinds.set(step.do, (campaign.kinds.get(step.do) ?? 0) + 1);
    }
    if (verdict.broken) {
      campaign.failure = { ...verdict, seed };
      break;
    }
    const nowMs = performance.now();
    if (options.limitMs !== undefined && nowMs - startMs > options.limitMs) break;
    if (options.progress && nowMs - toldMs > PROGRESS_MS) {
      toldMs = nowMs;
      options.progress(campaign);
    }
  }
  return campaign;
}
