// npm run tool -- sample: chooses random mutants, and runs the models and the tables with each of them. Reports which
// mutants were detected, and by what. Fails if fewer than half were.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { InvalidArgumentError } from "commander";
import { commandLine } from "../../targets/workbench/script-options.ts";
import { Random } from "../model/random.ts";
import { slow } from "../vitest.config.ts";
import { type Mutant, mutantsOf, reported } from "./mutants.ts";
import { Trials } from "./trials.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The tests that may detect a mutant, in the order in which they run. */
const STAGES: readonly (readonly [name: string, files: RegExp])[] = [
  ["core's model", /^test\/model\//],
  ["session's model", /^test\/session-model\//],
  ["tables", /^test\/(?:core|servers|configuration|platform)\//],
];
const OTHERS = ["other tests", /^test\/(?!browser|quickjs)/] as const;

/**
 * Files with code for other engines, for the developer's machine or for tests. The sampler chooses their mutants only
 * if you name the file.
 */
const UNDRAWN =
  /^core\/(?:tables\/|device\/assertion)|^platform\/(?:quickjs|conformance|testing|templates)\//;

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("give a number");
  return Number(text);
}

const command = commandLine(
  "sample",
  "Draws mutants and reports which tests catch them; exit code 1 if fewer than half are caught.",
)
  .argument("[files...]", "files or folders to change; by default half of the mutants are in core")
  .option("--since <commit>", "the files that have changed since then")
  .option("--mutants <n>", "number of mutants", count, 15)
  .option("--seed <n>", "draws the same mutants again", count, Math.floor(Math.random() * 2 ** 32))
  .option("--all", "run all tests of npm test, not only models and tables")
  .parse();
const { since, mutants: many, seed, all: isAll } = command.opts();

function filesIn(name: string): string[] {
  if (name.endsWith(".ts")) return [name];
  const files = readdirSync(path.join(root, name), { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => file.endsWith(".ts")).sort();
  return sources.map((file) => path.posix.join(name, file));
}

function changedSince(commit: string): string[] {
  const words = ["diff", "--name-only", "--diff-filter=d", commit, "--", "core", "platform"];
  const output = execFileSync("git", words, { cwd: root, encoding: "utf8" });
  return output.split("\n").filter((file) => file.endsWith(".ts"));
}

const textOf = (file: string): string => readFileSync(path.join(root, file), "utf8");
const print = (mutant: Mutant): string => reported(mutant, textOf(mutant.file));
const random = new Random(seed);

function draw(names: readonly string[], many: number): Mutant[] {
  const files = names.flatMap(filesIn).filter((file) => !UNDRAWN.test(file));
  const left = files.flatMap((file) => mutantsOf(file, textOf(file)));
  const drawn: Mutant[] = [];
  while (drawn.length < many && left.length > 0) {
    drawn.push(...left.splice(random.below(left.length), 1));
  }
  return drawn;
}

const named = since === undefined ? command.args : changedSince(since);
const half = Math.ceil(many / 2);
const mutants =
  named.length > 0 || since !== undefined
    ? draw(named, many)
    : [...draw(["core"], half), ...draw(["platform"], many - half)];
console.log(`${mutants.length} mutants; --seed ${seed} draws them again`);

const tests = filesIn("test").filter((file) => file.endsWith(".test.ts"));
const trials = await Trials.of(mutants, seed);
let left = [...mutants.entries()];
let requested: string[] = [];
for (const [stage, place] of isAll ? [...STAGES, OTHERS] : STAGES) {
  const isQuick = (file: string): boolean => stage.endsWith("model") || !slow.includes(file);
  const files = tests.filter(
    (file) => place.test(file) && isQuick(file) && !requested.includes(file),
  );
  requested = [...requested, ...files];
  if (left.length === 0) break;
  const notes = await trials.notesOf(files);
  const missed: typeof left = [];
  for (const [number, mutant] of left) {
    const failure = await trials.caughtBy(number, notes);
    if (failure) console.log(`${stage}: ${print(mutant)}\n    ${failure.file}: ${failure.test}`);
    else missed.push([number, mutant]);
  }
  console.log(`${stage}: ${left.length - missed.length} of ${left.length}`);
  left = missed;
}
await trials.close();
for (const [, mutant] of left) console.log(`nothing: ${print(mutant)}`);
console.log(`caught: ${mutants.length - left.length} of ${mutants.length}`);
process.exit(left.length * 2 > mutants.length ? 1 : 0);
