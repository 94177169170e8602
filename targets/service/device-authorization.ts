// The device authorization endpoint (device spec §4.1; RFC 8628 §3.1, §3.2). It requires a client_id, but no secret.
import { type Attempt, createToken, createUserCode } from "./attempts.ts";
import {
  agreeing,
  authenticateClient,
  clientOf,
  readChallenge,
  readCredentials,
  refuseWrongType,
  twoClients,
} from "./client-authentication.ts";
import { baseUrlOf, mannerOf, type ServiceContext } from "./context.ts";
import { missing, oauthError, quotaError } from "./errors.ts";
import type { Client } from "./fixture.ts";
import { AUTHENTICATION_CONTEXTS, USUAL_CONTEXT } from "./openid.ts";
import { readRequestedScopes } from "./scopes.ts";
import {
  type FormParameters,
  isForm,
  json,
  type ProtocolRequest,
  type ProtocolResponse,
  parseForm,
  textOf,
} from "./wire.ts";

export function deviceAuthorization(
  context: ServiceContext,
  request: ProtocolRequest,
): ProtocolResponse {
  if (!isForm(request))
    return oauthError("invalid_request", "The body must be application/x-www-form-urlencoded.");
  // Without a body, read the query, because some clients send the parameters there. The parameters are not secret.
  const form = parseForm(request.body.length > 0 ? textOf(request.body) : request.query);
  if (form.repeated !== undefined)
    return oauthError("invalid_request", `Parameter given twice: ${form.repeated}`);

  // A client assertion is optional, but if there is one, it must be valid.
  if (form.get("client_assertion") !== undefined) {
    const authenticated = authenticateClient(context, request, form);
    if ("refusal" in authenticated) return authenticated.refusal;
    return createCode(context, form, authenticated.client);
  }
  const { readings } = readCredentials(request, form);
  const inForm = { id: form.get("client_id"), secret: undefined };
  const named = readings[0].id === undefined ? [inForm] : agreeing(readings, form);
  if (named.length === 0) return twoClients();
  if (named[0]?.id === undefined) return missing("client_id");
  const client = clientOf(context, named);
  if (!client) return oauthError("invalid_client", "The OAuth client was not found.");
  return createCode(context, form, client);
}

function createCode(
  context: ServiceContext,
  form: FormParameters,
  client: Client,
): ProtocolResponse {
  const wrongType = refuseWrongType(client);
  if (wrongType) return wrongType;

  const nowMs = context.env.now();
  const quota = client.deviceCodeQuota ?? context.options.deviceCodeQuota;
  if (quota && !context.deviceCodeQuota.take(client.id, quota, nowMs)) return quotaError();

  const parameter = form.get("scope");
  if (parameter === undefined) return missing("scope");
  const requested = readRequestedScopes(context.scopes, parameter, client.permittedScopes);
  if ("refused" in requested) return oauthError("invalid_scope");

  const pkce = readChallenge(context, form, client);
  if ("refusal" in pkce) return pkce.refusal;
  const details = {
    challenge: pkce.challenge,
    nonce: form.get("nonce"),
    acr: contextOf(form.get("acr_values")),
  };
  const attempt = createAttempt(context, client, { scopes: requested.scopes, ...details }, nowMs);
  return json(200, describeAttempt(context, attempt, nowMs));
}

/** The first supported value, or the usual context. Preferred values come first (OpenID Connect Core §3.1.2.1). */
function contextOf(values: string | undefined): string {
  const known: readonly string[] = AUTHENTICATION_CONTEXTS;
  return values?.split(" ").find((value) => known.includes(value)) ?? USUAL_CONTEXT;
}

function createAttempt(
  context: ServiceContext,
  client: Client,
  details: Pick<Attempt, "scopes" | "challenge" | "nonce" | "acr">,
  nowMs: number,
): Attempt {
  const { env, options, attempts, observers } = context;
  attempts.dropDiscarded(nowMs, options.expiredCodeMemory, options.attemptsMax);
  const attempt: Attempt = {
    deviceCode: createToken(env, "pgd.", options.tokenCharacters),
    userCode: freshUserCode(context),
    clientId: client.id,
    ...details,
    decidedAtMs: undefined,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + options.codeLifetime * 1000,
    state: "pending",
    refusal: undefined,
    intervalMs: options.interval * 1000,
    lastPollAtMs: Number.NEGATIVE_INFINITY,
    accountId: undefined,
    grantedScopes: [],
    accessSeconds: undefined,
    grantId: undefined,
  };
  attempts.add(attempt);
  if (observers.any)
    observers.report({ type: "attempt", atMs: nowMs, state: "pending", clientId: client.id });
  return attempt;
}

// A user code that no other stored attempt has, so that a user cannot approve another device by mistake.
function freshUserCode(context: ServiceContext): string {
  for (let tries = 0; tries < 100; tries++) {
    const code = createUserCode(context.env, context.options.userCodeFormat);
    if (!context.attempts.findByUserCode(code)) return code;
  }
  throw new Error("no free user code: the random source repeats itself or the format is too short");
}

function describeAttempt(context: ServiceContext, attempt: Attempt, nowMs: number): object {
  const { verificationPath, verificationUriComplete } = context.options;
  const { addressName, hasMessage } = mannerOf(context);
  const url = baseUrlOf(context) + verificationPath;
  return {
    device_code: attempt.deviceCode,
    user_code: attempt.userCode,
    [addressName]: url,
    ...(verificationUriComplete && {
      verification_uri_complete: `${url}?user_code=${encodeURIComponent(attempt.userCode)}`,
    }),
    expires_in: Math.floor((attempt.expiresAtMs - nowMs) / 1000),
    interval: attempt.intervalMs / 1000,
    ...(hasMessage && { message: `Open ${url} and enter the code ${attempt.userCode}.` }),
  };
}
