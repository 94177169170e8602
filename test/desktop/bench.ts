// A simulation on a virtual clock with a viewer and a controller, for tests.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ManualClock } from "../../platform/fake/index.ts";
import type { RealTime } from "../../platform/node/index.ts";
import { readOptions } from "../../targets/desktop/options.ts";
import { createPanel } from "../../targets/desktop/panel/routes.ts";
import { virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import type { VirtualWorldSettings } from "../../targets/desktop/simulator/world/virtual-world.ts";
import { createWorld, type Front } from "../../targets/desktop/simulator/world/world.ts";

/** Real time that only advances when a test advances it. */
export class Handmade implements RealTime {
  readonly #clock = new ManualClock();
  /** Number of waits. */
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

export function bench(settings: Partial<VirtualWorldSettings> = {}) {
  const simulation = virtualWorld(settings);
  const viewer = new Viewer(simulation);
  return { simulation, viewer, controller: new Controller(simulation, viewer, true) };
}

// The real simulator in this process, with a panel.

export interface RunningSimulator {
  readonly simulation: Simulation;
  readonly controller: Controller;
  /** Address of the service; the panel is at /panel. */
  readonly url: string;
  close(): Promise<void>;
}

/** A simulator with its sockets and files, and a state folder of its own. */
export async function startSimulator(speed = 10): Promise<RunningSimulator> {
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const front: { handle?: Front } = {};
  const options = readOptions(["--port", "0", "--state", state, "--speed", String(speed)]);
  const world = await createWorld(options, front, () => {});
  const { simulation, url } = world;
  const controller = new Controller(simulation, new Viewer(simulation), true);
  front.handle = createPanel(simulation, controller);
  simulation.powerOn();
  simulation.clock.paused = false;
  return {
    simulation,
    controller,
    url,
    async close() {
      await world.close();
      rmSync(state, { recursive: true, force: true });
    },
  };
}
