// A server profile: everything that a sign-in needs besides a client identifier and a few parameters (a host name, a
// tenant) that differ between customers; and the errors about names and metadata of servers.

import type { Translation } from "./translation.ts";

export type { Addresses } from "./translation.ts";

/** How the client authenticates, by the names of device.json and RFC 8414. */
export type ClientAuthenticationName =
  | "none"
  | "client_secret_post"
  | "client_secret_basic"
  | "private_key_jwt"
  | "specification";

/** A parameter of the server's addresses. */
export interface ProfileParameter {
  /** For the message if it is missing or invalid. */
  readonly description: string;
  /** Default; without one the parameter is required. */
  readonly default?: string;
  /** Allowed values; at most one segment of an address. */
  readonly pattern: RegExp;
}

/** The endpoint that names the user of an access token. */
export interface UserInfo {
  /** Requested by GET with the access token; `{name}` for parameters. */
  readonly address: string;
  /** The scheme of `Authorization`, if it is not `Bearer` (RFC 6750 §2.1). */
  readonly scheme?: string;
  /** For hosts that the vendor runs: values of `{host}` whose API has an address of its own. */
  readonly hosted?: { readonly host: RegExp; readonly address: string };
}

/** A server by name: endpoints, client authentication, lengths of its tokens. */
export interface ServerProfile {
  /** As in `"server": "github"`. */
  readonly name: string;
  /** Display name. */
  readonly title: string;
  /** Parameters such as `{host}` in the addresses below. */
  readonly parameters: Readonly<Record<string, ProfileParameter>>;
  /** The issuer of its ID tokens; absent if it issues none, or if it differs by customer. */
  readonly issuer?: string;
  /** Device authorization endpoint, with `{name}` for parameters. */
  readonly deviceAuthorization: string;
  /** Token endpoint, likewise. */
  readonly token: string;
  /** "" if the server has none; signing out then only erases the tokens on the device. */
  readonly revocation: string;
  /** Undefined if unknown, or if it requires more than the access token. */
  readonly userInfo?: UserInfo;
  /** Whether clients of this server have a secret; absent: they may. */
  readonly secret?: "never" | "required";
  /** How a client with a secret authenticates; one without uses `none`. */
  readonly withSecret: ClientAuthenticationName;
  /** The device authorization endpoint rejects a secret, the others require it: only for hosts that translate. */
  readonly codeWithoutSecret?: true;
  /** "S256": the server accepts code challenges in the device grant (RFC 7636), and each request has one. */
  readonly pkce?: "S256";
  /** Scopes for a first try, including those without which no refresh token is issued. */
  readonly scope: string;
  /** Expected length of access tokens in bytes; the rows of the sizing table. */
  readonly accessTokenBytes: number;
  /** Length of its longest refresh tokens in bytes; 0 if it issues none. */
  readonly refreshTokenBytes: number;
  /** Memory of the core for these tokens in bytes, in the complete build. */
  readonly memoryBytes: number;
  /** For a server that does not implement RFC 8628: translates between it and the core. */
  readonly translate?: (client: TranslatedClient) => Translation;
}

/** The client settings that a translation may need. */
export interface TranslatedClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scopes, separated by spaces. */
  readonly scope: string;
  /** The session's access token, "" for none: for servers that revoke by it. */
  accessToken(): string;
}

/** An unknown server name, or an invalid parameter; one line each, with the member. */
export class ServerError extends Error {
  /** The invalid member of the configuration. */
  readonly path: string;
  /** The message without the member. */
  readonly problem: string;

  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.name = "ServerError";
    this.path = path;
    this.problem = problem;
  }
}

/** No usable metadata document; one line, with the result of each address. */
export class MetadataError extends Error {
  /** No response, or a server error: retrying may help. */
  readonly isTransient: boolean;

  constructor(message: string, isTransient = false) {
    super(message);
    this.name = "MetadataError";
    this.isTransient = isTransient;
  }
}
