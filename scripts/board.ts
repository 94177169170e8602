// npm run board: builds the firmware for a bare Cortex-M3, boots it in an emulator, and runs a whole sign-in over HTTPS
// with the simulated service. The command prints the use of flash and RAM. Its exit code is 1 if the run fails or a limit
// is exceeded, and 2 if packages are missing or the build fails.

import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import path from "node:path";
import { BoardEnvironment } from "../targets/workbench/board/board-environment.ts";
import { RunError, runOnBoard } from "../targets/workbench/board/board-run.ts";
import {
  buildFirmware,
  type Kind,
  kindNames,
  mapOf,
  portFolder,
} from "../targets/workbench/board/build.ts";
import { runInteractive } from "../targets/workbench/board/interactive.ts";
import {
  boardNeeds,
  machine,
  machineNames,
  machineOf,
} from "../targets/workbench/board/machines.ts";
import {
  type Build,
  compared,
  missedLimits,
  readSizes,
  type Seen,
  sizeTable,
  sleepLine,
} from "../targets/workbench/board/sizes.ts";
import { InstallError } from "../targets/workbench/engines/install.ts";
import { ensurePackages } from "../targets/workbench/host/toolchain.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const flags = commandLine("board", "Builds the firmware for a bare Cortex-M3 and boots it.")
  .option("--install", "install missing Debian packages first")
  .option("--build", "build for all machines, print the sizes of the firmwares, and stop")
  .option("--test", "run the tests as well")
  .option("--machine <name>", `${machineNames.join(" or ")}; with --port: a folder in that folder`)
  .option("--boot", "with --port: boot it in the emulator until it shows a code")
  .option("--interactive", "leave the board running; keys are its buttons")
  .option("--port <folder>", "build the firmware in this folder, a modified copy of the board's")
  .option("--picture <file>", "where to put the picture of the panel, a PNG file")
  .parse()
  .opts<{
    install?: boolean;
    build?: boolean;
    test?: boolean;
    machine?: string;
    boot?: boolean;
    interactive?: boolean;
    port?: string;
    picture?: string;
  }>();

const began = Date.now();

function report(line: string): void {
  console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
}

const show = (text: string): boolean => process.stdout.write(text);

async function live(kind: Kind): Promise<Seen> {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = kind === "keys" ? pair.privateKey.export({ format: "jwk" }) : undefined;
  const environment = new BoardEnvironment({ interval: 5 }, key);
  try {
    await environment.open();
    const board = environment.board({ kind, ...(kind === "complete" && { onOutput: show }) });
    const run = await runOnBoard(environment, board, kind, {
      report: kind === "complete" ? report : () => undefined,
      watchMs: kind === "complete" ? 20_000 : 0,
      picture: kind === "complete" ? flags.picture : undefined,
    });
    if (run.allocations > 0) throw new RunError(`${run.allocations} allocations after the start`);
    if (kind === "complete") {
      report(sleepLine("while a code is pending", run.pending));
      report(sleepLine("the same on batteries, with a countdown per poll", run.onBatteries));
      report(sleepLine("while signed in", run.signedIn));
    }
    return run;
  } finally {
    await environment.end();
  }
}

async function port(folder: string, name: string): Promise<void> {
  await buildFirmware("complete", path.resolve(folder), portFolder, name);
  const { flashTotal, ramTotal } = readSizes(mapOf("complete", portFolder));
  const at = path.relative(".", portFolder);
  console.log(`board: ${at}/complete/firmware.elf, and .bin`);
  console.log(`board: the firmware has ${flashTotal} bytes of flash and ${ramTotal} of RAM`);
}

async function boot(): Promise<void> {
  const environment = new BoardEnvironment({ interval: 5 });
  try {
    await environment.open();
    const board = environment.board({ builtIn: portFolder, onOutput: show });
    await board.powerOn();
    await board.state("PENDING");
    console.log("\nboard: it boots, and shows a code of the simulated service");
  } finally {
    await environment.end();
  }
}

/** Runs this command for another machine in another process, because a process reads its machine once, at the start. */
function onAnother(name: string): number {
  const env = { ...process.env, PICOGRANT_MACHINE: machineOf(name).name };
  const args = [...process.execArgv, ...process.argv.slice(1)];
  return spawnSync(process.execPath, args, { stdio: "inherit", env }).status ?? 1;
}

/** Prints the use of flash and RAM. @returns whether it is within the limits */
function table(builds: readonly Build[]): boolean {
  console.log(`\n${sizeTable(builds)}\n`);
  const missed = missedLimits(builds);
  for (const line of missed) console.error(`board: ${line}`);
  return missed.length === 0;
}

async function main(): Promise<number> {
  const name = flags.machine ?? machine.name;
  // With --port and without --boot, --machine may also name a folder in the developer's port.
  const isOwn =
    flags.port !== undefined && !flags.boot && !machineNames.some((one) => one === name);
  if (name !== machine.name && !isOwn) return onAnother(name);
  ensurePackages(boardNeeds, flags.install ?? false);
  if (flags.port !== undefined) {
    await port(flags.port, name);
    if (flags.boot) await boot();
    return 0;
  }
  for (const kind of kindNames) {
    await buildFirmware(kind);
    report(`${machine.name}, ${kind}: firmware built`);
  }
  const own = kindNames.map((kind): Build => ({ machine: machine.name, kind }));
  if (flags.build) {
    const [next] = machineNames.slice(machineNames.indexOf(machine.name) + 1);
    if (flags.machine === undefined && next !== undefined) return onAnother(next);
    return table(flags.machine === undefined ? compared : own) ? 0 : 1;
  }
  if (flags.interactive) return runInteractive();
  const run = await live("complete");
  // The emulated boards wait most of the time, so run the other kinds in parallel.
  const runs = await Promise.all(
    own.map(async (build) => {
      if (build.kind === "complete") return { ...build, seen: run };
      const seen = await live(build.kind);
      report(`${build.kind}: the same run`);
      return { ...build, seen };
    }),
  );
  if (!table(runs)) return 1;
  if (!flags.test) return 0;
  const args = ["vitest", "run", "--config", "test/suites.config.ts", "--project", "board"];
  return spawnSync("npx", args, { stdio: "inherit" }).status ?? 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  const { message } = error as Error;
  console.error(`board: ${message}`);
  process.exitCode = error instanceof InstallError ? 2 : 1;
}
