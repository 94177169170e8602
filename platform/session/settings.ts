// Which authorization server a program means: one that picogrant knows by name, one that describes itself, or
// addresses as they are. All three come to the same: what a driver takes.

import { clientAuthentications, formParameters } from "../configuration/client-settings.ts";
import type { Http, Timers } from "../contracts.ts";
import { type DriverOptions, type Endpoints, noEndpoints } from "../driver.ts";
import type { DiscoveredServer } from "../servers/discovery.ts";
import type { ClientAuthenticationName } from "../servers/index.ts";
import { wrongOption } from "./sign-in-error.ts";

/** The addresses of a server that is neither known nor describes itself. */
export interface ServerAddresses {
  /** Device authorization endpoint (RFC 8628 §3.1). */
  readonly deviceAuthorization: string;
  /** Token endpoint (RFC 6749 §3.2). */
  readonly token: string;
  /** Without one, signing out forgets the tokens here and tells nobody. */
  readonly revocation?: string;
}

/** A known server that needs words of the customer's: `{ name: "keycloak", host: ..., realm: ... }`. */
export interface NamedServer {
  /** The name of a profile: `picogrant/servers` lists them. */
  readonly name: string;
  readonly [word: string]: string;
}

/**
 * `"github"` (docs/servers.md), `"https://issuer.example"` (RFC 8414 or OpenID Connect Discovery is asked), a
 * known server with words, or addresses.
 */
export type ServerChoice = string | NamedServer | ServerAddresses;

/** The client as the authorization server knows it. */
export interface Client {
  /** The client identifier, 1..256 printable ASCII characters. */
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string | undefined;
  /** Separated by spaces; absent: what the server's profile recommends for a first try. */
  readonly scope?: string | undefined;
  /** How the secret goes; by default as the server's profile or metadata has it, or HTTP Basic. */
  readonly clientAuthentication?: ClientAuthenticationName | undefined;
  /** Further parameters of the device authorization request, such as `{ audience: "..." }`. */
  readonly deviceParameters?: Readonly<Record<string, string>> | undefined;
  /** Further parameters of token requests, such as `{ resource: "..." }` (RFC 8707). */
  readonly tokenParameters?: Readonly<Record<string, string>> | undefined;
  /** "json" for a server that takes no forms; where nothing is said, an answer of 415 has it tried once. */
  readonly bodies?: "form" | "json" | undefined;
  /**
   * "S256": each code has a code challenge (RFC 7636). Where nothing is said the server's profile says it, or a refusal of
   * a request without one.
   */
  readonly pkce?: "S256" | undefined;
  /** Bytes of memory for codes and tokens, 4096 or more; default 163,840, which is room for tokens of 20,000. */
  readonly memoryBytes?: number | undefined;
}

/** What issuers have said of themselves, from one start to the next. */
export interface KeptMetadata {
  /** Undefined where nothing is kept of this one. */
  read(issuer: string): DiscoveredServer | undefined;
  write(issuer: string, server: DiscoveredServer): void;
  /** Asks the issuer for those of today, and keeps them. Absent: what is kept stays. */
  rediscover?(issuer: string): Promise<Endpoints>;
}

/** What a driver needs to know of server and client. */
export type ServerSettings = Pick<
  DriverOptions,
  "config" | "endpoints" | "translate" | "bodies" | "pkce"
> & {
  readonly memoryBytes: number;
  /** Where the server was named by it: whose ID tokens count. */
  readonly issuer?: string | undefined;
  /** Where the addresses come from an earlier start: asks the issuer for those of today. */
  readonly rediscover?: (() => Promise<Endpoints>) | undefined;
};

/** Room for tokens that are signed documents, 20,000 bytes each: a program on Node has it. */
export const SESSION_BYTES = 163_840;

/**
 * @param host asks for the metadata where an issuer is given
 * @param allowHttp plain http to other machines is taken as it is
 * @param kept where there is something of an issuer's, that is not asked
 * @throws ServerError where the name or a word is wrong; MetadataError where the issuer has no metadata of use;
 *   SignInError `wrong_option` where something of the client's is
 */
export async function settingsFor(
  choice: ServerChoice,
  client: Client,
  host: { http: Http; timers: Timers },
  allowHttp = false,
  kept?: KeptMetadata,
): Promise<ServerSettings> {
  checkClient(client);
  const hasSecret = client.clientSecret !== undefined && client.clientSecret !== "";
  if (typeof choice === "string" && choice.includes("://")) {
    const known = kept?.read(choice);
    // Loaded by whoever names an issuer, as is the core that asks for metadata: to sign in takes the grant alone.
    const { clientAuthenticationFor, discoverServer } = await import("../servers/discovery.ts");
    const found =
      known ??
      (await discoverServer(await import("../../core/complete.ts"), host, choice, allowHttp));
    if (known === undefined) kept?.write(choice, found);
    const method = clientAuthenticationFor(found.clientAuthenticationMethods, hasSecret);
    return {
      ...settings(client, found.endpoints, method, { issuer: choice }),
      issuer: choice,
      rediscover: known && kept?.rediscover && (() => kept.rediscover!(choice)),
    };
  }
  if (typeof choice === "object" && "token" in choice) {
    const { deviceAuthorization = "", token = "", revocation = "" } = choice as ServerAddresses;
    const endpoints = { ...noEndpoints, deviceAuthorization, token, revocation };
    return settings(client, endpoints, hasSecret ? "client_secret_basic" : "none", {});
  }
  const { name, ...words } =
    typeof choice === "string" ? { name: choice } : (choice as NamedServer);
  // Known servers are loaded by whoever names one.
  const { serverOf } = await import("../servers/index.ts");
  const server = serverOf(name, words, hasSecret);
  const endpoints = { ...noEndpoints, ...server.addresses };
  return {
    ...settings(client, endpoints, server.clientAuthentication, {
      memoryBytes: server.profile.memoryBytes,
      pkce: server.profile.pkce,
      scope: server.profile.scope,
      deviceParameters: server.deviceParameters,
      tokenParameters: server.tokenParameters,
    }),
    translate: server.translate,
  };
}

/** What picogrant puts into requests itself: there must be one of each (RFC 6749 §3.1 and §3.2). */
const OWN_PARAMETERS = [
  "client_id",
  "client_secret",
  "code_challenge",
  "code_challenge_method",
  "code_verifier",
  "device_code",
  "grant_type",
  "refresh_token",
  "scope",
];

/** @throws SignInError `wrong_option` */
export function checkClient(client: Client): void {
  const { clientId, clientSecret = "", memoryBytes = SESSION_BYTES } = client;
  // RFC 6749 appendix A.1 and A.2.
  if (typeof clientId !== "string" || !/^[ -~]{1,256}$/.test(clientId)) {
    throw wrongOption("clientId must be 1..256 printable ASCII characters");
  }
  if (typeof clientSecret !== "string" || !/^[ -~]*$/.test(clientSecret)) {
    throw wrongOption("clientSecret must be printable ASCII characters");
  }
  if (!Number.isInteger(memoryBytes) || memoryBytes < 4096 || memoryBytes > MEMORY_BYTES_MAX) {
    throw wrongOption(`memoryBytes must be a whole number from 4096 to ${MEMORY_BYTES_MAX}`);
  }
  if (client.bodies !== undefined && client.bodies !== "form" && client.bodies !== "json") {
    throw wrongOption("bodies must be form or json");
  }
  if (client.pkce !== undefined && client.pkce !== "S256") throw wrongOption("pkce must be S256");
  for (const name of ["deviceParameters", "tokenParameters"] as const) {
    const own = Object.keys(client[name] ?? {}).find((key) => OWN_PARAMETERS.includes(key));
    if (own !== undefined) throw wrongOption(`${name}.${own} is not to be set there`);
  }
}

/** The core's integers end at 2^27. */
const MEMORY_BYTES_MAX = 16_777_216;

/** What the server asks for; what the client says itself goes first. */
interface ServersOwn {
  readonly memoryBytes?: number;
  readonly pkce?: "S256" | undefined;
  readonly issuer?: string;
  readonly scope?: string;
  readonly deviceParameters?: Readonly<Record<string, string>>;
  readonly tokenParameters?: Readonly<Record<string, string>>;
}

function settings(
  client: Client,
  endpoints: Endpoints,
  method: ClientAuthenticationName,
  own: ServersOwn,
): ServerSettings {
  const pkce = client.pkce ?? own.pkce;
  return {
    memoryBytes: client.memoryBytes ?? Math.max(SESSION_BYTES, own.memoryBytes ?? 0),
    endpoints,
    ...(client.bodies !== undefined && { bodies: client.bodies }),
    ...(pkce !== undefined && { pkce }),
    config: {
      clientId: client.clientId,
      clientSecret: client.clientSecret ?? "",
      clientAuthentication: clientAuthentications[client.clientAuthentication ?? method],
      scope: client.scope ?? own.scope ?? "",
      deviceParameters: formParameters({ ...own.deviceParameters, ...client.deviceParameters }),
      tokenParameters: formParameters({ ...own.tokenParameters, ...client.tokenParameters }),
      autoStart: 1,
      renewalsMax: 3,
      // The spread is a fleet's after a power cut; a person waits for a program.
      startSpreadMs: 0,
      messages: "",
      ...(own.issuer !== undefined && { server: own.issuer }),
    },
  };
}
