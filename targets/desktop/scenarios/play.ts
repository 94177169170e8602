// Plays a scenario on a virtual clock: no sockets, no files, seeded randomness, so that it goes the
// same way every time.
import type { Simulation } from "../simulator/simulation.ts";
import { createVirtualWorld } from "../simulator/world/virtual-world.ts";
import { fixture } from "../simulator/world/world.ts";
import { type Outcome, playIn, type Watcher } from "./player.ts";
import { type Scenario, type Settings, USUAL } from "./scenario.ts";

/** A world of its own for a scenario, or for whoever needs one without sockets. */
export function virtualWorld(settings: Partial<Settings> = {}): Simulation {
  return createVirtualWorld({ ...USUAL, ...settings, fixture: fixture() });
}

/** Plays it to its end or to the first expectation that is not met. */
export async function play(scenario: Scenario, watcher: Watcher = {}): Promise<Outcome> {
  return await playIn(virtualWorld(scenario.settings), scenario, watcher);
}
