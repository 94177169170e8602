// npm run tool -- session-lives: random lives (kinds.ts) in any number, of all kinds in turn. A life that fails is printed
// with its seed, and repeats with it.
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
/** Engines keep what weak references have named until the event loop has had its turn. */
const TURN_RUNS = 20;

const root = fileURLToPath(new URL("../..", import.meta.url));
const outfile = path.join(root, "dist/session-model/kinds.mjs");

/**
 * The model in one file. What a session loads when it first needs it is in there as well: loading takes as long as it
 * likes otherwise, and a life would not repeat.
 */
async function load(): Promise<typeof import("./kinds.ts").KINDS> {
  await build({
    entryPoints: [path.join(root, "test/session-model/kinds.ts")],
    ...{
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      external: ["tweetnacl", "esbuild"],
    },
  });
  const kinds = (await import(pathToFileURL(outfile).href)) as typeof import("./kinds.ts");
  return kinds.KINDS;
}

async function main({ runs, seed }: Options): Promise<void> {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const kinds = await load();
  print(`${runs} lives from seed ${seed}`);
  let failed = 0;
  for (let done = 0; done < runs; done++) {
    if (done % TURN_RUNS === 0) await new Promise(setImmediate);
    if (done > 0 && done % PROGRESS_RUNS === 0) print(`${done} of ${runs}, ${failed} failed`);
    const kind = kinds[(seed + done) % kinds.length]!;
    const { violations, actions } = await kind.live(seed + done);
    if (violations.length === 0) continue;
    failed++;
    print(`seed ${seed + done}, ${kind.name}: ${violations.join("; ")}\n  ${actions.join(", ")}`);
  }
  print(`${failed} of ${runs} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

const program = commandLine(
  "session-lives",
  "Random lives of the session; fails where one breaks a promise.",
)
  .option("--lives <count>", "how many", integer(1), RUNS_DEFAULT)
  .option("--seed <number>", "the first one's seed", integer(0), Date.now() % 2 ** 30);
program.action(main);
await program.parseAsync();
