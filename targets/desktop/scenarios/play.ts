// Finds and plays scenarios. The simulation uses no sockets and no files, and its random numbers have a fixed seed. So
// all runs of a scenario are the same, except for the device's key and what depends on it.
import { readdirSync, readFileSync } from "node:fs";
import { verifyEs256 } from "../../service/node-environment.ts";
import { UsageError } from "../command-line.ts";
import { fixture, newSigner } from "../simulator/environment/environment.ts";
import {
  createVirtualEnvironment,
  type VirtualEnvironmentSettings,
} from "../simulator/environment/virtual-environment.ts";
import type { Simulation } from "../simulator/simulation.ts";
import { type Outcome, playIn, type Watcher } from "./player.ts";
import { readScenario, type Scenario, ScenarioError, USUAL } from "./scenario.ts";

const FOLDER = new URL(".", import.meta.url);
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

export function scenarioNames(): string[] {
  return [...library.keys()].sort();
}

/** Reads a scenario. `name`: a scenario in this folder, or the path of a file. @throws UsageError */
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

export function virtualEnvironment(settings: Partial<VirtualEnvironmentSettings> = {}): Simulation {
  const keys = { signer: newSigner(), verify: verifyEs256 };
  return createVirtualEnvironment({ ...USUAL, keys, ...settings, fixture: fixture() });
}

export async function play(scenario: Scenario, watcher: Watcher = {}): Promise<Outcome> {
  return await playIn(virtualEnvironment(scenario.settings), scenario, watcher);
}
