// The counting behind `npm run tool -- builds` (targets/bundle/README.md): what a build holds is seen, and what polls take.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { heapIn, pollInstructionsIn } from "../../targets/workbench/budgets/on-engines.ts";
import { buildHosts, enginesFolder } from "../../targets/workbench/engines/install.ts";
import { builtBundle } from "../../targets/workbench/engines/script.ts";
import { isFullRun } from "../full-run.ts";

const names = ["quickjs", "duktape", "mujs", "xs"] as const;

/** Fetched by `npm run engines -- --install-only`. The gate has them. */
const isThere = (name: string): boolean =>
  process.env.CI === "true" || existsSync(`${enginesFolder}${name}/${name}-host`);

beforeAll(() => {
  // Hosts that were built before may not count bytes yet.
  if (names.every(isThere)) buildHosts(() => {});
});

for (const name of names) {
  test.skipIf(!isThere(name))(`${name}: bytes that a build holds`, async () => {
    const code = await builtBundle("grant");
    const { heap, peak } = heapIn(name, code);
    expect(heap).toBeGreaterThan(10_000);
    expect(peak).toBeGreaterThan(heap);
    const held = "var held = []; for (var i = 0; i < 1000; i++) held.push({});";
    expect(heapIn(name, code + held).heap).toBeGreaterThan(heap + 1000 * 16);
    const dropped = "for (var j = 0; j < 1000; j++) ({}).a = 1;";
    expect(heapIn(name, code + dropped).heap).toBeLessThan(heap + 1000 * 16);
  });
}

test.skipIf(
  !isFullRun || !isThere("quickjs") || spawnSync("valgrind", ["--version"]).error !== undefined,
)("quickjs: instructions of a poll, and more of them where it does more", async () => {
  const code = await builtBundle("grant");
  const polled = pollInstructionsIn("quickjs", code);
  expect(polled).toBeGreaterThan(100_000);
  const slower = `picogrant.wakeIn = (function (wakeIn) {
      return function (device) { for (var k = 0; k < 10000; k++); return wakeIn(device); };
    })(picogrant.wakeIn);`;
  expect(pollInstructionsIn("quickjs", code + slower)).toBeGreaterThan(polled + 10_000);
  expect(Math.abs(pollInstructionsIn("quickjs", code) - polled)).toBeLessThan(polled / 100);
});
