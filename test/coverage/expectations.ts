// Whether the tests that guard the rows of COVERAGE fail once an expectation of theirs is inverted (inverted.ts).

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Verdict } from "./inverted.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Runs tests with each of their expectations inverted in turn.
 * @param files tests, or folders of them
 * @param says where the runner's own words go
 * @returns a verdict for each test that guards a row
 * @throws Error where the runner itself fails
 */
export function verdictsOn(files: readonly string[], says: "inherit" | "ignore"): Verdict[] {
  const folder = mkdtempSync(join(tmpdir(), "picogrant-expectations-"));
  try {
    const report = join(folder, "verdicts");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const args = ["run", "--config", "test/vitest.config.ts", "--reporter=dot", ...files];
    const { status } = spawnSync(process.execPath, [vitest, ...args], {
      cwd: root,
      // A warning for each further run of a test is of no use to anybody.
      env: {
        ...process.env,
        PICOGRANT_INVERTED: report,
        PICOGRANT_ALL: "1",
        NODE_OPTIONS: "--no-warnings",
      },
      stdio: ["ignore", says, says],
    });
    if (status !== 0 || !existsSync(report)) throw new Error(`the tests end with ${status}`);
    const lines = readFileSync(report, "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Verdict);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One line for each thing that is wrong with a test. */
export function faultsOf({ name, file, isRed, sites, unheard }: Verdict): string[] {
  const test = `${file}: ${name}`;
  if (isRed) return [`${test}: fails as it is`];
  if (sites.length === 0) return [`${test}: expects nothing`];
  return unheard.map((site) => `${test}: nothing fails where this is inverted: ${site}`);
}
