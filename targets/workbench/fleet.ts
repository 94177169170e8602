// npm run tool -- fleet: simulates a fleet of real cores on a virtual clock, and the load on the service.

import { integer } from "../desktop/command-line.ts";
import {
  type Episode,
  type FleetPlan,
  fleetCore,
  playDay,
  restartAll,
  returnOfRegion,
} from "../desktop/fleet/fleet-scenarios.ts";
import { commandLine, printTable } from "./script-options.ts";

/** More devices do not change the shares of the restarts. */
const RESTARTED_DEVICES = 20_000;
/** Values of `limits.startSpreadMs` in seconds: the default, a minute, and the page's value for 100,000 devices. */
const SPREADS_S = [5, 60, 300];
/** Percent between two lines of progress. */
const PROGRESS_STEP = 10;

function readPlan(): FleetPlan & { readonly handshakes: number } {
  return commandLine(
    "fleet",
    "Runs the real core of many devices on a virtual clock against a model of the service.",
  )
    .option("--devices <number>", "number of devices", integer(10, 1_000_000), 20_000)
    .option("--hours <number>", "simulated hours", integer(1, 24 * 31), 24)
    .option(
      "--capacity <requests>",
      "requests per second that the service can process; 0: half of all devices pending",
      integer(0, 10_000_000),
      0,
    )
    .option(
      "--handshakes <number>",
      "that the server accepts per second when the power comes back in a region",
      integer(1, 10_000_000),
      500,
    )
    .option("--seed <number>", "seed of all random numbers", integer(1, 2 ** 31), 1)
    .parse()
    .opts<FleetPlan & { readonly handshakes: number }>();
}

function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  printTable([heads, ...rows.map((row) => row.map((cell) => cell.toLocaleString("en")))]);
  console.log("");
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** Reports the progress of the day. */
function progress(): (share: number) => void {
  let reported = 0;
  return (share) => {
    const percent = Math.floor(share * 100);
    if (percent < reported + PROGRESS_STEP) return;
    reported = percent - (percent % PROGRESS_STEP);
    process.stderr.write(`fleet: ${reported} %\n`);
  };
}

/** Between two refreshes a small or short-lived fleet sends no requests: omit the row of zeros. */
const hasRequests = ({ peak, refused }: Episode): boolean => peak > 0 || refused > 0;

const plan = readPlan();
const core = await fleetCore();
const few = { ...plan, devices: Math.min(plan.devices, RESTARTED_DEVICES) };
console.log("All devices restart at the same moment; the service is never the bottleneck\n");
table(
  ["stored before the restart", "peak req/s", "all pending req/s", "ratio"],
  (["nothing", "code", "tokens"] as const).map((stored) => {
    process.stderr.write(`fleet: a restart, stored: ${stored}\n`);
    const { peak, steady } = restartAll(core, stored, few, Number.POSITIVE_INFINITY);
    return [stored, peak, round(steady), round(peak / steady)];
  }),
);
console.log(
  `The power comes back in a region: ${plan.devices.toLocaleString("en")} devices with their tokens, ${plan.handshakes} handshakes a second\n`,
);
table(
  ["spread s", "peak req/s", "refused", "most for one", "p50 s", "p95 s", "all s", "signed in"],
  SPREADS_S.map((spread) => {
    process.stderr.write(`fleet: power back, spread over ${spread} s\n`);
    const { peak, refused, mostRefused, signIn, signedIn } = returnOfRegion(
      core,
      plan,
      plan.handshakes,
      spread * 1000,
    );
    const [half, most, , all] = signIn.map(round);
    return [String(spread), peak, refused, mostRefused, half!, most!, all!, signedIn];
  }),
);
const { episodes, requests } = playDay(core, plan, progress());
console.log(`A day of a city: ${plan.devices.toLocaleString("en")} devices, ${plan.hours} hours\n`);
const times = ["p50 s", "p95 s", "p99 s", "all s"];
table(
  ["episode", "peak req/s", "mean", "queue", "503", "slow_down", ...times, "signed in"],
  episodes
    .filter(hasRequests)
    .map((one) => [
      ...[one.name, one.peak, round(one.mean), one.queue, one.refused, one.slowDowns],
      ...one.signIn.map((seconds) => (one.devices ? round(seconds) : "-")),
      one.devices ? `${one.signedIn}/${one.devices}` : "-",
    ]),
);
for (const { name } of episodes.filter((one) => !hasRequests(one))) {
  console.log(`${name}: no requests in this time; more --hours show it`);
}
console.log(
  "peak: both endpoints in their busiest second; 50, 95, 99 and 100 % of those switched on were signed in after p50 ... all",
);
console.log(`${requests.toLocaleString("en")} requests`);
