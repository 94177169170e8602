// The model of the core's border: a run of it, that its oracles can fail, that what fails is shrunk and
// replayed, and that each found fault stays away. `npm run tool -- model` does more of all.

import { describe, expect, it } from "vitest";
import { freshSeed } from "../seeds.ts";
import { runCampaign } from "./campaign.ts";
import { Broken, noCounts } from "./oracles/oracle.ts";
import { play, replay } from "./sequence.ts";
import { asTest, shrink } from "./shrink.ts";
import { type Core, ofSources } from "./subject.ts";

const STEPS = 30_000;
const SEED = freshSeed();
/** A core that takes no notice of Retry-After. */
const impatient: Core = {
  ...ofSources(),
  responseStart: (device, id, status) => ofSources().responseStart(device, id, status, -1),
};

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

  it("a failing sequence is shrunk, replayed, and printed as a test", () => {
    const makeCore = (): Core => impatient;
    const { failure } = runCampaign({ makeCore, seed: SEED, steps: STEPS });
    const { script, broken } = shrink(failure!.script, failure!.broken!, makeCore);
    expect(script.steps.length).toBeLessThan(Math.min(30, failure!.script.steps.length));
    expect(replay(script, makeCore)).toBeInstanceOf(Broken);
    expect(replay(script, ofSources)).toBeUndefined();
    expect(asTest({ script, broken })).toContain(
      "expect(replay(script, ofSources)).toBeUndefined()",
    );
  });
});
