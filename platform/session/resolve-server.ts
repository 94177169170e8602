// Resolves the authorization server of parsed settings: combines profile, metadata and endpoints to the options of a
// driver.

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
  /** The stored metadata of this issuer; undefined if there are none. */
  read(issuer: string): DiscoveredServer | undefined;
  write(server: DiscoveredServer): void;
  /**
   * Requests and stores the current metadata. Endpoints in `given` need not be in them. Absent: stored metadata are final.
   */
  rediscover?(issuer: string, given: Partial<Endpoints>): Promise<Endpoints>;
}

/** The options of a driver that depend on server and client. */
export type ServerSettings = Pick<
  DriverOptions,
  "config" | "endpoints" | "translate" | "bodies" | "pkce"
> & {
  readonly memoryBytes: number;
  /** Requests have a proof of possession. "require": tokens that are not bound are refused. */
  readonly dpop?: "auto" | "require" | undefined;
  /** The audience of client assertions (private_key_jwt). */
  readonly audience?: string | undefined;
  /** The issuer of the server's ID tokens, as the server writes it; undefined if unknown. */
  readonly issuer?: string | undefined;
  /** Requests the current endpoints, if those here come from an earlier start. */
  readonly rediscover?: (() => Promise<Endpoints>) | undefined;
};

/** Memory for tokens of 20,000 bytes each, such as signed documents. */
export const SESSION_BYTES = 163_840;

export interface RequestContext {
  /** Metadata of the issuer that are stored here are not requested. */
  readonly stored?: StoredMetadata | undefined;
  /** Called before the request. If it throws, no request is sent. */
  readonly onRequest?: () => void;
  /** With them, requests are retried with growing waits if the issuer is unreachable. Absent: there is one request. */
  readonly retryHandlers?: RetryHandlers | undefined;
}

/**
 * @param host sends the request for metadata; it has neither an exchange nor an alarm
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
  // An empty address counts as missing. An empty revocation endpoint means that signing out sends no request.
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

/**
 * Whether stored metadata suffice: they have the endpoints that are not given and, if needed, say whether tokens are bound.
 */
function usable(
  stored: DiscoveredServer | undefined,
  given: Partial<Endpoints>,
  mayBind: boolean,
): DiscoveredServer | undefined {
  const { deviceAuthorization, token } = { ...stored?.endpoints, ...given };
  if (mayBind && stored?.bindsTokens === undefined) return undefined;
  return deviceAuthorization && token ? stored : undefined;
}

/** The settings of a profile. The profiles are loaded only if one is named. */
async function profileOf(choice: string | NamedServer, hasSecret: boolean): Promise<ServersOwn> {
  const { name, ...words } = typeof choice === "string" ? { name: choice } : choice;
  const { serverOf } = await import("../servers/index.ts");
  const { profile, addresses, clientAuthentication, ...own } = serverOf(name, words, hasSecret);
  const { pkce, scope } = profile;
  return { ...own, endpoints: addresses, method: clientAuthentication, pkce, scope };
}

/** The settings that depend on the server. The client's settings take precedence. */
interface ServersOwn {
  readonly endpoints?: Partial<Endpoints>;
  readonly issuer?: string | undefined;
  readonly translate?: Server["translate"];
  readonly method?: ClientAuthenticationName;
  readonly pkce?: "S256" | undefined;
  /** The server's name in records. */
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
  // The audience of assertions. RFC 7523 leaves it open; newer rules require the issuer, and each server accepts one of
  // them.
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
      // The spread is for fleets after a power cut. Here, a user waits.
      startSpreadMs: 0,
      messages: "",
      server: own.server,
    },
  };
}

/** `onTrouble` receives the failures, and `signal` ends the wait. */
export type RetryHandlers = Pick<SignInHandlers, "onTrouble" | "signal">;

const TIMEOUT_MIN_MS = 2000;
const TIMEOUT_MAX_MS = 64_000;

/** Retries requests for metadata as the driver retries its requests: reports the problem and waits longer each time. */
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
      // Retrying does not help until somebody fixes the problem, such as a rejected certificate.
      if (trouble.remedy === "developer" || trouble.remedy === "administrator") throw error;
      let thrown: CallbackError | undefined;
      // The result of this callback is ignored.
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
