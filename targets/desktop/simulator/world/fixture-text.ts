// Accounts, clients and the rest of the simulated service as text: what somebody edits, and what a file holds.
import { type FixtureInput, readFixture } from "../../../service/fixture.ts";
import type { Service } from "../../../service/service.ts";

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

/**
 * As they are now: with what was set, disabled or admitted meanwhile.
 * @param fixture as the service began with it
 */
export function fixtureOf(service: Service, fixture: FixtureInput): FixtureInput {
  const withPolicy = <T extends { id: string }>(holder: T): T => ({
    ...holder,
    blockedScopes: [...service.policyOf(holder.id)],
  });
  const accounts = fixture.accounts?.map(withPolicy) ?? [];
  return {
    ...fixture,
    organizations: fixture.organizations?.map(withPolicy) ?? [],
    accounts: accounts.map((one) => {
      const organization = service.organizationOf(one.id);
      const disabled = service.isDisabled(one.id);
      return { ...one, disabled, ...(organization !== undefined && { organization }) };
    }),
  };
}
