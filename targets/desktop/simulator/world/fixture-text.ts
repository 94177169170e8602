// Accounts, clients and the rest of the simulated service as text: what somebody edits, and what a file holds.
import { type FixtureInput, readFixture } from "../../../service/fixture.ts";

/** @throws Error of one line, whatever part of the text it shows */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`is not JSON: ${(error as Error).message.replace(/\s+/g, " ")}`);
  }
}

/** What somebody has typed, checked as a file for --fixture is. @throws Error of one line */
export function readFixtureText(text: string): FixtureInput {
  const value = parseJson(text);
  readFixture(value);
  return value as FixtureInput;
}

export function fixtureText(fixture: FixtureInput): string {
  return `${JSON.stringify(fixture, null, 2)}\n`;
}
