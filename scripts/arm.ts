// npm run tool -- arm: cross-compiles the C host for 32-bit ARM and runs a whole grant of it under qemu, the
// engine limited to its budget. `-- --install` installs the Debian packages that are missing; `-- --build` stops after
// building.

import { spawnSync } from "node:child_process";
import { buildHost } from "../targets/workbench/host/build.ts";
import { armNeeds, ensurePackages } from "../targets/workbench/host/toolchain.ts";
import { carryOut, commandLine } from "../targets/workbench/script-options.ts";

const flags = commandLine(
  "arm",
  "Cross-compiles the host in C for 32-bit ARM, and runs it under qemu.",
)
  .option("--install", "get the Debian packages that are missing first")
  .option("--build", "stop after building")
  .parse()
  .opts<{ install?: boolean; build?: boolean }>();

await carryOut("arm", async () => {
  ensurePackages(armNeeds, flags.install ?? false);
  for (const kind of ["arm-grant", "arm-api", "arm"] as const) {
    await buildHost(kind);
    console.log(`arm: ${kind} built`);
  }
  if (flags.build) return 0;
  const args = ["vitest", "run", "--config", "test/host/vitest.config.ts", "test/host/arm"];
  const env = { ...process.env, PICOGRANT_ARM: "1" };
  return spawnSync("npx", args, { stdio: "inherit", env }).status ?? 1;
});
