// npm run host: builds the C host as released, under sanitizers, and on each of its engines, and tests all of
// them against the simulated service. `-- --install` installs the Debian packages that are missing; `-- --build` stops after building.

import { spawnSync } from "node:child_process";
import { commandLine } from "./command-line.ts";
import { InstallError } from "./engines/install.ts";
import { buildHost } from "./host/build.ts";
import { ensurePackages, hostNeeds } from "./host/toolchain.ts";

const flags = commandLine(
  "host",
  "Builds the host in C as released, under sanitizers and on each engine, and tests them.",
)
  .option("--install", "get the Debian packages that are missing first")
  .option("--build", "stop after building")
  .parse()
  .opts<{ install?: boolean; build?: boolean }>();

try {
  ensurePackages(hostNeeds, flags.install ?? false);
  for (const kind of ["release", "sanitize", "duktape", "mujs"] as const) {
    await buildHost(kind);
    console.log(`host: ${kind} built`);
  }
  if (!flags.build) {
    const args = ["vitest", "run", "--config", "test/host/vitest.config.ts"];
    process.exitCode = spawnSync("npx", args, { stdio: "inherit" }).status ?? 1;
  }
} catch (error) {
  if (!(error instanceof InstallError)) throw error;
  console.error(`host: ${error.message}`);
  process.exitCode = 2;
}
