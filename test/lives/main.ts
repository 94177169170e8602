// Lives of simulated devices on the command line: many from a seed, or one with its whole story.
// What a life is and what must hold in it is in test/lives.

import { availableParallelism } from "node:os";
import { integer } from "../../targets/desktop/option-values.ts";
import { commandLine } from "../../targets/workbench/script-options.ts";
import { describe, uncoveredRows } from "./campaign.ts";
import { coreOf, type LivesCore } from "./core-of.ts";
import { runInParts } from "./in-threads.ts";
import { type LifeResult, runLife } from "./life.ts";
import { readableBundle, shippedBundle } from "./load-core.ts";
import { shrink } from "./shrink.ts";
import { INVARIANTS } from "./violation.ts";

interface Options {
  seed?: number;
  lives: number;
  jobs: number;
  from?: number;
  only?: string;
  shipped?: boolean;
  invariants?: boolean;
}

const LIVES_DEFAULT = 20_000;
const PROGRESS_LINES = 200;
const PROGRESS_LIVES_MIN = 1000;

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** One life with its log. True: nothing broke. */
function replay(core: LivesCore, seed: number, only: string | undefined): boolean {
  const selection = only === undefined ? {} : { only: new Set(only.split(",")) };
  const log = (line: string): void => print([line]);
  const result = runLife(seed, { core, coverage: new Map(), log, ...selection });
  print([`seed ${seed}: ${result.violation ? result.violation.invariant : "all invariants held"}`]);
  return !result.violation;
}

function tell(failure: LifeResult, core: LivesCore): void {
  const kept = shrink(failure, core);
  print([
    `seed ${failure.seed} broke ${failure.violation!.invariant}: ${failure.violation!.what}`,
    `shrunk from ${failure.struck.length} faults and deeds to ${kept.length}; replay with`,
    `  npm run tool -- lives --seed ${failure.seed} --only ${kept.join(",")}`,
  ]);
}

/** Says on stderr how far it is: over and over in one line of a terminal, else a line now and then. */
function progressOf(lives: number, startMs: number): (done: number) => void {
  const isTerminal = process.stderr.isTTY;
  const stepLives = Math.max(PROGRESS_LIVES_MIN, Math.ceil(lives / PROGRESS_LINES));
  let toldLives = 0;
  return (done) => {
    const text = `${done} of ${lives} lives, ${Math.round((done * 1000) / (performance.now() - startMs))} lives/s`;
    if (isTerminal) process.stderr.write(done < lives ? `\r${text} ` : "\r\x1b[K");
    else if (done >= toldLives + stepLives) {
      process.stderr.write(`${text}\n`);
      toldLives = done;
    }
  };
}

async function many(
  code: string,
  firstSeed: number,
  lives: number,
  jobs: number,
): Promise<boolean> {
  print([`seeds from ${firstSeed}`]);
  const core = coreOf(code);
  const startMs = performance.now();
  const campaign = await runInParts({
    code,
    firstSeed,
    lives,
    jobs,
    progress: progressOf(lives, startMs),
    failed: ({ failures }) => {
      for (const failure of failures) tell(failure, core);
    },
  });
  print(describe(campaign, (performance.now() - startMs) / 1000));
  return campaign.failures.length === 0 && uncoveredRows(campaign.coverage).length === 0;
}

async function main(options: Options): Promise<boolean> {
  if (options.invariants) {
    print(Object.entries(INVARIANTS).map(([name, meaning]) => `${name}: ${meaning}`));
    return true;
  }
  const firstSeed = options.from ?? Math.floor(Math.random() * 2 ** 32);
  const code = await (options.shipped ? shippedBundle() : readableBundle());
  if (options.seed !== undefined) return replay(coreOf(code), options.seed, options.only);
  return many(code, firstSeed, options.lives, options.jobs);
}

const program = commandLine(
  "lives",
  "Whole lives of simulated devices, with faults, against the simulated service.",
)
  .option("--lives <count>", "how many lives", integer(1), LIVES_DEFAULT)
  .option("--jobs <count>", "how many threads", integer(1), availableParallelism())
  .option("--from <seed>", "seed of the first life (default: random)", integer(0))
  .option("--seed <seed>", "replay the life of this seed with its log", integer(0))
  .option("--only <ids>", "of the life's faults and deeds only these, separated by commas")
  .option("--shipped", "the minified bundle instead of the readable one")
  .option("--invariants", "list the invariants and what they mean")
  .parse();

const options = program.opts<Options>();
if (options.only !== undefined && options.seed === undefined) {
  program.error("error: --only goes with --seed: it leaves things out of that one life");
}
if (options.seed !== undefined && program.getOptionValueSource("lives") === "cli") {
  program.error("error: --lives goes with --from, which begins with a seed; --seed is one life");
}
if (!(await main(options))) process.exitCode = 1;
