// ID tokens (OpenID Connect Core §2) and the claims about a person (§5.1): who has signed in, when and how.
import { createHash } from "node:crypto";
import { baseUrlOf, type ServiceContext } from "../context.ts";
import type { Account } from "../fixture.ts";
import type { IssuedTokens } from "../grants.ts";

/** How a person may prove who they are, the weakest first. A request may ask for one (acr_values). */
export const AUTHENTICATION_CONTEXTS = [
  "urn:picogrant:acr:password",
  "urn:picogrant:acr:two-factor",
] as const;

export const USUAL_CONTEXT = AUTHENTICATION_CONTEXTS[0];

/** What a person's sign-in is known by; a grant keeps it. */
export interface Authentication {
  /** When the person allowed, ms. */
  readonly atMs: number;
  readonly acr: string;
  /** As the client sent it, to be found again in the ID token. */
  readonly nonce: string | undefined;
}

/** The claims that the metadata promise. */
export const ID_TOKEN_CLAIMS = [
  ...["iss", "sub", "aud", "iat", "exp", "auth_time", "acr", "nonce", "at_hash"],
];
export const USER_CLAIMS = ["sub", "name", "email", "email_verified"];

/**
 * The ID token that goes with these tokens; undefined where `openid` was not granted or the host makes no keys.
 * @param isRefresh a refreshed one has no nonce (§12.2)
 */
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
  // §3.1.3.6: both algorithms hash with SHA-256, and half of it is taken.
  const hash = createHash("sha256").update(accessToken).digest().subarray(0, 16);
  const claims = {
    iss: baseUrlOf(context),
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

/** What the userinfo endpoint tells (§5.3, §5.4): the subject always, the rest by scope. */
export function userClaims(account: Account, scopes: readonly string[]): object {
  const { id, name, email } = account;
  return {
    sub: id,
    ...(scopes.includes("profile") && { name }),
    ...(scopes.includes("email") && { email, email_verified: true }),
  };
}
