// npm run board: builds the firmware for a bare Cortex-M3, boots it in an emulator, and lets it live a whole life
// over HTTPS against the simulated service; then prints where flash and RAM go. Exit code 1: a limit is not kept.
//   -- --help says the rest

import { spawnSync } from "node:child_process";
import path from "node:path";
import { LifeError, liveOnBoard } from "../targets/workbench/board/board-life.ts";
import { BoardWorld } from "../targets/workbench/board/board-world.ts";
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
  .option("--install", "get the Debian packages that are missing first")
  .option("--build", "build for all machines, print where bytes are in three firmwares, and stop")
  .option("--test", "run the tests as well")
  .option("--machine <name>", `${machineNames.join(" or ")}; with --port: a folder in that folder`)
  .option("--boot", "with --port: boot it in the emulator until it shows a code")
  .option("--interactive", "leave the board running; keys are its buttons")
  .option("--port <folder>", "build the firmware in this folder, a changed copy of the board's")
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

/** A life with the whole core, a shorter look at the others' figures. */
async function live(kind: Kind): Promise<Seen> {
  // The documents' interval.
  const world = new BoardWorld({ interval: 5 });
  try {
    await world.open();
    const board = world.board({ kind, ...(kind === "complete" && { onOutput: show }) });
    const life = await liveOnBoard(world, board, kind, {
      report: kind === "complete" ? report : () => undefined,
      watchMs: kind === "complete" ? 20_000 : 0,
      picture: kind === "complete" ? flags.picture : undefined,
    });
    if (life.allocations > 0)
      throw new LifeError(`${life.allocations} allocations after the start`);
    if (kind === "complete") {
      report(sleepLine("while a code is pending", life.pending));
      report(sleepLine("the same on batteries, the countdown going by polls", life.onBatteries));
      report(sleepLine("while signed in", life.signedIn));
    }
    return life;
  } finally {
    await world.end();
  }
}

/** Another board: its complete firmware, and the sizes. */
async function port(folder: string, name: string): Promise<void> {
  await buildFirmware("complete", path.resolve(folder), portFolder, name);
  const { flashTotal, ramTotal } = readSizes(mapOf("complete", portFolder));
  const at = path.relative(".", portFolder);
  console.log(`board: ${at}/complete/firmware.elf, and .bin`);
  console.log(`board: the firmware has ${flashTotal} bytes of flash and ${ramTotal} of RAM`);
}

/** Boots what was built of another folder. */
async function boot(): Promise<void> {
  const world = new BoardWorld({ interval: 5 });
  try {
    await world.open();
    const board = world.board({ builtIn: portFolder, onOutput: show });
    await board.powerOn();
    await board.state("PENDING");
    console.log("\nboard: it boots, and shows a code of the simulated service");
  } finally {
    await world.end();
  }
}

/** What is built and run depends on the machine from the first line on: another one is another process. */
function onAnother(name: string): number {
  const env = { ...process.env, PICOGRANT_MACHINE: machineOf(name).name };
  const args = [...process.execArgv, ...process.argv.slice(1)];
  return spawnSync(process.execPath, args, { stdio: "inherit", env }).status ?? 1;
}

/** Prints where flash and RAM go, and returns whether the limits are kept. */
function table(builds: readonly Build[]): boolean {
  console.log(`\n${sizeTable(builds)}\n`);
  const missed = missedLimits(builds);
  for (const line of missed) console.error(`board: ${line}`);
  return missed.length === 0;
}

async function main(): Promise<number> {
  const name = flags.machine ?? machine.name;
  // One of a maker's own is a folder of the port, and nothing here knows of it.
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
  const life = await live("complete");
  // They wait for most of their time, and nobody watches. What an engine allocates after the start ends it (above).
  const lived = await Promise.all(
    own.map(async (build) => {
      if (build.kind === "complete") return { ...build, seen: life };
      const seen = await live(build.kind);
      report(`${build.kind}: the same life`);
      return { ...build, seen };
    }),
  );
  if (!table(lived)) return 1;
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
