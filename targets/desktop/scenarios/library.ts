// Where scenarios are found: by name beside this file, or as a file of the user's own.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../usage-error.ts";
import { readScenario, type Scenario, ScenarioError } from "./scenario.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const ENDING = ".scenario";

/** The names of the scenarios that come with the simulator. */
export function scenarioNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

/** The text of one of them. */
export function scenarioText(name: string): string {
  return readFileSync(path.join(FOLDER, name + ENDING), "utf8");
}

/** Reads a scenario; throws UsageError with one line where there is none or it makes no sense. */
export function findScenario(name: string): Scenario {
  const own = path.join(FOLDER, name + ENDING);
  const file = existsSync(own) ? own : name;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UsageError(
      `there is no scenario ${name}; choose one of ${scenarioNames().join(", ")}, or a file`,
    );
  }
  try {
    return readScenario(name, text);
  } catch (error) {
    if (error instanceof ScenarioError) throw new UsageError(error.message);
    throw error;
  }
}
