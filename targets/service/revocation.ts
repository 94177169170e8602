// The revocation endpoint (device doc §4.4, RFC 7009): one parameter, token, in the query string or
// in the body. Revoking either token of a grant ends the grant.
import { authenticateClient, readCredentials } from "./client-authentication.ts";
import type { ServiceContext } from "./context.ts";
import { oauthError } from "./errors.ts";
import {
  isForm,
  json,
  type ProtocolRequest,
  type ProtocolResponse,
  parseForm,
  textOf,
} from "./wire.ts";

/**
 * Answers POST {revoke_url}. An unknown token is 400 invalid_token, as the document wants; with the option `revocation`
 * it is 200, as RFC 7009 §2.2 wants, and the client has to say who it is (§2.1).
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
  if (token === undefined)
    return oauthError("invalid_request", "Missing required parameter: token");

  const grant = context.grants.findByToken(token);
  // The document asks for no credentials; a client that sends them (RFC 7009 §2.1) is held to them.
  const { readings, basic } = readCredentials(request, body);
  const [{ id, secret }] = readings;
  if (rule !== "documents" || basic || id !== undefined || secret !== undefined) {
    const authenticated = authenticateClient(context, request, body);
    if ("refusal" in authenticated) return authenticated.refusal;
    if (grant && grant.clientId !== authenticated.client.id)
      return oauthError(rule === "documents" ? "invalid_token" : "invalid_grant");
  }
  if (!grant) return rule === "documents" ? oauthError("invalid_token") : json(200, {});
  if (rule === "rfc7009-each-alone") context.grants.revokeAlone(grant, token);
  else context.grants.revoke(grant);
  return json(200, {});
}
