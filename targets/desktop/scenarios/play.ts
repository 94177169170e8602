// Finds scenarios by name in the files beside this one, or as a file of the user's; plays them on a virtual clock
// without sockets and files, with seeded randomness, so that every run is the same.
import { readdirSync, readFileSync } from "node:fs";
import { UsageError } from "../command-line.ts";
import type { Simulation } from "../simulator/simulation.ts";
import { createVirtualWorld, type VirtualWorldSettings } from "../simulator/world/virtual-world.ts";
import { fixture } from "../simulator/world/world.ts";
import { type Outcome, playIn, type Watcher } from "./player.ts";
import { readScenario, type Scenario, ScenarioError, USUAL } from "./scenario.ts";

const FOLDER = new URL(".", import.meta.url);
/** The heading of each scenario in a file: `## name`. */
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

/** Names of the included scenarios. */
export function scenarioNames(): string[] {
  return [...library.keys()].sort();
}

/** Reads a scenario. @throws UsageError */
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

/** A new simulation without sockets. */
export function virtualWorld(settings: Partial<VirtualWorldSettings> = {}): Simulation {
  return createVirtualWorld({ ...USUAL, ...settings, fixture: fixture() });
}

/** Plays a scenario to its end or its first unmet expectation. */
export async function play(scenario: Scenario, watcher: Watcher = {}): Promise<Outcome> {
  return await playIn(virtualWorld(scenario.settings), scenario, watcher);
}
