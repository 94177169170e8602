// npm run host: builds the C host as released, under sanitizers, and on each of its engines, and tests all of
// them against the simulated service. `-- --install` installs the Debian packages that are missing; `-- --build` stops after building.

import { spawnSync } from "node:child_process";
import path from "node:path";
import { InstallError } from "../targets/workbench/engines/install.ts";
import { buildHost, buildPort, portFolder } from "../targets/workbench/host/build.ts";
import { ensurePackages, hostNeeds, portNeeds } from "../targets/workbench/host/toolchain.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const flags = commandLine(
  "host",
  "Builds the host in C as released, under sanitizers and on each engine, and tests them.",
)
  .option("--install", "get the Debian packages that are missing first")
  .option("--build", "stop after building")
  .option("--port <folder>", "build only the port in this folder, on Duktape, for this machine")
  .option("--check", "with --port: try its files one by one, and say what is wrong with each")
  .option(
    "--server <address>",
    "for --check: a server that answers HTTP, as `npm run service` does",
    "http://127.0.0.1:8080/",
  )
  .parse()
  .opts<{ install?: boolean; build?: boolean; port?: string; check?: boolean; server: string }>();

/** A port of one's own: its five files with the portable host. */
async function port(folder: string): Promise<void> {
  ensurePackages(portNeeds, flags.install ?? false);
  if (flags.check) {
    await check(path.resolve(folder));
    return;
  }
  await buildPort(path.resolve(folder));
  console.log(`host: ${path.relative(".", portFolder)}/device built`);
}

/** Tries the port's files (ports/template/check.c). */
async function check(folder: string): Promise<void> {
  const server = JSON.stringify(new URL(flags.server).href);
  await buildPort(folder, portFolder, "check", `CHECK_FLAGS=-DCHECK_SERVER='${server}'`);
  process.exitCode = spawnSync(`${portFolder}check`, { stdio: "inherit" }).status ?? 1;
  if (process.exitCode !== 0) {
    console.error(
      "host: this port fails; the lines above, if any, come out of its port_log (clock.c)",
    );
  }
}

async function host(): Promise<void> {
  ensurePackages(hostNeeds, flags.install ?? false);
  for (const kind of ["release", "sanitize", "duktape", "mujs"] as const) {
    await buildHost(kind);
    console.log(`host: ${kind} built`);
  }
  if (flags.build) return;
  const args = ["vitest", "run", "--config", "test/host/vitest.config.ts"];
  process.exitCode = spawnSync("npx", args, { stdio: "inherit" }).status ?? 1;
}

try {
  if (flags.port === undefined) await host();
  else await port(flags.port);
} catch (error) {
  if (!(error instanceof InstallError)) throw error;
  console.error(`host: ${error.message}`);
  process.exitCode = 2;
}
