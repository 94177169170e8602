// npm run tool -- random-sessions: random runs of all kinds in turn (kinds.ts). A failed run prints its seed, with
// which you can repeat it.
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { integer } from "../../targets/desktop/command-line.ts";
import { commandLine } from "../../targets/workbench/script-options.ts";

interface Options {
  runs: number;
  seed: number;
}

const RUNS_DEFAULT = 1000;
const PROGRESS_RUNS = 10_000;
/** After this many runs, let the event loop turn. Before that, the targets of weak references stay in memory. */
const TURN_RUNS = 20;

const root = fileURLToPath(new URL("../..", import.meta.url));
const outfile = path.join(root, "dist/session-model/kinds.mjs");

/**
 * Bundles the model with all modules that a session loads later. Loading them during a run would take a variable time,
 * and the run could not be repeated.
 */
async function load(): Promise<typeof import("./kinds.ts").KINDS> {
  const entryPoints = [path.join(root, "test/session-model/kinds.ts")];
  const external = ["tweetnacl", "esbuild"];
  await build({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", external });
  const kinds = (await import(pathToFileURL(outfile).href)) as typeof import("./kinds.ts");
  return kinds.KINDS;
}

async function main({ runs, seed }: Options): Promise<void> {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const kinds = await load();
  print(`${runs} runs from seed ${seed}`);
  let failed = 0;
  let done = 0;
  // After this listener, Node prints the error and exits with a code above 0.
  process.on("uncaughtExceptionMonitor", () => print(`seed ${seed + done}: uncaught`));
  for (; done < runs; done++) {
    if (done % TURN_RUNS === 0) await new Promise(setImmediate);
    if (done > 0 && done % PROGRESS_RUNS === 0) print(`${done} of ${runs}, ${failed} failed`);
    const kind = kinds[(seed + done) % kinds.length]!;
    const { violations, actions } = await kind.run(seed + done);
    if (violations.length === 0) continue;
    failed++;
    print(`seed ${seed + done}, ${kind.name}: ${violations.join("; ")}\n  ${actions.join(", ")}`);
  }
  print(`${failed} of ${runs} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

await commandLine(
  "random-sessions",
  "Random runs of the session; fails if one violates a contract.",
)
  .option("--runs <count>", "number of runs", integer(1), RUNS_DEFAULT)
  .option("--seed <number>", "seed of the first run", integer(0), Date.now() % 2 ** 30)
  .action(main)
  .parseAsync();
