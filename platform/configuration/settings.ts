// The parsed settings of a sign-in, and the driver's options that follow from them. Each entry point (signIn, the command,
// device.json) converts its input to these settings. settings.json is the table of all settings.

import { ClientAuthentication } from "../../core/index.ts";
import type { Signer } from "../contracts.ts";
import { type Endpoints, noEndpoints } from "../driver/endpoints.ts";
import type { HostHeaders } from "../driver/headers.ts";
import type { DriverOptions } from "../driver/options.ts";
import type { Server } from "../servers/index.ts";
import type { ClientAuthenticationName } from "../servers/profile.ts";
import { formEncode } from "../text/text.ts";

/** Names of the methods of client authentication, as in a client's metadata (RFC 7591 §2). */
export const clientAuthentications = {
  none: ClientAuthentication.NONE,
  client_secret_post: ClientAuthentication.CLIENT_SECRET_POST,
  client_secret_basic: ClientAuthentication.CLIENT_SECRET_BASIC,
  // The filter in exchange/keys.ts adds the assertion.
  private_key_jwt: ClientAuthentication.NONE,
  specification: ClientAuthentication.SPECIFICATION,
} as const;

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
 * Metadata are requested only if there is an issuer, and the device authorization or token endpoint is missing.
 */
export interface ServerIdentity {
  /** The issuer of its ID tokens and metadata (RFC 8414, OpenID Connect Discovery), with or without a trailing slash. */
  readonly issuer?: string | undefined;
  readonly endpoints?: Partial<ServerAddresses> | undefined;
  /** The name of the server's profile, with parameters if the profile has any. */
  readonly profile?: string | NamedServer | undefined;
}

/**
 * A server, or an abbreviation for one: a profile (`"github"`, or with parameters), an issuer (`"https://issuer.example"`),
 * or endpoints.
 */
export type ServerChoice = string | NamedServer | ServerAddresses | ServerIdentity;

/** The client, as it is registered at the authorization server. */
export interface Client {
  /** The client identifier, 1..256 printable ASCII characters. */
  readonly clientId: string;
  /** The client's secret. Omit it for a public client. */
  readonly clientSecret?: string | undefined;
  /** Scopes, separated by spaces. Default: what the server's profile recommends for a first try, or none. */
  readonly scope?: string | undefined;
  /** How the client authenticates. Default: as profile or metadata say; else HTTP Basic, or none without a secret. */
  readonly clientAuthentication?: ClientAuthenticationName | undefined;
  /** The audience of client assertions. Default: the issuer, or the token endpoint if the issuer is unknown. */
  readonly assertionAudience?: "issuer" | "token_endpoint" | undefined;
  /**
   * Binds the tokens to a key of this program (DPoP, RFC 9449): a stolen token is useless without the key. "auto": if the
   * server's metadata offer DPoP for ES256; "require": other tokens are refused. Default: "off".
   */
  readonly dpop?: "auto" | "require" | "off" | undefined;
  /** The key for DPoP and private_key_jwt. Default: a key in the file key.json of `state`, created when needed. */
  readonly signer?: Signer | undefined;
  /** Further parameters of the device authorization request, such as `{ audience: "..." }`. */
  readonly deviceParameters?: Readonly<Record<string, string>> | undefined;
  /** Further parameters of token requests, such as `{ resource: "..." }` (RFC 8707). */
  readonly tokenParameters?: Readonly<Record<string, string>> | undefined;
  /** The format of request bodies. Default: "form"; after a 415, the request is retried once in the other format. */
  readonly bodies?: "form" | "json" | undefined;
  /**
   * "S256": each device authorization request has a code challenge (RFC 7636). Default: if the server's profile says
   * so, or after the server has demanded a challenge in an error.
   */
  readonly pkce?: "S256" | undefined;
  /**
   * Limit of the memory for codes and tokens in bytes, 4096 to 458,752. Default: 163,840, for tokens of 20,000 bytes. The
   * memory begins with at most 8192 bytes plus the length of the parameters, and grows when something does not fit.
   */
  readonly memoryBytes?: number | undefined;
}

/** The parsed settings: immutable, and valid as far as settings.json can express the rules. */
export interface Settings extends Client {
  readonly server: {
    readonly issuer?: string | undefined;
    readonly endpoints?: Partial<Endpoints> | undefined;
    readonly profile?: NamedServer | undefined;
  };
  /** How a client with a secret authenticates if neither client nor server names a method. Default: HTTP Basic. */
  readonly secretMethod?: ClientAuthenticationName;
  /** Allows plain http to other machines. */
  readonly allowHttp?: boolean | undefined;
  readonly headers?: HostHeaders | undefined;
  /** Whether a device requests a code at its start. For a program, the session decides (session/drivers.ts). */
  readonly autoStart?: boolean;
  readonly renewals?: number;
  readonly startSpreadMs?: number;
  readonly messages?: string;
}

/** The settings of a server that come from its profile or its metadata. */
type ServersOwn = Partial<Pick<Server, "issuer" | "translate" | "clientAuthentication">> & {
  readonly profile?: Pick<Server["profile"], "pkce" | "scope" | "memoryBytes">;
  readonly addresses?: Partial<Endpoints>;
  /** The issuer as the server spells it, which identifies the server in records. */
  readonly server?: string;
  readonly bindsTokens?: boolean | undefined;
};

export type ServerSettings = Pick<
  DriverOptions,
  "config" | "endpoints" | "allowHttp" | "headers" | "translate" | "bodies" | "pkce"
> & {
  readonly memoryBytes?: number | undefined;
  /** If set, requests have a proof of possession. "require": tokens that are not bound are refused. */
  readonly dpop?: "auto" | "require" | undefined;
  /** The audience of client assertions (private_key_jwt). */
  readonly audience?: string | undefined;
  /** The issuer of the server's ID tokens, spelled as in its metadata if these were read; undefined if unknown. */
  readonly issuer?: string | undefined;
  /** Requests the current endpoints, until the signal aborts. Present if the issuer's metadata are stored. */
  readonly rediscover?: ((signal: AbortSignal) => Promise<Endpoints>) | undefined;
};

/** An empty address counts as missing, but an empty revocation endpoint means that signing out sends no request. */
export function givenEndpoints({ server: { endpoints = {} } }: Settings): Partial<Endpoints> {
  const given = Object.entries(endpoints).filter(
    ([name, address]) => address || (name === "revocation" && address === ""),
  );
  return Object.fromEntries(given);
}

/** Returns the options of a driver. The client's settings take precedence over `own`, except over `own.server`. */
export function serverSettings(client: Settings, own: ServersOwn = {}): ServerSettings {
  const { clientId, clientSecret = "", dpop = "off", assertionAudience } = client;
  const { translate, profile } = own;
  const usual = clientSecret === "" ? "none" : (client.secretMethod ?? "client_secret_basic");
  const method = client.clientAuthentication ?? own.clientAuthentication ?? usual;
  const server = own.server ?? client.server.issuer;
  const issuer = server ?? own.issuer;
  const parameters = [client.deviceParameters, client.tokenParameters];
  const [deviceParameters = "", tokenParameters = ""] = parameters.map(formParameters);
  const endpoints = { ...noEndpoints, ...own.addresses, ...givenEndpoints(client) };
  return {
    endpoints,
    allowHttp: client.allowHttp,
    headers: client.headers,
    translate: translate && ((of) => translate(of, endpoints)),
    bodies: client.bodies,
    pkce: client.pkce ?? profile?.pkce,
    memoryBytes: client.memoryBytes ?? profile?.memoryBytes,
    dpop: dpop === "off" || (dpop === "auto" && !own.bindsTokens) ? undefined : dpop,
    // RFC 7523 §3 leaves the audience open. Some servers accept only the issuer, others only the token endpoint.
    audience:
      method === "private_key_jwt"
        ? (assertionAudience !== "token_endpoint" && issuer) || endpoints.token
        : undefined,
    issuer,
    config: {
      ...{ clientId, clientSecret },
      clientAuthentication: clientAuthentications[method],
      scope: client.scope ?? profile?.scope ?? "",
      ...{ deviceParameters, tokenParameters },
      autoStart: client.autoStart === false ? 0 : 1,
      renewalsMax: client.renewals ?? 3,
      // The spread is for fleets of devices after a power cut. At the start of a program, a user waits.
      startSpreadMs: client.startSpreadMs ?? 0,
      messages: client.messages ?? "",
      server,
    },
  };
}

/** Form-encodes parameters, each preceded by `&`. */
function formParameters(parameters: Client["deviceParameters"] = {}): string {
  const form = formEncode(Object.entries(parameters));
  return form && `&${form}`;
}
