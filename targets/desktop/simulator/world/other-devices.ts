// Further devices of the same user: each sign-in brings a refresh token, until one of the two limits of the
// device document's section 8 is reached and the oldest dies, which is the one of the device on the table.
import type { Service } from "../../../service/service.ts";
import type { Simulation } from "../simulation.ts";

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/**
 * Signs in on as many other devices as it takes to reach a limit, or on `count`.
 * @returns one line about what happened
 */
export function otherDevices(
  simulation: Simulation,
  which: "same-client" | "all-clients",
  count?: number,
): string {
  const { service, settings, fixture, config } = simulation;
  if (service === undefined) return "only with the simulated service";
  const { refreshTokensPerClientAndUser, refreshTokensPerUser, deviceCodeQuota } = service.options;
  const limit = which === "same-client" ? refreshTokensPerClientAndUser : refreshTokensPerUser;
  const clients = (fixture?.clients ?? []).filter(
    ({ id, type, internalTo, deviceCodeQuota: own }) =>
      (which === "same-client") === (id === config.clientId) &&
      type === undefined &&
      internalTo === undefined &&
      own === undefined,
  );
  if (clients.length === 0) return "there is no other client to sign in with";
  // They come over weeks: neither the quota nor, for all clients, the limit of one pair stops them.
  const both = { refreshTokensPerClientAndUser, deviceCodeQuota };
  service.setOptions({
    deviceCodeQuota: null,
    ...(which === "all-clients" && { refreshTokensPerClientAndUser: limit }),
  });
  let signedIn = 0;
  simulation.watchesDecisions = false;
  try {
    for (; signedIn < (count ?? limit); signedIn++) {
      const { id, secret = "", permittedScopes } = clients[signedIn % clients.length]!;
      const scope = permittedScopes?.[0] === "publisher" ? "email" : config.scope;
      const outcome = signIn(service, { id, secret, scope }, settings.account);
      if (outcome !== "granted") return `${settings.account} cannot sign in: ${outcome}`;
    }
  } finally {
    service.setOptions(both);
    simulation.watchesDecisions = true;
  }
  const line = `${settings.account} signs in on ${signedIn} other devices`;
  simulation.timeline.note(line, "person");
  simulation.touch();
  return `${line}: the limit is ${limit}`;
}

/** @returns "granted"; or what became of the account's decision, or of a request that the service refuses */
function signIn(
  service: Service,
  client: { id: string; secret: string; scope: string },
  account: string,
): string {
  const { id: client_id, secret, scope } = client;
  const codes = post(service, "/device/code", { client_id, scope });
  if (codes.error !== undefined) return String(codes.error);
  const outcome = service.approve(String(codes.user_code), account);
  if (outcome !== "granted") return outcome;
  const device_code = String(codes.device_code);
  const { error } = post(service, "/token", {
    client_id,
    ...(secret && { client_secret: secret }),
    device_code,
    grant_type: DEVICE_GRANT,
  });
  return error === undefined ? outcome : String(error);
}

function post(
  service: Service,
  path: string,
  fields: Record<string, string>,
): Record<string, unknown> {
  const answer = service.handle({
    method: "POST",
    path,
    query: "",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new TextEncoder().encode(new URLSearchParams(fields).toString()),
  });
  return JSON.parse(new TextDecoder().decode(answer.body)) as Record<string, unknown>;
}
