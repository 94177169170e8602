// A simulated world on a virtual clock, with what looks at it and what carries commands out: for tests.
import { virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import type { Settings } from "../../targets/desktop/scenarios/scenario.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";

export function bench(settings: Partial<Settings> = {}) {
  const simulation = virtualWorld(settings);
  const viewer = new Viewer(simulation);
  return { simulation, viewer, controller: new Controller(simulation, viewer, true) };
}
