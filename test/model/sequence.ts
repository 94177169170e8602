// A sequence of steps: made from a seed, or given and carried out again.

import { Dice } from "./dice.ts";
import { Generator } from "./generator.ts";
import { Host } from "./host.ts";
import { Broken, type Counts, noCounts, Unclear } from "./oracles/oracle.ts";
import { drawSettings, type Settings } from "./settings.ts";
import type { Numbered, Step } from "./steps.ts";
import type { MakeCore } from "./subject.ts";

/** One device of a sequence: what it is made of, and what its slots hold at first. */
export interface Start {
  settings: Settings;
  slots: Uint8Array[];
}

/** What a sequence consists of: with this it can be carried out again. */
export interface Script {
  starts: Start[];
  steps: Numbered[];
}

export interface Verdict {
  script: Script;
  /** The rule that did not hold, with the last step. */
  broken: Broken | undefined;
  /** The first step of the unclear rest, which was left out. */
  isUnclear: boolean;
}

const STEPS_MAX = 400;
/** Of a hundred sequences so many have a second device in the same engine. */
const TWO_DEVICES = 20;

class World {
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

/** What a failure is taken for: whatever throws that is no verdict is a crash of the core. */
function brokenBy(error: unknown): Broken {
  if (error instanceof Broken) return error;
  const { stack } = error as Error;
  return new Broken("results", `an exception: ${stack ?? String(error)}`);
}

/** Makes the sequence of this seed while it happens. */
export function play(seed: number, makeCore: MakeCore, counts: Counts): Verdict {
  const dice = new Dice(seed);
  const generator = new Generator(dice);
  const starts: Start[] = [];
  for (let count = dice.chance(TWO_DEVICES) ? 2 : 1; count > 0; count--) {
    const settings = drawSettings(dice);
    starts.push({ settings, slots: generator.firstSlots(settings) });
  }
  const script: Script = { starts, steps: [] };
  try {
    const world = new World(makeCore, starts, counts);
    const length = dice.between(40, STEPS_MAX);
    for (let i = 0; i < length; i++) {
      const on = starts.length === 1 ? 0 : dice.below(2);
      const step = generator.next(world.hosts[on]!);
      script.steps.push({ on, step });
      world.perform({ on, step });
    }
  } catch (error) {
    if (error instanceof Unclear) return { script, broken: undefined, isUnclear: true };
    return { script, broken: brokenBy(error), isUnclear: false };
  }
  return { script, broken: undefined, isUnclear: false };
}

/** Carries a script out. @returns the rule that does not hold, undefined where all do */
export function replay(script: Script, makeCore: MakeCore): Broken | undefined {
  try {
    const world = new World(makeCore, script.starts, noCounts());
    for (const step of script.steps) world.perform(step);
  } catch (error) {
    return error instanceof Unclear ? undefined : brokenBy(error);
  }
  return undefined;
}
