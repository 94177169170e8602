// npm run tool -- builds: one table of the builds before and after the last two steps of the build, by engine: file,
// bytecode, heap, its peak while the device is made, instructions of a pending poll. With --steps, what each step of the
// build brings. On 32-bit ARM, where `npm run tool -- arm` has built the C host, the figures are those of firmware; the
// other engines load the source, on this machine.

import { bundleCore, type Variant } from "../targets/bundle/bundled-core.ts";
import type { ComparedBuild } from "../targets/bundle/make-bundle.ts";
import {
  before,
  type Figures,
  type MeasuredOn,
} from "../targets/workbench/budgets/earlier-builds.ts";
import { measureCodeOnArm } from "../targets/workbench/budgets/heap.ts";
import { pollInstructions } from "../targets/workbench/budgets/instructions.ts";
import { heapIn, pollInstructionsIn } from "../targets/workbench/budgets/on-engines.ts";
import {
  buildHosts,
  type HostedEngine,
  InstallError,
} from "../targets/workbench/engines/install.ts";
import { borderNumbers } from "../targets/workbench/engines/script.ts";
import { printTable } from "../targets/workbench/print-table.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const variants = ["complete", "api", "grant"] as const satisfies Variant[];
const engines: Readonly<Record<HostedEngine, string>> = {
  quickjs: "QuickJS",
  duktape: "Duktape",
  mujs: "MuJS",
  xs: "XS",
};
const names = Object.keys(engines) as HostedEngine[];
const head = ["file", "bytecode", "heap", "peak of create", "instructions of a poll"];

function figuresIn(engine: HostedEngine, code: string): Figures {
  const { heap, peak } = heapIn(engine, code);
  return { file: code.length, heap, peak, instructions: pollInstructionsIn(engine, code) };
}

/** As firmware has them; instructions on this machine, the C host's own among them. */
async function figuresOnArm(code: string): Promise<Figures> {
  const instructions = await pollInstructions(code);
  return {
    file: code.length,
    ...(await measureCodeOnArm(code)),
    ...(instructions && { instructions }),
  };
}

/** "before -> after (by how much)", or what there is of it. */
function change(old: number | undefined, now: number | undefined): string {
  if (old === undefined || now === undefined) return `${now ?? "-"}`;
  const percent = Math.round(((now - old) / old) * 100);
  return `${old} -> ${now} (${percent > 0 ? "+" : ""}${percent} %)`;
}

function cellsOf(old: Figures | undefined, now: Figures): string[] {
  const keys = ["file", "bytecode", "heap", "peak", "instructions"] as const;
  return keys.map((key) => change(old?.[key], now[key]));
}

async function beforeAndAfter(): Promise<void> {
  const rows = [["build", "engine", ...head]];
  for (const variant of variants) {
    const { code } = await bundleCore(variant);
    const add = (on: MeasuredOn, name: string, now: Figures): void => {
      rows.push([variant, name, ...cellsOf(before[variant]?.[on], now)]);
    };
    add("arm", "QuickJS, 32-bit ARM, bytecode", await figuresOnArm(code));
    for (const engine of names) add(engine, `${engines[engine]}, source`, figuresIn(engine, code));
  }
  printTable(rows);
  console.log(`
There was no api before: who wanted it had to take complete, whose figures stand there.
The peak of MuJS and XS has in it what their collectors had not yet found.
Only QuickJS's bytecode is flashed; the other engines load the file.`);
}

async function rowOf({ name, code, isPlaced }: ComparedBuild): Promise<string[]> {
  // The C host takes a device that is an array.
  const arm = isPlaced ? await measureCodeOnArm(code) : undefined;
  const cells = [name, `${code.length}`, `${arm?.heap ?? "-"}`, `${arm?.bytecode ?? "-"}`];
  for (const engine of names) {
    const instructions = pollInstructionsIn(engine, code, borderNumbers(isPlaced));
    cells.push(`${heapIn(engine, code).heap}`, `${Math.round(instructions / 1000)}`);
  }
  return cells;
}

async function steps(variant: Variant): Promise<void> {
  const columns = names.flatMap((name) => [`${engines[name]}: heap`, "1000 / poll"]);
  const rows = [[`${variant}: build`, "file", "ARM: heap", "bytecode", ...columns]];
  const { comparedBuilds } = await import("../targets/bundle/make-bundle.ts");
  for (const build of await comparedBuilds(variant)) rows.push(await rowOf(build));
  printTable(rows);
}

const options = commandLine("builds", "The builds before and after, by engine, in one table.")
  .option("--steps", "what each step of the build brings instead")
  .parse()
  .opts<{ steps?: boolean }>();
try {
  // They are small, and may be older than what they are to count.
  buildHosts(() => {});
  if (options.steps) for (const variant of variants) await steps(variant);
  else await beforeAndAfter();
} catch (error) {
  if (!(error instanceof InstallError)) throw error;
  console.error(`builds: ${error.message}; npm run engines -- --install-only fetches the engines`);
  process.exitCode = 2;
}
