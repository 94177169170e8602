// A small fleet: the finding about restarts, the day of a city, and the event queue.
import { spawn } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EventQueue } from "../../targets/desktop/fleet/fleet.ts";
import {
  type FleetPlan,
  fleetCore,
  playDay,
  restartAll,
  returnOfRegion,
} from "../../targets/desktop/fleet/fleet-scenarios.ts";
import { serviceDefaults } from "../../targets/desktop/fleet/service-model.ts";
import { ended } from "../program.ts";

const PLAN: FleetPlan = { devices: 400, hours: 4, capacity: 0, seed: 7 };

test.each(["nothing", "code", "tokens"] as const)(
  "a full restart peaks below 3 times the load of the same devices pending (stored: %s)",
  async (stored) => {
    for (const capacityShare of [Number.POSITIVE_INFINITY, 0.5, 0.1]) {
      const { peak, steady } = restartAll(await fleetCore(), stored, PLAN, capacityShare);
      expect(steady).toBeGreaterThan(0.9 * (PLAN.devices / serviceDefaults.intervalS));
      expect(peak / steady).toBeLessThan(3);
    }
  },
);

test("without the spread at boot all requests come in one second, and the measurement shows it", async () => {
  const core = await fleetCore([[/[\de]+ \/\* BOOT_SPREAD_MS \*\//g, "1"]]);
  const { peak, steady } = restartAll(core, "tokens", PLAN, Number.POSITIVE_INFINITY);
  expect(peak).toBe(PLAN.devices);
  expect(peak / steady).toBeGreaterThan(3);
});

test.each([
  [5, 15],
  [300, 2],
])(
  "a region comes back at a server that needs 100 s for it, spread over %i s: no device is refused more than %i times",
  async (spread, times) => {
    const { signedIn, mostRefused } = returnOfRegion(await fleetCore(), PLAN, 4, spread * 1000);
    expect(signedIn).toBe(PLAN.devices);
    expect(mostRefused).toBeLessThanOrEqual(times);
  },
);

test("a day of the city: all devices sign in, through power cut, outage and a bad release", async () => {
  const { episodes } = playDay(await fleetCore(), PLAN);
  for (const { name, devices, signedIn } of episodes)
    expect([name, signedIn]).toEqual([name, devices]);
  const [, power, outage, , invalid] = episodes;
  expect(power!.refused).toBe(0);
  expect(outage!.refused).toBeGreaterThan(PLAN.devices);
  // RFC 8628 section 3.5: early polls get slow_down.
  expect(invalid!.slowDowns).toBeGreaterThan(0);
  expect(invalid!.slowDowns).toBeLessThan(10 * invalid!.devices);
});

test("the same seed gives the same fleet", async () => {
  const core = await fleetCore();
  const plan = { ...PLAN, devices: 100 };
  expect(playDay(core, plan)).toEqual(playDay(core, plan));
});

test("the command prints its tables without rows of zeros", async () => {
  const flags = ["--devices", "60", "--hours", "2"];
  const command = ["--import", "tsx", "targets/workbench/fleet.ts", ...flags];
  const { code, stdout, stderr } = await ended(spawn(process.execPath, command));
  expect(code).toBe(0);
  expect(stderr).toContain("fleet: a restart, stored: tokens\n");
  expect(stdout).not.toMatch(/^[a-z. ]+( +(0|-|0\/0))+$/m);
  expect(stdout).toContain("service out for 15 minutes: no requests in this time");
  expect(stdout).toMatch(/^[\d,]+ requests$/m);
});

test("the event queue returns events in the order of their times", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1000 })), (times) => {
      const queue = new EventQueue();
      times.forEach((time, at) => {
        queue.push(time, at);
      });
      const out: number[] = [];
      while (queue.nextMs < Number.POSITIVE_INFINITY) out.push(times[queue.pop()]!);
      expect(out).toEqual([...times].sort((a, b) => a - b));
    }),
  );
});
