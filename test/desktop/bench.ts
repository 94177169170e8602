// A simulation on a virtual clock, with a view and a controller.
import type { RealTime } from "../../platform/node/index.ts";
import { ManualClock } from "../../platform/testing/index.ts";
import { readOptions } from "../../targets/desktop/options.ts";
import { createPanel } from "../../targets/desktop/panel/routes.ts";
import { virtualEnvironment } from "../../targets/desktop/scenarios/play.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import {
  createEnvironment,
  type Front,
} from "../../targets/desktop/simulator/environment/environment.ts";
import type { VirtualEnvironmentSettings } from "../../targets/desktop/simulator/environment/virtual-environment.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { temporaryFolder } from "../listening.ts";

export class Handmade implements RealTime {
  readonly #clock = new ManualClock();
  waits = 0;

  nowMs(): number {
    return this.#clock.elapsedMs;
  }

  wait(ms: number, ring: () => void): () => void {
    this.waits++;
    return this.#clock.after(ms, ring);
  }

  pass(ms: number): void {
    this.#clock.advance(ms);
  }
}

export function bench(settings: Partial<VirtualEnvironmentSettings> = {}) {
  const simulation = virtualEnvironment(settings);
  const viewer = new Viewer(simulation);
  return { simulation, viewer, controller: new Controller(simulation, viewer, true) };
}

export interface RunningSimulator {
  readonly simulation: Simulation;
  readonly controller: Controller;
  readonly url: string;
  close(): Promise<void>;
}

export async function startSimulator(speed = 10): Promise<RunningSimulator> {
  const state = temporaryFolder();
  const front: { handle?: Front } = {};
  const options = readOptions(["--port", "0", "--state", state, "--speed", String(speed)]);
  const environment = await createEnvironment(options, front, () => {});
  const { simulation, url } = environment;
  const controller = new Controller(simulation, new Viewer(simulation), true);
  front.handle = createPanel(simulation, controller);
  simulation.powerOn();
  simulation.clock.paused = false;
  return {
    simulation,
    controller,
    url,
    async close() {
      await environment.close();
    },
  };
}
