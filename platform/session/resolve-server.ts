// Resolves the authorization server of parsed settings: its profile, its metadata and explicit addresses become what a
// driver takes.

import {
  clientAuthentications,
  formParameters,
  type NamedServer,
  type Settings,
} from "../configuration/settings.ts";
import type { Http, Timers } from "../contracts.ts";
import { type DriverOptions, type Endpoints, noEndpoints } from "../driver.ts";
import { guarded } from "../exchange/callbacks.ts";
import type { DiscoveredServer } from "../servers/discovery.ts";
import type { ClientAuthenticationName, Server } from "../servers/index.ts";
import { MetadataError } from "../servers/profile.ts";
import type { SignInHandlers } from "./handlers.ts";
import { CallbackError, metadataErrorOf, unlessAborted } from "./sign-in-error.ts";

export interface StoredMetadata {
  /** Undefined if none are stored for this issuer. */
  read(issuer: string): DiscoveredServer | undefined;
  write(server: DiscoveredServer): void;
  /** Requests the current metadata except the given endpoints, and stores them. Absent: stored metadata stay. */
  rediscover?(issuer: string, given: Partial<Endpoints>): Promise<Endpoints>;
}

/** What a driver needs to know about server and client. */
export type ServerSettings = Pick<
  DriverOptions,
  "config" | "endpoints" | "translate" | "bodies" | "pkce"
> & {
  readonly memoryBytes: number;
  /** If requests have a proof of possession: whether other tokens are refused. */
  readonly dpop?: "auto" | "require" | undefined;
  /** The audience of client assertions (private_key_jwt). */
  readonly audience?: string | undefined;
  /** The issuer of its ID tokens, as the server spells it; undefined if unknown. */
  readonly issuer?: string | undefined;
  /** If the endpoints come from an earlier start: requests the current ones. */
  readonly rediscover?: (() => Promise<Endpoints>) | undefined;
};

/** Memory for tokens that are signed documents of 20,000 bytes each. */
export const SESSION_BYTES = 163_840;

export interface RequestContext {
  /** If it has the issuer's metadata, they are not requested. */
  readonly stored?: StoredMetadata | undefined;
  /** Called before the request; if it throws, no request is sent. */
  readonly onRequest?: () => void;
  /** Requests are retried with growing waits if the issuer is unreachable. Absent: one request. */
  readonly retryHandlers?: RetryHandlers | undefined;
}

/**
 * @param host requests the metadata if addresses are missing; it has no exchange under way, and no alarm is set
 * @throws ServerError if the name or a parameter of a profile is wrong; MetadataError if the issuer has no usable metadata
 */
export async function resolveServer(
  client: Settings,
  host: { readonly http: Http; readonly timers: Timers },
  { stored, onRequest, retryHandlers }: RequestContext = {},
): Promise<ServerSettings> {
  const { server, allowHttp = false } = client;
  const { issuer, endpoints = {}, profile } = server;
  const hasSecret = client.clientSecret !== undefined && client.clientSecret !== "";
  const own = profile === undefined ? {} : await profileOf(profile, hasSecret);
  // An empty address is none; an empty revocation endpoint overrides the others: signing out then sends no request.
  const byHand = Object.entries(endpoints).filter(
    ([name, address]) => address || (name === "revocation" && address === ""),
  );
  const given: Partial<Endpoints> = { ...own.endpoints, ...Object.fromEntries(byHand) };
  if (issuer === undefined || (given.deviceAuthorization && given.token)) {
    const addresses = { ...noEndpoints, ...given };
    const { translate } = own;
    return {
      ...settings(client, addresses, hasSecret, {
        ...own,
        ...(issuer && { server: issuer, issuer }),
      }),
      translate: translate && ((of) => translate(of, addresses)),
    };
  }
  // Loaded only if an issuer is named and an endpoint is missing.
  const { clientAuthenticationFor, discoverServer } = await import("../servers/discovery.ts");
  const before = usable(stored?.read(issuer), given, client.dpop === "auto");
  if (before === undefined) onRequest?.();
  const discover = () => discoverServer(host.http, issuer, allowHttp, given);
  const found = before ?? (await withRetries(discover, host, retryHandlers));
  const merged = { ...found.endpoints, ...given };
  if (before === undefined) stored?.write(found);
  const method =
    client.clientAuthentication ??
    clientAuthenticationFor(found.clientAuthenticationMethods, hasSecret);
  const rediscover = before && stored?.rediscover;
  const { issuer: name, bindsTokens } = found;
  const its = { method, server: name, issuer: name, bindsTokens };
  return {
    ...settings(client, merged, hasSecret, its),
    rediscover: rediscover && (async () => ({ ...(await rediscover(issuer, given)), ...given })),
  };
}

/** Stored metadata are used if they have the endpoints that are not given, and say whether tokens are bound if needed. */
function usable(
  stored: DiscoveredServer | undefined,
  given: Partial<Endpoints>,
  mayBind: boolean,
): DiscoveredServer | undefined {
  const { deviceAuthorization, token } = { ...stored?.endpoints, ...given };
  if (mayBind && stored?.bindsTokens === undefined) return undefined;
  return deviceAuthorization && token ? stored : undefined;
}

/** The settings of a profile. Profiles are loaded only if one is named. */
async function profileOf(choice: string | NamedServer, hasSecret: boolean): Promise<ServersOwn> {
  const { name, ...words } = typeof choice === "string" ? { name: choice } : choice;
  const { serverOf } = await import("../servers/index.ts");
  const { profile, addresses, clientAuthentication, ...own } = serverOf(name, words, hasSecret);
  const { pkce, scope } = profile;
  return { ...own, endpoints: addresses, method: clientAuthentication, pkce, scope };
}

/** The server's own settings; those of the client take precedence. */
interface ServersOwn {
  readonly endpoints?: Partial<Endpoints>;
  readonly issuer?: string | undefined;
  readonly translate?: Server["translate"];
  readonly method?: ClientAuthenticationName;
  readonly pkce?: "S256" | undefined;
  /** Identifies the server in records. */
  readonly server?: string;
  readonly bindsTokens?: boolean | undefined;
  readonly scope?: string;
}

function settings(
  client: Settings,
  endpoints: Endpoints,
  hasSecret: boolean,
  own: ServersOwn,
): ServerSettings {
  const method = own.method ?? (hasSecret ? "client_secret_basic" : "none");
  const { dpop = "off", assertionAudience } = client;
  // The newer rule is the issuer (RFC 7523 leaves both open), and each server knows one of them.
  const audience = (assertionAudience !== "token_endpoint" && own.issuer) || endpoints.token;
  return {
    memoryBytes: client.memoryBytes ?? SESSION_BYTES,
    endpoints,
    dpop: dpop === "off" || (dpop === "auto" && !own.bindsTokens) ? undefined : dpop,
    audience: client.clientAuthentication === "private_key_jwt" ? audience : undefined,
    issuer: own.issuer,
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
      // The spread is for fleets after a power cut; here a user waits.
      startSpreadMs: 0,
      messages: "",
      server: own.server,
    },
  };
}

/** Receives reports, and ends the wait. */
export type RetryHandlers = Pick<SignInHandlers, "onTrouble" | "signal">;

const TIMEOUT_MIN_MS = 2000;
const TIMEOUT_MAX_MS = 64_000;

/** A first start without a network waits like any other: it reports the problem and retries. */
export async function withRetries<Result>(
  act: () => Promise<Result>,
  { timers }: { readonly timers: Timers },
  retryHandlers: RetryHandlers | undefined,
): Promise<Result> {
  if (retryHandlers === undefined) return await act();
  const { onTrouble, signal } = retryHandlers;
  for (let waitMs = TIMEOUT_MIN_MS; ; waitMs = Math.min(2 * waitMs, TIMEOUT_MAX_MS)) {
    try {
      return await unlessAborted(signal, act);
    } catch (error) {
      if (!(error instanceof MetadataError) || !error.isTransient) throw error;
      const trouble = metadataErrorOf(error, waitMs / 1000);
      // A rejected certificate stays rejected until somebody fixes it.
      if (trouble.remedy === "developer" || trouble.remedy === "administrator") throw error;
      let thrown: CallbackError | undefined;
      // Nobody waits for its result.
      guarded(
        () => onTrouble?.(trouble),
        (cause) => {
          thrown = new CallbackError("onTrouble has thrown", { cause });
        },
      );
      await Promise.resolve();
      if (thrown) throw thrown;
      const wait = () => new Promise<void>((resolve) => void timers.alarm(waitMs, resolve));
      await unlessAborted(signal, wait);
      if (thrown) throw thrown;
    }
  }
}
