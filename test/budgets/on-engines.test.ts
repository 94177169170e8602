// The counting behind `npm run tool -- builds` (targets/bundle/README.md): what a build holds is seen, and polls take
// time.

import { existsSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { heapIn, pollTimeIn } from "../../targets/workbench/budgets/on-engines.ts";
import { buildHosts, enginesFolder } from "../../targets/workbench/engines/install.ts";
import { builtBundle } from "../../targets/workbench/engines/script.ts";

const names = ["quickjs", "duktape", "mujs"] as const;

/** Fetched by `npm run engines -- --install-only`. The gate has them. */
const isThere = (name: string): boolean =>
  process.env.CI === "true" || existsSync(`${enginesFolder}${name}/${name}-host`);

beforeAll(() => {
  // Hosts that were built before may not count bytes yet.
  if (names.every(isThere)) buildHosts(() => {});
});

for (const name of names) {
  test.skipIf(!isThere(name))(
    `${name}: bytes that a build holds, and the time of a poll`,
    async () => {
      const code = await builtBundle("grant");
      const heap = heapIn(name, code);
      expect(heap).toBeGreaterThan(10_000);
      const held = "var held = []; for (var i = 0; i < 1000; i++) held.push({});";
      expect(heapIn(name, code + held)).toBeGreaterThan(heap + 1000 * 16);
      const dropped = "for (var j = 0; j < 1000; j++) ({}).a = 1;";
      expect(heapIn(name, code + dropped)).toBeLessThan(heap + 1000 * 16);
      expect(pollTimeIn(name, code)).toBeGreaterThan(0);
    },
  );
}
