// Runs sequences of steps, which are generated from a seed or replayed. Shrinks a sequence that fails.

import { Generator } from "./generator.ts";
import { Host } from "./host.ts";
import { Broken, type Counts, noCounts, Unclear } from "./oracles/oracle.ts";
import { Random } from "./random.ts";
import { drawSettings, type Settings } from "./settings.ts";
import type { Numbered, Step } from "./steps.ts";
import type { MakeCore } from "./subject.ts";

interface Start {
  settings: Settings;
  slots: Uint8Array[];
}

interface Script {
  starts: Start[];
  steps: Numbered[];
}

interface Verdict {
  script: Script;
  broken: Broken | undefined;
  /** Whether the sequence ended early, because the model could not predict a result. */
  isUnclear: boolean;
}

const STEPS_MAX = 400;
const TWO_DEVICES = 20;

class Engine {
  readonly hosts: Host[];

  readonly #makeCore: MakeCore;
  readonly #counts: Counts;

  constructor(makeCore: MakeCore, starts: readonly Start[], counts: Counts) {
    this.#makeCore = makeCore;
    this.#counts = counts;
    this.hosts = starts.map(
      ({ settings, slots }) => new Host(makeCore, settings, [...slots], counts),
    );
  }

  perform({ on, step }: Numbered): void {
    const host = this.hosts[on];
    if (!host) return;
    if (step.do === "power") this.hosts[on] = this.#restart(host, step);
    else host.perform(step);
  }

  #restart(host: Host, step: Extract<Step, { do: "power" }>): Host {
    host.powerCut(step.done);
    const settings = { ...host.settings, memoryBytes: step.memoryBytes };
    return new Host(this.#makeCore, settings, host.slots, this.#counts, step.unreadable);
  }
}

/** An exception that no oracle has thrown counts as a crash of the core. */
function brokenBy(error: unknown): Broken {
  if (error instanceof Broken) return error;
  const { stack } = error as Error;
  return new Broken("results", `an exception: ${stack ?? String(error)}`);
}

export function play(seed: number, makeCore: MakeCore, counts: Counts): Verdict {
  const random = new Random(seed);
  const generator = new Generator(random);
  const starts: Start[] = [];
  for (let count = random.chance(TWO_DEVICES) ? 2 : 1; count > 0; count--) {
    const settings = drawSettings(random);
    starts.push({ settings, slots: generator.firstSlots(settings) });
  }
  const script: Script = { starts, steps: [] };
  try {
    const engine = new Engine(makeCore, starts, counts);
    const length = random.between(40, STEPS_MAX);
    for (let i = 0; i < length; i++) {
      const on = starts.length === 1 ? 0 : random.below(2);
      const step = generator.next(engine.hosts[on]!);
      script.steps.push({ on, step });
      engine.perform({ on, step });
    }
  } catch (error) {
    if (error instanceof Unclear) return { script, broken: undefined, isUnclear: true };
    return { script, broken: brokenBy(error), isUnclear: false };
  }
  return { script, broken: undefined, isUnclear: false };
}

export function replay(script: Script, makeCore: MakeCore): Broken | undefined {
  try {
    const engine = new Engine(makeCore, script.starts, noCounts());
    for (const step of script.steps) engine.perform(step);
  } catch (error) {
    return error instanceof Unclear ? undefined : brokenBy(error);
  }
  return undefined;
}

interface CampaignOptions {
  makeCore: MakeCore;
  seed: number;
  steps: number;
  limitMs?: number;
  progress?: (campaign: Campaign) => void;
}

export interface Campaign {
  steps: number;
  sequences: number;
  unclear: number;
  counts: Counts;
  kinds: Map<string, number>;
  failure: (Verdict & { seed: number }) | undefined;
}

const PROGRESS_MS = 1000;

export function runCampaign(options: CampaignOptions): Campaign {
  const campaign: Campaign = {
    steps: 0,
    sequences: 0,
    unclear: 0,
    counts: noCounts(),
    kinds: new Map(),
    failure: undefined,
  };
  const seeds = new Random(options.seed);
  const startMs = performance.now();
  let reportedMs = startMs;
  while (campaign.steps < options.steps) {
    // The first sequence uses the given seed itself, so that a printed seed replays its sequence.
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
    if (options.progress && nowMs - reportedMs > PROGRESS_MS) {
      reportedMs = nowMs;
      options.progress(campaign);
    }
  }
  return campaign;
}

// Shrinking: tries at most this many shorter scripts (delta debugging).

const ATTEMPTS_MAX = 3000;

/** The failure message without numbers and values, by which shrinking recognizes the same failure. */
function kindOf({ oracle, what }: Broken): string {
  return `${oracle}: ${what.replace(/ is .*|: .*|\d+/g, "")}`;
}

interface Shrunk {
  script: Script;
  broken: Broken;
}

/** Finds a short script that violates the same rule. */
export function shrink(script: Script, broken: Broken, makeCore: MakeCore): Shrunk {
  const kind = kindOf(broken);
  let attempts = 0;
  let last = broken;
  const fails = (candidate: Script): boolean => {
    attempts++;
    const found = replay(candidate, makeCore);
    const isSame = found !== undefined && kindOf(found) === kind;
    if (isSame) last = found;
    return isSame;
  };
  let { steps } = script;
  for (let size = steps.length >> 1; size >= 1 && attempts < ATTEMPTS_MAX; size = size >> 1) {
    let isShorter = true;
    while (isShorter && attempts < ATTEMPTS_MAX) {
      isShorter = false;
      for (let at = steps.length - size; at >= 0 && attempts < ATTEMPTS_MAX; at -= size) {
        const without = [...steps.slice(0, at), ...steps.slice(at + size)];
        if (fails({ ...script, steps: without })) {
          steps = without;
          isShorter = true;
        }
      }
      if (size > 1) break;
    }
  }
  let starts = script.starts;
  const emptied = starts.map((start) => ({
    ...start,
    slots: [new Uint8Array(), new Uint8Array()],
  }));
  if (fails({ starts: emptied, steps })) starts = emptied;
  const shrunk = { starts, steps };
  const found = replay(shrunk, makeCore);
  return { script: shrunk, broken: found ?? last };
}

export function asTest({ script, broken }: Shrunk): string {
  const starts = script.starts.map(({ settings, slots }) => {
    const bytes = slots.map((slot) => `Buffer.from("${Buffer.from(slot).toString("hex")}", "hex")`);
    return `{ settings: ${JSON.stringify(settings)}, slots: [${bytes.join(", ")}] }`;
  });
  const steps = script.steps.map((step) => `      ${JSON.stringify(step)},`);
  return [
    `// ${broken.message.replace(/\n/g, "\n// ")}`,
    `it(${JSON.stringify(broken.oracle)}, () => {`,
    "  const script: Script = {",
    `    starts: [${starts.join(", ")}],`,
    "    steps: [",
    ...steps,
    "    ],",
    "  };",
    "  expect(replay(script, ofSources)).toBeUndefined();",
    "});",
  ].join("\n");
}
