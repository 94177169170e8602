// Counts the allocations of the core's functions in each state, and those of core and driver in pending polls.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Variant } from "../../bundle/bundled-core.ts";
import { runCommand } from "../engines/catalogue.ts";
import { enginesFolder, findFile } from "../engines/install.ts";
import { builtBundle, conformanceScript, readTap } from "../engines/script.ts";
import { type CountedName, newCountedEngine } from "./engine.ts";
import { measuringScript, readTally, reportingScript, type Tally } from "./measured-core.ts";

const polls = readFileSync(
  new URL("../../../test/budgets/guest/polls.js", import.meta.url),
  "utf8",
);

async function runScript(variant: Variant, bundle?: string): Promise<string> {
  const code = bundle ?? (await builtBundle(variant));
  const measuring = measuringScript(variant);
  const script = await conformanceScript(variant, `${code}\n${measuring}`);
  return `${script}\n${reportingScript(variant)}`;
}

function tallyOf(output: string, what: string): Tally[] {
  const { failures } = readTap(output.replace(/^tally .*$/gm, ""));
  if (failures.length > 0) throw new Error(`${what}: ${failures.join("\n")}`);
  return readTally(output);
}

/**
 * Measures a whole run of the conformance script in QuickJS or QuickJS-ng (WebAssembly).
 * @param bundle replaces the built bundle, to show that the measurement detects allocations
 */
export async function measureRun(
  variant: Variant,
  which: CountedName = "release",
  bundle?: string,
): Promise<Tally[]> {
  const engine = await newCountedEngine(which);
  try {
    engine.run(await runScript(variant, bundle), "life.js");
    return tallyOf(engine.lines.join("\n"), variant);
  } finally {
    engine.dispose();
  }
}

/** The same on native XS, by counting calls of XS's allocation functions; undefined if XS is not installed. */
export async function measureRunOnXs(variant: Variant): Promise<Tally[] | undefined> {
  const command = findFile(`${enginesFolder}xs`, "/xs-host");
  if (!command) return undefined;
  return tallyOf(runCommand(command, enginesFolder, await runScript(variant)), `${variant}, XS`);
}

async function driverScript(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { Driver } from "../../../platform/driver.ts";
        export { named } from "../engines/named-core.ts";`,
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "driverModule",
    target: "es2020",
  });
  return outputFiles[0]!.text;
}

interface PollsFigure {
  readonly allocations: number;
  /** The allocations of ten polls that create one object each, to show that the measurement detects them. */
  readonly control: number;
  readonly requests: number;
  /** The shortest time between the end of a response and the next request. */
  readonly earliestMs: number;
}

/** Counts all allocations of driver and core in consecutive pending polls, also those that are freed. */
export async function measurePolls(
  cycles: number,
  which: CountedName = "release",
): Promise<PollsFigure> {
  const engine = await newCountedEngine(which);
  try {
    const parts = [await builtBundle("complete"), await driverScript(), polls];
    engine.run(parts.join("\n"), "polls.js");
    engine.run(
      `print("" + pollCount(${cycles}, 0)); print(pollRequests + " " + pollEarliestMs);
       print("" + pollCount(10, 1));`,
      "measure.js",
    );
    const [allocations, facts, control] = engine.lines as [string, string, string];
    const [requests, earliestMs] = facts.split(" ").map(Number) as [number, number];
    return { allocations: Number(allocations), control: Number(control), requests, earliestMs };
  } finally {
    engine.dispose();
  }
}
