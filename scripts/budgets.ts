// npm run budgets: prints measured values beside their limits (core/DESIGN.md, Sizes), and fails above a limit.

import { bundleCore, type Variant } from "../targets/bundle/bundled-core.ts";
import {
  measurePolls,
  measureRun,
  measureRunOnXs,
} from "../targets/workbench/budgets/allocations.ts";
import {
  type Figures,
  limits,
  limitsOfC,
  pollInstructionsOfCMax,
} from "../targets/workbench/budgets/budget-limits.ts";
import { measureC } from "../targets/workbench/budgets/core-as-c.ts";
import { type CountedName, countedEngines } from "../targets/workbench/budgets/engine.ts";
import { handshakesOfTenPolls } from "../targets/workbench/budgets/handshakes.ts";
import { measureOnArm } from "../targets/workbench/budgets/heap.ts";
import { pollInstructions } from "../targets/workbench/budgets/instructions.ts";
import type { Tally } from "../targets/workbench/budgets/measured-core.ts";
import { recordWrites } from "../targets/workbench/budgets/record-writes.ts";
import { commandLine, printTable } from "../targets/workbench/script-options.ts";

const variants = ["complete", "api", "grant"] as const satisfies Variant[];
const pollCycles = 10_000;
const skipped = "skipped (npm run engines -- --install)";

const rows: string[][] = [["budget", "limit", "measured", ""]];
let isOver = false;

function row(what: string, limit: string, measured: string, isFine: boolean): void {
  rows.push([what, limit, measured, isFine ? "ok" : "OVER"]);
  if (!isFine) isOver = true;
}

function info(what: string, measured: string): void {
  rows.push([what, "", measured, ""]);
}

function atMost(what: string, limit: number, measured: number, unit: string): void {
  row(what, `${limit} ${unit}`, `${measured} ${unit}`, measured <= limit);
}

function sum(tallies: readonly Tally[], of: "calls" | "found"): number {
  return tallies.reduce((total, tally) => total + tally[of], 0);
}

function allocationRow(what: string, tallies: readonly Tally[], seen: string[]): void {
  const calls = tallies.filter(({ isControl }) => !isControl);
  const controls = tallies.filter(({ isControl }) => isControl);
  const blind = controls.filter(({ found }) => found === 0).map(({ name }) => name);
  const guilty = calls.filter(({ found }) => found > 0);
  seen.push(
    ...guilty.map(({ name, state, found, calls: n }) => {
      return `${what}: ${name} in ${state}: ${found} in ${n} calls`;
    }),
  );
  const states = new Set(calls.map(({ state }) => state)).size;
  const functions = new Set(calls.map(({ name }) => name)).size;
  const measured = `${sum(calls, "found")} in ${sum(calls, "calls")} calls of ${functions} functions, ${states} states`;
  row(what, "0", measured, guilty.length === 0);
  const control =
    blind.length > 0 ? `not seen: ${blind.join(" ")}` : `${sum(controls, "found")} seen`;
  row("control: five functions that allocate", "all seen", control, blind.length === 0);
}

async function allocations(variant: Variant, seen: string[]): Promise<void> {
  for (const which of ["release", "ng"] as const) {
    const { name } = countedEngines[which];
    const counted = await measureRun(variant, which);
    allocationRow(`${variant}: allocations, malloc counted in ${name}`, counted, seen);
  }
  const onXs = await measureRunOnXs(variant);
  if (onXs) allocationRow(`${variant}: allocations, counted in native XS`, onXs, seen);
  else info(`${variant}: allocations, native XS`, skipped);
}

async function polls(which: CountedName): Promise<void> {
  const { allocations, control, requests, earliestMs } = await measurePolls(pollCycles, which);
  const what = `driver and core: ${pollCycles} pending polls, malloc counted in ${countedEngines[which].name}`;
  row(what, "0", `${allocations}`, allocations === 0);
  row("control: ten that create an object", "seen", `${control}`, control >= 10);
  const isPunctual = requests === pollCycles && earliestMs >= 5000;
  row("  requests, earliest after", "one per 5000 ms", `${requests}, ${earliestMs} ms`, isPunctual);
}

async function asC(variant: Variant): Promise<void> {
  const what = `${variant}: the core as C, code for a Cortex-M3`;
  const found = await measureC(variant);
  const limit = limitsOfC[variant];
  if (found === undefined) return info(what, "skipped (npm run host -- --arm --install)");
  atMost(what, limit.code, found.code, "B");
  atMost("its RAM in addition to the device memory", limit.ram, found.ram, "B");
  atMost("stack of a whole run", limit.stack, found.stack, "B");
  const poll = variant === "complete" ? await pollInstructions("release") : undefined;
  if (poll) atMost("  instructions of a pending poll", pollInstructionsOfCMax, poll, "");
}

async function builds(): Promise<string[][]> {
  const columns = ["file", "bytecode", "heap", "peak", "stack", "poll"] as const;
  const table: string[][] = [["build", ...columns, "bytecode + 4 x heap"]];
  for (const variant of variants) {
    const { flashed } = await bundleCore(variant);
    const poll = variant === "complete" ? await pollInstructions("quickjs") : undefined;
    const figures = {
      file: flashed.length,
      ...(await measureOnArm(variant)),
      ...(poll && { poll }),
    };
    const rowOf = (name: string, of: Partial<Figures>): string[] => {
      const cost = of.bytecode && of.heap ? `${of.bytecode + 4 * of.heap}` : "";
      return [name, ...columns.map((column) => `${of[column] ?? ""}`), cost];
    };
    const over = columns.filter(
      (column) => (figures as Figures)[column]! > limits[variant][column]!,
    );
    if (over.length > 0) isOver = true;
    const name = over.length > 0 ? `${variant}: OVER in ${over}` : variant;
    table.push(rowOf(name, figures), rowOf("  at most", limits[variant]));
  }
  return table;
}

function writes(): void {
  const { inAll, whilePending } = recordWrites(100);
  atMost("record writes per sign-in", 2, inAll, "");
  atMost("record writes of 100 pending polls", 0, whilePending, "");
}

commandLine("budgets", "Measures the budgets; exit code 1 if one is exceeded.").parse();
const seen: string[] = [];
for (const variant of variants) await asC(variant);
for (const variant of variants) await allocations(variant, seen);
for (const which of ["release", "ng"] as const) await polls(which);
writes();
for (const [name, count] of await handshakesOfTenPolls()) {
  const what = `TLS handshakes of ten polls, a server that keeps 75 s: ${name}`;
  if (count === undefined) info(what, "skipped (npm run host -- --build)");
  else atMost(what, 1, count, "");
}
for (const table of [rows, await builds()]) {
  printTable(table);
  console.log();
}
for (const line of seen) console.error(line);
if (isOver) console.error("A budget is exceeded.");
process.exitCode = isOver ? 1 : 0;
