// A server profile: the settings that a sign-in at a server needs. You add the client's identifier and secret, and for
// some profiles parameters such as a host name or a tenant. Also the errors about names and metadata of servers.

import type { Translation } from "./translation.ts";

export type { Addresses } from "./translation.ts";

/** How the client authenticates. All names but `specification` are registered (RFC 7591 §4.2, OpenID Connect Core 1.0 §9). */
export type ClientAuthenticationName =
  | "none"
  | "client_secret_post"
  | "client_secret_basic"
  | "private_key_jwt"
  | "specification";

/** The patterns of parameters. `step` is a path segment: a tenant, a realm, an identifier. */
export const PATTERNS = {
  host: /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::[0-9]{1,5})?$/,
  step: /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/,
} as const;

/** A parameter of the server's addresses. */
export interface ProfileParameter {
  /** Describes the parameter in the error message if it is missing or invalid. */
  readonly description: string;
  readonly default?: string;
  /** The pattern of allowed values. A value contains at most one segment of an address. */
  readonly pattern: keyof typeof PATTERNS;
}

/** The endpoint that returns the user of an access token. */
export interface UserInfo {
  /** The address for a GET with the access token. `{name}` stands for a parameter. */
  readonly address: string;
  /** The scheme of `Authorization`, if it is not `Bearer` (RFC 6750 §2.1). */
  readonly scheme?: string;
  /** For hosts that the vendor runs: if the parameter `host` matches the expression, this address is used instead. */
  readonly hosted?: { readonly host: string; readonly address: string };
}

/** A server by name: endpoints, client authentication, lengths of its tokens. */
export interface ServerProfile {
  /** The name, as in `"server": "github"`. */
  readonly name: string;
  readonly title: string;
  /** Parameters of the addresses below, which contain them as `{name}`. */
  readonly parameters: Readonly<Record<string, ProfileParameter>>;
  /** The issuer of the server's ID tokens; absent if there are none, or if it differs by customer. */
  readonly issuer?: string;
  readonly deviceAuthorization: string;
  readonly token: string;
  /** The revocation endpoint; "" if there is none. Signing out then only erases the tokens on the device. */
  readonly revocation: string;
  /** The userinfo endpoint. Undefined if it is unknown, or requires more than the access token. */
  readonly userInfo?: UserInfo;
  /** Whether clients of this server have a secret; absent: a client may have one. */
  readonly secret?: "never" | "required";
  /** How a client with a secret authenticates. A client without a secret uses `none`. */
  readonly withSecret: ClientAuthenticationName;
  /** Whether the device authorization endpoint rejects the secret that other endpoints require. It is then left out. */
  readonly codeWithoutSecret?: true;
  /** "S256": the server accepts code challenges (RFC 7636) in the device grant, and picogrant always sends one. */
  readonly pkce?: "S256";
  /** Scopes for a first try, including the scopes that the server requires for a refresh token. */
  readonly scope: string;
  /** Expected length of access tokens in bytes, for the sizing table. */
  readonly accessTokenBytes: number;
  /** Length of the longest refresh tokens in bytes; 0 if the server issues none. */
  readonly refreshTokenBytes: number;
  /** Memory of the complete build for these tokens, in bytes. */
  readonly memoryBytes: number;
  /** Translates between the core and a server that does not implement RFC 8628. */
  readonly translate?: (client: TranslatedClient) => Translation;
}

/** The client settings that a translation may need. */
export interface TranslatedClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  /** Returns the session's access token, "" for none. Some servers need it to revoke a grant. */
  accessToken(): string;
}

/** An unknown server name or an invalid parameter. The message has one line and names the member. */
export class ServerError extends Error {
  readonly path: string;
  readonly problem: string;

  constructor(path: string, problem: string) {
    super(`${path} ${problem}`);
    this.name = "ServerError";
    this.path = path;
    this.problem = problem;
  }
}

/** There is no usable metadata document. The message is one line, with the result of each request. */
export class MetadataError extends Error {
  readonly isTransient: boolean;

  constructor(message: string, isTransient = false) {
    super(message);
    this.name = "MetadataError";
    this.isTransient = isTransient;
  }
}
