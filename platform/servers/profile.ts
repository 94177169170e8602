// What a profile says about an authorization server: enough to sign in there with a client identifier
// and the few words (a host name, a tenant) that differ from one customer to the next.

import type { Translation } from "./translation.ts";

/** How the client authenticates, as device.json and the metadata of RFC 8414 spell it. */
export type ClientAuthenticationName =
  | "none"
  | "client_secret_post"
  | "client_secret_basic"
  | "specification";

/** A word of the server's addresses that the customer fills in. */
export interface ProfileParameter {
  /** What it is; ends up in the message where it is missing or wrong. */
  readonly description: string;
  /** Taken where nothing is given; absent: it must be given. */
  readonly default?: string;
  /** What a value looks like; never more than one step of an address. */
  readonly pattern: RegExp;
}

/** Where a server says whose an access token is. */
export interface UserInfo {
  /** Asked by GET with the access token; `{name}` for parameters. */
  readonly address: string;
  /** The scheme of `Authorization` where it is not `Bearer` (RFC 6750 §2.1). */
  readonly scheme?: string;
  /** Where the maker of the server runs it: values of `{host}` whose API has an address of its own. */
  readonly hosted?: { readonly host: RegExp; readonly address: string };
}

/** What is known of a server. */
export interface ServerProfile {
  /** As in `"server": "github"`. */
  readonly name: string;
  /** Its name for people. */
  readonly title: string;
  /** `{host}` and the like in the addresses below. */
  readonly parameters: Readonly<Record<string, ProfileParameter>>;
  /** Whose ID tokens count, the same; absent: it sends none, or each customer's is another. */
  readonly issuer?: string;
  /** Device authorization endpoint, with `{name}` for parameters. */
  readonly deviceAuthorization: string;
  /** Token endpoint, the same. */
  readonly token: string;
  /** "": the server has none; signing out then forgets the tokens on the device. */
  readonly revocation: string;
  /** Undefined: none is known, or it wants more than the access token. */
  readonly userInfo?: UserInfo;
  /** Whether a client of this server has a secret; absent: it may have one. */
  readonly secret?: "never" | "required";
  /** How a client with a secret authenticates; one without has `none`. */
  readonly withSecret: ClientAuthenticationName;
  /** The device authorization endpoint refuses a secret, the others want it: only for translating hosts. */
  readonly codeWithoutSecret?: true;
  /** "S256": it takes code challenges in the device grant (RFC 7636), and each code has one. */
  readonly pkce?: "S256";
  /** Scopes for a first try, and those without which no refresh token comes. */
  readonly scope: string;
  /** Bytes of the tokens to make room for; the rows of the sizing table. */
  readonly accessTokenBytes: number;
  /** Bytes of its longest refresh tokens; 0: it gives none. */
  readonly refreshTokenBytes: number;
  /** Bytes for the core that hold them, in the complete build. */
  readonly memoryBytes: number;
  /** What a maker should know. */
  readonly notes: readonly string[];
  /** For a server that does not speak RFC 8628: translates between it and the core. */
  readonly translate?: (client: TranslatedClient) => Translation;
}

/** A profile's addresses with the customer's words filled in. */
export interface Addresses {
  /** Device authorization endpoint. */
  readonly deviceAuthorization: string;
  /** Token endpoint. */
  readonly token: string;
  /** Revocation endpoint, "" where there is none. */
  readonly revocation: string;
}

/** What a translation may need of the client's configuration. */
export interface TranslatedClient {
  /** Client identifier. */
  readonly clientId: string;
  /** Its secret, "" without. */
  readonly clientSecret: string;
  /** Scopes, separated by spaces. */
  readonly scope: string;
  /** The session's access token, "" where there is none: for servers that revoke by it. */
  accessToken(): string;
}

/** A host name, with a port where it has one. */
export const HOST: RegExp = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::[0-9]{1,5})?$/;

/** One step of a path: a tenant, a realm, an identifier. */
export const STEP: RegExp = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;
