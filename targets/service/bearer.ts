// Authenticates requests to the resource APIs and to userinfo by their access token (device spec §4.5, §5.3; RFC 6750, RFC
// 9449 §7).
import type { ServiceContext } from "./context.ts";
import { checkProof, dpopOf } from "./dpop.ts";
import { ApiError } from "./errors.ts";
import type { Account, ResourceApi } from "./fixture.ts";
import type { Grant } from "./grants.ts";
import type { ProtocolRequest } from "./wire.ts";

type Scheme = "Bearer" | "DPoP";

/** Why the caller of a request is unknown. `error` is undefined if the request has no token. */
export interface CallerRefusal {
  readonly scheme: Scheme;
  readonly error?: string;
  readonly description: string;
}

export interface Caller {
  readonly account: Account;
  readonly grant: Grant;
  readonly scopes: readonly string[];
  readonly scheme: Scheme;
}

/** Finds the caller by the access token. Does not check scopes. Throws an ApiError if the request has several tokens. */
export function findCaller(
  context: ServiceContext,
  request: ProtocolRequest,
  realm: string,
): Caller | { refusal: CallerRefusal } {
  const dpop = dpopOf(context);
  const isProved = dpop !== "off" && /^dpop /i.test(request.headers.authorization ?? "");
  const scheme = isProved ? "DPoP" : "Bearer";
  const refuse = (description: string, error?: string) => ({
    refusal: { scheme, description, ...(error !== undefined && { error }) } as const,
  });
  const token = accessTokenOf(request, scheme, realm);
  if (token === undefined) return refuse("Login required.");
  const proved = isProved ? checkProof(context, request, token) : undefined;
  if (typeof proved === "object") return refuse(proved.description, proved.error);
  const found = context.grants.findAccessToken(token);
  const account = context.directory.accounts.get(found?.grant.accountId ?? "");
  if (!found || !account) return refuse("The access token expired or was revoked", "invalid_token");
  if (!isProved && (found.jkt !== undefined || dpop === "required"))
    return refuse("The access token needs the scheme DPoP and a proof", "invalid_token");
  if (found.jkt !== proved)
    return refuse("The access token is not bound to the key of the proof", "invalid_token");
  return { account, grant: found.grant, scopes: found.scopes, scheme };
}

/**
 * The value of WWW-Authenticate: a challenge for each accepted scheme, and for `used`, the scheme of the request. The
 * `parameters` are added to the challenge for `used`.
 */
export function challengeOf(
  context: ServiceContext,
  realm: string,
  used: Scheme,
  parameters: readonly string[] = [],
): string {
  const dpop = dpopOf(context);
  const challenge = (scheme: Scheme, own: readonly string[]): string =>
    `${scheme} ${[`realm="${realm}"`, ...(scheme === used ? parameters : []), ...own].join(", ")}`;
  const isBearer = dpop !== "required" || used === "Bearer";
  return [
    ...(isBearer ? [challenge("Bearer", [])] : []),
    ...(dpop === "off" ? [] : [challenge("DPoP", ['algs="ES256"'])]),
  ].join(", ");
}

/** The parameters of a challenge (RFC 6750 §3.1: none if the request has no token). */
export function parametersOf({ error, description }: CallerRefusal): string[] {
  return error === undefined ? [] : [`error="${error}"`, `error_description="${description}"`];
}

const REALM = "api";

/**
 * Authenticates a caller that needs one of these scopes (names of scopes.ts). Throws an ApiError. 401: the token is
 * missing or invalid, or its sign-in does not satisfy the option `stepUp`. 403: its scopes do not suffice, or the API
 * is not enabled for the client's project. 400: the request has several tokens.
 */
export function authenticateCaller(
  context: ServiceContext,
  request: ProtocolRequest,
  scopeNames: readonly string[],
  api: ResourceApi,
): Caller {
  const found = findCaller(context, request, REALM);
  if ("refusal" in found) {
    const { scheme, error } = found.refusal;
    const [message, reason] =
      error === undefined ? ["Login Required.", "required"] : ["Invalid Credentials", "authError"];
    const parameters = parametersOf(found.refusal);
    throw unauthenticated(message, reason, challengeOf(context, REALM, scheme, parameters));
  }
  const ids = scopeNames.map((name) => context.scopes.id(name));
  const missing = ['error="insufficient_scope"', `scope="${ids.join(" ")}"`];
  if (!ids.some((id) => found.scopes.includes(id)))
    throw new ApiError(
      "PERMISSION_DENIED",
      "insufficientPermissions",
      "Request had insufficient authentication scopes.",
      {},
      { "www-authenticate": challengeOf(context, REALM, found.scheme, missing) },
    );
  refuseDisabledApi(context, found.grant, api);
  refuseWeakSignIn(context, found);
  return found;
}

/** Throws a 401 if the sign-in is too old or has another `acr` than required (RFC 9470 §3). A refresh is no sign-in. */
function refuseWeakSignIn(context: ServiceContext, { grant, scheme }: Caller): void {
  const { options, env } = context;
  const { authentication } = grant;
  const { acr, maxAge } = options.stepUp ?? {};
  const isWeak = acr !== undefined && authentication.acr !== acr;
  const isOld = maxAge !== undefined && env.now() - authentication.atMs > maxAge * 1000;
  if (!isWeak && !isOld) return;
  const required = [
    'error="insufficient_user_authentication"',
    `error_description="${isWeak ? "A stronger sign-in is required" : "A more recent sign-in is required"}"`,
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
    ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
  ];
  throw unauthenticated(
    "Another sign-in is required.",
    "insufficientUserAuthentication",
    challengeOf(context, REALM, scheme, required),
  );
}

/** Rejects a call of an API that is not enabled for the client's project (device spec §1). */
function refuseDisabledApi(context: ServiceContext, grant: Grant, api: ResourceApi): void {
  const client = context.directory.clients.get(grant.clientId);
  if (client?.enabledApis.includes(api)) return;
  const message = `The ${api} API has not been used in this project before or it is disabled.`;
  const detail = { domain: "usageLimits" };
  throw new ApiError("PERMISSION_DENIED", "accessNotConfigured", message, detail);
}

/** The access token in the header with this scheme, or in the query parameter access_token. */
export function accessTokenOf(
  request: ProtocolRequest,
  scheme: Scheme,
  realm: string,
): string | undefined {
  const [, sent = "", inHeader] =
    /^(bearer|dpop) +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
  const isMeant = sent.toLowerCase() === scheme.toLowerCase();
  const inQuery = new URLSearchParams(request.query).getAll("access_token");
  // Only one method at a time is allowed (RFC 6750 §2), and no parameter twice (§3.1).
  if (inQuery.length > (isMeant ? 0 : 1))
    throw new ApiError(
      "INVALID_ARGUMENT",
      "badRequest",
      "The access token must be given once, in the header or in the query.",
      {},
      { "www-authenticate": `${scheme} realm="${realm}", error="invalid_request"` },
    );
  return isMeant ? inHeader : inQuery[0];
}

export function unauthenticated(message: string, reason: string, challenge: string): ApiError {
  const where = { location: "Authorization", locationType: "header" } as const;
  const headers = { "www-authenticate": challenge };
  return new ApiError("UNAUTHENTICATED", reason, message, where, headers);
}
