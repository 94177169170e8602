// Random lives of several programs with one session (shared-life.ts) from fixed seeds.

import { expect, it } from "vitest";
import { isFullRun } from "../full-run.ts";
import { sharedLifeOnce } from "./shared-life.ts";

const LIVES = isFullRun ? 300 : 4;
const FIRST_SEED = 20_261_123;

it(`${LIVES} lives from seed ${FIRST_SEED} use no refresh token twice and lose no session`, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES; seed++) {
    const { violations, deeds } = await sharedLifeOnce(seed);
    expect(violations, `seed ${seed}: ${deeds.join(", ")}`).toEqual([]);
  }
}, 600_000);
