// openid-client 6, unchanged, against the service: discovery, device grant, refresh, revocation.
import * as client from "openid-client";
import { describe, expect, type TestContext, test, vi } from "vitest";
import { Bench, VIDEO_READONLY } from "../service/harness.ts";
import { decideAtPoll, type Running, startService } from "./running-service.ts";

/** A service for one test alone: these tests wait for real seconds, so they run side by side. */
async function serviceFor({ onTestFinished }: TestContext): Promise<Running> {
  const running = await startService();
  onTestFinished(() => running.server.close());
  return running;
}

async function discover(
  { url }: Running,
  id: string,
  secret?: string,
  authentication?: client.ClientAuth,
): Promise<client.Configuration> {
  return client.discovery(new URL(url), id, secret, authentication, {
    execute: [client.allowInsecureRequests],
  });
}

const start = (config: client.Configuration) =>
  client.initiateDeviceAuthorization(config, { scope: `${VIDEO_READONLY} openid` });

const CLIENTS: [string, string, string | undefined, client.ClientAuth][] = [
  ["client_secret_post", "living-room-tv", "tv-secret", client.ClientSecretPost("tv-secret")],
  ["client_secret_basic", "living-room-tv", "tv-secret", client.ClientSecretBasic("tv-secret")],
  ["no secret", "public-printer", undefined, client.None()],
];

describe("openid-client 6", () => {
  test.concurrent.for(CLIENTS)(
    "device grant, refresh and revocation with %s",
    async ([_, id, secret, auth], context) => {
      const running = await serviceFor(context);
      const config = await discover(running, id, secret, auth);
      const codes = await start(config);
      expect(codes.verification_uri).toBe(`${running.url}/device`);
      decideAtPoll(running, 1, (code) => running.service.approve(code, "ada"));
      const tokens = await client.pollDeviceAuthorizationGrant(config, codes);
      expect(tokens.scope).toBe(`${VIDEO_READONLY} openid`);
      expect(tokens.expiresIn()).toBeGreaterThan(3500);
      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token!);
      expect(refreshed.access_token).not.toBe(tokens.access_token);
      await client.tokenRevocation(config, refreshed.access_token);
      const dead = client.refreshTokenGrant(config, tokens.refresh_token!);
      await expect(dead).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
      const slowDowns = running.exchanges.filter((one) => one.responseBody.includes("slow_down"));
      expect(slowDowns).toHaveLength(0);
    },
  );

  test.concurrent("denial ends the polling with access_denied", async (context) => {
    const running = await serviceFor(context);
    const config = await discover(running, "living-room-tv", "tv-secret");
    const codes = await start(config);
    decideAtPoll(running, 1, (code) => running.service.deny(code));
    await expect(client.pollDeviceAuthorizationGrant(config, codes)).rejects.toMatchObject({
      error: "access_denied",
      error_description: "Forbidden",
      status: 403,
    });
  });

  test.concurrent("a wrong secret is invalid_client", async (context) => {
    const running = await serviceFor(context);
    const config = await discover(running, "living-room-tv", "wrong");
    const codes = await start(config);
    await expect(client.pollDeviceAuthorizationGrant(config, codes)).rejects.toMatchObject({
      error: "invalid_client",
      status: 401,
    });
  });

  test.concurrent("rotation: the refreshed answer's new refresh token works in its turn", async (context) => {
    const running = await serviceFor(context);
    running.service.setOptions({ refreshTokenRotation: true });
    const config = await discover(running, "living-room-tv", "tv-secret");
    const codes = await start(config);
    running.service.approve(codes.user_code, "ada");
    const first = await client.pollDeviceAuthorizationGrant(config, codes);
    const second = await client.refreshTokenGrant(config, first.refresh_token!);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const third = await client.refreshTokenGrant(config, second.refresh_token!);
    expect(third.access_token).toBeTruthy();
  });
});

describe("openid-client 6 on a clock of the test's", () => {
  // The fetch hook is the client's own; the service is in memory and shares the fake clock.
  test("slow_down: the client adds five seconds and comes through", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    try {
      const bench = new Bench({ baseUrl: "https://s.test", slowDownGrowth: 5 }, { now: Date.now });
      const config = new client.Configuration(
        { ...bench.get("/.well-known/openid-configuration").json, issuer: "https://s.test" },
        "living-room-tv",
        "tv-secret",
      );
      config[client.customFetch] = (url, init) =>
        bench.service.fetch(new Request(url, init as RequestInit));
      const codes = await start(config);
      // A poll behind the client's back makes its own first one come too early.
      const errors: string[] = [];
      bench.service.observe((event) => {
        if (event.type === "exchange" && event.path === "/token")
          errors.push(/"error":"(\w+)"/.exec(event.responseBody)?.[1] ?? "tokens");
      });
      const polling = client.pollDeviceAuthorizationGrant(config, codes);
      await vi.advanceTimersByTimeAsync(2000);
      bench.poll(codes.device_code);
      await vi.advanceTimersByTimeAsync(3000);
      await vi.advanceTimersByTimeAsync(10_000);
      bench.service.approve(codes.user_code, "ada");
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await polling).token_type).toBe("bearer");
      expect(errors).toEqual([
        "authorization_pending",
        "slow_down",
        "authorization_pending",
        "tokens",
      ]);
    } finally {
      vi.useRealTimers();
    }
  });
});
