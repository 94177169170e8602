// The device behaves the same on every clock of the simulator: real, x60, --fast, during a jump, paused and stepped.
import { expect, test } from "vitest";
import { FAST_SPEED } from "../../targets/desktop/options.ts";
import { SimulatedClock } from "../../targets/desktop/simulator/environment/simulated-clock.ts";
import { bench, Handmade } from "./bench.ts";

type Bench = ReturnType<typeof bench> & { readonly real: Handmade };

function benchAt(speed: number): Bench {
  const real = new Handmade();
  return { ...bench({ clock: new SimulatedClock({ speed, real }) }), real };
}

/** Advances real time in uneven steps, so that simulated time is mostly not a whole number of milliseconds. */
function live({ real, simulation: { clock } }: Bench, environmentMs: number): void {
  const untilMs = clock.nowMs() + environmentMs;
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

test.each(CLOCKS)(
  "RFC 8628 section 3.5: a power cycle at any moment causes no false slow_down: %s",
  async (_name, speed, pass) => {
    for (let shiftMs = 0; shiftMs < 5000; shiftMs += 311.7) {
      const one = benchAt(speed);
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
  },
);
