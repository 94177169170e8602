// On every clock that the simulator has - real, x60, --fast, a jump, paused and stepped - the same things happen to
// the device, and none of them is the clock's own doing.
import { describe, expect, test } from "vitest";
import { FAST_SPEED } from "../../targets/desktop/options.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { createVirtualWorld } from "../../targets/desktop/simulator/world/virtual-world.ts";
import { fixture } from "../../targets/desktop/simulator/world/world.ts";
import { WorldClock } from "../../targets/desktop/simulator/world/world-clock.ts";
import { Handmade } from "./bench.ts";

interface Bench {
  readonly simulation: Simulation;
  readonly controller: Controller;
  readonly viewer: Viewer;
  readonly real: Handmade;
}

function bench(speed: number): Bench {
  const real = new Handmade();
  const clock = new WorldClock({ speed, real });
  const settings = { columns: 20, rows: 4, account: "ada", rotate: false, fixture: fixture() };
  const simulation = createVirtualWorld({ ...settings, clock });
  const viewer = new Viewer(simulation);
  return { simulation, viewer, controller: new Controller(simulation, viewer, true), real };
}

/** Real time passes in uneven pieces, as timers ring: the world's time lies between two milliseconds most of the time. */
function live({ real, simulation: { clock } }: Bench, worldMs: number): void {
  const untilMs = clock.nowMs() + worldMs;
  for (let count = 0; clock.nowMs() < untilMs; count++)
    real.pass((7 + (count % 5) * 0.347) / clock.speed);
}

const CLOCKS: readonly (readonly [string, number, (bench: Bench) => Promise<void>])[] = [
  ["real", 1, async (bench) => live(bench, 80_000)],
  ["x60", 60, async (bench) => live(bench, 80_000)],
  ["--fast", FAST_SPEED, async (bench) => live(bench, 80_000)],
  ["a jump", 1, ({ controller }) => controller.run("advance 80s")],
  [
    "paused, step by step",
    1,
    async ({ controller, simulation }) => {
      const untilMs = simulation.clock.nowMs() + 80_000;
      await controller.run("pause");
      while (simulation.clock.nowMs() < untilMs) await controller.run("step");
      await controller.run("pause");
    },
  ],
];

describe("RFC 8628 section 3.5: no false slow_down after a power cycle, whenever it comes", () => {
  test.each(CLOCKS)("%s", async (_name, speed, pass) => {
    for (let shiftMs = 0; shiftMs < 5000; shiftMs += 311.7) {
      const one = bench(speed);
      const { simulation, controller } = one;
      simulation.powerOn();
      live(one, 12_000 + shiftMs);
      await controller.run("power-cycle");
      await pass(one);
      const polls = simulation.exchanges.entries.filter(({ purpose }) => purpose === "poll");
      expect(polls.length).toBeGreaterThan(6);
      expect(polls.filter(({ status }) => status !== 428)).toEqual([]);
      simulation.clock.close();
    }
  });
});
