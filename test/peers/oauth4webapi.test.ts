// oauth4webapi 3, unchanged, against the service: it checks every answer strictly.
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VIDEO_READONLY } from "../service/harness.ts";
import { type Running, startService } from "./running-service.ts";

let running: Running;
let as: oauth.AuthorizationServer;
const client: oauth.Client = { client_id: "living-room-tv" };
const secret = oauth.ClientSecretPost("tv-secret");
const insecure = { [oauth.allowInsecureRequests]: true } as const;

beforeAll(async () => {
  running = await startService();
  const issuer = new URL(running.url);
  as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" }),
  );
});
afterAll(async () => {
  await running.server.close();
});

async function codes(): Promise<oauth.DeviceAuthorizationResponse> {
  const parameters = { scope: VIDEO_READONLY };
  return oauth.processDeviceAuthorizationResponse(
    as,
    client,
    await oauth.deviceAuthorizationRequest(as, client, secret, parameters, insecure),
  );
}

async function poll(deviceCode: string): Promise<oauth.TokenEndpointResponse> {
  return oauth.processDeviceCodeResponse(
    as,
    client,
    await oauth.deviceCodeGrantRequest(as, client, secret, deviceCode, insecure),
  );
}

describe("oauth4webapi 3", () => {
  test("reads the device authorization response", async () => {
    expect(await codes()).toMatchObject({ interval: 1, expires_in: 1800 });
  });

  test("reads pending, slow_down, the tokens and the claimed code", async () => {
    // However late the second poll comes, it comes too early.
    running.service.setOptions({ interval: 1800 });
    const { device_code, user_code } = await codes();
    running.service.setOptions({ interval: 1 });
    await expect(poll(device_code)).rejects.toMatchObject({
      error: "authorization_pending",
      status: 428,
    });
    await expect(poll(device_code)).rejects.toMatchObject({ error: "slow_down", status: 403 });
    running.service.approve(user_code, "ada");
    expect(await poll(device_code)).toMatchObject({ token_type: "bearer", scope: VIDEO_READONLY });
    await expect(poll(device_code)).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
  });

  test.each([
    ["pupil", "admin_policy_enforced", 400],
    [undefined, "access_denied", 403],
  ])("reads the refusal of %s", async (account, error, status) => {
    running.service.setPolicy("harbour-school", ["video.readonly"]);
    const { device_code, user_code } = await codes();
    if (account) running.service.approve(user_code, account);
    else running.service.deny(user_code);
    await expect(poll(device_code)).rejects.toMatchObject({ error, status });
  });

  test("refreshes, uses the token at the API, revokes; a dead token is challenged", async () => {
    const { device_code, user_code } = await codes();
    running.service.approve(user_code, "ada");
    const { refresh_token } = await poll(device_code);
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, secret, refresh_token!, insecure),
    );
    const url = new URL("/video/v3/liveBroadcasts?part=id&mine=true", running.url);
    const call = () =>
      oauth.protectedResourceRequest(
        refreshed.access_token,
        "GET",
        url,
        undefined,
        undefined,
        insecure,
      );
    expect((await call()).status).toBe(200);
    const revoke = () => oauth.revocationRequest(as, client, secret, refresh_token!, insecure);
    await oauth.processRevocationResponse(await revoke());
    await expect(call()).rejects.toMatchObject({ status: 401 });
    const again = oauth.processRevocationResponse(await revoke());
    await expect(again).rejects.toMatchObject({ error: "invalid_token", status: 400 });
  });
});
