// Fuzzing of everything that reads foreign bytes, a million inputs by default. What is fuzzed and what
// must hold is in test/fuzz.

import { integer } from "../../targets/desktop/option-values.ts";
import { commandLine } from "../../targets/workbench/script-options.ts";
import { Roll } from "../lives/dice.ts";
import { corpusOf, countingCore, keep } from "./corpus.ts";
import { Fuzzer } from "./fuzzer.ts";
import { targets } from "./targets.ts";

const INPUTS_DEFAULT = 1_000_000;

interface Options {
  inputs: number;
  seed?: number;
  target?: string;
  keep?: boolean;
}

async function main(options: Options): Promise<boolean> {
  const { core, hits } = await countingCore();
  const all = targets(core);
  const chosen = options.target ? all.filter(({ name }) => name === options.target) : all;
  if (chosen.length === 0) {
    const names = all.map(({ name }) => name).join(", ");
    process.stderr.write(`fuzz: there is no target "${options.target}"; choose of ${names}\n`);
    process.exit(2);
  }
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 32);
  process.stdout.write(`seed ${seed}\n`);
  let failed = false;
  for (const target of chosen) {
    const before = performance.now();
    const fuzzer = new Fuzzer(target, hits, corpusOf(target), new Roll(seed));
    const { runs, fresh, paths, failure } = fuzzer.run(Math.ceil(options.inputs / chosen.length));
    const perSecond = Math.round((runs / (performance.now() - before)) * 1000);
    process.stdout.write(
      `${target.name}: ${runs} inputs (${perSecond}/s), ${guidance(paths, fresh.length)}\n`,
    );
    if (options.keep) keep(target, fresh);
    if (!failure) continue;
    failed = true;
    const { input, error } = failure;
    const what = error instanceof Error ? error.message : String(error);
    const bytes = Buffer.from(input);
    process.stdout.write(
      `  FAILED: ${what}\n  ${JSON.stringify(bytes.toString("latin1"))}\n  base64 ${bytes.toString("base64")}\n`,
    );
  }
  return !failed;
}

/** Paths are counted in the core: the service's reader has none, and is fed without their guidance. */
function guidance(paths: number, fresh: number): string {
  return paths === 0 ? "not guided: no code of the core" : `${paths} paths, ${fresh} new inputs`;
}

const program = commandLine(
  "fuzz",
  "Fuzzes everything that reads foreign bytes, guided by coverage.",
)
  .option("--inputs <count>", "inputs in all", integer(1), INPUTS_DEFAULT)
  .option("--seed <seed>", "seed of the changes (default: random)", integer(0))
  .option("--target <name>", "only this target")
  .option("--keep", "add inputs that took new paths to the corpus")
  .parse();

if (!(await main(program.opts<Options>()))) process.exitCode = 1;
