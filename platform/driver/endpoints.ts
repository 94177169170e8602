// The addresses of a server and their numbers in the core. Checks that an address may receive secrets.

import { Endpoint } from "../../core/index.ts";
import type { Problem } from "../configuration/schema-check.ts";
import { addressProblem } from "../servers/address.ts";

/**
 * Absolute addresses of the requests. An address may have a query. A request to an empty address fails as unreachable.
 * Without `revocation`, signing out only erases the tokens.
 */
export interface Endpoints {
  /** Device authorization endpoint (RFC 8628 §3.1). */
  deviceAuthorization: string;
  /** Token endpoint (RFC 6749 §3.2). */
  token: string;
  /** Revocation endpoint (RFC 7009 §2). */
  revocation: string;
  /** Metadata document (RFC 8414 §3), for the core's `discover`. */
  metadata: string;
  /** Polls for security events (RFC 8936). */
  events: string;
  /** The resource servers in the core's order: Endpoint.RESOURCE, Endpoint.RESOURCE + 1 ... */
  resources: readonly string[];
}

/** No addresses. Use it as the base of your own. */
export const noEndpoints: Endpoints = {
  deviceAuthorization: "",
  token: "",
  revocation: "",
  metadata: "",
  events: "",
  resources: [],
};

/** The names of the endpoints before Endpoint.RESOURCE, in the core's order. */
const NAMES: Named[] = ["deviceAuthorization", "token", "revocation", "metadata", "events"];
type Named = Exclude<keyof Endpoints, "resources">;

/** Returns the address of an endpoint; "" if it has none. */
export function addressOf(endpoints: Endpoints, endpoint: Endpoint): string {
  const name = NAMES[endpoint];
  if (name !== undefined) return endpoints[name];
  return endpoints.resources[endpoint - Endpoint.RESOURCE] ?? "";
}

/** Returns one bit for each endpoint that has an address, for the core's setEndpoints. */
export function endpointMask(endpoints: Endpoints): number {
  let mask = 0;
  for (let endpoint = 0; endpoint < 27; endpoint++) {
    if (addressOf(endpoints, endpoint) !== "") mask |= 1 << endpoint;
  }
  return mask;
}

/** Returns the problems of all addresses that must not receive secrets. @param at the endpoints' path in messages */
export function endpointProblems(
  { resources = [], ...others }: Partial<Endpoints>,
  allowHttp = false,
  at = "endpoints",
): Problem[] {
  const addresses = [
    ...Object.entries(others),
    ...resources.map((address, index) => [`resources[${index}]`, address] as const),
  ];
  return addresses.flatMap(([name, address]) => {
    const message = address && addressProblem(address, allowHttp);
    return message ? [{ path: `${at}.${name}`, message }] : [];
  });
}

/** @throws TypeError with the first address that must not receive secrets */
export function checkEndpoints(endpoints: Endpoints, allowHttp = false): void {
  if (!Array.isArray(endpoints.resources)) {
    throw new TypeError("endpoints.resources must be a list of addresses, [] for none");
  }
  const [wrong] = endpointProblems(endpoints, allowHttp);
  if (wrong) throw new TypeError(`${wrong.path} ${wrong.message}`);
}
