// npm run tool -- runtimes: fetches the bundlers and runtimes that the packages are tested with, and signs in with
// each. --install-only stops after fetching. npm run tool -- test-package runs the same tests if they are installed.

import { spawnSync } from "node:child_process";
import { installRuntimes, isInstalled } from "../targets/workbench/runtimes.ts";
import { carryOut, commandLine } from "../targets/workbench/script-options.ts";

const { installOnly } = commandLine(
  "runtimes",
  "Signs in and refreshes with the packages as bundlers bundle them, and on other runtimes.",
)
  .option("--install-only", "fetch missing ones and stop")
  .parse()
  .opts<{ installOnly?: boolean }>();

await carryOut("runtimes", async () => {
  if (!isInstalled()) installRuntimes();
  if (installOnly) return 0;
  const args = [
    "vitest",
    "run",
    "--config",
    "test/suites.config.ts",
    "--project",
    "package",
    "elsewhere",
  ];
  return spawnSync("npx", args, { stdio: "inherit" }).status ?? 1;
});
