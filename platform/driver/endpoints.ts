// Where requests go: the addresses of a server, which of them an endpoint of the core is, and what is wrong
// with those that secrets must not go to.

import { Endpoint } from "../../core/index.ts";
import { addressProblem } from "../servers/address.ts";

/**
 * Absolute addresses of what the core sends to, with a query of their own where the server wants one. An
 * empty one is reported as unreachable; without `revocation` signing out forgets the tokens.
 */
export interface Endpoints {
  /** Device authorization endpoint (RFC 8628 §3.1). */
  deviceAuthorization: string;
  /** Token endpoint (RFC 6749 §3.2). */
  token: string;
  /** Revocation endpoint (RFC 7009 §2). */
  revocation: string;
  /** Metadata document (RFC 8414 §3), for `discover`. */
  metadata: string;
  /** Polls for security events (RFC 8936). */
  events: string;
  /** The resource servers in the core's order: Endpoint.RESOURCE, Endpoint.RESOURCE + 1 ... */
  resources: readonly string[];
}

/** No address at all: to spread, and to fill in what there is. */
export const noEndpoints: Endpoints = {
  deviceAuthorization: "",
  token: "",
  revocation: "",
  metadata: "",
  events: "",
  resources: [],
};

/** The address that the core means, "" where there is none. */
export function addressOf(endpoints: Endpoints, endpoint: Endpoint): string {
  switch (endpoint) {
    case Endpoint.DEVICE_AUTHORIZATION:
      return endpoints.deviceAuthorization;
    case Endpoint.TOKEN:
      return endpoints.token;
    case Endpoint.REVOCATION:
      return endpoints.revocation;
    case Endpoint.METADATA:
      return endpoints.metadata;
    case Endpoint.EVENTS:
      return endpoints.events;
    default:
      return endpoints.resources[endpoint - Endpoint.RESOURCE] ?? "";
  }
}

/** A bit for each endpoint that has an address, as the core wants them (setEndpoints). */
export function endpointMask(endpoints: Endpoints): number {
  let mask = 0;
  for (let endpoint = 0; endpoint < 27; endpoint++) {
    if (addressOf(endpoints, endpoint) !== "") mask |= 1 << endpoint;
  }
  return mask;
}

/** What is wrong with an address, and which one it is. */
interface EndpointProblem {
  /** As one would write it in code: `endpoints.token`, `endpoints.resources[0]`. */
  readonly path: string;
  readonly message: string;
}

/** The addresses that secrets must not go to, in their order. */
export function endpointProblems(
  { resources = [], ...others }: Partial<Endpoints>,
  allowHttp: boolean,
): EndpointProblem[] {
  const addresses = [
    ...Object.entries(others),
    ...resources.map((address, index) => [`resources[${index}]`, address] as const),
  ];
  return addresses.flatMap(([name, address]) => {
    const message = address && addressProblem(address, allowHttp);
    return message ? [{ path: `endpoints.${name}`, message }] : [];
  });
}

/** @throws TypeError with the first endpoint that secrets must not go to */
export function checkEndpoints(endpoints: Endpoints, allowHttp = false): void {
  if (!Array.isArray(endpoints.resources)) {
    throw new TypeError("endpoints.resources must be a list of addresses, [] for none");
  }
  const [wrong] = endpointProblems(endpoints, allowHttp);
  if (wrong) throw new TypeError(`${wrong.path} ${wrong.message}`);
}
