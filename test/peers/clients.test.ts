// Clients that others wrote, unchanged, at the service over real sockets: openid-client with all of its checks,
// oauth4webapi, which reads every answer strictly, and Authlib (Debian's python3-authlib and python3-requests) with its
// own check of ID tokens.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { FixtureInput, ServiceOptionsInput } from "../../targets/service/index.ts";
import { Bench, FIXTURE, VIDEO_READONLY } from "../service/harness.ts";
import { isAuthlibMissing, PYTHON } from "./authlib-server.ts";
import { decideAtPoll, type Running, startService } from "./own-service.ts";

async function serviceFor(
  options: ServiceOptionsInput = {},
  fixture: FixtureInput = FIXTURE,
): Promise<Running> {
  const running = await startService(options, fixture);
  onTestFinished(() => running.server.close());
  return running;
}

describe("openid-client 6", () => {
  const discover = (
    { url }: Running,
    id: string,
    how: string | Partial<client.ClientMetadata> | undefined,
    authentication?: client.ClientAuth,
  ) =>
    client.discovery(new URL(url), id, how, authentication, {
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    });
  const start = (config: client.Configuration, more: Record<string, string> = {}) =>
    client.initiateDeviceAuthorization(config, { scope: `${VIDEO_READONLY} openid`, ...more });

  test.each<[string, string, string | undefined, client.ClientAuth]>([
    ["client_secret_post", "living-room-tv", "tv-secret", client.ClientSecretPost("tv-secret")],
    ["client_secret_basic", "living-room-tv", "tv-secret", client.ClientSecretBasic("tv-secret")],
    ["no secret", "public-printer", undefined, client.None()],
  ])("grant, refresh with rotation and revocation with %s", async (_, id, secret, auth) => {
    const running = await serviceFor({ refreshTokenRotation: true });
    const config = await discover(running, id, secret, auth);
    const codes = await start(config);
    expect(codes.verification_uri).toBe(`${running.url}/device`);
    decideAtPoll(running, 1, (code) => running.service.approve(code, "ada"));
    const tokens = await client.pollDeviceAuthorizationGrant(config, codes);
    expect(tokens.scope).toBe(`${VIDEO_READONLY} openid`);
    const second = await client.refreshTokenGrant(config, tokens.refresh_token!);
    expect(second.refresh_token).not.toBe(tokens.refresh_token);
    const third = await client.refreshTokenGrant(config, second.refresh_token!);
    await client.tokenRevocation(config, third.access_token);
    const dead = client.refreshTokenGrant(config, third.refresh_token!);
    await expect(dead).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
    expect(running.exchanges.some((one) => one.responseBody.includes("slow_down"))).toBe(false);
  });

  test.each([
    ["a denial", "tv-secret", { error: "access_denied", status: 403 }],
    ["a wrong secret", "wrong", { error: "invalid_client", status: 401 }],
  ])("%s ends the polling", async (_, secret, error) => {
    const running = await serviceFor();
    const config = await discover(running, "living-room-tv", secret);
    const codes = await start(config);
    running.service.deny(codes.user_code);
    await expect(client.pollDeviceAuthorizationGrant(config, codes)).rejects.toMatchObject(error);
  });

  test.each(["RS256", "ES256"] as const)(
    "OpenID Connect Core §3.1.3.7, §5.3.2, RFC 7636: %s, proof of key, userinfo, a key that is rotated",
    async (idTokenAlgorithm) => {
      const lamp = { id: "lamp", name: "Lamp", pkce: "required" as const, idTokenAlgorithm };
      const fixture = { ...FIXTURE, clients: [...FIXTURE.clients!, lamp] };
      const running = await serviceFor({}, fixture);
      const metadata = { id_token_signed_response_alg: idTokenAlgorithm };
      const config = await discover(running, "lamp", metadata, client.None());
      const verifier = client.randomPKCECodeVerifier();
      const challenge = {
        scope: "openid profile email",
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      const others = await start(config, challenge);
      running.service.approve(others.user_code, "ada");
      const wrong = { code_verifier: client.randomPKCECodeVerifier() };
      await expect(
        client.pollDeviceAuthorizationGrant(config, others, wrong),
      ).rejects.toMatchObject({ error: "invalid_grant" });

      const codes = await start(config, challenge);
      running.service.approve(codes.user_code, "ada");
      const poll = { code_verifier: verifier };
      const tokens = await client.pollDeviceAuthorizationGrant(config, codes, poll);
      expect(tokens.claims()).toMatchObject({ sub: "ada", aud: "lamp" });
      const person = await client.fetchUserInfo(config, tokens.access_token, "ada");
      expect(person).toMatchObject({ name: "Ada Brook", email: "ada@example.test" });
      running.service.rotateKeys();
      // A configuration keeps the keys that it has seen for a minute at least.
      const later = await discover(running, "lamp", metadata, client.None());
      const renewed = await client.refreshTokenGrant(later, tokens.refresh_token!);
      expect(renewed.claims()?.sub).toBe("ada");
    },
  );

  // The fetch hook is the client's own; the service is in memory and shares the fake clock.
  test("slow_down: the client adds five seconds and comes through", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const bench = new Bench({ baseUrl: "https://s.test", slowDownGrowth: 5 }, { now: Date.now });
    const config = new client.Configuration(
      { ...bench.get("/.well-known/openid-configuration").json, issuer: "https://s.test" },
      "living-room-tv",
      "tv-secret",
    );
    config[client.customFetch] = (url, init) =>
      bench.service.fetch(new Request(url, init as RequestInit));
    const codes = await start(config);
    const errors: string[] = [];
    bench.service.observe((event) => {
      if (event.type === "exchange" && event.path === "/token")
        errors.push(/"error":"(\w+)"/.exec(event.responseBody)?.[1] ?? "tokens");
    });
    const polling = client.pollDeviceAuthorizationGrant(config, codes);
    await vi.advanceTimersByTimeAsync(2000);
    // A poll behind the client's back makes its own first one come too early.
    bench.poll(codes.device_code);
    await vi.advanceTimersByTimeAsync(13_000);
    bench.service.approve(codes.user_code, "ada");
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await polling).token_type).toBe("bearer");
    const [first, second, third] = ["authorization_pending", "slow_down", "authorization_pending"];
    expect(errors).toEqual([first, second, third, "tokens"]);
  });
});

describe("oauth4webapi 3", () => {
  const tv: oauth.Client = { client_id: "living-room-tv" };
  const secret = oauth.ClientSecretPost("tv-secret");
  const insecure = { [oauth.allowInsecureRequests]: true } as const;

  async function at({ url }: Running) {
    const issuer = new URL(url);
    const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" });
    const as = await oauth.processDiscoveryResponse(issuer, found);
    const scope = { scope: VIDEO_READONLY };
    return {
      as,
      codes: async () =>
        oauth.processDeviceAuthorizationResponse(
          as,
          tv,
          await oauth.deviceAuthorizationRequest(as, tv, secret, scope, insecure),
        ),
      poll: async (code: string) =>
        oauth.processDeviceCodeResponse(
          as,
          tv,
          await oauth.deviceCodeGrantRequest(as, tv, secret, code, insecure),
        ),
    };
  }

  test("reads the code, pending, slow_down, the tokens, the claimed code and refusals", async () => {
    // However late the second poll comes, it comes too early.
    const running = await serviceFor({ interval: 1800 });
    const { codes, poll } = await at(running);
    const first = await codes();
    expect(first).toMatchObject({ interval: 1800, expires_in: 1800 });
    const says = (error: string, status: number) =>
      expect(poll(first.device_code)).rejects.toMatchObject({ error, status });
    await says("authorization_pending", 428);
    await says("slow_down", 403);
    running.service.approve(first.user_code, "ada");
    expect(await poll(first.device_code)).toMatchObject({ token_type: "bearer" });
    await says("invalid_grant", 400);
    const denied = await codes();
    running.service.deny(denied.user_code);
    await expect(poll(denied.device_code)).rejects.toMatchObject({ error: "access_denied" });
  });

  test("refreshes, uses the token at the API, revokes; a dead token is challenged", async () => {
    const running = await serviceFor();
    const { as, codes, poll } = await at(running);
    const { device_code, user_code } = await codes();
    running.service.approve(user_code, "ada");
    const { refresh_token } = await poll(device_code);
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      tv,
      await oauth.refreshTokenGrantRequest(as, tv, secret, refresh_token!, insecure),
    );
    const url = new URL("/video/v3/liveBroadcasts?part=id&mine=true", running.url);
    const { access_token } = refreshed;
    const call = () =>
      oauth.protectedResourceRequest(access_token, "GET", url, undefined, undefined, insecure);
    expect((await call()).status).toBe(200);
    const revoke = () => oauth.revocationRequest(as, tv, secret, refresh_token!, insecure);
    await oauth.processRevocationResponse(await revoke());
    await expect(call()).rejects.toMatchObject({ status: 401 });
    const again = oauth.processRevocationResponse(await revoke());
    await expect(again).rejects.toMatchObject({ error: "invalid_token", status: 400 });
  });
});

const SCRIPT = `
import json, sys, time
import requests
from authlib.jose import jwt
from authlib.oidc.core import CodeIDToken
issuer, client_id = sys.argv[1:]
server = requests.get(issuer + "/.well-known/openid-configuration").json()
keys = requests.get(server["jwks_uri"]).json()
keys = {"keys": [key for key in keys["keys"] if key["kty"] != "OKP"]}
codes = requests.post(server["device_authorization_endpoint"],
                      {"client_id": client_id, "scope": "openid email"}).json()
grant = "urn:ietf:params:oauth:grant-type:device_code"
while True:
    tokens = requests.post(server["token_endpoint"], {"client_id": client_id, "grant_type": grant,
                                                      "device_code": codes["device_code"]}).json()
    if tokens.get("error") != "authorization_pending":
        break
    time.sleep(codes["interval"])
options = {"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client_id}}
params = {"client_id": client_id, "access_token": tokens["access_token"]}
claims = jwt.decode(tokens["id_token"], keys, claims_cls=CodeIDToken, claims_options=options,
                    claims_params=params)
claims.validate()
bearer = {"authorization": "Bearer " + tokens["access_token"]}
person = requests.get(server["userinfo_endpoint"], headers=bearer).json()
print(json.dumps({"claims": dict(claims), "person": person}))
`;

test.skipIf(isAuthlibMissing)(
  "Authlib: an ID token with its signature, its claims and the hash of the access token",
  async () => {
    const running = await serviceFor();
    decideAtPoll(running, 1, (code) => running.service.approve(code, "ada"));
    const words = ["-c", SCRIPT, running.url, "public-printer"];
    const { stdout } = await promisify(execFile)(PYTHON, words);
    const { claims, person } = JSON.parse(stdout);
    expect(claims).toMatchObject({ iss: running.url, sub: "ada", aud: "public-printer" });
    expect(person).toEqual({ sub: "ada", email: "ada@example.test", email_verified: true });
  },
);
