// The metadata documents (RFC 8414, OpenID Connect Discovery, device spec §6), and the paths of all endpoints.
import { baseUrlOf, issuerOf, mannerOf, type ServiceContext } from "./context.ts";
import { dpopOf } from "./dpop.ts";
import { oauthError } from "./errors.ts";
import {
  AUTHENTICATION_CONTEXTS,
  ID_TOKEN_CLAIMS,
  SIGNING_ALGORITHMS,
  USER_CLAIMS,
} from "./openid.ts";
import { POLL_METHODS, PUSH_METHODS } from "./security-events/streams.ts";
import { json, type ProtocolResponse } from "./wire.ts";

export const PATHS = {
  deviceAuthorization: "/device/code",
  authorization: "/authorize",
  token: "/token",
  revocation: "/revoke",
  introspection: "/introspect",
  keys: "/keys",
  userinfo: "/userinfo",
  liveBroadcasts: "/video/v3/liveBroadcasts",
  publisher: "/publisher/v3/applications/",
  stream: "/events/v1/stream",
  streamUpdate: "/events/v1/stream:update",
  streamVerify: "/events/v1/stream:verify",
  streamStatus: "/events/v1/stream/status",
  streamStatusUpdate: "/events/v1/stream/status:update",
  streamPoll: "/events/v1/poll",
} as const;

const WITH_SECRET = ["client_secret_post", "client_secret_basic"];

/**
 * Maps the paths of this issuer's metadata documents to those of an issuer without a path. In RFC 8414 §3.1, the
 * well-known part precedes the issuer's path. In OpenID Connect Discovery §4, the well-known part follows the path.
 */
export function metadataPaths(issuerPath: string): Readonly<Record<string, string>> {
  const path = issuerPath.replace(/\/$/, "");
  return {
    [`${path}/.well-known/openid-configuration`]: "/.well-known/openid-configuration",
    [`/.well-known/oauth-authorization-server${path}`]: "/.well-known/oauth-authorization-server",
    [`/.well-known/risc-configuration${path}`]: "/.well-known/risc-configuration",
  };
}

/** The documents oauth-authorization-server and openid-configuration, which have the same content. */
export function authorizationServerMetadata(context: ServiceContext): ProtocolResponse {
  const base = baseUrlOf(context);
  const { env, directory } = context;
  // Some clients request all scopes of this list, so it contains only those that every client may request.
  const scopes = [...context.scopes.byId.values()].filter(
    ({ deviceFlow }) => deviceFlow === "allowed",
  );
  // RFC 8414 §2 requires the algorithms if private_key_jwt is listed.
  const hasKeys = env.verify && [...directory.clients.values()].some(({ jwks }) => jwks);
  const methods = [
    ...WITH_SECRET,
    ...(mannerOf(context).isSecretPrompted ? [] : ["none"]),
    ...(hasKeys ? ["private_key_jwt"] : []),
  ];
  const algorithms = hasKeys ? ["ES256"] : undefined;
  return json(200, {
    issuer: issuerOf(context),
    authorization_endpoint: base + PATHS.authorization,
    device_authorization_endpoint: base + PATHS.deviceAuthorization,
    token_endpoint: base + PATHS.token,
    ...(context.options.revocation !== "none" && {
      revocation_endpoint: base + PATHS.revocation,
      revocation_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    }),
    ...(dpopOf(context) !== "off" && {
      dpop_signing_alg_values_supported: ["ES256"],
      introspection_endpoint: base + PATHS.introspection,
      introspection_endpoint_auth_methods_supported: methods,
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    }),
    jwks_uri: base + PATHS.keys,
    grant_types_supported: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
    scopes_supported: scopes.map((scope) => scope.id),
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    code_challenge_methods_supported: context.options.codeChallengeMethods,
    // OpenID Connect Discovery §3 requires this member. No client can use the authorization endpoint.
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    ...(context.keys.areThere && providerMetadata(base)),
  });
}

function providerMetadata(base: string): object {
  return {
    userinfo_endpoint: base + PATHS.userinfo,
    id_token_signing_alg_values_supported: SIGNING_ALGORITHMS,
    acr_values_supported: AUTHENTICATION_CONTEXTS,
    claim_types_supported: ["normal"],
    claims_supported: [...new Set([...ID_TOKEN_CLAIMS, ...USER_CLAIMS])],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}

/**
 * OpenID Connect Discovery §3 requires an authorization endpoint, but clients may only use the device grant. The error is
 * from RFC 6749 §4.1.2.1. There is no redirect, because no client has a redirect URI.
 */
export function authorization(): ProtocolResponse {
  return oauthError("unauthorized_client");
}

/** Handles /.well-known/risc-configuration, the metadata of the event transmitter. */
export function transmitterMetadata(context: ServiceContext): ProtocolResponse {
  const base = baseUrlOf(context);
  return json(200, {
    issuer: issuerOf(context),
    jwks_uri: base + PATHS.keys,
    delivery_methods_supported: [...PUSH_METHODS, ...POLL_METHODS],
    configuration_endpoint: base + PATHS.stream,
    status_endpoint: base + PATHS.streamStatus,
    verification_endpoint: base + PATHS.streamVerify,
    critical_subject_members: ["subject_type"],
  });
}
