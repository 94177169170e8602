// The real simulator in this process, with a panel and a recording of whatever a person does there.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readOptions } from "../../targets/desktop/options.ts";
import { createPanel } from "../../targets/desktop/panel/routes.ts";
import { Recorder } from "../../targets/desktop/scenarios/recorder.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { createWorld, type Front } from "../../targets/desktop/simulator/world/world.ts";
import { differenceOf } from "./replay.ts";

export interface RunningSimulator {
  readonly simulation: Simulation;
  /** Ends the session and its recording, and plays that anew: what was not the same, "" for nothing. */
  replay(): Promise<string>;
  readonly controller: Controller;
  /** Where the service is; the panel is at /panel. */
  readonly url: string;
  close(): Promise<void>;
}

/** A simulator with its sockets and files, its state in a folder of its own; whatever is done there is recorded. */
export async function startSimulator(speed = 10): Promise<RunningSimulator> {
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const recorded = path.join(state, "session.scenario");
  const front: { handle?: Front } = {};
  const options = readOptions([
    "--port",
    "0",
    "--state",
    state,
    "--speed",
    String(speed),
    "--record",
    recorded,
  ]);
  const world = await createWorld(options, front, () => {});
  const { simulation, url } = world;
  const recorder = new Recorder(simulation, recorded);
  const controller = new Controller(simulation, new Viewer(simulation), true);
  front.handle = createPanel(simulation, controller);
  controller.recorder = recorder;
  simulation.powerOn();
  simulation.clock.paused = false;
  return {
    simulation,
    controller,
    url,
    async replay() {
      await simulation.clock.inTurn(async () => {
        simulation.clock.paused = true;
      });
      await recorder.save();
      return await differenceOf(simulation, readFileSync(recorded, "utf8"));
    },
    async close() {
      await world.close();
      rmSync(state, { recursive: true, force: true });
    },
  };
}
