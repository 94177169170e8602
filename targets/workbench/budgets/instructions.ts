// Instructions of a pending poll: the C host's program that counts allocations, under valgrind, with few polls and with
// many. Whatever is not a poll cancels out, and the same program counts the same on any day.

import { spawnSync } from "node:child_process";
import { isRefreshed, programOf } from "../host/build.ts";

const NO_LIMIT = "10000000";
const FEW = 200;
const MANY = 400;

/** Instructions of a whole run, and the pending polls in it. */
function run(
  program: string,
  polls: number,
): { readonly polls: number; readonly instructions: number } {
  const command = [program, NO_LIMIT, `${polls}`];
  const options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
  const { stdout, stderr } = spawnSync("valgrind", [...options, ...command], { encoding: "utf8" });
  const answered = /^polls (\d+)$/m.exec(stdout)?.[1];
  const collected = /Collected : (\d+)/.exec(stderr)?.[1];
  if (!answered || !collected) throw new Error(`callgrind does not say what it counted: ${stderr}`);
  return { polls: Number(answered), instructions: Number(collected) };
}

/**
 * Instructions of one pending poll on this machine: five ticks a second apart, the request, the answer, and what the host
 * does for them. Undefined where the C host is not built or there is no valgrind.
 * @param kind with QuickJS, or as C
 */
export async function pollInstructions(kind: "quickjs" | "release"): Promise<number | undefined> {
  if (spawnSync("valgrind", ["--version"]).error || !(await isRefreshed(kind))) return undefined;
  const program = programOf(kind, "allocations");
  const [few, many] = [run(program, FEW), run(program, MANY)];
  return Math.round((many.instructions - few.instructions) / (many.polls - few.polls));
}
