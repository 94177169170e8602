// The routing table of all endpoints except the pages, which app.ts routes.

import { mannerOf, type ServiceContext } from "./context.ts";
import { deviceAuthorization } from "./device-authorization.ts";
import { dpopOf, withNonce } from "./dpop.ts";
import {
  ApiError,
  type Family,
  inDialect,
  methodNotAllowed,
  oauthError,
  refusal,
} from "./errors.ts";
import { listLiveBroadcasts } from "./live-broadcasts.ts";
import {
  authorization,
  authorizationServerMetadata,
  metadataPaths,
  PATHS,
  transmitterMetadata,
} from "./metadata.ts";
import { userinfo } from "./openid.ts";
import { provokedResponse } from "./provoked-responses.ts";
import {
  getStatus,
  getStream,
  pollEvents,
  updateStatus,
  updateStream,
  verifyStream,
} from "./security-events/stream-endpoints.ts";
import { subscriptionOffers } from "./subscription-offers.ts";
import { introspection, revocation, tokenEndpoint } from "./token-endpoint.ts";
import {
  bare,
  json,
  mediaType,
  type ProtocolRequest,
  type ProtocolResponse,
  textOf,
  utf8,
} from "./wire.ts";

type Endpoint = (context: ServiceContext, request: ProtocolRequest) => ProtocolResponse;

const ENDPOINTS: ReadonlyMap<string, Readonly<Record<string, Endpoint>>> = new Map([
  [PATHS.deviceAuthorization, { POST: deviceAuthorization }],
  [PATHS.authorization, { GET: authorization, POST: authorization }],
  [PATHS.token, { POST: tokenEndpoint }],
  [PATHS.revocation, { POST: revocation }],
  [PATHS.introspection, { POST: introspection }],
  [PATHS.liveBroadcasts, { GET: listLiveBroadcasts }],
  [PATHS.userinfo, { GET: userinfo, POST: userinfo }],
  [PATHS.keys, { GET: keySet }],
  [PATHS.stream, { GET: getStream }],
  [PATHS.streamUpdate, { POST: updateStream }],
  [PATHS.streamVerify, { POST: verifyStream }],
  [PATHS.streamStatus, { GET: getStatus }],
  [PATHS.streamStatusUpdate, { POST: updateStatus }],
  [PATHS.streamPoll, { POST: pollEvents }],
  ["/.well-known/risc-configuration", { GET: transmitterMetadata }],
  ["/.well-known/openid-configuration", { GET: authorizationServerMetadata }],
  ["/.well-known/oauth-authorization-server", { GET: authorizationServerMetadata }],
] as [string, Record<string, Endpoint>][]);

function keySet({ keys, signer }: ServiceContext): ProtocolResponse {
  return json(200, { keys: [...keys.published(), ...signer.publicKeys()] });
}

const WITH_BODY: readonly string[] = [
  ...[PATHS.deviceAuthorization, PATHS.token, PATHS.revocation, PATHS.introspection],
];

export function dispatch(context: ServiceContext, sent: ProtocolRequest): ProtocolResponse {
  const { path } = sent;
  const isJson = context.options.bodies === "json" && WITH_BODY.includes(path);
  const request = isJson && sent.method === "POST" ? fromJson(sent) : sent;
  if ("status" in request) return request;
  const provoked = provokedResponse(context.options.provoke, path, request);
  return provoked ?? withNonce(context, request, route(context, request));
}

function route(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const { path } = request;
  try {
    if (path.startsWith(PATHS.publisher))
      return subscriptionOffers(context, request, path.slice(PATHS.publisher.length));
    const isGone =
      (path === PATHS.revocation && context.options.revocation === "none") ||
      (path === PATHS.introspection && dpopOf(context) === "off");
    const isMetadata = path.includes("/.well-known/");
    const own = isMetadata ? metadataPaths(context.options.issuerPath)[path] : path;
    const methods = isGone ? undefined : ENDPOINTS.get(own ?? "");
    if (!methods)
      return new ApiError(
        "NOT_FOUND",
        "notFound",
        "There is nothing at this address.",
      ).toResponse();
    const endpoint = methods[request.method === "HEAD" ? "GET" : request.method];
    if (!endpoint) return methodNotAllowed(familyOf(path), Object.keys(methods));
    return inDialect(mannerOf(context), endpoint(context, request), context.env.now());
  } catch (error) {
    if (error instanceof ApiError) return refusal(familyOf(path), error);
    throw error;
  }
}

const API_PREFIXES = ["/video/", "/publisher/", "/events/"];

/** Whether errors at a path have the format of OAuth or of the APIs. */
export function familyOf(path: string): Family {
  return API_PREFIXES.some((prefix) => path.startsWith(prefix)) ? "api" : "oauth";
}

/** Converts a JSON body to a form. Returns 415 for another media type, 400 for invalid JSON or a member that is not text. */
function fromJson(request: ProtocolRequest): ProtocolRequest | ProtocolResponse {
  if (mediaType(request.headers["content-type"] ?? "") !== "application/json") {
    return bare(415, { "accept-post": "application/json" });
  }
  try {
    const members = Object.entries(JSON.parse(textOf(request.body)) as Record<string, unknown>);
    const texts = members.filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    if (texts.length < members.length) throw new Error("a member is no text");
    const headers = { ...request.headers, "content-type": "application/x-www-form-urlencoded" };
    return { ...request, headers, body: utf8(new URLSearchParams(texts).toString()) };
  } catch {
    return oauthError("invalid_request", "The body must be a JSON object of texts.");
  }
}
