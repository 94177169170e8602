// npm run budgets: measures what the design promises (core/DESIGN.md has the reasons), prints one table,
// and fails where a budget is exceeded.

import { gzipSync } from "node:zlib";
import type { Variant } from "../targets/bundle/bundled-core.ts";
import {
  type ByteEngine,
  byteEngineNames,
  measureDriverPolls,
  measureLife,
  measureLifeNatively,
  measurePollBytes,
  measurePolls,
} from "../targets/workbench/budgets/allocations.ts";
import {
  heapLimits,
  limitsOfC,
  peakLimits,
  pollInstructionsMax,
  pollInstructionsOfCMax,
  sizeCeilings,
} from "../targets/workbench/budgets/budget-limits.ts";
import { measureC } from "../targets/workbench/budgets/core-as-c.ts";
import { type CountedName, countedEngines } from "../targets/workbench/budgets/engine.ts";
import { measureOnArm } from "../targets/workbench/budgets/heap.ts";
import { pollInstructions } from "../targets/workbench/budgets/instructions.ts";
import type { Tally } from "../targets/workbench/budgets/measured-core.ts";
import { recordWrites } from "../targets/workbench/budgets/record-writes.ts";
import { builtBundle } from "../targets/workbench/engines/script.ts";
import { commandLine, printTable } from "../targets/workbench/script-options.ts";

const variants = ["complete", "api", "grant"] as const satisfies Variant[];
const pollCycles = 10_000;
/** Of the smaller builds, which are parts of the complete one. */
const pollCyclesOfParts = 1000;
const skipped = "skipped (npm run engines -- --install)";

/** The table: what, limit, measured, verdict. */
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

/** One method's verdict; `seen` are the calls that allocate, by function and state. */
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
  row("  control: five functions that allocate", "all seen", control, blind.length === 0);
}

async function allocations(variant: Variant, seen: string[]): Promise<void> {
  for (const which of ["release", "ng"] as const) {
    const { name } = countedEngines[which];
    const counted = await measureLife(variant, which);
    allocationRow(`${variant}: allocations, malloc counted in ${name}`, counted, seen);
  }
  for (const engine of ["quickjs", "duktape", "mujs", "xs"] as const) {
    const native = await measureLifeNatively(variant, engine);
    if (native) allocationRow(`${variant}: allocations, hooks of native ${engine}`, native, seen);
    else info(`${variant}: allocations, native ${engine}`, skipped);
  }
  await polls(variant, "release", variant === "complete" ? pollCycles : pollCyclesOfParts);
  if (variant !== "complete") return;
  await polls(variant, "ng", pollCycles);
  for (const engine of byteEngineNames) await pollBytes(variant, engine);
}

/** Pending polls on an engine in WebAssembly. */
async function polls(variant: Variant, which: CountedName, cycles: number): Promise<void> {
  const figure = await measurePolls(variant, cycles, which);
  const name = `${variant}: ${cycles} pending poll cycles, ${countedEngines[which].name}`;
  row(`${name}, counted`, "0", `${figure.allocations}`, figure.allocations === 0);
  const { controlAllocations: control } = figure;
  row("  control: ten cycles that make an object", "seen", `${control}`, control >= 10);
  const isPunctual = figure.requests === cycles && figure.earliestMs >= 5000;
  row(
    `${name}: requests, earliest after`,
    "one per 5000 ms",
    `${figure.requests}, ${figure.earliestMs} ms`,
    isPunctual,
  );
}

/** The same on an engine that says the bytes it gave out. */
async function pollBytes(variant: Variant, engine: ByteEngine): Promise<void> {
  const what = `${variant}: ${pollCycles} pending poll cycles, bytes given out by ${engine}`;
  const figure = await measurePollBytes(variant, engine, pollCycles);
  if (!figure) return info(what, skipped);
  row(what, "0 B", `${figure.bytes} B`, figure.bytes === 0);
  const control = `  control: ${figure.controlCycles} that make an object`;
  row(control, "seen", `${figure.control} B`, figure.control >= figure.controlCycles);
}

async function driverAllocations(): Promise<void> {
  const { allocations, control } = await measureDriverPolls(pollCycles);
  const what = `driver and core: ${pollCycles} pending polls, malloc counted in QuickJS`;
  row(what, "0", `${allocations}`, allocations === 0);
  row("  control: ten that make an object", "seen", `${control}`, control >= 10);
}

function instructions(): void {
  const kinds = { QuickJS: "quickjs", "the core as C": "release" } as const;
  for (const [name, kind] of Object.entries(kinds)) {
    const what = `complete: instructions of a pending poll, ${name} on this machine`;
    const counted = pollInstructions(kind);
    if (counted === undefined) info(what, "skipped (npm run host -- --build; Debian's valgrind)");
    else
      atMost(what, kind === "quickjs" ? pollInstructionsMax : pollInstructionsOfCMax, counted, "");
  }
}

async function asC(variant: Variant): Promise<void> {
  const what = `${variant}: the core as C, code for a Cortex-M3`;
  const found = await measureC(variant);
  const limit = limitsOfC[variant];
  if (found === undefined) return info(what, "skipped (npm run host -- --arm --install)");
  atMost(what, limit.code, found.code, "B");
  atMost("  its RAM beside the device's memory", limit.ram, found.ram, "B");
  atMost("  stack of a whole life", limit.stack, found.stack, "B");
}

async function sizes(variant: Variant): Promise<void> {
  const bundle = await builtBundle(variant);
  const board = await measureOnArm(variant);
  const onBoard = `${variant}: heap in QuickJS on 32-bit ARM, stripped bytecode`;
  if (board === undefined) info(onBoard, "skipped (npm run host -- --arm --install)");
  else {
    atMost(onBoard, heapLimits[variant], board.heap, "B");
    atMost("  its peak while the device is made", peakLimits[variant], board.peak, "B");
    info("  bytecode, in flash", `${board.bytecode} B`);
    info(
      "  bytecode + 4 x heap, by which builds are compared",
      `${board.bytecode + 4 * board.heap}`,
    );
  }
  atMost(`${variant}: bundle, minified (a ceiling)`, sizeCeilings[variant], bundle.length, "B");
  info(`${variant}: bundle, gzip`, `${gzipSync(bundle, { level: 9 }).length} B`);
}

function writes(): void {
  const { inAll, whilePending } = recordWrites(100);
  atMost("record writes per sign-in", 2, inAll, "");
  atMost("record writes of 100 pending polls", 0, whilePending, "");
}

commandLine(
  "budgets",
  "Measures what the design promises; exit code 1 where a budget is exceeded.",
).parse();
const seen: string[] = [];
for (const variant of variants) await sizes(variant);
for (const variant of variants) await asC(variant);
for (const variant of variants) await allocations(variant, seen);
await driverAllocations();
instructions();
writes();
printTable(rows);
for (const line of seen) console.error(line);
if (isOver) console.error("A budget is exceeded.");
process.exitCode = isOver ? 1 : 0;
