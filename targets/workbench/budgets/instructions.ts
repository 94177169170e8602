// Counts the instructions of a pending poll with valgrind: the difference between runs of test/host/c/allocations.c
// with few and with many polls. The count is deterministic.

import { spawnSync } from "node:child_process";
import { isRefreshed, programOf } from "../host/build.ts";

const NO_LIMIT = "10000000";
const FEW = 200;
const MANY = 400;

function run(
  program: string,
  polls: number,
): { readonly polls: number; readonly instructions: number } {
  const command = [program, NO_LIMIT, `${polls}`];
  const options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
  const { stdout, stderr } = spawnSync("valgrind", [...options, ...command], { encoding: "utf8" });
  const responded = /^polls (\d+)$/m.exec(stdout)?.[1];
  const collected = /Collected : (\d+)/.exec(stderr)?.[1];
  if (!responded || !collected) throw new Error(`callgrind does not report its count: ${stderr}`);
  return { polls: Number(responded), instructions: Number(collected) };
}

/** The instructions of a pending poll. Undefined if the C host is not built, or valgrind is missing. */
export async function pollInstructions(kind: "quickjs" | "release"): Promise<number | undefined> {
  if (spawnSync("valgrind", ["--version"]).error || !(await isRefreshed(kind))) return undefined;
  const program = programOf(kind, "allocations");
  const [few, many] = [run(program, FEW), run(program, MANY)];
  return Math.round((many.instructions - few.instructions) / (many.polls - few.polls));
}
