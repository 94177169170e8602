// npm run engines: runs the conformance script with the built bundle on every available engine, and prints a table.
// `--install` installs the engines first; `--install-only` does nothing else. `--qjs` only builds QuickJS's command
// `qjs`. `--runtimes` only installs the runtimes and bundlers that the tests of the npm packages use.

import type { Variant } from "../targets/bundle/bundled-core.ts";
import { type Engine, engines } from "../targets/workbench/engines/catalogue.ts";
import { buildQjs, installEngines } from "../targets/workbench/engines/install.ts";
import { builtBundle, conformanceScript, readTap } from "../targets/workbench/engines/script.ts";
import { installRuntimes, isInstalled } from "../targets/workbench/runtimes.ts";
import { carryOut, commandLine, printTable } from "../targets/workbench/script-options.ts";

const installCommand = "npm run engines -- --install";

interface Run {
  readonly title: string;
  readonly variant: Variant;
  readonly memory: "typed" | "plain";
  readonly script: string;
}

async function runs(): Promise<Run[]> {
  const list: Run[] = [];
  for (const variant of ["complete", "api", "grant"] as const satisfies Variant[]) {
    const bundle = await builtBundle(variant);
    for (const memory of ["typed", "plain"] as const) {
      const script = await conformanceScript(variant, bundle, memory === "plain", true);
      list.push({ title: `${variant}, ${memory} array`, variant, memory, script });
    }
  }
  return list;
}

async function row(engine: Engine, list: readonly Run[], complaints: string[]): Promise<string[]> {
  const cells = [engine.name, engine.version() ?? "?", engine.source];
  console.error(`running ${engine.name}`);
  for (const { title, variant, memory, script } of list) {
    const isLeftOut = engine.isSlow && variant !== "complete";
    if (isLeftOut || (engine.memory !== "both" && engine.memory !== memory)) {
      cells.push("-");
      continue;
    }
    const { passed, failed, failures } = readTap(await engine.run(script));
    cells.push(failed ? `${failed} FAILED` : `${passed} passed`);
    complaints.push(...failures.map((failure) => `${engine.name}, ${title}: ${failure}`));
  }
  return cells;
}

function report(complaints: readonly string[]): number {
  for (const complaint of complaints) console.error(complaint);
  return complaints.length > 0 ? 1 : 0;
}

interface Options {
  install?: boolean;
  installOnly?: boolean;
  only?: string;
  qjs?: boolean;
  runtimes?: boolean;
}

async function main(): Promise<number> {
  const program = commandLine(
    "engines",
    "Runs the bundle through the conformance script on every engine.",
  )
    .option("--install", "fetch the engines that npm ci leaves out (Debian's, Hermes, XS) first")
    .option("--install-only", "fetch them and stop")
    .option("--qjs", "only build the stock qjs of QuickJS from Debian's source into dist/engines")
    .option(
      "--runtimes",
      "only fetch the bundlers and runtimes that the npm packages are tested with",
    )
    .option("--only <name>", "only engines whose name contains this")
    .parse();
  const { install, installOnly, only, qjs, runtimes } = program.opts<Options>();
  if (qjs) {
    console.log(buildQjs((line) => console.log(line)));
    return 0;
  }
  if (runtimes) {
    if (!isInstalled()) installRuntimes();
    return 0;
  }
  const isChosen = ({ name }: Engine) => name.toLowerCase().includes((only ?? "").toLowerCase());
  if (!engines.some(isChosen)) {
    program.error(
      `error: no engine is called ${only}; there are ${engines.map(({ name }) => name).join(", ")}`,
    );
  }
  const inCi = process.env.CI === "true";
  const complaints: string[] = [];
  if (install || installOnly || (inCi && engines.some((engine) => !engine.version()))) {
    complaints.push(...installEngines((line) => console.log(line)));
  }
  if (installOnly) return report(complaints);
  const list = await runs();
  const rows = [["engine", "version", "from", ...list.map(({ title }) => title)]];
  const skipped: string[] = [];
  for (const engine of engines) {
    if (!isChosen(engine)) continue;
    if (engine.version()) rows.push(await row(engine, list, complaints));
    else skipped.push(engine.name);
  }
  printTable(rows);
  for (const name of skipped) console.log(`skipped: ${name} is not installed (${installCommand})`);
  if (skipped.length > 0 && inCi) complaints.push("nothing may be skipped if CI=true");
  return report(complaints);
}

await carryOut("engines", main);
