// npm run tool -- test-dist: the core's own tests on the bundles as they ship, built anew, and its model on the complete one;
// then the same on the core as C, in WebAssembly. `-- --install` gets the compiler for that.

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
  .option("--install", "get the Debian packages that are missing first")
  .parse()
  .opts<{ install?: boolean }>();

const root = fileURLToPath(new URL("../", import.meta.url));
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts"];

function run(args: readonly string[], environment: Record<string, string> = {}): boolean {
  const env = { ...process.env, ...environment };
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" }).status === 0;
}

function model(core: string, steps: number): boolean {
  const settings = ["--core", core, "--seed", "1", "--steps", `${steps}`];
  return run(["--import", "tsx", "test/model/main.ts", ...settings]);
}

function bundles(): boolean {
  const names = variants.map((variant) => `dist/${nameOf(variant)}.js`);
  return (
    names.every((name) => run([...vitest, "test/core"], { PICOGRANT_CORE: name })) &&
    model(names[0]!, 100_000)
  );
}

/** The memory goes in and out with each call, which takes its time. */
function asC(): boolean {
  ensurePackages(wasmNeeds, install);
  const files = variants.map(buildWasm);
  const tests = [...vitest, "test/core", "test/engines/conformance.test.ts"];
  return (
    files.every((PICOGRANT_CORE) => run(tests, { PICOGRANT_CORE })) && model(files[0]!, 50_000)
  );
}

await carryOut("test-dist", () => {
  const held = run(["--import", "tsx", "scripts/build.ts"]) && bundles() && asC();
  return held ? 0 : 1;
});
