// A build on the native engines: the heap that it holds, and the instructions of a pending poll. The engines' hosts
// (targets/workbench/engines/*-host.c) count the bytes, valgrind the instructions.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../engines/catalogue.ts";
import { enginesFolder, findFile, type HostedEngine, InstallError } from "../engines/install.ts";
import { borderNumbers } from "../engines/script.ts";
import { guest } from "./guest.ts";

/** Bytes beyond what there was before the build was loaded from its source; the device's memory is not among them. */
interface OnEngine {
  /** Those that the core and one device hold, `create` given back. */
  readonly heap: number;
  /** The most while the device is made; where an engine collects later, with what it had not yet found. */
  readonly peak: number;
}

export function heapIn(engine: HostedEngine, code: string): OnEngine {
  const home = enginesFolder + engine;
  const scripts = [guest("config", "heap-before"), code, guest("heap-after")];
  const output = runCommand(`${home}/${engine}-host`, home, ...scripts);
  const [heap, peak] = output.trim().split("\n").slice(-2).map(Number);
  if (!(heap! > 0 && peak! > 0)) throw new Error(`${engine}: ${output.slice(0, 300)}`);
  return { heap: heap!, peak: peak! };
}

const FEW = 20;
const MANY = 60;

/**
 * Instructions of a pending poll: the request made, its answer read, the frame drawn each second. Few polls and many are
 * counted: whatever is not a poll cancels out, and the same program counts the same on any day.
 * @param border the numbers of the build's border
 * @throws InstallError where there is no valgrind
 */
export function pollInstructionsIn(
  engine: HostedEngine,
  code: string,
  border = borderNumbers(),
): number {
  const script = `${code}\n${border}\n${guest("config", "polls")}\n`;
  const [few, many] = [FEW, MANY].map((polls) => {
    return instructionsOf(
      engine,
      `${script}pollCycles(${polls}, 0);\nprint("" + pollRequests);`,
      polls,
    );
  });
  return Math.round((many! - few!) / (MANY - FEW));
}

/** Instructions of a whole run, whose last line says the polls in it. */
function instructionsOf(engine: HostedEngine, script: string, polls: number): number {
  const folder = mkdtempSync(join(tmpdir(), "picogrant-poll-"));
  try {
    const file = join(folder, "polls.js");
    writeFileSync(file, script);
    const options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
    const program = [`${enginesFolder}${engine}/${engine}-host`, file];
    const { stdout, stderr, error } = spawnSync("valgrind", [...options, ...program], {
      encoding: "utf8",
      env: { ...process.env, LD_LIBRARY_PATH: libraryFolder(engine) },
    });
    if (error)
      throw new InstallError("valgrind is not on this machine (Debian's package valgrind)");
    const collected = /Collected : (\d+)/.exec(stderr)?.[1];
    if (!collected || Number(stdout) !== polls) throw new Error(`${engine}: ${stdout}${stderr}`);
    return Number(collected);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where the library is that the engine's host needs. */
function libraryFolder(engine: HostedEngine): string {
  const file = findFile(enginesFolder + engine, "/libduktape.so.207") ?? "";
  return file.slice(0, file.lastIndexOf("/"));
}
