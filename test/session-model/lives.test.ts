// Random lives (kinds.ts) from fixed seeds. With others: npm run tool -- session-lives.

import { expect, it } from "vitest";
import { isFullRun } from "../full-run.ts";
import { KINDS } from "./kinds.ts";
import { liveOnce } from "./life.ts";

const FIRST_SEED = 20_261_122;
/** Of lives of a program that once failed. */
const FOUND = [100_108_064, 100_164_551, 880_009_286, 900_036_811, 900_331_750];

it.each(KINDS)(
  "lives $name break no promise",
  async ({ live, few, all }) => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + (isFullRun ? all : few); seed++) {
      const { violations, deeds } = await live(seed);
      expect(violations, `seed ${seed}: ${deeds.join(", ")}`).toEqual([]);
    }
  },
  600_000,
);

it.each(FOUND)("the life from seed %i, which once failed", async (seed) => {
  const { violations, deeds } = await liveOnce(seed);
  expect(violations, deeds.join(", ")).toEqual([]);
});
