// Gross allocations of every call of the core, in every state of its life, by two methods that do not
// depend on one another; and of ten thousand pending polls.

import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Variant } from "../../bundle/make-bundle.ts";
import { runCommand } from "../engines/catalogue.ts";
import { enginesFolder, findFile, type HostedEngine } from "../engines/install.ts";
import { borderNumbers, builtBundle, conformanceScript } from "../engines/script.ts";
import { readTap } from "../engines/tap.ts";
import { newCountedEngine } from "./engine.ts";
import { guest } from "./guest.ts";
import {
  type Method,
  measuringScript,
  readTally,
  reportingScript,
  type Tally,
} from "./measured-core.ts";

const polls = guest("config", "polls");

/** The whole life, measured: bundle, measuring, the conformance script, the tally. */
async function lifeScript(variant: Variant, method: Method, bundle?: string): Promise<string> {
  const code = bundle ?? (await builtBundle(variant));
  const measuring = measuringScript(variant, method);
  return `${conformanceScript(`${code}\n${measuring}`, false)}\n${reportingScript(variant)}`;
}

function tallyOf(output: string, what: string): Tally[] {
  const { failures } = readTap(output.replace(/^tally .*$/gm, ""));
  if (failures.length > 0) throw new Error(`${what}: ${failures.join("\n")}`);
  return readTally(output);
}

/**
 * Measures the conformance script's whole life in QuickJS (WebAssembly).
 * @param bundle another bundle than the built one, to show that the measuring sees what it should
 */
export async function measureLife(
  variant: Variant,
  method: Method,
  bundle?: string,
): Promise<Tally[]> {
  const engine = await newCountedEngine();
  try {
    engine.run(await lifeScript(variant, method, bundle), "life.js");
    return tallyOf(engine.lines.join("\n"), `${variant}, ${method}`);
  } finally {
    engine.dispose();
  }
}

const DEEPER_THAN_THE_CORE = 40;

function hostOf(engine: HostedEngine): string | undefined {
  return findFile(enginesFolder + engine, `/${engine}-host`);
}

/**
 * Gross allocations of pending polls at a native engine's hooks, behind a call deeper than any of the core's and one
 * poll, which let the engine's own stacks grow (Duktape's do, at the first call of each depth), and of ten more that make an object each; undefined where it is not
 * installed.
 */
export async function measurePollsNatively(
  variant: Variant,
  engine: HostedEngine,
  cycles: number,
): Promise<{ allocations: number; control: number } | undefined> {
  const command = hostOf(engine);
  if (!command) return undefined;
  const measured = `(function deep(more) { if (more) deep(more - 1); })(${DEEPER_THAN_THE_CORE});
    pollCount(1, 0);
    print("" + pollCount(${cycles}, 0));
    print("" + pollCount(10, 1));`;
  const script = `${await builtBundle(variant)}\n${borderNumbers()}\n${polls}\n${measured}`;
  const output = runCommand(command, enginesFolder + engine, script)
    .trim()
    .split("\n");
  const [allocations, control] = output.map(Number);
  return { allocations: allocations!, control: control! };
}

/**
 * The same count at the allocation hooks of a native engine, which see reallocations, too; undefined
 * where it is not installed.
 */
export async function measureLifeNatively(
  variant: Variant,
  engine: HostedEngine,
): Promise<Tally[] | undefined> {
  const command = hostOf(engine);
  if (!command) return undefined;
  const output = runCommand(command, enginesFolder + engine, await lifeScript(variant, "count"));
  return tallyOf(output, `${variant}, ${engine}`);
}

export interface PollsFigure {
  readonly cycles: number;
  readonly allocations: number;
  /** Whether the same number of cycles runs with every allocation forbidden. */
  readonly runsForbidden: boolean;
  /** Allocations of as many cycles that make one object each, and whether forbidding stops them. */
  readonly controlAllocations: number;
  readonly controlStopped: boolean;
  readonly requests: number;
  /** Shortest time from the end of an answer to the next request. */
  readonly earliestMs: number;
  readonly frames: number;
}

/** Pending polls: request made, answer scanned, next deadline set. */
export async function measurePolls(variant: Variant, cycles: number): Promise<PollsFigure> {
  const engine = await newCountedEngine();
  try {
    engine.run(`${await builtBundle(variant)}\n${borderNumbers()}\n${polls}`, "polls.js");
    engine.run(
      `print("" + pollCount(${cycles}, 0));
       print(pollRequests + " " + pollEarliestMs + " " + pollFrames);
       print("" + pollForbidden(${cycles}, 0));
       print("" + pollCount(10, 1));
       print("" + pollForbidden(10, 1));`,
      "measure.js",
    );
    const [allocations, facts, forbidden, control, stopped] = engine.lines as string[];
    const [requests, earliestMs, frames] = facts!.split(" ").map(Number);
    return {
      cycles,
      allocations: Number(allocations),
      runsForbidden: forbidden === "0",
      controlAllocations: Number(control),
      controlStopped: stopped === "1",
      requests: requests!,
      earliestMs: earliestMs!,
      frames: frames!,
    };
  } finally {
    engine.dispose();
  }
}

/** The driver of platform/ as a script that defines `driverModule`. */
async function driverScript(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { Driver } from "./driver.ts"; export { named } from "./named-core.ts";',
      resolveDir: fileURLToPath(new URL("../../../platform/", import.meta.url)),
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

/** Gross allocations of pending polls through driver and core, and of ten that make an object each. */
export async function measureDriverPolls(
  cycles: number,
): Promise<{ allocations: number; control: number }> {
  const engine = await newCountedEngine();
  try {
    const parts = [await builtBundle("complete"), await driverScript(), borderNumbers()];
    engine.run([...parts, polls, guest("driver-polls")].join("\n"), "driver-polls.js");
    engine.run(
      `print("" + driverCount(${cycles}, 0)); print("" + driverCount(10, 1));`,
      "measure.js",
    );
    const [allocations, control] = engine.lines.map(Number);
    return { allocations: allocations!, control: control! };
  } finally {
    engine.dispose();
  }
}
