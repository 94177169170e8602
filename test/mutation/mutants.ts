// What mutants of the core and its records are run against: lives, power cuts and foreign bytes, all from
// fixed seeds and on the core's sources, so that the same mutant meets the same fate every time.

import { describe, expect, it } from "vitest";
import * as complete from "../../core/complete.ts";
import { corpusOf } from "../fuzz/corpus.ts";
import { Fuzzer } from "../fuzz/fuzzer.ts";
import { targets } from "../fuzz/targets.ts";
import { runCampaign } from "../lives/campaign.ts";
import { Roll } from "../lives/dice.ts";
import { allCuts, cutOnce, SEQUENCES } from "../lives/exhaustive.ts";
import type { LivesCore } from "../lives/load-core.ts";

const core: LivesCore = complete;
const FIRST_SEED = 1000;
const LIVES = 120;
const INPUTS = 100;

describe("mutants", () => {
  it.each(SEQUENCES)("%s: every power cut", (sequence) => {
    for (const cut of allCuts(core, sequence, 1)) cutOnce(core, sequence, cut, 1);
    expect.assertions(0);
  });

  it.each(targets(core))("$name: corpus and new inputs", (target) => {
    const result = new Fuzzer(target, new Uint32Array(1), corpusOf(target), new Roll(1)).run(
      INPUTS,
    );
    expect(result.failure).toBeUndefined();
  });

  it("lives", () => {
    const { failures } = runCampaign({ core, firstSeed: FIRST_SEED, lives: LIVES, sealedShare: 0 });
    expect(failures).toEqual([]);
  });
});
