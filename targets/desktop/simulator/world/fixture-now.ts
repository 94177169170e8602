// The service's accounts, organizations and clients as they are now: with what was set, disabled or admitted meanwhile.
import type { FixtureInput } from "../../../service/fixture.ts";
import type { Service } from "../../../service/service.ts";

/** @param fixture as the service began with it */
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
