// npm run tool -- test-dist: the core's own tests on the bundles as they ship, built anew, and its model on the complete one.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { nameOf, variants } from "../targets/bundle/surface.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

commandLine("test-dist", "Builds the bundles and runs the core's tests on each.").parse();

const root = fileURLToPath(new URL("../", import.meta.url));
const model = ["--seed", "1", "--steps", "100000"];
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts"];

function run(args: readonly string[], environment: Record<string, string> = {}): boolean {
  const env = { ...process.env, ...environment };
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status === 0;
}

const held =
  run(["--import", "tsx", "scripts/build.ts"]) &&
  variants.every((variant) =>
    run([...vitest, "test/core"], { PICOGRANT_CORE: `dist/${nameOf(variant)}.js` }),
  ) &&
  run(["--import", "tsx", "test/model/main.ts", "--core", "dist/picogrant.js", ...model]);
process.exitCode = held ? 0 : 1;
