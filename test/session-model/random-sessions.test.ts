// Random lives (kinds.ts) from fixed seeds. With others: npm run tool -- session-lives.

import { expect, it } from "vitest";
import { isFullRun } from "../full-run.ts";
import { KINDS } from "./kinds.ts";

const FIRST_SEED = 20_261_122;

it.each(KINDS)("lives $name break no promise", async ({ live, few, all }) => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + (isFullRun ? all : few); seed++) {
    const { violations, actions } = await live(seed);
    expect(violations, `seed ${seed}: ${actions.join(", ")}`).toEqual([]);
  }
});
