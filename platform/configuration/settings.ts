// The parsed settings of a sign-in. Each entry point (signIn, the command, device.json) converts its input to them, and the
// modules behind it use only them. settings.json is the table of all settings.

import { ClientAuthentication } from "../../core/index.ts";
import type { Signer } from "../contracts.ts";
import type { HostHeaders } from "../driver/headers.ts";
import type { ClientAuthenticationName } from "../servers/profile.ts";
import { formEncode } from "../text/text.ts";

/** Names of the methods of client authentication, as in a client's metadata (RFC 7591 §2). */
export const clientAuthentications = {
  none: ClientAuthentication.NONE,
  client_secret_post: ClientAuthentication.CLIENT_SECRET_POST,
  client_secret_basic: ClientAuthentication.CLIENT_SECRET_BASIC,
  // The host adds the assertion (exchange/keys.ts).
  private_key_jwt: ClientAuthentication.NONE,
  specification: ClientAuthentication.SPECIFICATION,
} as const;

/** Form-encodes parameters, each preceded by `&`. */
export function formParameters(parameters: Record<string, string> = {}): string {
  const form = formEncode(Object.entries(parameters));
  return form && `&${form}`;
}

/** The endpoints of a server without a profile and without metadata. */
export interface ServerAddresses {
  /** Device authorization endpoint (RFC 8628 §3.1). */
  readonly deviceAuthorization: string;
  /** Token endpoint (RFC 6749 §3.2). */
  readonly token: string;
  /** Revocation endpoint (RFC 7009). Without it, signing out only erases the tokens here. */
  readonly revocation?: string;
}

/** A profile with parameters: `{ name: "keycloak", host: ..., realm: ... }`. */
export interface NamedServer {
  /** The name of a profile: `picogrant/servers` lists them. */
  readonly name: string;
  readonly [word: string]: string;
}

/**
 * Everything known about one server. `endpoints` override the profile's, and the profile's override the metadata.
 * Metadata are requested only if an endpoint is missing.
 */
export interface ServerIdentity {
  /** The issuer of its ID tokens and metadata (RFC 8414, OpenID Connect Discovery), with or without a trailing slash. */
  readonly issuer?: string | undefined;
  /** Known endpoints. */
  readonly endpoints?: Partial<ServerAddresses> | undefined;
  /** The name of its profile, with parameters if the profile has any. */
  readonly profile?: string | NamedServer | undefined;
}

/**
 * A server, or an abbreviation for one: a profile (`"github"`, or with parameters), an issuer (`"https://issuer.example"`),
 * or endpoints.
 */
export type ServerChoice = string | NamedServer | ServerAddresses | ServerIdentity;

/** The client as the authorization server knows it. */
export interface Client {
  /** The client identifier, 1..256 printable ASCII characters. */
  readonly clientId: string;
  /** Leave it out for a public client. */
  readonly clientSecret?: string | undefined;
  /** Scopes, separated by spaces. Default: what the server's profile recommends for a first try. */
  readonly scope?: string | undefined;
  /** How the client authenticates. Default: what the server's profile or metadata say, or HTTP Basic. */
  readonly clientAuthentication?: ClientAuthenticationName | undefined;
  /** The audience of client assertions. Default: the issuer, or the token endpoint if the issuer is unknown. */
  readonly assertionAudience?: "issuer" | "token_endpoint" | undefined;
  /**
   * Binds the tokens to a key of this program (DPoP, RFC 9449): a stolen token is useless without it. "auto": if the
   * server's metadata offer it for ES256; "require": other tokens are refused. Default: "off".
   */
  readonly dpop?: "auto" | "require" | "off" | undefined;
  /** The key for DPoP and private_key_jwt. Default: a key in the file key.json of `state`, created when needed. */
  readonly signer?: Signer | undefined;
  /** Further parameters of the device authorization request, such as `{ audience: "..." }`. */
  readonly deviceParameters?: Readonly<Record<string, string>> | undefined;
  /** Further parameters of token requests, such as `{ resource: "..." }` (RFC 8707). */
  readonly tokenParameters?: Readonly<Record<string, string>> | undefined;
  /** The format of request bodies. Default: "form"; after a 415, the request is retried once as JSON. */
  readonly bodies?: "form" | "json" | undefined;
  /**
   * "S256": each device authorization request has a code challenge (RFC 7636). Default: what the server's profile says,
   * or after the server has rejected a request without one.
   */
  readonly pkce?: "S256" | undefined;
  /**
   * Limit of the memory for codes and tokens in bytes, 4096 to 458,752. Default: 163,840, for tokens of 20,000 bytes. A
   * session begins with 8192 and grows when something does not fit.
   */
  readonly memoryBytes?: number | undefined;
}

/** The settings are immutable, and valid as far as settings.json can express it. */
export interface Settings extends Client {
  readonly server: ServerIdentity;
  /** Allows plain http to other machines. */
  readonly allowHttp?: boolean | undefined;
  readonly headers?: HostHeaders | undefined;
}
