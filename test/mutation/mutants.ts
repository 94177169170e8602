// What mutants of the core and its records are run against beside the core's own tests: lives, power cuts
// and foreign bytes, all from fixed seeds, so that the same mutant meets the same fate every time.

import { describe, expect, it } from "vitest";
import * as complete from "../../core/complete.ts";
import { corpusOf } from "../fuzz/corpus.ts";
import { Fuzzer } from "../fuzz/fuzzer.ts";
import { eventTarget, recordTarget, responseTarget } from "../fuzz/targets.ts";
import { runCampaign } from "../lives/campaign.ts";
import type { LivesCore } from "../lives/core-of.ts";
import { Roll } from "../lives/dice.ts";
import { allCuts, cutOnce, SEQUENCES } from "../lives/exhaustive.ts";

const core: LivesCore = complete;
const FIRST_SEED = 1000;
const LIVES = 60;
const INPUTS = 40;
/** Of the places at which the power can go every fourth, from the second on. */
const CUT_STEP = 4;

describe("mutants", () => {
  it("lives", () => {
    const medium = "memory";
    const sealedShare = 0;
    const { failures } = runCampaign({
      core,
      firstSeed: FIRST_SEED,
      lives: LIVES,
      sealedShare,
      medium,
    });
    expect(failures).toEqual([]);
  });

  // A target is made in its test: what made devices before would be mutated only while it loads.
  it.each([responseTarget, recordTarget, eventTarget])(
    "fuzz target: corpus and new inputs",
    (make) => {
      const target = make(core);
      const result = new Fuzzer(target, new Uint32Array(1), corpusOf(target), new Roll(1)).run(
        INPUTS,
      );
      expect(result.failure).toBeUndefined();
    },
  );

  it.each(SEQUENCES)("%s: every power cut", (sequence) => {
    const cuts = allCuts(core, sequence, 1);
    // The fewest are a refresh's, whose record goes to a slot that was empty: nothing is erased there.
    expect(cuts.length).toBeGreaterThan(75);
    for (let at = 1; at < cuts.length; at += CUT_STEP) cutOnce(core, sequence, cuts[at], 1);
  });
});
