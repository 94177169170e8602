// Responses of real servers and proxies that replace the service's own while the option `provoke` is set.
import { PATHS } from "./metadata.ts";
import {
  bare,
  json,
  type ProtocolRequest,
  type ProtocolResponse,
  parseForm,
  textOf,
  utf8,
} from "./wire.ts";

export const PROVOKED_REQUESTS = [
  "code",
  "poll",
  "refresh",
  "revocation",
  "userinfo",
  "api",
] as const;
export type ProvokedRequest = (typeof PROVOKED_REQUESTS)[number];

const refused = (status: number, error: string): ProtocolResponse =>
  json(status, { error, error_description: `This response was provoked: ${error}.` });
const page = (status: number): ProtocolResponse => ({
  status,
  headers: { "content-type": "text/html" },
  body: utf8("<!DOCTYPE html><title>Provoked</title><p>Not the expected response."),
});

// The errors that require an action of the user are from OpenID Connect Core §3.1.2.6 and from large providers.
export const PROVOKED_RESPONSES: Readonly<Record<string, ProtocolResponse>> = {
  interaction_required: refused(400, "interaction_required"),
  login_required: refused(400, "login_required"),
  consent_required: refused(400, "consent_required"),
  account_selection_required: refused(400, "account_selection_required"),
  mfa_required: refused(403, "mfa_required"),
  bad_token: refused(400, "bad_token"),
  interrupted_user: refused(400, "interrupted_user"),
  ux_not_allowed: refused(400, "ux_not_allowed"),
  invalid_grant: refused(400, "invalid_grant"),
  invalid_client: refused(401, "invalid_client"),
  unauthorized_client: refused(400, "unauthorized_client"),
  invalid_scope: refused(400, "invalid_scope"),
  invalid_token: refused(400, "invalid_token"),
  unsupported_token_type: refused(400, "unsupported_token_type"),
  use_dpop_nonce: refused(400, "use_dpop_nonce"),
  unknown: refused(400, "tenant_on_holiday"),
  "unknown-403": refused(403, "tenant_on_holiday"),
  temporarily_unavailable: refused(503, "temporarily_unavailable"),
  400: bare(400),
  401: bare(401),
  403: bare(403),
  404: page(404),
  405: bare(405, { allow: "GET" }),
  406: bare(406),
  411: bare(411),
  413: bare(413),
  414: bare(414),
  415: bare(415, { "accept-post": "application/json" }),
  429: bare(429, { "retry-after": "30" }),
  500: page(500),
  503: bare(503, { "retry-after": "30" }),
  302: bare(302, { location: "http://portal.invalid/login" }),
  308: bare(308, { location: "http://portal.invalid/token" }),
  empty: bare(200),
  "id-token-alone": json(200, { id_token: "e30.e30.e30", token_type: "Bearer", expires_in: 3600 }),
  html: page(200),
};

/** The provoked response. Undefined: the service responds as usual. */
export function provokedResponse(
  provoke: Readonly<Partial<Record<ProvokedRequest, string>>>,
  path: string,
  request: ProtocolRequest,
): ProtocolResponse | undefined {
  // If nothing is provoked, this loop ends at once, and no request is parsed.
  for (const _ in provoke) {
    const purpose = purposeOf(path, request);
    return purpose && PROVOKED_RESPONSES[provoke[purpose] ?? ""];
  }
  return undefined;
}

/** Undefined: the response to this request cannot be provoked. */
function purposeOf(path: string, request: ProtocolRequest): ProvokedRequest | undefined {
  if (path === PATHS.deviceAuthorization) return "code";
  if (path === PATHS.revocation) return "revocation";
  if (path === PATHS.userinfo) return "userinfo";
  if (path === PATHS.liveBroadcasts || path.startsWith(PATHS.publisher)) return "api";
  if (path !== PATHS.token) return undefined;
  const grant = parseForm(textOf(request.body)).get("grant_type");
  return grant === "refresh_token" ? "refresh" : "poll";
}
