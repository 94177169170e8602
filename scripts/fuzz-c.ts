// npm run tool -- fuzz-c: fuzzes the input parsers of the C host with clang's libFuzzer under the address and
// undefined-behaviour sanitizers. `-- --rounds N` multiplies the inputs of a round (Surface.round), the same number on
// every machine; `-- --only NAME`; `-- --install` installs the Debian packages. First each fuzzer must find a planted
// fault.
//
// It starts with the inputs of test/host/fuzz/corpus.json. Inputs that it finds stay in dist/fuzz-c. A failing input is
// stored there too, and named: `dist/fuzz-c/NAME/fuzz FILE` runs it again.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { integer } from "../targets/desktop/command-line.ts";
import { InstallError } from "../targets/workbench/engines/install.ts";
import {
  buildFuzzer,
  corpusOf,
  type Surface,
  surfaces,
} from "../targets/workbench/host/fuzzers.ts";
import { ensurePackages, fuzzNeeds } from "../targets/workbench/host/toolchain.ts";
import { carryOut, commandLine } from "../targets/workbench/script-options.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

const flags = commandLine("fuzz-c", "Fuzzes the input parsers of the host in C.")
  .option(
    "--rounds <n>",
    "number of rounds; each takes about five seconds on an idle core",
    integer(1, 1_000_000),
    12,
  )
  .option("--only <surface>", `one of: ${surfaces.map(({ name }) => name).join(", ")}`)
  .option("--install", "install missing Debian packages first")
  .parse()
  .opts<{
    rounds: number;
    only?: string;
    install?: boolean;
  }>();

/** The number of inputs that a fuzzer reports. */
const triedIn = (output: string): number =>
  Number(/stat::number_of_executed_units:\s*(\d+)/.exec(output)?.[1] ?? 0);

/** Runs a fuzzer; its report goes to standard error, as libFuzzer writes it. */
function run(
  program: string,
  args: readonly string[],
  cwd: string,
): { ok: boolean; output: string } {
  const { status, signal, error, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, ASAN_OPTIONS: "detect_leaks=1" },
  });
  const end = error?.message ?? signal ?? `exit code ${status}`;
  return { ok: status === 0, output: `${stderr ?? ""}\nit ended with ${end}` };
}

/**
 * @returns whether nothing was found
 */
function fuzz(surface: Surface): boolean {
  const program = buildFuzzer(surface);
  const folder = `${root}dist/fuzz-c/${surface.name}`;
  const found = `${folder}/corpus`;
  mkdirSync(found, { recursive: true });
  // Each input takes microseconds. The limit is for one that never ends, on a busy machine.
  const limits = [`-max_len=${surface.longest}`, "-timeout=60", "-rss_limit_mb=2048"];
  const seed = process.env.PICOGRANT_SEED ? [`-seed=${process.env.PICOGRANT_SEED}`] : [];
  const least = flags.rounds * surface.round;
  const end = [`-runs=${least}`, "-print_final_stats=1", "-verbosity=1"];
  const began = Date.now();
  const { ok, output } = run(
    program,
    [...limits, ...seed, ...end, found, corpusOf(surface.name)],
    folder,
  );
  const took = ((Date.now() - began) / 1000).toFixed(1);
  const tried = triedIn(output);
  const coverage = [...output.matchAll(/cov: (\d+)/g)].at(-1)?.[1] ?? "?";
  console.log(
    `${surface.name}: ${tried} inputs in ${took} s, ${coverage} edges, ` +
      `${readdirSync(found).length} stored, ${ok ? "nothing found" : "FOUND SOMETHING"}`,
  );
  if (!ok) console.error(`${output.slice(-4000)}\nfuzz-c: the input is in ${folder}`);
  const isEnough = tried >= least;
  if (ok && !isEnough) console.error(`fuzz-c: ${surface.name} tried ${tried} inputs, not ${least}`);
  return ok && isEnough;
}

/**
 * @returns whether the fuzzer finds its planted fault within a round
 */
function isAlive(surface: Surface): boolean {
  const program = buildFuzzer(surface, surface.fault);
  const folder = `${root}dist/fuzz-c/${surface.name}/planted`;
  const limits = [`-max_len=${surface.longest}`, `-runs=${surface.round}`, "-print_final_stats=1"];
  const seed = `-seed=${process.env.PICOGRANT_SEED ?? 1}`;
  // Inputs that reach new code go to the first folder.
  const found = `${folder}/corpus`;
  rmSync(found, { recursive: true, force: true });
  mkdirSync(found);
  const { ok, output } = run(program, [...limits, seed, found, corpusOf(surface.name)], folder);
  const isFound = !ok && /must hold: |PG_MUST|AddressSanitizer|runtime error/.test(output);
  const outcome = isFound ? "found" : `NOT FOUND\n${output.slice(-300)}`;
  console.log(`${surface.name}: a planted fault after ${triedIn(output)} inputs: ${outcome}`);
  return isFound;
}

await carryOut("fuzz-c", async () => {
  ensurePackages(fuzzNeeds, flags.install ?? false);
  const required = surfaces.filter(({ name }) => flags.only === undefined || name === flags.only);
  if (required.length === 0)
    throw new InstallError(`--only ${flags.only}: there is no such surface`);
  const results = required.map((surface) => isAlive(surface) && fuzz(surface));
  return results.every(Boolean) ? 0 : 1;
});
