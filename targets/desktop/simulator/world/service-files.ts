// The simulated service's world and settings as files of the user's own: --fixture, --options.
import fs from "node:fs";
import { type FixtureInput, readFixture } from "../../../service/fixture.ts";
import { readOptions, type ServiceOptionsInput } from "../../../service/options.ts";
import { UsageError } from "../../usage-error.ts";
import type { Simulation } from "../simulation.ts";
import { fixtureText, parseJson } from "./fixture-text.ts";

function readJson(flag: string, file: string): unknown {
  let text: string;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${flag} ${file}: cannot be read (${code}); check the path`);
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new UsageError(`${flag} ${file}: ${(error as Error).message}`);
  }
}

/** @throws UsageError with one line that says where the file is wrong */
export function readFixtureFile(file: string): FixtureInput {
  const value = readJson("--fixture", file);
  try {
    readFixture(value);
  } catch (error) {
    throw new UsageError(`--fixture ${file}: ${(error as Error).message}`);
  }
  return value as FixtureInput;
}

/** @throws UsageError with one line that says where the file is wrong */
export function readOptionsFile(file: string): ServiceOptionsInput {
  const value = readJson("--options", file);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`--options ${file}: holds no JSON object`);
  }
  try {
    readOptions(value);
  } catch (error) {
    throw new UsageError(`--options ${file}: ${(error as Error).message}`);
  }
  return value as ServiceOptionsInput;
}

/** Writes the service's world as it is now, for --fixture; says what happened in one line. */
export function saveFixture(simulation: Simulation, file: string): string {
  const { fixtureNow } = simulation;
  if (fixtureNow === undefined) return "only with the simulated service";
  try {
    // Not over a file that is there: it may be somebody's work.
    fs.writeFileSync(file, fixtureText(fixtureNow), { flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EEXIST"
      ? `${file} is there already; choose another name`
      : `${file}: cannot be written (${code})`;
  }
  return `saved; npm start -- --fixture ${file} begins with it`;
}
