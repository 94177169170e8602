import {
  givenEndpoints,
  type NamedServer,
  type ServerSettings,
  type Settings,
  serverSettings,
} from "../configuration/settings.ts";
import type { Http, Timers } from "../contracts.ts";
import type { Endpoints } from "../driver.ts";
import type { DiscoveredServer } from "../servers/discovery.ts";
import type { Server } from "../servers/index.ts";
import { MetadataError } from "../servers/profile.ts";
import { callHandler, type SignInHandlers } from "./handlers.ts";
import { metadataErrorOf, unlessAborted } from "./sign-in-error.ts";

export interface StoredMetadata {
  read(issuer: string): DiscoveredServer | undefined;
  write(server: DiscoveredServer): void;
  /** Opens an adapter for metadata requests of a session, whose own may be busy. Absent: a session sends none. */
  openHttp?(): Http & { dispose(): void };
}

export interface DiscoveryOptions {
  /** Metadata from earlier starts. If they contain the issuer's, no request is sent. */
  readonly stored?: StoredMetadata | undefined;
  /** Called before the request for metadata. If it throws, no request is sent. */
  readonly onRequest?: () => void;
  /** If present, a request that fails temporarily is retried with growing waits. Otherwise, there is one attempt. */
  readonly retryHandlers?: Pick<SignInHandlers, "onTrouble" | "onError" | "signal"> | undefined;
}

/**
 * Combines the profile, the metadata and the endpoints of the settings into the options of a driver.
 * @param host adapters with no exchange under way and no alarm set
 * @throws ServerError if the name or a parameter of a profile is wrong; MetadataError if the issuer has no usable metadata
 */
export async function resolveServer(
  client: Settings,
  host: { readonly http: Http; readonly timers: Timers },
  { stored, onRequest, retryHandlers }: DiscoveryOptions = {},
): Promise<ServerSettings> {
  const { server, allowHttp = false } = client;
  const { issuer, profile } = server;
  const hasSecret = client.clientSecret !== undefined && client.clientSecret !== "";
  const own = profile && (await serverNamed(profile, hasSecret));
  const given: Partial<Endpoints> = { ...own?.addresses, ...givenEndpoints(client) };
  if (issuer === undefined || (given.deviceAuthorization && given.token))
    return serverSettings(client, own);
  const { clientAuthenticationFor, discoverServer } = await import("../servers/discovery.ts");
  const read = stored?.read(issuer);
  const { deviceAuthorization, token } = { ...read?.endpoints, ...given };
  const before = deviceAuthorization && token ? read : undefined;
  if (before === undefined) onRequest?.();
  const discover = async (http: Http): Promise<DiscoveredServer> => {
    const server = await discoverServer(http, issuer, allowHttp, given);
    stored?.write(server);
    return server;
  };
  const found = before ?? (await withRetries(() => discover(host.http), host, retryHandlers));
  const { endpoints: addresses, issuer: name, bindsTokens, clientAuthenticationMethods } = found;
  const clientAuthentication =
    client.clientAuthentication ?? clientAuthenticationFor(clientAuthenticationMethods, hasSecret);
  const openHttp = stored?.openHttp;
  let isNew = before === undefined;
  const rediscover = async (signal: AbortSignal): Promise<Endpoints> => {
    // The first failure of a request does not repeat a request for the metadata of this start.
    if (isNew) {
      isNew = false;
      throw new MetadataError("the metadata are new", true);
    }
    const http = openHttp!();
    signal.addEventListener("abort", () => http.dispose());
    const { endpoints } = await discover(http).finally(() => http.dispose());
    return { ...endpoints, ...given };
  };
  return {
    ...serverSettings(client, { addresses, clientAuthentication, server: name, bindsTokens }),
    rediscover: openHttp && rediscover,
  };
}

async function serverNamed({ name, ...words }: NamedServer, hasSecret: boolean): Promise<Server> {
  return (await import("../servers/index.ts")).serverOf(name, words, hasSecret);
}

const TIMEOUT_MIN_MS = 2000;
const TIMEOUT_MAX_MS = 64_000;

/**
 * Retries requests for metadata as the driver retries its requests: reports the problem and waits longer each time. If a
 * promise of `onTrouble` rejects only after the metadata have arrived, `onError` receives the error.
 */
async function withRetries<Result>(
  act: () => Promise<Result>,
  { timers }: { readonly timers: Timers },
  retryHandlers: DiscoveryOptions["retryHandlers"],
): Promise<Result> {
  if (retryHandlers === undefined) return await act();
  const { onTrouble, onError, signal } = retryHandlers;
  const life = { hasSession: false };
  let end!: (error: unknown) => void;
  const failed = new Promise<never>((_, reject) => {
    end = reject;
  });
  for (let waitMs = TIMEOUT_MIN_MS; ; waitMs = Math.min(2 * waitMs, TIMEOUT_MAX_MS)) {
    try {
      const result = await unlessAborted(signal, () => Promise.race([failed, act()]));
      life.hasSession = true;
      return result;
    } catch (error) {
      if (!(error instanceof MetadataError) || !error.isTransient) throw error;
      const trouble = metadataErrorOf(error, waitMs / 1000);
      // Retrying does not help until somebody fixes the problem, such as a rejected certificate.
      if (trouble.remedy === "developer" || trouble.remedy === "administrator") throw error;
      callHandler(() => onTrouble?.(trouble), { life, end }, onError);
      const wait = () => new Promise<void>((resolve) => void timers.alarm(waitMs, resolve));
      await unlessAborted(signal, () => Promise.race([failed, wait()]));
    }
  }
}
