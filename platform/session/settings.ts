// Which authorization server a program means: one that picogrant knows by name, one that describes itself, or addresses
// as they are; or several of these for one server, of which the more particular goes first.

import { clientAuthentications, formParameters } from "../configuration/client-settings.ts";
import type { Http, Timers } from "../contracts.ts";
import { type DriverOptions, type Endpoints, noEndpoints } from "../driver.ts";
import { addressProblem } from "../servers/address.ts";
import type { DiscoveredServer } from "../servers/discovery.ts";
import type { ClientAuthenticationName, Server } from "../servers/index.ts";
import type { RetryHandlers } from "./retry.ts";
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
 * All that is known of one server. What it says of itself is asked for where addresses are missing; before that goes what
 * the profile says, and before both the addresses that stand here.
 */
export interface ServerIdentity {
  /** Whose ID tokens count, and whose metadata (RFC 8414, OpenID Connect Discovery); with a slash at the end or without. */
  readonly issuer?: string | undefined;
  /** Addresses that are known already. */
  readonly endpoints?: Partial<ServerAddresses> | undefined;
  /** Its name, with the customer's words where it needs any. */
  readonly profile?: string | NamedServer | undefined;
}

/**
 * Short for one of the three: `"github"` (docs/servers.md) or a known server with words, `"https://issuer.example"`,
 * addresses.
 */
export type ServerChoice = string | NamedServer | ServerAddresses | ServerIdentity;

/** The server as a whole. */
export function identityOf(choice: ServerChoice): ServerIdentity {
  if (typeof choice === "string") {
    return choice.includes("://") ? { issuer: choice } : { profile: choice };
  }
  if ("name" in choice) return { profile: choice as NamedServer };
  if (!("token" in choice)) return choice;
  const { issuer, ...endpoints } = choice as ServerAddresses & ServerIdentity;
  return { issuer, endpoints };
}

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
  /**
   * The most bytes of memory for codes and tokens, 4096 or more; default 163,840, which is room for tokens of 20,000. A
   * session begins with 8192, and takes more where something does not fit.
   */
  readonly memoryBytes?: number | undefined;
}

/** What issuers have said of themselves, from one start to the next. */
export interface StoredMetadata {
  /** Undefined where nothing is kept of this one. */
  read(issuer: string): DiscoveredServer | undefined;
  write(server: DiscoveredServer): void;
  /** Asks the issuer for those of today but for the given ones, and keeps them. Absent: what is kept stays. */
  rediscover?(issuer: string, given: Partial<Endpoints>): Promise<Endpoints>;
}

/** What a driver needs to know of server and client. */
export type ServerSettings = Pick<
  DriverOptions,
  "config" | "endpoints" | "translate" | "bodies" | "pkce"
> & {
  readonly memoryBytes: number;
  /** Whose ID tokens count, as it spells itself; undefined where it is not known. */
  readonly issuer?: string | undefined;
  /** Where the addresses come from an earlier start: asks the issuer for those of today. */
  readonly rediscover?: (() => Promise<Endpoints>) | undefined;
};

/** Room for tokens that are signed documents, 20,000 bytes each: a program on Node has it. */
export const SESSION_BYTES = 163_840;

/** How an issuer is asked. */
export interface RequestContext {
  /** Plain http to other machines is taken as it is. */
  readonly allowHttp?: boolean | undefined;
  /** Where there is something of an issuer's, that is not asked. */
  readonly stored?: StoredMetadata | undefined;
  /** Called before an issuer is asked, which it prevents by what it throws. */
  readonly onRequest?: () => void;
  /** An issuer that cannot be reached is asked again, with growing waits. Absent: once. */
  readonly retryHandlers?: RetryHandlers | undefined;
}

/**
 * @param host asks for the metadata where addresses are missing; it has no exchange under way, and no alarm is set
 * @throws ServerError where the name or a word is wrong; MetadataError where the issuer has no metadata of use;
 *   SignInError `wrong_option` where something of the client's is, or nothing says where the server is
 */
export async function settingsFor(
  choice: ServerChoice,
  client: Client,
  host: { readonly http: Http; readonly timers: Timers },
  { allowHttp = false, stored, onRequest, retryHandlers }: RequestContext = {},
): Promise<ServerSettings> {
  const { issuer, endpoints = {}, profile } = identityOf(choice);
  const hasSecret = client.clientSecret !== undefined && client.clientSecret !== "";
  const own = profile === undefined ? {} : await profileOf(profile, hasSecret);
  // An empty one is none, but for revocation: signing out then tells nobody.
  const byHand = Object.entries(endpoints).filter(
    ([name, address]) => address || (name === "revocation" && address === ""),
  );
  const given: Partial<Endpoints> = { ...own.endpoints, ...Object.fromEntries(byHand) };
  if (given.deviceAuthorization && given.token) {
    const problem = issuer === undefined ? "" : addressProblem(issuer, allowHttp);
    if (problem !== "") throw wrongOption(`the issuer ${problem}`);
    const addresses = { ...noEndpoints, ...given };
    const { translate } = own;
    return {
      ...settings(client, addresses, hasSecret, { ...own, ...(issuer && { server: issuer }) }),
      issuer: issuer ?? own.issuer,
      translate: translate && ((of) => translate(of, addresses)),
    };
  }
  if (issuer === undefined) {
    throw wrongOption("server must be a known server's name, an issuer, or both addresses");
  }
  // Loaded by whoever names an issuer alone.
  const { clientAuthenticationFor, discoverServer } = await import("../servers/discovery.ts");
  const { withRetries } = await import("./retry.ts");
  const before = usable(stored?.read(issuer), given);
  if (before === undefined) onRequest?.();
  const discover = () => discoverServer(host.http, issuer, allowHttp, given);
  const found = before ?? (await withRetries(discover, host, retryHandlers));
  const merged = { ...found.endpoints, ...given };
  if (before === undefined) stored?.write(found);
  const method =
    client.clientAuthentication ??
    clientAuthenticationFor(found.clientAuthenticationMethods, hasSecret);
  const rediscover = before && stored?.rediscover;
  const its = { method, server: found.issuer };
  return {
    ...settings(client, merged, hasSecret, its),
    issuer: found.issuer,
    rediscover: rediscover && (async () => ({ ...(await rediscover(issuer, given)), ...given })),
  };
}

/** What is kept counts where it has what is not given. */
function usable(
  stored: DiscoveredServer | undefined,
  given: Partial<Endpoints>,
): DiscoveredServer | undefined {
  const { deviceAuthorization, token } = { ...stored?.endpoints, ...given };
  return deviceAuthorization && token ? stored : undefined;
}

/** What is known of a server by its name. It is loaded by whoever names one. */
async function profileOf(choice: string | NamedServer, hasSecret: boolean): Promise<ServersOwn> {
  const { name, ...words } = typeof choice === "string" ? { name: choice } : choice;
  const { serverOf } = await import("../servers/index.ts");
  const { profile, addresses, clientAuthentication, ...own } = serverOf(name, words, hasSecret);
  const { pkce, scope } = profile;
  return { ...own, endpoints: addresses, method: clientAuthentication, pkce, scope };
}

/** What the server asks for; what the client says itself goes first. */
interface ServersOwn {
  readonly endpoints?: Partial<Endpoints>;
  readonly issuer?: string | undefined;
  readonly translate?: Server["translate"];
  readonly method?: ClientAuthenticationName;
  readonly pkce?: "S256" | undefined;
  /** What records belong to. */
  readonly server?: string;
  readonly scope?: string;
}

function settings(
  client: Client,
  endpoints: Endpoints,
  hasSecret: boolean,
  own: ServersOwn,
): ServerSettings {
  const method = own.method ?? (hasSecret ? "client_secret_basic" : "none");
  return {
    memoryBytes: client.memoryBytes ?? SESSION_BYTES,
    endpoints,
    bodies: client.bodies,
    pkce: client.pkce ?? own.pkce,
    config: {
      clientId: client.clientId,
      clientSecret: client.clientSecret ?? "",
      clientAuthentication: clientAuthentications[client.clientAuthentication ?? method],
      scope: client.scope ?? own.scope ?? "",
      deviceParameters: formParameters(client.deviceParameters),
      tokenParameters: formParameters(client.tokenParameters),
      autoStart: 1,
      renewalsMax: 3,
      // The spread is a fleet's after a power cut; a person waits for a program.
      startSpreadMs: 0,
      messages: "",
      server: own.server,
    },
  };
}
