// npm run arm: cross-compiles the C host for 32-bit ARM and runs a whole grant of it under qemu, the
// engine limited to its budget. `-- --install` installs the Debian packages that are missing; `-- --build`
// stops after building.

import { spawnSync } from "node:child_process";
import { InstallError } from "./engines/install.ts";
import { buildHost } from "./host/build.ts";
import { armNeeds, ensurePackages } from "./host/toolchain.ts";

const flags = process.argv.slice(2);

try {
  const unknown = flags.find((flag) => flag !== "--install" && flag !== "--build");
  if (unknown) throw new InstallError(`unknown option ${unknown}; there are --install and --build`);
  ensurePackages(armNeeds, flags.includes("--install"));
  for (const kind of ["arm-grant", "arm"] as const) {
    await buildHost(kind);
    console.log(`arm: ${kind} built`);
  }
  if (!flags.includes("--build")) {
    const args = ["vitest", "run", "--config", "test/host/vitest.config.ts", "test/host/arm"];
    const env = { ...process.env, PICOGRANT_ARM: "1" };
    process.exitCode = spawnSync("npx", args, { stdio: "inherit", env }).status ?? 1;
  }
} catch (error) {
  if (!(error instanceof InstallError)) throw error;
  console.error(`arm: ${error.message}`);
  process.exitCode = 2;
}
