// npm run tool -- builds: what each tool of the build brings, by engine: bytes of heap that the core and a device hold,
// and the time of a pending poll, on QuickJS, Duktape and MuJS; on 32-bit ARM, where `npm run tool -- arm` has built
// the C
// host, heap and bytecode as firmware has them. Times are the processor's and depend on it: only their ratios say
// something.

import { comparedBuilds, type Variant } from "../targets/bundle/make-bundle.ts";
import { measureCodeOnArm } from "../targets/workbench/budgets/heap.ts";
import { heapIn, pollTimeIn } from "../targets/workbench/budgets/on-engines.ts";
import { buildHosts, InstallError } from "../targets/workbench/engines/install.ts";
import { printTable } from "../targets/workbench/print-table.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const engines = ["quickjs", "duktape", "mujs"] as const;
const names = { quickjs: "QuickJS", duktape: "Duktape", mujs: "MuJS" };

async function rowOf(name: string, code: string): Promise<string[]> {
  const arm = await measureCodeOnArm(code);
  const cells = [name, `${code.length}`];
  cells.push(arm ? `${arm.heap}` : "-", arm ? `${arm.bytecode}` : "-");
  for (const engine of engines) {
    cells.push(`${heapIn(engine, code)}`, pollTimeIn(engine, code).toFixed(0));
  }
  return cells;
}

async function compare(variant: Variant): Promise<void> {
  const head = [`${variant}: build`, "file", "heap, ARM", "bytecode"];
  const rows = [[...head, ...engines.flatMap((engine) => [`${names[engine]} heap`, "us / poll"])]];
  for (const { name, code } of await comparedBuilds(variant)) rows.push(await rowOf(name, code));
  printTable(rows);
}

commandLine(
  "builds",
  "What each tool of the build brings, by engine: heap, and time of a poll.",
).parse();
try {
  // They are small, and may be older than what they are to count.
  buildHosts(() => {});
  await compare("complete");
  console.log("");
  await compare("grant");
} catch (error) {
  if (!(error instanceof InstallError)) throw error;
  console.error(`builds: ${error.message}; npm run engines -- --install-only fetches the engines`);
  process.exitCode = 2;
}
