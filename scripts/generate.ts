// npm run generate: updates everything that is generated and tracked. A test that fails because of a stale file names
// this command. Measurements (the comparison with other clients) depend on the machine and are made at a release.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { commandLine } from "../targets/workbench/script-options.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config"];

const STEPS: Readonly<Record<string, { makes: string; tests: readonly string[] }>> = {
  tables: {
    makes: "core/device/tables.ts, core/text/tables.ts",
    tests: ["test/vitest.config.ts", "test/core/tables.test.ts"],
  },
  spec: {
    makes: "the tables of core/SPEC.md",
    tests: ["test/vitest.config.ts", "test/core/spec.test.ts"],
  },
  servers: {
    makes: "the tables of platform/servers/README.md and targets/docs/sizing.md",
    tests: ["test/vitest.config.ts", "test/servers/conversations.test.ts"],
  },
  docs: {
    makes:
      "the tables in targets/docs, the schemas of settings, and the program of the first pages",
    tests: ["test/vitest.config.ts", "test/docs/docs.test.ts"],
  },
  types: {
    makes: "test/package/public-types.txt",
    tests: ["test/suites.config.ts", "--project=package", "test/package/package.spec.ts"],
  },
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
  for (const [name, { makes, tests }] of Object.entries(STEPS)) {
    if (!names.includes(name)) continue;
    const { status, stdout, stderr } = spawnSync(process.execPath, [...vitest, ...tests], {
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
