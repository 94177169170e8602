// npm run tool -- fleet: a whole fleet of real cores on a virtual clock, and what the service has to bear.

import { accessSync, constants, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { Command } from "commander";
import { buildSync } from "esbuild";
import { makeDirectory } from "../../../platform/node/make-directory.ts";
import { integer } from "../option-values.ts";
import { drawChart } from "./chart.ts";
import { VARIANTS, variantCode } from "./core-variants.ts";
import { dayAfterOutage, intervals, type Restart, restartAll } from "./experiments.ts";
import { inWorkers, shardSizes } from "./shards.ts";
import { type FleetPlan, mergeShards, type ShardResult, type StoryResult } from "./story.ts";

interface Flags extends FleetPlan {
  out: string;
  compare: boolean;
  story: boolean;
  workers: number;
}

/** The comparison of settings needs no more devices than this to show the same shares. */
const COMPARED_DEVICES = 20_000;

function readFlags(): Flags {
  return new Command("npm run tool -- fleet")
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
    .option(
      "--workers <number>",
      "threads for the day of the city; more than there are cores bring nothing",
      integer(1, 64),
      availableParallelism(),
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
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
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

/** Says what is being played: in one line of a terminal, which the next table takes away; into a pipe a line each. */
function tell(part: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${part} ...` : `fleet: ${part}\n`);
}

/** On a terminal a bar that is redrawn; into a pipe or a file a line now and then. */
function progressBar(): { show(share: number): void; clear(): void } {
  const isTerminal = process.stderr.isTTY;
  const startedMs = performance.now();
  let told = 0;
  return {
    show(share) {
      const percent = Math.floor(share * 100);
      if (isTerminal) {
        const full = Math.round(share * 40);
        const bar = "#".repeat(full) + ".".repeat(40 - full);
        process.stderr.write(`\r[${bar}] ${percent} %`);
      } else if (percent >= told + PROGRESS_STEP) {
        told = percent - (percent % PROGRESS_STEP);
        const seconds = Math.round((performance.now() - startedMs) / 1000);
        process.stderr.write(`fleet: ${told} % after ${seconds} s\n`);
      }
    },
    clear: () => {
      if (isTerminal) process.stderr.write("\r\x1b[K");
    },
  };
}

/** Percent between two lines. */
const PROGRESS_STEP = 10;

/** Plays the day in as many threads as there are cores, part by part. */
async function playInWorkers(
  flags: Flags,
  progress: (share: number) => void,
): Promise<StoryResult> {
  const code = await variantCode(VARIANTS[0]!);
  const sizes = shardSizes(flags.devices);
  const jobs = sizes.map(
    (devices, at): FleetPlan => ({
      devices,
      hours: flags.hours,
      capacity: (flags.capacity * devices) / flags.devices,
      seed: flags.seed + at,
    }),
  );
  // A thread knows no TypeScript: it gets its program as one script.
  const entry = fileURLToPath(new URL("worker.ts", import.meta.url));
  const format = { bundle: true, write: false, platform: "node", format: "cjs" } as const;
  const program = buildSync({ entryPoints: [entry], ...format }).outputFiles[0]!.text;
  const start = (plan: FleetPlan): Worker =>
    new Worker(program, { eval: true, workerData: { code, plan } });
  const shards = await inWorkers<FleetPlan, ShardResult>(jobs, flags.workers, start, progress);
  return mergeShards(shards);
}

const round = (value: number): number => Math.round(value * 10) / 10;

async function story(flags: Flags): Promise<void> {
  const bar = progressBar();
  const startedMs = performance.now();
  const startedCpu = process.cpuUsage();
  const result = await playInWorkers(flags, (share) => bar.show(share));
  bar.clear();
  const seconds = (performance.now() - startedMs) / 1000;
  console.log(
    `A day of a city: ${flags.devices.toLocaleString("en")} devices, ${flags.hours} hours\n`,
  );
  table(
    [
      "episode",
      "peak req/s",
      "codes",
      "tokens",
      "mean",
      "queue",
      "503",
      "slow_down",
      "p50 s",
      "p95 s",
      "p99 s",
      "all s",
      "signed in",
    ],
    result.episodes
      .filter(hasRequests)
      .map((one) => [
        one.name,
        one.peak,
        one.codePeak,
        one.tokenPeak,
        round(one.mean),
        one.queue,
        one.refused,
        one.slowDowns,
        ...one.signIn.map((seconds) => (one.devices ? round(seconds) : "-")),
        one.devices ? `${one.signedIn}/${one.devices}` : "-",
      ]),
  );
  for (const { name } of result.episodes.filter((one) => !hasRequests(one))) {
    console.log(`${name}: nobody asked for anything then; more --hours show it`);
  }
  console.log(
    "peak: both endpoints in their busiest second; codes: the device authorization endpoint alone;\n" +
      "tokens: the token endpoint alone; 50, 95, 99 and 100 % of those switched on were signed in after p50 ... all\n",
  );
  const rate = Math.round((flags.devices * flags.hours) / seconds);
  console.log(
    `${result.requests.toLocaleString("en")} requests in ${round(seconds)} s of real time`,
  );
  console.log(`${rate.toLocaleString("en")} devices x hours per second`);
  const { user } = process.cpuUsage(startedCpu);
  console.log(`${round(user / 1e6)} s of processor time in ${flags.workers} threads`);
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

/** Between two refreshes a small or a short-lived fleet asks for nothing: a row of zeros says less than that. */
function hasRequests({ peak, refused }: StoryResult["episodes"][number]): boolean {
  return peak > 0 || refused > 0;
}

/** Peak after a full restart against the load of the same devices pending. */
async function restarts(plan: Flags): Promise<void> {
  console.log("Everybody restarts at the same moment, service never the bottleneck\n");
  const results: Restart[] = [];
  for (const kept of ["nothing", "code", "tokens"] as const) {
    tell(`a restart, kept: ${kept}`);
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
  for (const variant of VARIANTS) {
    tell(`a restart, ${variant.name}`);
    results.push(await restartAll(variant, "tokens", plan, 0.1));
  }
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

/** The service's interval: what it costs in requests, and what it costs the user. */
async function compareIntervals(plan: Flags): Promise<void> {
  console.log(`The interval: ${plan.devices.toLocaleString("en")} devices wait for their users\n`);
  const results = await intervals(plan, [2, 5, 10, 20], tell);
  table(
    ["interval s", "polls req/s", "per million devices", "decision to sign-in, mean s"],
    results.map(({ intervalS, steady, claimS }) => [
      String(intervalS),
      round(steady),
      Math.round((steady / plan.devices) * 1e6),
      round(claimS),
    ]),
  );
}

const OUTAGE_HOURS = 2;

async function afterOutage(plan: Flags): Promise<void> {
  console.log(
    `The day after an outage of ${OUTAGE_HOURS} hours: ${plan.devices.toLocaleString("en")} devices, ` +
      "all signed in, each refreshes once an hour\n",
  );
  const hours = await dayAfterOutage(plan, OUTAGE_HOURS, tell);
  const shown = hours.filter(({ hour }) => hour <= 6 || hour % 6 === 0);
  table(
    ["hour", "peak req/s", "mean req/s", "503"],
    shown.map(({ hour, peak, mean, refused }) => [
      hour === 0 ? "before" : String(hour),
      peak,
      round(mean),
      refused,
    ]),
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
if (flags.compare) {
  await compare(few);
  await compareIntervals(few);
  await afterOutage(few);
}
if (flags.story) await story(flags);
