// npm run host: builds the C host as released, under sanitizers, and on each engine, and tests all of them against the
// simulated service. `-- --install` installs missing Debian packages; `-- --build` stops after building; `-- --arm`
// does it for 32-bit ARM, runs a whole grant under qemu, and checks the engine's budget.

import { spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { startCheckServer } from "../targets/command/check-server.ts";
import { buildHost, buildPort, type Kind, portFolder } from "../targets/workbench/host/build.ts";
import {
  armNeeds,
  ensurePackages,
  hostNeeds,
  portNeeds,
} from "../targets/workbench/host/toolchain.ts";
import { carryOut, commandLine } from "../targets/workbench/script-options.ts";

const flags = commandLine(
  "host",
  "Builds the host in C as released, under sanitizers and on each engine, and tests them.",
)
  .option("--install", "install missing Debian packages first")
  .option("--build", "stop after building")
  .option("--arm", "cross-compile for 32-bit ARM, and test that under qemu")
  .option("--port <folder>", "build only the port in this folder, for this machine")
  .option("--check", "with --port: test its files one by one, and report each fault")
  .option("--server <address>", "for --check: another server than its own, which sees less")
  .parse()
  .opts<{
    install?: boolean;
    build?: boolean;
    arm?: boolean;
    port?: string;
    check?: boolean;
    server?: string;
  }>();

/** Builds your own port: its five files with the portable host. */
async function port(folder: string): Promise<void> {
  ensurePackages(portNeeds, flags.install ?? false);
  if (flags.check) {
    await check(path.resolve(folder));
    return;
  }
  await buildPort(path.resolve(folder));
  console.log(`host: ${path.relative(".", portFolder)}/device built`);
}

/** Runs the check once. @returns its output */
function startCheck(): Promise<{ output: string; status: number | null }> {
  const program = spawn(`${portFolder}check`, { stdio: ["inherit", "inherit", "pipe"] });
  let output = "";
  program.stderr.on("data", (text: Buffer) => {
    output += text;
    process.stderr.write(text);
  });
  return new Promise((resolve) => program.on("close", (status) => resolve({ output, status })));
}

/** Tests the port's files (ports/template/check.c) twice, since some faults only show at the second start. */
async function check(folder: string): Promise<void> {
  const server = flags.server === undefined ? await startCheckServer() : undefined;
  const address = JSON.stringify(new URL(server?.url ?? flags.server!).href);
  try {
    await buildPort(folder, portFolder, "check", `CHECK_FLAGS=-DCHECK_SERVER='${address}'`);
    const first = await startCheck();
    console.error("# again: some faults only show at the second start");
    const second = await startCheck();
    const isDiscarded = second.output.includes("nothing is there of an earlier start");
    if (isDiscarded) console.error("not ok medium: what was programmed is gone at the next start");
    if (first.status === 0 && second.status === 0 && !isDiscarded) return;
    process.exitCode = 1;
    console.error(
      "host: this port fails; the lines above, if any, come out of its port_log (clock.c)",
    );
  } finally {
    await server?.close();
  }
}

async function host(): Promise<void> {
  const { arm = false } = flags;
  ensurePackages(arm ? armNeeds : hostNeeds, flags.install ?? false);
  const kinds: Kind[] = arm
    ? ["arm-grant", "arm-api", "arm"]
    : ["release", "sanitize", "quickjs", "duktape"];
  for (const kind of kinds) {
    await buildHost(kind);
    console.log(`host: ${kind} built`);
  }
  if (flags.build) return;
  const args = ["vitest", "run", "--config", "test/suites.config.ts", "--project", "host"];
  const env = { ...process.env, ...(arm && { PICOGRANT_ARM: "1" }) };
  const run = spawnSync("npx", [...args, ...(arm ? ["test/host/arm"] : [])], {
    stdio: "inherit",
    env,
  });
  process.exitCode = run.status ?? 1;
}

await carryOut("host", async () => {
  if (flags.port === undefined) await host();
  else await port(flags.port);
});
