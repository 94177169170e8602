// What an administrator has still to do about the refusal that the device tells of: as a step, so that whoever is asked
// for it can be played, too.
import { ErrorCode } from "../../../core/complete.ts";
import type { Simulation } from "./simulation.ts";

/** "policy harbour-school"; "" where nobody waits for an administrator, or all is done. */
export function administratorsStep(simulation: Simulation): string {
  const { service, driver, fixture, config, lastAccount: id } = simulation;
  if (!service || !driver || !fixture?.accounts?.some((one) => one.id === id)) return "";
  const organization = service.organizationOf(id);
  switch (driver.device.error) {
    case ErrorCode.ACCOUNT_DISABLED:
      return service.isDisabled(id) ? `account enable ${id}` : "";
    case ErrorCode.ADMIN_POLICY_ENFORCED: {
      const forbids = (who = ""): boolean => who !== "" && service.policyOf(who).length > 0;
      const holder = [id, organization].find(forbids);
      return holder === undefined ? "" : `policy ${holder}`;
    }
    case ErrorCode.ORG_INTERNAL: {
      const wanted = fixture.clients?.find((one) => one.id === config.clientId)?.internalTo;
      return wanted && wanted !== organization ? `admit ${id} ${wanted}` : "";
    }
    default:
      return "";
  }
}
