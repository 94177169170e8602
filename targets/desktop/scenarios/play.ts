// Finds scenarios, by name in the files beside this one, each of which has several, or as a file of the user's own; and
// plays them on a virtual clock: no sockets, no files, seeded randomness, so that they go the same way every time.
import { readdirSync, readFileSync } from "node:fs";
import { UsageError } from "../command-line.ts";
import type { Simulation } from "../simulator/simulation.ts";
import { createVirtualWorld, type VirtualWorldSettings } from "../simulator/world/virtual-world.ts";
import { fixture } from "../simulator/world/world.ts";
import { type Outcome, playIn, type Watcher } from "./player.ts";
import { readScenario, type Scenario, ScenarioError, USUAL } from "./scenario.ts";

const FOLDER = new URL(".", import.meta.url);
/** What stands before each scenario of a file: `## name`. */
const HEAD = /^## ([a-z-]+)\n/m;

function readLibrary(): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const file of readdirSync(FOLDER).filter((one) => one.endsWith(".scenario"))) {
    const [, ...parts] = readFileSync(new URL(file, FOLDER), "utf8").split(HEAD);
    for (let at = 0; at < parts.length; at += 2)
      texts.set(parts[at]!, `${parts[at + 1]!.trim()}\n`);
  }
  return texts;
}

const library = readLibrary();

/** The names of the scenarios that come with the simulator. */
export function scenarioNames(): string[] {
  return [...library.keys()].sort();
}

/** Reads a scenario; throws UsageError with one line where there is none or it makes no sense. */
export function findScenario(name: string): Scenario {
  try {
    return readScenario(name, library.get(name) ?? readFileSync(name, "utf8"));
  } catch (error) {
    if (error instanceof ScenarioError) throw new UsageError(error.message);
    throw new UsageError(
      `there is no scenario ${name}; choose one of ${scenarioNames().join(", ")}, or a file`,
    );
  }
}

/** A world of its own for a scenario, or for whoever needs one without sockets. */
export function virtualWorld(settings: Partial<VirtualWorldSettings> = {}): Simulation {
  return createVirtualWorld({ ...USUAL, ...settings, fixture: fixture() });
}

/** Plays it to its end or to the first expectation that is not met. */
export async function play(scenario: Scenario, watcher: Watcher = {}): Promise<Outcome> {
  return await playIn(virtualWorld(scenario.settings), scenario, watcher);
}
