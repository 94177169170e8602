// The userinfo endpoint (OpenID Connect Core §5.3): who the access token is about.
import { findCaller } from "../bearer.ts";
import type { ServiceContext } from "../context.ts";
import { json, type ProtocolRequest, type ProtocolResponse } from "../wire.ts";
import { userClaims } from "./id-token.ts";

const REALM = 'Bearer realm="userinfo"';

/** GET or POST with the access token; refusals are those of RFC 6750 §3.1. */
export function userinfo(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const caller = findCaller(context, request);
  // A request without any token is told of no error.
  if (caller === "no-token") return refusal(401, "invalid_token", "Login required.", REALM);
  if (caller === "dead-token") {
    const message = "The access token expired or was revoked.";
    return refusal(401, "invalid_token", message, `${REALM}, error="invalid_token"`);
  }
  if (!caller.scopes.includes("openid")) {
    const challenge = `${REALM}, error="insufficient_scope", scope="openid"`;
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
