// npm run tool -- fuzz-c: fuzzes what the C host reads from outside with clang's libFuzzer under the address and
// undefined-behaviour sanitizers. `-- --seconds N` for each surface (60), `-- --rounds N` instead for as many inputs on
// every machine (Surface.round), `-- --only NAME`, `-- --install` gets the Debian packages. First each fuzzer must find
// a fault that is planted.
//
// It begins with the inputs of test/host/fuzz/corpus.json; what it finds on the way stays below dist/fuzz-c. An input that
// breaks something is kept there too, and named: `dist/fuzz-c/NAME/fuzz FILE` runs it again.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
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

const flags = commandLine("fuzz-c", "Fuzzes what the host in C reads from outside.")
  .option("--seconds <n>", "time for each surface; without it and --rounds 60")
  .option("--rounds <n>", "instead of time so many inputs: five idle seconds' each")
  .option("--only <surface>", `one of: ${surfaces.map(({ name }) => name).join(", ")}`)
  .option("--install", "get the Debian packages that are missing first")
  .parse()
  .opts<{
    seconds?: string;
    rounds?: string;
    only?: string;
    install?: boolean;
  }>();

/** When a fuzzer has tried enough: by time, which is for people, or by inputs, which are as many on every machine. */
interface Enough {
  readonly seconds?: number;
  readonly rounds?: number;
}

/** @throws InstallError where it is none */
function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new InstallError(`--${name} ${text}: not a number of ${name}; give 1 or more`);
}

function enoughOf({ seconds, rounds }: typeof flags): Enough {
  if (seconds !== undefined && rounds !== undefined) {
    throw new InstallError("--seconds or --rounds: give one of them");
  }
  if (seconds !== undefined) return { seconds: numberOf("seconds", seconds) };
  if (rounds !== undefined) return { rounds: numberOf("rounds", rounds) };
  return { seconds: 60 };
}

/** Inputs that the surface has to try; 0: as many as there is time for. */
const inputsOf = (surface: Surface, { rounds = 0 }: Enough): number => rounds * surface.round;

/** What libFuzzer is told of it. */
const limitOf = (surface: Surface, enough: Enough): string =>
  enough.seconds === undefined
    ? `-runs=${inputsOf(surface, enough)}`
    : `-max_total_time=${enough.seconds}`;

/** How many inputs a fuzzer has tried, by its own report. */
const triedIn = (said: string): number =>
  Number(/stat::number_of_executed_units:\s*(\d+)/.exec(said)?.[1] ?? 0);

/** Runs a fuzzer; its report goes to standard error, as libFuzzer writes it. */
function run(program: string, args: readonly string[], cwd: string): { ok: boolean; said: string } {
  const { status, signal, error, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, ASAN_OPTIONS: "detect_leaks=1" },
  });
  const end = error?.message ?? signal ?? `exit code ${status}`;
  return { ok: status === 0, said: `${stderr ?? ""}\nit ended with ${end}` };
}

/** @returns whether nothing was found */
function fuzz(surface: Surface, enough: Enough): boolean {
  const program = buildFuzzer(surface);
  const folder = `${root}dist/fuzz-c/${surface.name}`;
  const found = `${folder}/corpus`;
  mkdirSync(found, { recursive: true });
  // Each input takes microseconds: the limit is for one that never ends, on a machine that does other things as well.
  const limits = [`-max_len=${surface.longest}`, "-timeout=60", "-rss_limit_mb=2048"];
  const seed = process.env.PICOGRANT_SEED ? [`-seed=${process.env.PICOGRANT_SEED}`] : [];
  const end = [limitOf(surface, enough), "-print_final_stats=1", "-verbosity=1"];
  const began = Date.now();
  const { ok, said } = run(
    program,
    [...limits, ...seed, ...end, found, corpusOf(surface.name)],
    folder,
  );
  const took = ((Date.now() - began) / 1000).toFixed(1);
  const tried = triedIn(said);
  const coverage = [...said.matchAll(/cov: (\d+)/g)].at(-1)?.[1] ?? "?";
  console.log(
    `${surface.name}: ${tried} inputs in ${took} s, ${coverage} edges, ` +
      `${readdirSync(found).length} kept, ${ok ? "nothing found" : "FOUND SOMETHING"}`,
  );
  if (!ok) console.error(`${said.slice(-4000)}\nfuzz-c: the input is in ${folder}`);
  const least = Math.max(1, inputsOf(surface, enough));
  const isEnough = tried >= least;
  if (ok && !isEnough) console.error(`fuzz-c: ${surface.name} tried ${tried} inputs, not ${least}`);
  return ok && isEnough;
}

/** @returns whether the fuzzer finds the fault that is planted for it, within a round */
function isAlive(surface: Surface): boolean {
  const program = buildFuzzer(surface, surface.fault);
  const folder = `${root}dist/fuzz-c/${surface.name}/planted`;
  const limits = [`-max_len=${surface.longest}`, `-runs=${surface.round}`, "-print_final_stats=1"];
  const seed = `-seed=${process.env.PICOGRANT_SEED ?? 1}`;
  // Inputs that reach new code go to the first folder.
  const found = `${folder}/corpus`;
  rmSync(found, { recursive: true, force: true });
  mkdirSync(found);
  const { ok, said } = run(program, [...limits, seed, found, corpusOf(surface.name)], folder);
  const isFound = !ok && /must hold: |PG_MUST|AddressSanitizer|runtime error/.test(said);
  const outcome = isFound ? "found" : `NOT FOUND\n${said.slice(-300)}`;
  console.log(`${surface.name}: a planted fault after ${triedIn(said)} inputs: ${outcome}`);
  return isFound;
}

await carryOut("fuzz-c", async () => {
  ensurePackages(fuzzNeeds, flags.install ?? false);
  const enough = enoughOf(flags);
  const wanted = surfaces.filter(({ name }) => flags.only === undefined || name === flags.only);
  if (wanted.length === 0) throw new InstallError(`--only ${flags.only}: there is no such surface`);
  const results = wanted.map((surface) => isAlive(surface) && fuzz(surface, enough));
  return results.every(Boolean) ? 0 : 1;
});
