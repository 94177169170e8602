// Makes random runs of all kinds (kinds.ts) with fixed seeds. Use `npm run tool -- random-sessions` for other seeds.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { TRANSITIONS } from "../../platform/session/life-cycle.ts";
import { isFullRun } from "../full-run.ts";
import { KINDS } from "./kinds.ts";

const FIRST_SEED = 20_261_122;
const met = new Set<string>();

it.each(KINDS)("random runs $name violate no contract", async ({ run, few, all, rare = [] }) => {
  const seeds = Array.from({ length: isFullRun ? all : few }, (_, at) => FIRST_SEED + at);
  for (const seed of [...rare, ...seeds]) {
    const { violations, actions, transitions = [] } = await run(seed);
    expect(violations, `seed ${seed}: ${actions.join(", ")}`).toEqual([]);
    for (const transition of transitions) met.add(transition);
  }
});

it("the runs make each transition of a session's life cycle, and platform/README.md draws each", () => {
  const table = Object.entries(TRANSITIONS).flatMap(([phase, next]) =>
    Object.entries(next).map(([event, to]) => `${phase} --> ${to}: ${event}`),
  );
  const page = readFileSync(new URL("../../platform/README.md", import.meta.url), "utf8");
  expect(page.match(/(?<=^ {2})\w+ --> \w+: \w+$/gm)).toEqual(table);
  // `npm test` makes few runs, so they need not make the rare transitions.
  if (isFullRun) expect(table.filter((one) => !met.has(one))).toEqual([]);
});
