// Tests which driver settings result from a program's server and client options (platform/session/resolve-server.ts).

import { describe, expect, it } from "vitest";
import { ClientAuthentication } from "../../core/index.ts";
import type {
  Client,
  ServerChoice,
  ServerSettings,
} from "../../platform/configuration/settings.ts";
import type { HttpSink } from "../../platform/contracts.ts";
import { noEndpoints } from "../../platform/driver.ts";
import { identityOf } from "../../platform/node/options.ts";
import type { DiscoveredServer } from "../../platform/servers/discovery.ts";
import { serverOf } from "../../platform/servers/index.ts";
import type { Translating } from "../../platform/servers/translation.ts";
import { resolveServer, type StoredMetadata } from "../../platform/session/resolve-server.ts";
import type { SignInError } from "../../platform/session/sign-in-error.ts";
import { fakePlatform } from "../../platform/testing/index.ts";
import { SessionEnvironment } from "../environment/session-port.ts";
import { ENDPOINTS, HOST } from "../session-model/server.ts";

const ISSUER = "https://login.example.com";
const ADDRESSES = { deviceAuthorization: `${ISSUER}/code`, token: `${ISSUER}/token` };
const client: Client = { clientId: "cli" };

const settingsFor = (
  choice: ServerChoice,
  client: Client,
  ...more: Parameters<typeof resolveServer> extends [unknown, ...infer More] ? More : never
): Promise<ServerSettings> => resolveServer({ ...client, server: identityOf(choice) }, ...more);

/** The settings for a server that needs no discovery. */
const settled = (choice: ServerChoice, more: Partial<Client> = {}): Promise<ServerSettings> =>
  settingsFor(choice, { ...client, ...more }, fakePlatform({}));

describe("addresses", () => {
  it("with the minimum of options", async () => {
    expect(await settled(ADDRESSES)).toEqual({
      endpoints: { ...noEndpoints, ...ADDRESSES, revocation: "" },
      config: {
        ...{ clientId: "cli", clientSecret: "", clientAuthentication: ClientAuthentication.NONE },
        ...{ scope: "", deviceParameters: "", tokenParameters: "", messages: "" },
        ...{ autoStart: 1, renewalsMax: 3, startSpreadMs: 0 },
      },
    });
  });

  it("with all options", async () => {
    const output: Partial<Client> = {
      ...{ clientSecret: "secret", scope: "a b", bodies: "json", pkce: "S256" },
      ...{ memoryBytes: 4096, clientAuthentication: "client_secret_post" },
      ...{ deviceParameters: { audience: "x y" }, tokenParameters: { resource: "r" } },
    };
    expect(await settled({ ...ADDRESSES, revocation: `${ISSUER}/revoke` }, output)).toEqual({
      ...{ memoryBytes: 4096, bodies: "json", pkce: "S256" },
      endpoints: { ...noEndpoints, ...ADDRESSES, revocation: `${ISSUER}/revoke` },
      config: {
        ...{ clientId: "cli", clientSecret: "secret", scope: "a b", messages: "" },
        clientAuthentication: ClientAuthentication.CLIENT_SECRET_POST,
        ...{ deviceParameters: "&audience=x+y", tokenParameters: "&resource=r" },
        ...{ autoStart: 1, renewalsMax: 3, startSpreadMs: 0 },
      },
    });
  });

  it.each([
    [undefined, ClientAuthentication.NONE],
    ["", ClientAuthentication.NONE],
    ["secret", ClientAuthentication.CLIENT_SECRET_BASIC],
  ])("RFC 6749 §2.3.1: with the secret %j", async (clientSecret, clientAuthentication) => {
    const { config } = await settled(ADDRESSES, { clientSecret });
    expect(config.clientAuthentication).toBe(clientAuthentication);
  });
});

it("a known server by its name: addresses, default scope and translation", async () => {
  const github = await settled("github");
  const { addresses } = serverOf("github", {}, false);
  expect(github.endpoints).toEqual({ ...noEndpoints, ...addresses });
  expect(github.config.scope).toBe("read:user");
  expect(github.translate).toBeUndefined();
  expect(github.issuer).toBeUndefined();
  expect((await settled("github", { scope: "repo" })).config.scope).toBe("repo");
  expect((await settled("facebook", { clientSecret: "s" })).translate).toBeDefined();
});

describe("issuers", () => {
  const found: DiscoveredServer = {
    bindsTokens: false,
    issuer: ISSUER,
    endpoints: { ...noEndpoints, ...ADDRESSES },
    clientAuthenticationMethods: ["client_secret_post"],
  };
  const document = {
    issuer: ISSUER,
    device_authorization_endpoint: ADDRESSES.deviceAuthorization,
    token_endpoint: ADDRESSES.token,
    token_endpoint_auth_methods_supported: ["client_secret_post"],
  };
  /** Resolves an issuer with metadata of an earlier start. Records what happens to the stored metadata. */
  const keeping = (stored: DiscoveredServer | undefined, more: Partial<StoredMetadata> = {}) => {
    const calls: unknown[] = [];
    const metadata: StoredMetadata = {
      read: (issuer) => {
        calls.push(issuer);
        return stored;
      },
      write: (...args) => void calls.push(args),
      ...more,
    };
    return { calls, metadata };
  };

  it("are requested, and the metadata are stored for the next start", async () => {
    const platform = fakePlatform({ isAtOnce: true, http: { script: [{ body: document }] } });
    const { calls, metadata } = keeping(undefined, { rediscover: () => Promise.reject() });
    const secret = { ...client, clientSecret: "secret" };
    const settings = await settingsFor(ISSUER, secret, platform, { stored: metadata });
    expect(settings).toMatchObject({ issuer: ISSUER, endpoints: found.endpoints });
    expect(settings.config).toMatchObject({
      server: ISSUER,
      clientAuthentication: ClientAuthentication.CLIENT_SECRET_POST,
    });
    // The metadata is from today, so no new discovery is needed.
    expect(settings.rediscover).toBeUndefined();
    expect(calls).toEqual([ISSUER, [found]]);
    expect(platform.http.requests).toHaveLength(1);
  });

  it("are not requested while the stored metadata is valid", async () => {
    const platform = fakePlatform({});
    const today = { ...noEndpoints, token: `${ISSUER}/moved` };
    const rediscover = (issuer: string) => Promise.resolve({ ...today, metadata: issuer });
    const { calls, metadata } = keeping(found, { rediscover });
    const settings = await settingsFor(ISSUER, client, platform, { stored: metadata });
    expect(settings.endpoints).toEqual(found.endpoints);
    expect([calls, platform.http.requests]).toEqual([[ISSUER], []]);
    expect(await settings.rediscover!()).toEqual({ ...today, metadata: ISSUER });
    const unable = await settingsFor(ISSUER, client, platform, { stored: keeping(found).metadata });
    expect(unable.rediscover).toBeUndefined();
  });
});

describe("a server with several sources of settings", () => {
  const issuer = "https://id.example.com/";
  const served = (document: object) =>
    fakePlatform({ isAtOnce: true, http: { handler: () => ({ body: document }) } });
  const { deviceAuthorization, token } = ADDRESSES;

  it("addresses and an issuer: no request is sent, and its ID tokens are valid", async () => {
    const known = await settled({ issuer, endpoints: ADDRESSES });
    expect([known.endpoints.token, known.issuer]).toEqual([token, issuer]);
  });

  it("the program adds an address that the metadata lacks, and the metadata has the others", async () => {
    const platform = served({
      issuer,
      token_endpoint: `${issuer}t`,
      revocation_endpoint: `${issuer}r`,
    });
    const choice = { issuer: issuer.slice(0, -1), endpoints: { deviceAuthorization } };
    const known = await settingsFor(choice, client, platform);
    const addresses = { deviceAuthorization, token: `${issuer}t`, revocation: `${issuer}r` };
    // The server writes its issuer with a slash, so records and ID tokens have the slash too.
    expect(known).toMatchObject({ issuer, endpoints: addresses, config: { server: issuer } });
    await expect(settingsFor(issuer, client, platform)).rejects.toThrow("no device_authorization");
  });

  it("a profile has its issuer, and options beside it take precedence", async () => {
    const keycloak = { name: "keycloak", host: "sso.example.com", realm: "home" };
    expect(await settled(keycloak)).toMatchObject({
      issuer: "https://sso.example.com/realms/home",
      pkce: "S256",
    });
    const known = await settled({ profile: keycloak, issuer, endpoints: { token } });
    expect(known).toMatchObject({ issuer, pkce: "S256", endpoints: { token } });
    expect(known.endpoints.deviceAuthorization).toMatch(/^https:\/\/sso\.example\.com/);
  });

  it("explicit addresses replace those of a profile, but not its translation and the owner of its records", async () => {
    const known = await settled(
      { issuer, profile: "twitch", endpoints: { ...ADDRESSES, revocation: "" } },
      { clientSecret: "s" },
    );
    expect(known.config.server).toBe(issuer);
    const of = { clientId: "c", clientSecret: "s", scope: "", accessToken: () => "" };
    const filter = known.translate!(of) as Translating;
    filter.below = { send() {}, abort() {} };
    const body = { contentType: "", authorization: "", body: [], bodyFrom: 0, bodyTo: 0 };
    filter.send({ method: "POST", url: token, ...body });
    expect(filter.gathers).toBe(true);
  });

  it("an empty address counts as missing; the program's client authentication takes precedence", async () => {
    const methods = { token_endpoint_auth_methods_supported: ["private_key_jwt"] };
    const platform = served({ issuer, token_endpoint: token, ...methods });
    const own: Client = {
      ...{ ...client, clientSecret: "s", clientAuthentication: "client_secret_post" },
    };
    const choice = { issuer, endpoints: { deviceAuthorization, token: "" } };
    expect((await settingsFor(choice, own, platform)).endpoints.token).toBe(token);
    // Explicit addresses belong to the issuer beside them.
    expect((await settled({ ...ADDRESSES, issuer } as ServerChoice)).issuer).toBe(issuer);
  });

  it("a refused certificate is not temporary, so there is no retry", async () => {
    const { timers } = fakePlatform({});
    const http = {
      send: (_: unknown, sink: HttpSink) => sink.failed("unreachable"),
      ...{ abort() {}, lastFailure: "DEPTH_ZERO_SELF_SIGNED_CERT" },
    };
    const requesting = settingsFor(issuer, client, { http, timers }, { retryHandlers: {} });
    await expect(requesting).rejects.toThrow("SELF_SIGNED_CERT");
  });

  it("without a network it retries with growing waits", async () => {
    const platform = served({
      issuer,
      token_endpoint: token,
      device_authorization_endpoint: token,
    });
    platform.http.faultFor = ({ atMs }) => (atMs < 20_000 ? { kind: "refuse" } : undefined);
    const troubles: string[] = [];
    const onTrouble = ({ message }: SignInError): void => void troubles.push(message.slice(-22));
    const requesting = settingsFor(issuer, client, platform, { retryHandlers: { onTrouble } });
    for (let second = 0; second < 40; second++) {
      await new Promise(setImmediate);
      platform.clock.advance(1000);
    }
    expect((await requesting).issuer).toBe(issuer);
    expect(troubles.map((words) => words.replace(/.*; /, ""))).toEqual([
      "trying again in 2 s",
      "trying again in 4 s",
      "trying again in 8 s",
      "trying again in 16 s",
    ]);
  });
});

describe("an issuer with stored addresses", () => {
  const moved = { ...ENDPOINTS, deviceAuthorization: `${HOST}/moved/code` };

  it("is discovered again once after a failed request", async () => {
    let requested = 0;
    const rediscover = () => Promise.resolve(requested++).then(() => moved);
    const environment = new SessionEnvironment();
    const response = environment.server.handle;
    environment.http.handler = (request) =>
      request.url.endsWith("/moved/code")
        ? response({ ...request, url: ENDPOINTS.deviceAuthorization })
        : request.url.endsWith("/code")
          ? { status: 503, body: "" }
          : response(request);
    const start = environment.start({}, undefined, { rediscover });
    expect(await environment.until(() => start.prompts.length > 0)).toBe(true);
    expect(requested).toBe(1);
    environment.http.faultFor = () => ({ kind: "refuse" });
    await environment.pass(60);
    expect(requested).toBe(1);
  });

  it("keeps its addresses if the discovery fails", async () => {
    const environment = new SessionEnvironment();
    environment.http.faultFor = () => ({ kind: "refuse" });
    const rediscover = () => Promise.reject(new Error("away"));
    const start = environment.start({}, undefined, { rediscover });
    await environment.pass(20);
    environment.http.faultFor = () => undefined;
    expect(await environment.until(() => start.session !== undefined)).toBe(true);
  });

  it("ignores a discovery that ends too late", async () => {
    let print: (endpoints: typeof moved) => void = () => {};
    const rediscover = () =>
      new Promise<typeof moved>((resolve) => {
        print = resolve;
      });
    const environment = new SessionEnvironment();
    environment.http.faultFor = () => ({ kind: "refuse" });
    const controller = new AbortController();
    const start = environment.start({ signal: controller.signal }, undefined, { rediscover });
    await environment.pass(10);
    controller.abort();
    await environment.until(() => start.isSettled);
    print({ ...moved, token: "no address at all" });
    await environment.pass(2);
    expect(start.error).toMatchObject({ code: "aborted" });
  });
});
