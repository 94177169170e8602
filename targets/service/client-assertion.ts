// private_key_jwt: a client authenticates with an assertion that it signs (RFC 7521, RFC 7523).

import { baseUrlOf, issuerOf, type ServiceContext } from "./context.ts";
import { oauthError } from "./errors.ts";
import type { Client } from "./fixture.ts";
import { PATHS } from "./metadata.ts";
import { readJwt, type SignedJwt } from "./signed-jwt.ts";
import type { FormParameters, ProtocolRequest, ProtocolResponse } from "./wire.ts";

const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/** How long ago `iat` and how far in the future `exp` may be, in seconds. */
const ASSERTION_SECONDS_MAX = 3600;
/** How far a client's clock may be ahead, in seconds. */
const SKEW_SECONDS = 60;

interface Assertion extends SignedJwt {
  readonly context: ServiceContext;
  readonly client: Client;
  readonly now: number;
  readonly target: string;
}

const isTime = (value: unknown): value is number => Number.isFinite(value);

/** The rules of RFC 7523 §3 in the RFC's order, and then the algorithm and the signature. */
const ASSERTION_CHECKS: readonly [
  description: string,
  holds: (assertion: Assertion) => boolean | undefined,
][] = [
  ["The iss is not the client.", ({ claims, client }) => claims.iss === client.id],
  ["The sub is not the client.", ({ claims, client }) => claims.sub === client.id],
  [
    "The aud is neither the issuer nor the endpoint.",
    ({ context, claims, target }) => {
      const audience: unknown[] = [claims.aud].flat();
      return [issuerOf(context), baseUrlOf(context) + PATHS.token, target].some((own) =>
        audience.includes(own),
      );
    },
  ],
  ["The exp is missing or past.", ({ claims, now }) => isTime(claims.exp) && claims.exp > now],
  [
    "The exp is too far in the future.",
    ({ claims, now }) => Number(claims.exp) <= now + ASSERTION_SECONDS_MAX,
  ],
  [
    "The nbf is in the future.",
    ({ claims: { nbf = 0 }, now }) => isTime(nbf) && nbf <= now + SKEW_SECONDS,
  ],
  [
    "The iat is in the future or too old.",
    ({ now, claims: { iat = now } }) =>
      isTime(iat) && iat <= now + SKEW_SECONDS && iat >= now - ASSERTION_SECONDS_MAX,
  ],
  ["The jti is missing.", ({ claims: { jti } }) => typeof jti === "string" && jti !== ""],
  ["The alg is not ES256.", ({ header }) => header.alg === "ES256"],
  [
    "The signature does not fit a key of the client.",
    ({ context: { env }, client, header: { kid }, signed, signature }) =>
      client.jwks
        ?.filter((key) => kid === undefined || key.kid === undefined || key.kid === kid)
        .some((key) => env.verify?.(key, signed, signature)),
  ],
];

/** Authenticates a client by the assertion in the form. Each failure is invalid_client (RFC 7521 §4.2.1). */
export function authenticateByAssertion(
  context: ServiceContext,
  request: ProtocolRequest,
  form: FormParameters,
): { client: Client } | { refusal: ProtocolResponse } {
  const refuse = (description: string) => ({
    refusal: oauthError("invalid_client", `Client assertion: ${description}`),
  });
  if (form.get("client_assertion_type") !== JWT_BEARER)
    return refuse(`The client_assertion_type is not ${JWT_BEARER}.`);
  const jwt = readJwt(form.get("client_assertion") ?? "");
  if (!jwt) return refuse("It is not a well-formed JWT.");
  // client_id is optional, but must not name another client (RFC 7521 §4.2).
  const id = form.get("client_id") ?? jwt.claims.sub;
  const client = typeof id === "string" ? context.directory.clients.get(id) : undefined;
  if (!client?.jwks) return refuse("The client has no registered keys.");
  const now = context.env.now() / 1000;
  const target = baseUrlOf(context) + request.path;
  const assertion = { ...jwt, context, client, now, target };
  const failed = ASSERTION_CHECKS.find(([, holds]) => !holds(assertion));
  if (failed) return refuse(failed[0]);
  const { jti, exp } = jwt.claims;
  const untilMs = Number(exp) * 1000;
  if (!context.usedAssertions.use(client.id, String(jti), now * 1000, untilMs))
    return refuse("The jti was used before.");
  return { client };
}
