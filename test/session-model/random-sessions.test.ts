// Random runs of all kinds (kinds.ts) with fixed seeds. Use `npm run tool -- random-sessions` for other seeds.

import { expect, it } from "vitest";
import { isFullRun } from "../full-run.ts";
import { KINDS } from "./kinds.ts";

const FIRST_SEED = 20_261_122;

it.each(KINDS)("random runs $name violate no contract", async ({ run, few, all }) => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + (isFullRun ? all : few); seed++) {
    const { violations, actions } = await run(seed);
    expect(violations, `seed ${seed}: ${actions.join(", ")}`).toEqual([]);
  }
});
