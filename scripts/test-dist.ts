// npm run tool -- test-dist: builds the bundles, runs the core's tests on each, and compares the complete one with the
// model. Then does the same with the core as C, compiled to WebAssembly. `-- --install` installs the compiler for that.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { nameOf, variants } from "../targets/bundle/surface.ts";
import { buildWasm } from "../targets/workbench/host/build.ts";
import { ensurePackages, wasmNeeds } from "../targets/workbench/host/toolchain.ts";
import { carryOut, commandLine } from "../targets/workbench/script-options.ts";

const { install = false } = commandLine(
  "test-dist",
  "Builds the bundles and the core as C, and runs the core's tests on each.",
)
  .option("--install", "install missing Debian packages first")
  .parse()
  .opts<{ install?: boolean }>();

const root = fileURLToPath(new URL("../", import.meta.url));
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts"];

function run(args: readonly string[], environment: Record<string, string> = {}): boolean {
  const env = { ...process.env, ...environment };
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status === 0;
}

function prove(cores: readonly string[], steps: number, ...more: readonly string[]): boolean {
  const model = ["--import", "tsx", "test/model/main.ts", "--seed", "1", "--steps", `${steps}`];
  const tests = [...vitest, "test/core", ...more];
  return (
    cores.every((PICOGRANT_CORE) => run(tests, { PICOGRANT_CORE })) &&
    run([...model, "--core", cores[0]!])
  );
}

await carryOut("test-dist", () => {
  const bundles = variants.map((variant) => `dist/${nameOf(variant)}.js`);
  if (!run(["--import", "tsx", "scripts/build.ts"]) || !prove(bundles, 100_000)) return 1;
  ensurePackages(wasmNeeds, install);
  return prove(variants.map(buildWasm), 50_000, "test/engines/conformance.test.ts") ? 0 : 1;
});
