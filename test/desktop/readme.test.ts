// The scripts and scenarios in targets/desktop/README.md work as described.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { play } from "../../targets/desktop/scenarios/play.ts";
import { sideBySide } from "../../targets/desktop/scenarios/player.ts";
import { readScenario } from "../../targets/desktop/scenarios/scenario.ts";
import { blocksOf } from "../code-blocks.ts";
import { temporaryFolder } from "../listening.ts";
import { TIMEOUT_MS } from "../timeouts.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(path.join(root, "targets/desktop/README.md"), "utf8");

function blockBelow(heading: string): string {
  const below = page.indexOf(`\n## ${heading}\n`);
  expect(below, heading).toBeGreaterThan(0);
  return blocksOf(page.slice(below))[0]!.text;
}

test.each(blockBelow("For scripts").trimEnd().split("\n"))("%s", (command) => {
  // Each command gets a free port. A command without --state also gets a folder. The option -s omits npm's output.
  const given = command.includes("--state") ? "" : ` --state ${temporaryFolder()}`;
  const line = command.replace(/^npm start -- (.*?)(?: +#.*)?$/, "npm start -s -- $1");
  const how = { cwd: root, encoding: "utf8", timeout: TIMEOUT_MS } as const;
  const ended = spawnSync("bash", ["-c", `${line} --port 0${given}`], how);
  expect(ended.stderr).toBe("");
  expect(ended.status).toBe(0);
  expect(ended.stdout).toContain("+--------------------+");
});

test("the scenario", async () => {
  const { unmet } = await play(readScenario("README", blockBelow("Scenarios")));
  expect(unmet && sideBySide(unmet)).toBeUndefined();
});
