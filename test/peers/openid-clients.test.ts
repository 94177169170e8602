// The service as an OpenID provider for clients that others wrote, unchanged: openid-client with all of its checks,
// SSSD's oidc_child (Debian package sssd-idp) over TLS, Authlib (python3-authlib) with its own check of ID tokens.

import * as client from "openid-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { createService, nodeEnvironment, serve } from "../../targets/service/index.ts";
import { FIXTURE } from "../service/harness.ts";
import { isMissing, PYTHON, run } from "./programs.ts";
import { decideAtPoll, secureService, startService } from "./running-service.ts";

const SCOPE = "openid profile email";

describe("openid-client 6, OpenID Connect Core §3.1.3.7, §5.3.2, RFC 7636", () => {
  test.concurrent.each(["RS256", "ES256"] as const)(
    "%s: signature, claims, nonce-free device grant, proof of key, userinfo, a key that is rotated",
    async (idTokenAlgorithm) => {
      const lamp = { id: "lamp", name: "Lamp", pkce: "required" as const, idTokenAlgorithm };
      const service = createService({
        ...nodeEnvironment(),
        fixture: { ...FIXTURE, clients: [...FIXTURE.clients!, lamp] },
        options: { interval: 1, pollToleranceMs: 100 },
      });
      const server = await serve(service);
      try {
        const metadata = { id_token_signed_response_alg: idTokenAlgorithm };
        const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
        const url = new URL(server.url);
        const discover = () => client.discovery(url, "lamp", metadata, client.None(), { execute });
        const config = await discover();
        const verifier = client.randomPKCECodeVerifier();
        const codes = await client.initiateDeviceAuthorization(config, {
          scope: SCOPE,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        });
        service.approve(codes.user_code, "ada");
        const poll = { code_verifier: verifier };
        const tokens = await client.pollDeviceAuthorizationGrant(config, codes, poll);
        expect(tokens.claims()).toMatchObject({ sub: "ada", aud: "lamp" });
        const person = await client.fetchUserInfo(config, tokens.access_token, "ada");
        expect(person).toMatchObject({ name: "Ada Brook", email: "ada@example.test" });
        service.rotateKeys();
        // A configuration keeps the keys that it has seen for a minute at least.
        const renewed = await client.refreshTokenGrant(await discover(), tokens.refresh_token!);
        expect(renewed.claims()?.sub).toBe("ada");
      } finally {
        await server.close();
      }
    },
  );

  test("a code whose verifier is another's brings no tokens", async () => {
    const running = await startService();
    onTestFinished(() => running.server.close());
    const execute = [client.allowInsecureRequests];
    const url = new URL(running.url);
    const config = await client.discovery(url, "public-printer", undefined, client.None(), {
      execute,
    });
    const codes = await client.initiateDeviceAuthorization(config, {
      scope: SCOPE,
      code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
      code_challenge_method: "S256",
    });
    running.service.approve(codes.user_code, "ada");
    const poll = { code_verifier: client.randomPKCECodeVerifier() };
    await expect(client.pollDeviceAuthorizationGrant(config, codes, poll)).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });
});

/** Where Debian puts them. */
const OIDC_CHILD = "/usr/libexec/sssd/oidc_child";
const AUTHLIB = "/usr/lib/python3/dist-packages/authlib";

describe("SSSD's oidc_child: a code, tokens with a checked ID token, and whose they are", () => {
  test.skipIf(isMissing(OIDC_CHILD)).each([
    ["public-printer", ""],
    ["living-room-tv", "tv-secret"],
  ])("client %s", async (id, secret) => {
    const { service, url, ca } = await secureService();
    const common = [
      ...[`--issuer-url=${url}`, `--client-id=${id}`, `--ca-db=${ca}`, "--logger=stderr"],
      ...(secret === "" ? [] : [`--client-secret=${secret}`]),
    ];
    const codes = await run(OIDC_CHILD, ["--get-device-code", ...common]);
    // The first line is kept by SSSD and handed back; the second is shown.
    const [kept = "", shown = ""] = codes.stdout.split("\n");
    const { user_code: code } = JSON.parse(shown.slice(shown.indexOf("{")));
    expect(service.approve(code, "ada")).toBe("granted");
    const asked = ["--get-access-token", "--user-identifier-attribute=sub", ...common];
    expect((await run(OIDC_CHILD, asked, kept)).stdout.trim()).toBe("ada");
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

test.skipIf(isMissing(AUTHLIB))(
  "Authlib: an ID token with its signature, its claims and the hash of the access token",
  async () => {
    const running = await startService();
    onTestFinished(() => running.server.close());
    decideAtPoll(running, 1, (code) => running.service.approve(code, "ada"));
    const { stdout } = await run(PYTHON, ["-c", SCRIPT, running.url, "public-printer"]);
    const { claims, person } = JSON.parse(stdout);
    expect(claims).toMatchObject({ iss: running.url, sub: "ada", aud: "public-printer" });
    expect(person).toEqual({ sub: "ada", email: "ada@example.test", email_verified: true });
  },
);
