// What mutants of the driver and the session are run against beside their own tests: random lives of programs, from
// fixed seeds, so that the same mutant meets the same fate every time.

import { expect, it } from "vitest";
import { liveOnce } from "../session-model/life.ts";
import { sharedLifeOnce } from "../session-model/shared-life.ts";

const FIRST_SEED = 5000;
const LIVES = 60;
const SHARED_LIVES = 10;
/** In one test: a mutant dies in the first of its lives, mostly. */
const AT_ONCE = 5;

const seedsOf = (lives: number): number[] =>
  Array.from({ length: lives / AT_ONCE }, (_, i) => FIRST_SEED + AT_ONCE * i);

it.each(seedsOf(LIVES))("lives from seed %i", async (first) => {
  for (let seed = first; seed < first + AT_ONCE; seed++) {
    const { violations } = await liveOnce(seed, seed % 3 === 0);
    expect(violations).toEqual([]);
  }
});

it.each(seedsOf(SHARED_LIVES))("lives of several programs from seed %i", async (first) => {
  for (let seed = first; seed < first + AT_ONCE; seed++) {
    const { violations } = await sharedLifeOnce(seed);
    expect(violations).toEqual([]);
  }
});
