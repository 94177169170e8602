// npm run generate: updates all generated files that are tracked. A test that fails because of a stale file names this
// command. `npm run tool -- peers --write` updates the comparison with other clients, which is measured.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { commandLine } from "../targets/workbench/script-options.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** What each step generates, and the test file that generates it. */
const STEPS: Readonly<Record<string, readonly [makes: string, test: string]>> = {
  tables: ["core/device/tables.ts, core/text/tables.ts", "test/core/tables.test.ts"],
  spec: ["the tables of core/SPEC.md", "test/core/spec.test.ts"],
  servers: ["tables of servers/README.md and sizing.md", "test/servers/conversations.test.ts"],
  docs: ["tables in pages, schemas of settings, the first program", "test/docs/docs.test.ts"],
  types: ["test/package/public-types.txt", "test/package/package.spec.ts"],
};

const { args: named } = commandLine("generate", "Updates everything that is generated and tracked.")
  .allowExcessArguments(true)
  .argument("[names...]", `only these of: ${Object.keys(STEPS).join(", ")}`)
  .parse();

const unknown = named.find((name) => !Object.hasOwn(STEPS, name));
if (unknown !== undefined) {
  console.error(`generate: there is no ${unknown}; choose of ${Object.keys(STEPS).join(", ")}`);
  process.exitCode = 2;
} else {
  process.exitCode = generate(named.length > 0 ? named : Object.keys(STEPS));
}

function generate(names: readonly string[]): number {
  for (const [name, [makes, test]] of Object.entries(STEPS)) {
    if (!names.includes(name)) continue;
    const config = `test/${test.endsWith(".spec.ts") ? "suites" : "vitest"}.config.ts`;
    const words = ["node_modules/vitest/vitest.mjs", "run", "--config", config, test];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: root,
      env: { ...process.env, PICOGRANT_GENERATE: "1" },
      encoding: "utf8",
    });
    if (status !== 0) {
      process.stderr.write(`${stdout}${stderr}generate: ${name} failed\n`);
      return 1;
    }
    console.log(makes);
  }
  return 0;
}
