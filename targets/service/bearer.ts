// Bearer tokens at the resource APIs (device doc §4.5, §5.3; RFC 6750): finds the token in the header or the query, and
// refuses invalid tokens and missing scopes.
import type { ServiceContext } from "./context.ts";
import { ApiError } from "./errors.ts";
import type { Account, ResourceApi } from "./fixture.ts";
import type { Grant } from "./grants.ts";
import type { ProtocolRequest } from "./wire.ts";

/** Finds the owner of a request's token, regardless of its scopes. */
export function findCaller(
  context: ServiceContext,
  request: ProtocolRequest,
): { account: Account; grant: Grant; scopes: readonly string[] } | "no-token" | "dead-token" {
  const token = bearerToken(request);
  if (token === undefined) return "no-token";
  const found = context.grants.findAccessToken(token);
  const account = context.directory.accounts.get(found?.grant.accountId ?? "");
  return found && account ? { account, grant: found.grant, scopes: found.scopes } : "dead-token";
}

export interface Caller {
  account: Account;
  grant: Grant;
}

const REALM = 'Bearer realm="api"';

/**
 * Authenticates a caller with one of the scopes (names of the catalogue). Throws an ApiError: 401 without a valid
 * token, 403 if the token's scopes do not suffice or the API is not enabled for the client's project.
 */
export function authenticateCaller(
  context: ServiceContext,
  request: ProtocolRequest,
  scopeNames: readonly string[],
  api: ResourceApi,
): Caller {
  const found = findCaller(context, request);
  if (found === "no-token") throw unauthenticated("Login Required.", "required", REALM);
  if (found === "dead-token")
    throw unauthenticated(
      "Invalid Credentials",
      "authError",
      `${REALM}, error="invalid_token", error_description="The access token expired or was revoked"`,
    );
  const ids = scopeNames.map((name) => context.scopes.id(name));
  if (!ids.some((id) => found.scopes.includes(id)))
    throw new ApiError(
      {
        status: "PERMISSION_DENIED",
        message: "Request had insufficient authentication scopes.",
        reason: "insufficientPermissions",
      },
      { "www-authenticate": `${REALM}, error="insufficient_scope", scope="${ids.join(" ")}"` },
    );
  refuseDisabledApi(context, found.grant, api);
  refuseWeakSignIn(context, found.grant);
  return found;
}

/** RFC 9470 §3: the authentication is too old or too weak for this call. A refresh would not change that. */
function refuseWeakSignIn({ options, env }: ServiceContext, { authentication }: Grant): void {
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
    `${REALM}, ${required.join(", ")}`,
  );
}

/** Device authorization specification §1: a resource API has to be enabled for the client's project. */
function refuseDisabledApi(context: ServiceContext, grant: Grant, api: ResourceApi): void {
  const client = context.directory.clients.get(grant.clientId);
  if (client?.enabledApis.includes(api)) return;
  throw new ApiError({
    status: "PERMISSION_DENIED",
    message: `The ${api} API has not been used in this project before or it is disabled.`,
    reason: "accessNotConfigured",
    domain: "usageLimits",
  });
}

/** The bearer token of a request, from its header or from the query parameter access_token. */
export function bearerToken(request: ProtocolRequest, realm = REALM): string | undefined {
  const inHeader = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  const inQuery = new URLSearchParams(request.query).getAll("access_token");
  // RFC 6750 §2: never more than one method at a time, §3.1: no parameter twice.
  if (inQuery.length > (inHeader === undefined ? 1 : 0))
    throw new ApiError(
      {
        status: "INVALID_ARGUMENT",
        message: "The access token must be given once, in the header or in the query.",
        reason: "badRequest",
      },
      { "www-authenticate": `${realm}, error="invalid_request"` },
    );
  return inHeader ?? inQuery[0];
}

/** 401 with a challenge (RFC 6750 §3). */
export function unauthenticated(message: string, reason: string, challenge: string): ApiError {
  return new ApiError(
    {
      status: "UNAUTHENTICATED",
      message,
      reason,
      location: "Authorization",
      locationType: "header",
    },
    { "www-authenticate": challenge },
  );
}
