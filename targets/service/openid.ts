// The service as an OpenID provider: ID tokens (OpenID Connect Core §2), userinfo (§5.3), and the signing keys.

import { createHash } from "node:crypto";
import { challengeOf, findCaller, parametersOf } from "./bearer.ts";
import { issuerOf, type ServiceContext } from "./context.ts";
import type { Environment, SigningKey } from "./environment.ts";
import type { Account } from "./fixture.ts";
import type { IssuedTokens } from "./grants.ts";
import { signedJwt } from "./signed-jwt.ts";
import { json, type ProtocolRequest, type ProtocolResponse } from "./wire.ts";

/** The authentication contexts that a client may request in acr_values, the weakest first. */
export const AUTHENTICATION_CONTEXTS = [
  "urn:picogrant:acr:password",
  "urn:picogrant:acr:two-factor",
] as const;

export const USUAL_CONTEXT = AUTHENTICATION_CONTEXTS[0];

/** When and how the user authenticated. */
export interface Authentication {
  /** Time of the approval in milliseconds. */
  readonly atMs: number;
  readonly acr: string;
  readonly nonce: string | undefined;
}

export const ID_TOKEN_CLAIMS = [
  ...["iss", "sub", "aud", "iat", "exp", "auth_time", "acr", "nonce", "at_hash"],
];
export const USER_CLAIMS = ["sub", "name", "email", "email_verified"];

/** The ID token; undefined without the scope `openid` or signing keys. After a refresh, it has no nonce (§12.2). */
export function idTokenFor(
  context: ServiceContext,
  { grant, scopes, accessToken }: IssuedTokens,
  isRefresh: boolean,
): string | undefined {
  const { keys, env, options, directory } = context;
  if (!scopes.includes("openid") || !keys.areThere) return undefined;
  const { atMs, acr, nonce } = grant.authentication;
  const nowS = Math.floor(env.now() / 1000);
  const algorithm = directory.clients.get(grant.clientId)?.idTokenAlgorithm ?? "RS256";
  // at_hash is the left half of the hash (§3.1.3.6). Both algorithms use SHA-256.
  const hash = createHash("sha256").update(accessToken).digest().subarray(0, 16);
  const claims = {
    iss: issuerOf(context),
    sub: grant.accountId,
    aud: grant.clientId,
    iat: nowS,
    exp: nowS + options.idTokenLifetime,
    auth_time: Math.floor(atMs / 1000),
    acr,
    ...(nonce !== undefined && !isRefresh && { nonce }),
    at_hash: Buffer.from(hash).toString("base64url"),
  };
  return keys.sign(claims, algorithm);
}

/** The subject, and other claims by scope (§5.4). */
function userClaims(account: Account, scopes: readonly string[]): object {
  const { id, name, email } = account;
  return {
    sub: id,
    ...(scopes.includes("profile") && { name }),
    ...(scopes.includes("email") && { email, email_verified: true }),
  };
}

const REALM = "userinfo";

/** Errors are those of RFC 6750 §3.1 and of DPoP (RFC 9449 §7.1). */
export function userinfo(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const caller = findCaller(context, request, REALM);
  if ("refusal" in caller) {
    const { scheme, error = "invalid_token", description } = caller.refusal;
    const challenge = challengeOf(context, REALM, scheme, parametersOf(caller.refusal));
    return refusal(401, error, description, challenge);
  }
  if (!caller.scopes.includes("openid")) {
    const parameters = ['error="insufficient_scope"', 'scope="openid"'];
    const challenge = challengeOf(context, REALM, caller.scheme, parameters);
    return refusal(403, "insufficient_scope", "The scope openid is missing.", challenge);
  }
  return json(200, userClaims(caller.account, caller.scopes));
}

function refusal(
  status: number,
  error: string,
  description: string,
  challenge: string,
): ProtocolResponse {
  const body = { error, error_description: description };
  return json(status, body, { "www-authenticate": challenge });
}

/** OpenID Connect Discovery §3 requires RS256. With ES256, keys and tokens are shorter. */
export const SIGNING_ALGORITHMS = ["RS256", "ES256"] as const;
type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

interface Retired {
  readonly key: SigningKey;
  readonly untilMs: number;
}

export class ProviderKeys {
  readonly #env: Environment;
  readonly #current = new Map<SigningAlgorithm, SigningKey>();
  #retired: Retired[] = [];

  constructor(env: Environment) {
    this.#env = env;
  }

  get areThere(): boolean {
    return this.#env.makeKey !== undefined;
  }

  /** Returns the compact serialization. @throws Error if the host cannot make keys */
  sign(claims: object, algorithm: SigningAlgorithm): string {
    const key = this.#key(algorithm);
    const header = { alg: algorithm, typ: "JWT", kid: key.publicJwk.kid };
    return signedJwt(header, claims, (bytes) => key.sign(bytes));
  }

  /** Retires the keys, which stay published for `seconds`. New keys are made on demand. */
  rotate(seconds: number): void {
    if (!this.areThere) return;
    const untilMs = this.#env.now() + seconds * 1000;
    for (const algorithm of SIGNING_ALGORITHMS) {
      this.#retired.push({ key: this.#key(algorithm), untilMs });
      this.#current.delete(algorithm);
    }
  }

  /** The public keys: the current ones, then the retired ones. */
  published(): readonly object[] {
    if (!this.areThere) return [];
    const nowMs = this.#env.now();
    this.#retired = this.#retired.filter(({ untilMs }) => nowMs < untilMs);
    const current = SIGNING_ALGORITHMS.map((algorithm) => this.#key(algorithm));
    return [...current, ...this.#retired.map(({ key }) => key)].map(({ publicJwk }) => publicJwk);
  }

  #key(algorithm: SigningAlgorithm): SigningKey {
    const known = this.#current.get(algorithm);
    if (known) return known;
    if (!this.#env.makeKey) throw new Error("this service signs no ID tokens: it has no makeKey");
    const key = this.#env.makeKey(algorithm);
    this.#current.set(algorithm, key);
    return key;
  }
}
