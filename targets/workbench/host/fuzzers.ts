// The fuzzers (libFuzzer) of the C host, one for each kind of external input: a file of test/host/fuzz, and the host's
// files that it covers. A fuzzer must first find the faults of planted-faults.json.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "../engines/install.ts";
import { generatedC, type PlantedFault, plantedFaults, sourceOf } from "./build.ts";
import { generateC } from "./generate.ts";

export interface Surface {
  /** The name of the file in test/host/fuzz, and of the entry in its corpus.json. */
  readonly name: string;
  /** Files of targets/host/portable. "picogrant" is the core. */
  readonly files: readonly string[];
  /** The maximum length of an input in bytes. */
  readonly longest: number;
  /** The number of inputs in a round, which takes about five seconds on an idle processor. */
  readonly round: number;
}

export const surfaces: readonly Surface[] = [
  {
    name: "core",
    files: ["picogrant"],
    longest: 400,
    round: 8000,
  },
  {
    name: "response",
    files: ["http-response"],
    longest: 600,
    round: 150_000,
  },
  {
    name: "exchange",
    files: ["http", "http-response", "wall-clock", "address", "leak-guard"],
    longest: 800,
    round: 350_000,
  },
  {
    name: "page",
    files: ["page", "address"],
    longest: 600,
    round: 150_000,
  },
  {
    name: "keys",
    files: ["keys", "address"],
    longest: 300,
    round: 30_000,
  },
];

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = `${root}targets/host`;
const folder = `${root}dist/fuzz-c`;

/** Objects that this process has compiled, by source and flags. */
const objects = new Map<string, string>();

function objectOf(source: string, flags: readonly string[]): string {
  const key = [source, ...flags].join(" ");
  const known = objects.get(key);
  if (known !== undefined) return known;
  // A folder of this process, because another process may compile the same files.
  const own = `${folder}/objects-${process.pid}`;
  if (objects.size === 0) {
    mkdirSync(own, { recursive: true });
    process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  }
  const object = `${own}/${objects.size}.o`;
  run("clang", [...flags, "-c", "-o", object, source]);
  objects.set(key, object);
  return object;
}

/** Inputs as texts whose characters are bytes. A pair is a text and the number of its repetitions. */
type Input = string | readonly (string | readonly [string, number])[];

/** Writes the seed inputs of a fuzzer into a folder. */
function corpusOf(surface: string): string {
  const text = readFileSync(`${root}test/host/fuzz/corpus.json`, "utf8");
  const inputs = (JSON.parse(text) as Record<string, Record<string, Input>>)[surface]!;
  const out = `${folder}/${surface}/begun`;
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const [name, input] of Object.entries(inputs)) {
    const pieces = [input].flat() as (string | [string, number])[];
    const whole = pieces.map((piece) =>
      typeof piece === "string" ? piece : piece[0].repeat(piece[1]),
    );
    writeFileSync(`${out}/${name}`, whole.join(""), "latin1");
  }
  return out;
}

async function buildFuzzer({ name, files }: Surface, plant?: PlantedFault): Promise<string> {
  const out = plant ? `${folder}/${name}/planted` : `${folder}/${name}`;
  mkdirSync(out, { recursive: true });
  await generateC(generatedC);
  const flags = [
    ...["-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror"],
    ...["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"],
    // With strong address randomization, a kernel may load the program where AddressSanitizer needs its shadow memory.
    // Without this option, one start in four fails.
    "-fno-pie",
    ...["-DPG_ASSERTIONS", "-DPG_KEYS", `-I${sources}/portable`, `-I${generatedC}`],
  ];
  const harness = `${root}test/host/fuzz/${name}.c`;
  const parts = files.map((file) => {
    const source = sourceOf(file, plant, out);
    return file === plant?.file ? source : objectOf(source, flags);
  });
  run("clang", [...flags, "-no-pie", "-o", `${out}/fuzz`, objectOf(harness, flags), ...parts]);
  return `${out}/fuzz`;
}

const triedIn = (output: string): number =>
  Number(/stat::number_of_executed_units:\s*(\d+)/.exec(output)?.[1] ?? 0);

function runFuzzer(
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

/** Whether the fuzzer finds a planted fault within four rounds. */
async function finds(surface: Surface, plant: PlantedFault): Promise<boolean> {
  const program = await buildFuzzer(surface, plant);
  const own = `${folder}/${surface.name}/planted`;
  const limits = [`-max_len=${surface.longest}`, `-runs=${4 * surface.round}`];
  // libFuzzer writes inputs that reach new code to its first folder, so start with an empty one.
  rmSync(`${own}/corpus`, { recursive: true, force: true });
  mkdirSync(`${own}/corpus`);
  const args = [
    ...limits,
    "-print_final_stats=1",
    "-seed=1",
    `${own}/corpus`,
    corpusOf(surface.name),
  ];
  const { output } = runFuzzer(program, args, own);
  const isFound = output.includes(plant.finding);
  const result = isFound ? "found" : `NOT FOUND\n${output.slice(-1000)}`;
  console.log(`${surface.name}: planted "${plant.finding}": ${result}, ${triedIn(output)} inputs`);
  return isFound;
}

/**
 * Fuzzes a surface, starting with the inputs of corpus.json. Inputs that the fuzzer finds stay in dist/fuzz-c;
 * `dist/fuzz-c/NAME/fuzz FILE` runs one again.
 * @param rounds the number of rounds (`Surface.round`)
 * @returns whether all planted faults were found, nothing else was found, and no input was left out
 */
export async function fuzz(surface: Surface, rounds: number): Promise<boolean> {
  for (const plant of plantedFaults(`fuzz ${surface.name}`))
    if (!(await finds(surface, plant))) return false;
  const program = await buildFuzzer(surface);
  const own = `${folder}/${surface.name}`;
  const found = `${own}/corpus`;
  mkdirSync(found, { recursive: true });
  // An input takes microseconds. The time limit detects endless loops.
  const limits = [`-max_len=${surface.longest}`, "-timeout=60", "-rss_limit_mb=2048"];
  const seed = process.env.PICOGRANT_SEED ? [`-seed=${process.env.PICOGRANT_SEED}`] : [];
  const least = rounds * surface.round;
  const end = [`-runs=${least}`, "-print_final_stats=1", "-verbosity=1"];
  const began = Date.now();
  const { ok, output } = runFuzzer(
    program,
    [...limits, ...seed, ...end, found, corpusOf(surface.name)],
    own,
  );
  const took = ((Date.now() - began) / 1000).toFixed(1);
  const tried = triedIn(output);
  const coverage = [...output.matchAll(/cov: (\d+)/g)].at(-1)?.[1] ?? "?";
  console.log(
    `${surface.name}: ${tried} inputs in ${took} s, ${coverage} edges, ` +
      `${readdirSync(found).length} stored, ${ok ? "nothing found" : "FOUND SOMETHING"}`,
  );
  if (!ok) console.error(`${output.slice(-4000)}\nfuzz: the input is in ${own}`);
  const isEnough = tried >= least;
  if (ok && !isEnough) console.error(`fuzz: ${surface.name} tried ${tried} inputs, not ${least}`);
  return ok && isEnough;
}
