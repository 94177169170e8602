// google-auth-library 10 and the generated clients of a video and a publishing API, unchanged except
// for their addresses: refresh, token use, revocation, live broadcasts, subscription offers.
import { androidpublisher, auth as publisherAuth } from "@googleapis/androidpublisher";
import { auth as videoAuth, youtube } from "@googleapis/youtube";
import { OAuth2Client } from "google-auth-library";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PUBLISHER, VIDEO_READONLY } from "../service/harness.ts";
import { type Running, startService } from "./running-service.ts";

let running: Running;
beforeAll(async () => {
  // These clients have their paths built in; the service answers under them as well.
  running = await startService({
    pathAliases: { "/youtube/v3/": "/video/v3/", "/androidpublisher/v3/": "/publisher/v3/" },
  });
});
afterAll(async () => {
  await running.server.close();
});

/** Credentials from the device flow, which this library does not have itself. */
async function signIn(clientId: string, clientSecret: string, scope: string) {
  const post = async (path: string, fields: Record<string, string>) => {
    const response = await fetch(running.url + path, {
      method: "POST",
      body: new URLSearchParams(fields),
    });
    return (await response.json()) as Record<string, string>;
  };
  const codes = await post("/device/code", { client_id: clientId, scope });
  expect(running.service.approve(codes.user_code!, "ada")).toBe("granted");
  const tokens = await post("/token", {
    client_id: clientId,
    client_secret: clientSecret,
    device_code: codes.device_code!,
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
  });
  const endpoints = {
    oauth2TokenUrl: `${running.url}/token`,
    oauth2RevokeUrl: `${running.url}/revoke`,
  };
  return {
    options: { clientId, clientSecret, endpoints },
    credentials: { refresh_token: tokens.refresh_token! },
  };
}

async function viewer(): Promise<OAuth2Client> {
  const { options, credentials } = await signIn("living-room-tv", "tv-secret", VIDEO_READONLY);
  const client = new OAuth2Client(options);
  client.setCredentials(credentials);
  return client;
}

// The generated clients bring an authentication library of their own version.
async function videoApi() {
  const { options, credentials } = await signIn("living-room-tv", "tv-secret", VIDEO_READONLY);
  const client = new videoAuth.OAuth2(options);
  client.setCredentials(credentials);
  return youtube({ version: "v3", auth: client, rootUrl: running.url });
}

async function publishingApi() {
  const { options, credentials } = await signIn("publisher-console", "publisher-secret", PUBLISHER);
  const client = new publisherAuth.OAuth2(options);
  client.setCredentials(credentials);
  return androidpublisher({ version: "v3", auth: client, rootUrl: running.url });
}

describe("google-auth-library 10", () => {
  test("refreshes, keeps its refresh token, and uses the access token", async () => {
    const auth = await viewer();
    const { token } = await auth.getAccessToken();
    expect(token).toBeTruthy();
    expect(auth.credentials.refresh_token).toBeTruthy();
    expect(auth.credentials.expiry_date).toBeGreaterThan(Date.now() + 3_000_000);
    const url = `${running.url}/video/v3/liveBroadcasts?part=id&mine=true`;
    expect((await auth.request({ url })).status).toBe(200);
  });

  test("refreshes by itself when the API answers 401", async () => {
    const auth = await viewer();
    auth.setCredentials({ ...auth.credentials, access_token: "dead" });
    const url = `${running.url}/video/v3/liveBroadcasts?part=id&mine=true`;
    expect((await auth.request({ url, retry: false })).status).toBe(200);
  });

  test("revokes by query with an empty body", async () => {
    const auth = await viewer();
    const { token } = await auth.getAccessToken();
    expect((await auth.revokeToken(token!)).status).toBe(200);
    await expect(auth.refreshAccessToken()).rejects.toThrow("invalid_grant");
    await expect(auth.revokeToken(token!)).rejects.toMatchObject({ status: 400 });
  });
});

describe("generated client of the video API", () => {
  test.each(["id,snippet", ["id", "snippet"]])(
    "lists live broadcasts with part %j",
    async (part) => {
      const api = await videoApi();
      const { data } = await api.liveBroadcasts.list({ part: part as string[], mine: true });
      expect(data.items?.map((item) => item.snippet?.title)).toContain("Harbour regatta");
      expect(data.pageInfo?.totalResults).toBe(3);
    },
  );

  test("understands the errors", async () => {
    const api = await videoApi();
    await expect(api.liveBroadcasts.list({ part: ["id"] })).rejects.toMatchObject({
      status: 400,
      response: { data: { error: { code: 400, errors: [{ reason: "required" }] } } },
    });
  });
});

describe("generated client of the publishing API", () => {
  const parents = {
    packageName: "test.picogrant.player",
    productId: "premium",
    basePlanId: "monthly",
  };

  test.each([
    ["dotted", "from-dotted", { "regionsVersion.version": "2022/02" }],
    ["as an object", "from-object", { regionsVersion: { version: "2022/02" } }],
  ])(
    "creates an offer with the regions version %s and activates it",
    async (_, offerId, version) => {
      const api = await publishingApi();
      const { offers } = api.monetization.subscriptions.basePlans;
      const phases = [
        {
          duration: "P1M",
          recurrenceCount: 1,
          regionalConfigs: [
            { regionCode: "DE", price: { currencyCode: "EUR", units: "0", nanos: 990_000_000 } },
          ],
        },
      ];
      const requestBody = { ...parents, offerId, phases };
      const request = { ...parents, offerId, ...version, requestBody };
      const created = await offers.create(request);
      expect(created.data).toEqual({ ...requestBody, state: "DRAFT" });
      await expect(offers.create(request)).rejects.toMatchObject({ status: 409 });
      const path = { ...parents, offerId };
      expect((await offers.activate({ ...path, requestBody: path })).data.state).toBe("ACTIVE");
      expect((await offers.deactivate({ ...path, requestBody: path })).data.state).toBe("INACTIVE");
      expect((await offers.get(path)).data.offerId).toBe(offerId);
      const listed = await offers.list(parents);
      expect(listed.data.subscriptionOffers?.map((offer) => offer.offerId)).toContain(offerId);
    },
  );
});
