// Random lives of the session (life.ts) from fixed seeds. With others: npm run tool -- session-lives.

import { expect, it } from "vitest";
import { isFullRun } from "../full-run.ts";
import { liveOnce } from "./life.ts";

const LIVES = isFullRun ? 1500 : 40;
const FIRST_SEED = 20_261_122;
/** Of lives that once failed. */
const FOUND = [100_108_064, 100_164_551, 880_009_286, 900_036_811, 900_331_750];

it(`${LIVES} lives from seed ${FIRST_SEED} break no promise`, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES; seed++) {
    const { violations, deeds } = await liveOnce(seed);
    expect(violations, `seed ${seed}: ${deeds.join(", ")}`).toEqual([]);
  }
}, 600_000);

it(`${LIVES / 2} lives in which an update and a fall-back take turns break none either`, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES / 2; seed++) {
    const { violations, deeds } = await liveOnce(seed, true);
    expect(violations, `seed ${seed}: ${deeds.join(", ")}`).toEqual([]);
  }
}, 600_000);

it.each(FOUND)("the life from seed %i, which once failed", async (seed) => {
  const { violations, deeds } = await liveOnce(seed);
  expect(violations, deeds.join(", ")).toEqual([]);
});
