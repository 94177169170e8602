// The token endpoint (device spec §4.2, §4.3, with the checks in the order of §7), the revocation endpoint (§4.4, RFC
// 7009), and introspection (RFC 7662).

import { type Attempt, isDiscarded } from "./attempts.ts";
import {
  authenticateClient,
  readCredentials,
  refuseVerifier,
  refuseWrongType,
} from "./client-authentication.ts";
import { mannerOf, type ServiceContext } from "./context.ts";
import { refuseClaim } from "./decisions.ts";
import { keyOfTokenRequest } from "./dpop.ts";
import { missing, oauthError } from "./errors.ts";
import type { IssuedTokens, Requester } from "./grants.ts";
import { idTokenFor } from "./openid.ts";
import {
  type FormParameters,
  isForm,
  json,
  type ProtocolRequest,
  type ProtocolResponse,
  parseForm,
  textOf,
} from "./wire.ts";

export const DEVICE_CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** Ignores parameters in the query, because secrets must not be in a query. */
export function tokenEndpoint(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const form = readForm(request);
  if ("refusal" in form) return form.refusal;
  const grantType = form.get("grant_type");
  if (grantType === undefined) return missing("grant_type");
  if (grantType !== DEVICE_CODE_GRANT && grantType !== "refresh_token")
    return oauthError("unsupported_grant_type");
  const authenticated = authenticateClient(context, request, form);
  if ("refusal" in authenticated) return authenticated.refusal;
  const key = keyOfTokenRequest(context, request);
  if ("refusal" in key) return key.refusal;
  const by = { client: authenticated.client, jkt: key.jkt };
  return grantType === "refresh_token" ? refresh(context, form, by) : poll(context, form, by);
}

function readForm(request: ProtocolRequest): FormParameters | { refusal: ProtocolResponse } {
  const refuse = (description: string) => ({ refusal: oauthError("invalid_request", description) });
  if (!isForm(request)) return refuse("The body must be application/x-www-form-urlencoded.");
  const form = parseForm(textOf(request.body));
  return form.repeated === undefined ? form : refuse(`Parameter given twice: ${form.repeated}`);
}

function poll(context: ServiceContext, form: FormParameters, by: Requester): ProtocolResponse {
  const { client } = by;
  const wrongType = refuseWrongType(client);
  if (wrongType) return wrongType;
  const deviceCode = form.get("device_code");
  if (deviceCode === undefined) return missing("device_code");
  const attempt = context.attempts.findByDeviceCode(deviceCode);
  const nowMs = context.env.now();
  // Another client's code counts as unknown, and this request does not restart the interval of that code.
  if (
    attempt?.clientId !== client.id ||
    isDiscarded(attempt, nowMs, context.options.expiredCodeMemory)
  )
    return oauthError("bad_device_code");
  const wrongVerifier = refuseVerifier(attempt, form);
  if (wrongVerifier) return wrongVerifier;
  if (attempt.state === "claimed") return claimedAgain(context, attempt);
  // Only a pending code expires (device spec §3), except in the dialect keycloak.
  if (attempt.state === "pending" || mannerOf(context).slowsDownAfterDecision) {
    if (nowMs >= attempt.expiresAtMs) return oauthError("expired_token");
    if (isTooEarly(context, attempt, nowMs)) return oauthError("slow_down");
  }
  if (attempt.state === "refused") return oauthError(attempt.refusal ?? "access_denied");
  if (attempt.state === "granted") return claim(context, attempt, by);
  return oauthError("authorization_pending");
}

function isTooEarly(context: ServiceContext, attempt: Attempt, nowMs: number): boolean {
  const waitedMs = nowMs - attempt.lastPollAtMs;
  attempt.lastPollAtMs = nowMs;
  if (waitedMs + context.options.pollToleranceMs >= attempt.intervalMs) return false;
  attempt.intervalMs += context.options.slowDownGrowth * 1000;
  return true;
}

function claim(context: ServiceContext, attempt: Attempt, by: Requester): ProtocolResponse {
  const { clientId, accountId, grantedScopes: scopes, accessSeconds } = attempt;
  if (accountId === undefined) throw new Error("an approved attempt has an account");
  const refusal = refuseClaim(context, attempt, context.directory.account(accountId));
  if (refusal) return oauthError(refusal);
  const { nonce, acr, decidedAtMs: atMs = attempt.createdAtMs } = attempt;
  const authentication = { atMs, acr, nonce };
  const issued = context.grants.issue({
    ...{ by, accountId, scopes, accessSeconds, authentication },
  });
  attempt.state = "claimed";
  attempt.grantId = issued.grant.id;
  const { observers, env } = context;
  if (observers.any)
    observers.report({ type: "attempt", atMs: env.now(), state: "claimed", clientId, accountId });
  return json(200, tokenResponse(context, issued, false));
}

function claimedAgain(context: ServiceContext, attempt: Attempt): ProtocolResponse {
  const grant = context.grants.find(attempt.grantId ?? "", attempt.accountId ?? "");
  if (grant && context.options.replayedCodeRevokes) context.grants.revoke(grant);
  return oauthError("invalid_grant", "The device code was already claimed.");
}

function refresh(context: ServiceContext, form: FormParameters, by: Requester): ProtocolResponse {
  const token = form.get("refresh_token");
  if (token === undefined) return missing("refresh_token");
  // A refresh may request fewer scopes than were granted (RFC 6749 §6).
  const scopes = form
    .get("scope")
    ?.split(" ")
    .filter((scope) => scope !== "");
  const required = scopes?.length ? [...new Set(scopes)] : undefined;
  const issued = context.grants.refresh(token, by, required);
  if (issued === "invalid_scope")
    return oauthError("invalid_scope", "A requested scope was not granted.");
  if (!issued) return oauthError("invalid_grant", "Token has been expired or revoked.");
  return json(200, tokenResponse(context, issued, true));
}

/** The response of device spec §2.2. refresh_token is present only if the client has to store a new one. */
function tokenResponse(context: ServiceContext, issued: IssuedTokens, isRefresh: boolean): object {
  const idToken = idTokenFor(context, issued, isRefresh);
  const { grant, scopes, accessToken, expiresIn, refreshExpiresIn, jkt } = issued;
  const isOnline = mannerOf(context).isOfflineRequested && !grant.scopes.includes("offline_access");
  const refreshToken = isOnline ? undefined : issued.refreshToken;
  return {
    access_token: accessToken,
    expires_in: expiresIn,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(refreshExpiresIn !== undefined && { refresh_token_expires_in: refreshExpiresIn }),
    scope: scopes.join(" "),
    token_type: jkt === undefined ? "Bearer" : "DPoP",
    ...(idToken !== undefined && { id_token: idToken }),
  };
}

/**
 * The token may be in the query or in the body. In device spec §7, an unknown token gets 400 invalid_token. In RFC
 * 7009, an unknown token gets 200 (§2.2), and the client must authenticate (§2.1).
 */
export function revocation(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const { revocation: rule } = context.options;
  if (!isForm(request))
    return oauthError("invalid_request", "The body must be application/x-www-form-urlencoded.");
  const query = parseForm(request.query);
  const body = parseForm(textOf(request.body));
  const inQuery = query.get("token");
  const inBody = body.get("token");
  const twice = query.repeated ?? body.repeated ?? (inQuery && inBody ? "token" : undefined);
  if (twice !== undefined) return oauthError("invalid_request", `Parameter given twice: ${twice}`);
  const token = inQuery ?? inBody;
  if (token === undefined) return missing("token");

  const grant = context.grants.findByToken(token);
  // Device spec §4.4 requires no credentials. If a client sends them (RFC 7009 §2.1), they are checked.
  const { readings, basic } = readCredentials(request, body);
  const [{ id, secret }] = readings;
  const sent = [id, secret, body.get("client_assertion")];
  if (rule !== "specification" || basic || sent.some((one) => one !== undefined)) {
    const authenticated = authenticateClient(context, request, body);
    if ("refusal" in authenticated) return authenticated.refusal;
    if (grant && grant.clientId !== authenticated.client.id)
      return oauthError(rule === "specification" ? "invalid_token" : "invalid_grant");
  }
  if (!grant) return rule === "specification" ? oauthError("invalid_token") : json(200, {});
  if (rule === "rfc7009-each-alone") context.grants.revokeAlone(grant, token);
  else context.grants.revoke(grant);
  return json(200, {});
}

/** Returns the metadata of a client's own access token (RFC 7662). Only with the option `dpop`. */
export function introspection(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const form = readForm(request);
  if ("refusal" in form) return form.refusal;
  const authenticated = authenticateClient(context, request, form);
  if ("refusal" in authenticated) return authenticated.refusal;
  const token = form.get("token");
  if (token === undefined) return missing("token");
  const found = context.grants.findAccessToken(token);
  if (found?.grant.clientId !== authenticated.client.id) return json(200, { active: false });
  const { grant, scopes, expiresAtMs, jkt } = found;
  return json(200, {
    active: true,
    scope: scopes.join(" "),
    client_id: grant.clientId,
    sub: grant.accountId,
    exp: Math.floor(expiresAtMs / 1000),
    token_type: jkt === undefined ? "Bearer" : "DPoP",
    ...(jkt !== undefined && { cnf: { jkt } }),
  });
}
