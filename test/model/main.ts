// npm run tool -- model: runs random sequences of calls on the core and compares it with an ideal device.
import { integer } from "../../targets/desktop/command-line.ts";
import { commandLine } from "../../targets/workbench/script-options.ts";
import { ORACLES, type Oracle } from "./oracles/oracle.ts";
import { asTest, type Campaign, runCampaign, shrink } from "./sequence.ts";
import { type MakeCore, ofFile, ofSources } from "./subject.ts";

interface Options {
  steps: number;
  seconds?: number;
  seed?: number;
  core?: string;
  one?: boolean;
}

const STEPS_DEFAULT = 500_000;
const STEPS_ENDLESS = 2 ** 32 - 1;

const perSecond = (steps: number, startMs: number): number =>
  Math.round((steps * 1000) / (performance.now() - startMs));

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function describe(campaign: Campaign, startMs: number): void {
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  print(
    `${campaign.steps} steps in ${campaign.sequences} sequences, ${seconds} s: ` +
      `${perSecond(campaign.steps, startMs)} steps/s` +
      (campaign.unclear ? `; ${campaign.unclear} sequences ended without a verdict` : ""),
  );
  const kinds = [...campaign.kinds].sort((a, b) => b[1] - a[1]);
  print(`steps: ${kinds.map(([kind, count]) => `${kind} ${count}`).join(", ")}`);
  print("checks of each oracle:");
  for (const [oracle, count] of Object.entries(campaign.counts)) {
    print(`  ${oracle} ${count}: ${ORACLES[oracle as Oracle]}`);
  }
}

function many(makeCore: MakeCore, options: Options, seed: number): boolean {
  const startMs = performance.now();
  const isTerminal = process.stderr.isTTY;
  const { seconds } = options;
  let steps = seconds === undefined ? options.steps : STEPS_ENDLESS;
  if (options.one) steps = 1;
  const campaign = runCampaign({
    makeCore,
    seed,
    steps,
    ...(seconds !== undefined && { limitMs: seconds * 1000 }),
    ...(isTerminal && {
      progress: (now) =>
        process.stderr.write(
          `\r${now.steps} steps, ${now.sequences} sequences, ${perSecond(now.steps, startMs)} steps/s `,
        ),
    }),
  });
  if (isTerminal) process.stderr.write("\r\x1b[K");
  describe(campaign, startMs);
  const { failure } = campaign;
  if (!failure) {
    print("no rule was violated");
    return true;
  }
  print(`the sequence of seed ${failure.seed} violated a rule: ${failure.broken!.message}`);
  print(`again: npm run tool -- model --one --seed ${failure.seed}`);
  const shrunk = shrink(failure.script, failure.broken!, makeCore);
  print(`shrunk from ${failure.script.steps.length} steps to ${shrunk.script.steps.length}:\n`);
  print(asTest(shrunk));
  return false;
}

const program = commandLine(
  "model",
  "Random sequences of calls of the core API, compared with an ideal device.",
)
  .option("--steps <count>", "number of steps", integer(1), STEPS_DEFAULT)
  .option("--seconds <count>", "run for this time", integer(1))
  .option("--seed <seed>", "the first sequence's seed (default: random)", integer(0))
  .option("--one", "run only the sequence of this seed")
  .option("--core <file>", "a built bundle, such as dist/picogrant.js (default: the sources)")
  .parse();

function coreOf(path: string): MakeCore {
  try {
    return ofFile(path);
  } catch (error) {
    return program.error(`error: --core ${path}: ${(error as Error).message}`);
  }
}

const options = program.opts<Options>();
const seed = options.seed ?? Math.floor(Math.random() * 2 ** 32);
print(`seed ${seed}`);
const makeCore = options.core === undefined ? ofSources : coreOf(options.core);
if (!many(makeCore, options, seed)) process.exitCode = 1;
