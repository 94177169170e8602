// The model of the core's border: a run of it, that its oracles can fail, that what fails is shrunk and
// replayed, and that each found fault stays away. `npm run tool -- model` does more of all.

import { describe, expect, it } from "vitest";
import { freshSeed } from "../seeds.ts";
import { Broken, noCounts } from "./broken.ts";
import { runCampaign } from "./campaign.ts";
import { hunt, PLANTED, plant, textsWith } from "./planted.ts";
import { play, replay } from "./sequence.ts";
import { asTest, shrink } from "./shrink.ts";
import { ofSources } from "./subject.ts";

const STEPS = 30_000;
const SEED = freshSeed();
/** These take more steps than a test has time for; `npm run tool -- model --planted` hunts all. */
const SLOW: readonly string[] = [
  "the room for metadata is divided when they are asked for, not when they come",
  "an event that is handed in carries out what another one told",
  "half a token counts as one",
];
const HUNTED = PLANTED.filter(
  ({ name, isShared }, i) => !SLOW.includes(name) && (isShared || i % 8 === 0),
);
const HUNT_STEPS = 400_000;

describe("the model of the core's border (core/SPEC.md)", () => {
  it(`every rule holds in random sequences from seed ${SEED}`, () => {
    const { failure, counts } = runCampaign({ makeCore: ofSources, seed: SEED, steps: STEPS });
    expect(failure && `seed ${failure.seed}: ${failure.broken!.message}`).toBeUndefined();
    // Each oracle had something to look at.
    expect(Object.entries(counts).filter(([, count]) => count < 50)).toEqual([]);
  });

  it("the same seed makes the same sequence", () => {
    const first = play(SEED, ofSources, noCounts());
    const second = play(SEED, ofSources, noCounts());
    expect(second.script).toEqual(first.script);
  });

  it("a failing sequence is shrunk, replayed, and printed as a test", async () => {
    const makeCore = await plant(PLANTED.find(({ name }) => name === "Retry-After is ignored")!);
    const { failure } = runCampaign({ makeCore, seed: 1, steps: HUNT_STEPS });
    const { script, broken } = shrink(failure!.script, failure!.broken!, makeCore);
    expect(script.steps.length).toBeLessThan(Math.min(30, failure!.script.steps.length));
    expect(replay(script, makeCore)).toBeInstanceOf(Broken);
    expect(replay(script, ofSources)).toBeUndefined();
    expect(asTest({ script, broken })).toContain(
      "expect(replay(script, ofSources)).toBeUndefined()",
    );
  });
});

describe("planted faults are found", () => {
  it("each has its one place in the sources, also those that are not hunted here", () => {
    for (const fault of PLANTED) expect(() => textsWith(fault)).not.toThrow();
  });

  it.each(HUNTED.map(({ name }) => name))("%s", async (name) => {
    const found = await hunt(PLANTED.find((fault) => fault.name === name)!, 1, HUNT_STEPS);
    expect(found.oracle).toBeDefined();
  });
});
