// npm run fleet: a whole fleet of real cores on a virtual clock, and what the service has to bear.
import { accessSync, constants, writeFileSync } from "node:fs";
import path from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { makeDirectory } from "../../../platform/node/make-directory.ts";
import { drawChart } from "./chart.ts";
import { VARIANTS } from "./core-variants.ts";
import { type FleetPlan, playStory, type Restart, restartAll } from "./experiments.ts";

interface Flags extends FleetPlan {
  out: string;
  compare: boolean;
  story: boolean;
}

/** The comparison of settings needs no more devices than this to show the same shares. */
const COMPARED_DEVICES = 20_000;

function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

function readFlags(): Flags {
  return new Command("npm run fleet --")
    .description(
      "Runs the real core of many devices on a virtual clock against a model of the service.",
    )
    .option("--devices <number>", "how many devices", integer(10, 1_000_000), 20_000)
    .option("--hours <number>", "how long", integer(1, 24 * 31), 24)
    .option(
      "--capacity <requests>",
      "requests a second of the service; 0: half of all devices pending",
      integer(0, 10_000_000),
      0,
    )
    .option("--seed <number>", "of everything random", integer(1, 2 ** 31), 1)
    .option("--out <folder>", "where the pictures go", "dist")
    .option("--no-compare", "leave the comparison of settings out")
    .option("--no-story", "leave the day of the city out")
    .allowExcessArguments(false)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "fleet: ")) })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .parse()
    .opts<Flags>();
}

/** Prints rows under their heads, numbers to the right. */
function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const text = [heads, ...rows].map((row) =>
    row.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en") : cell)),
  );
  const widths = heads.map((_, at) => Math.max(...text.map((row) => row[at]!.length)));
  for (const row of text) {
    const cells = row.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!),
    );
    console.log(cells.join("  "));
  }
  console.log("");
}

function progressBar(): { show(share: number): void; clear(): void } {
  if (!process.stderr.isTTY) return { show: () => {}, clear: () => {} };
  return {
    show(share) {
      const full = Math.round(share * 40);
      const bar = "#".repeat(full) + ".".repeat(40 - full);
      process.stderr.write(`\r[${bar}] ${Math.round(share * 100)} %`);
    },
    clear: () => process.stderr.write("\r\x1b[K"),
  };
}

const round = (value: number): number => Math.round(value * 10) / 10;

async function story(flags: Flags): Promise<void> {
  const bar = progressBar();
  const startedMs = performance.now();
  const result = await playStory(flags, (share) => bar.show(share));
  bar.clear();
  const seconds = (performance.now() - startedMs) / 1000;
  console.log(
    `A day of a city: ${flags.devices.toLocaleString("en")} devices, ${flags.hours} hours\n`,
  );
  table(
    [
      "episode",
      "peak req/s",
      "queue",
      "503",
      "slow_down",
      "p50 s",
      "p95 s",
      "p99 s",
      "all s",
      "signed in",
    ],
    result.episodes.map((one) => [
      one.name,
      one.peak,
      one.queue,
      one.refused,
      one.slowDowns,
      ...one.signIn.map(round),
      one.devices ? `${one.signedIn}/${one.devices}` : "-",
    ]),
  );
  const rate = Math.round((flags.devices * flags.hours) / seconds);
  console.log(
    `${result.requests.toLocaleString("en")} requests in ${round(seconds)} s of real time`,
  );
  console.log(`${rate.toLocaleString("en")} devices x hours per second`);
  console.log(`${result.bytesPerDevice.toLocaleString("en")} bytes of this computer per device\n`);
  save(
    flags,
    "fleet-day.svg",
    drawChart(
      `Requests per second, ${flags.devices.toLocaleString("en")} devices (highest second per pixel)`,
      [{ name: "requests", values: result.requestsPerSecond }],
      { seconds: result.requestsPerSecond.length },
    ),
  );
}

/** Peak after a full restart against the load of the same devices pending. */
async function restarts(plan: Flags): Promise<void> {
  console.log("Everybody restarts at the same moment, service never the bottleneck\n");
  const results: Restart[] = [];
  for (const kept of ["nothing", "code", "tokens"] as const) {
    results.push(await restartAll(VARIANTS[0]!, kept, plan, Number.POSITIVE_INFINITY));
  }
  table(
    ["kept over the restart", "peak req/s", "all pending req/s", "ratio"],
    results.map(({ kept, peak, steady }) => [kept, peak, round(steady), round(peak / steady)]),
  );
  save(
    plan,
    "fleet-restart.svg",
    drawChart(
      `Requests per second after a full restart of ${plan.devices.toLocaleString("en")} devices`,
      results.map(({ kept, requestsPerSecond }) => ({
        name: `kept: ${kept}`,
        values: requestsPerSecond,
      })),
      { line: { value: results[0]!.steady, name: "all of them pending" }, seconds: 60 },
    ),
  );
}

async function compare(plan: Flags): Promise<void> {
  console.log(
    `Settings compared: all restart, capacity a tenth of that load, ${plan.devices} devices\n`,
  );
  const results: Restart[] = [];
  for (const variant of VARIANTS) results.push(await restartAll(variant, "tokens", plan, 0.1));
  table(
    ["settings", "peak req/s", "x pending", "queue", "503", "p50 s", "p95 s", "p99 s", "all s"],
    results.map((one) => [
      one.name,
      one.peak,
      round(one.peak / one.steady),
      one.queue,
      one.refused,
      ...one.signIn.map(round),
    ]),
  );
  save(
    plan,
    "fleet-settings.svg",
    drawChart(
      "Requests per second after a full restart, service at a tenth of the pending load",
      results.map(({ name, requestsPerSecond }) => ({ name, values: requestsPerSecond })),
      { seconds: 120 },
    ),
  );
}

/** Before the simulation: minutes of it should not end in a folder that cannot be made. */
function makeOut(out: string): void {
  try {
    makeDirectory(out, 0o777);
    accessSync(out, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    console.error(
      `fleet: --out ${out}: pictures cannot be written there (${code}); choose another`,
    );
    process.exit(2);
  }
}

function save(flags: Flags, name: string, svg: string): void {
  const file = path.join(flags.out, name);
  writeFileSync(file, svg);
  console.log(`picture: ${file}\n`);
}

const flags = readFlags();
makeOut(flags.out);
const few = { ...flags, devices: Math.min(flags.devices, COMPARED_DEVICES) };
await restarts(few);
if (flags.compare) await compare(few);
if (flags.story) await story(flags);
