// Clients that others wrote, unchanged, at the service over real sockets: openid-client with all of its checks; and which
// client lives a whole life in which dialect of the service.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { expect, onTestFinished, test } from "vitest";
import { signIn } from "../../platform/node/sign-in.ts";
import { DIALECTS, type Dialect } from "../../targets/service/dialects.ts";
import { DEVICE_GRANT, VIDEO_READONLY } from "../service/harness.ts";
import { opened, type RealWorld } from "../world/real-world.ts";
import { isAuthlibMissing, PYTHON } from "./authlib-server.ts";

test.each<[string, string, string | undefined, client.ClientAuth]>([
  ["client_secret_post", "living-room-tv", "tv-secret", client.ClientSecretPost("tv-secret")],
  ["client_secret_basic", "living-room-tv", "tv-secret", client.ClientSecretBasic("tv-secret")],
  ["no secret", "public-printer", undefined, client.None()],
])("openid-client: refresh with rotation and revocation with %s", async (_, id, secret, auth) => {
  const running = await opened("http", { dialect: "rfc8628", refreshTokenRotation: true });
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
  const config = await client.discovery(new URL(running.url), id, secret, auth, { execute });
  const scope = `${VIDEO_READONLY} openid`;
  const codes = await client.initiateDeviceAuthorization(config, { scope });
  running.service.approve(codes.user_code, "ada");
  const tokens = await client.pollDeviceAuthorizationGrant(config, codes);
  expect(tokens.scope).toBe(scope);
  const second = await client.refreshTokenGrant(config, tokens.refresh_token!);
  expect(second.refresh_token).not.toBe(tokens.refresh_token);
  const third = await client.refreshTokenGrant(config, second.refresh_token!);
  await client.tokenRevocation(config, third.access_token);
  const dead = client.refreshTokenGrant(config, third.refresh_token!);
  await expect(dead).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
});

const SCRIPT = `
import json, sys, time
import requests
from authlib.jose import jwt
from authlib.oidc.core import CodeIDToken
issuer, client_id = sys.argv[1:]
server = requests.get(issuer.rstrip("/") + "/.well-known/openid-configuration").json()
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

interface Place extends Pick<RealWorld, "url" | "service"> {
  readonly issuer: string;
}
type Json = Readonly<Record<string, string>>;
const ID = "public-printer";

/** How a client reads, by its own source: what it asks for, and what it refuses. */
interface Reader {
  readonly source: string;
  /** Where it looks for metadata; without them it is told the addresses. */
  readonly metadata?: (place: Place) => string;
  readonly takesCode?: (codes: Json) => boolean;
  readonly takesStatus?: (status: number) => boolean;
  readonly takesIssuer?: (issuer: string, place: Place) => boolean;
}

const READERS: Record<string, Reader> = {
  "psql 18 (libpq-oauth)": {
    source: "https://github.com/postgres/postgres, src/interfaces/libpq-oauth/oauth-curl.c",
    metadata: ({ issuer }) => `${issuer}/.well-known/openid-configuration`,
    takesCode: (codes) => "verification_uri" in codes !== "verification_url" in codes,
    takesStatus: (status) => [200, 400, 401].includes(status),
  },
  "golang.org/x/oauth2": { source: "https://github.com/golang/oauth2, deviceauth.go" },
  ytmusicapi: {
    source: "https://github.com/sigma67/ytmusicapi, ytmusicapi/auth/oauth/token.py",
    takesCode: (codes) => "verification_url" in codes,
  },
  "MSAL's sample": {
    source:
      "https://github.com/AzureAD/microsoft-authentication-library-for-python, sample/device_flow_sample.py",
    takesCode: (codes) => "message" in codes,
  },
  "Auth0's quickstarts": {
    source: "https://auth0.com/docs/quickstart/backend/python: issuer='https://{}/'.format(domain)",
    takesIssuer: (issuer, { url }) => issuer === `${url}/`,
  },
  "python-keycloak": {
    source: "https://github.com/marcospereirampj/python-keycloak, src/keycloak/urls_patterns.py",
    metadata: ({ url }) => `${url}/realms/picogrant/.well-known/openid-configuration`,
  },
};

const must = (isSo: boolean, what: string): void => {
  if (!isSo) throw new Error(what);
};

async function read(reader: Reader, place: Place): Promise<void> {
  const { metadata, takesCode, takesStatus = () => true, takesIssuer = () => true } = reader;
  const page = metadata && (await fetch(metadata(place)));
  must(page?.ok ?? true, "metadata");
  const found = (await page?.json()) as Json | undefined;
  const {
    device_authorization_endpoint: codeAddress = `${place.url}/device/code`,
    token_endpoint: tokenAddress = `${place.url}/token`,
  } = found ?? {};
  const ask = async (address: string, fields: Record<string, string>): Promise<Json> => {
    const body = new URLSearchParams({ client_id: ID, ...fields });
    const answer = await fetch(address, { method: "POST", body });
    must(takesStatus(answer.status), `status ${answer.status}`);
    return (await answer.json()) as Json;
  };
  const codes = await ask(codeAddress, { scope: "openid" });
  must(takesCode?.(codes) ?? true, "the code");
  let tokens: Json = {};
  do {
    await sleep(Number(codes.interval) * 1000);
    const fields = { grant_type: DEVICE_GRANT, device_code: codes.device_code! };
    tokens = await ask(tokenAddress, fields);
  } while (tokens.error === "authorization_pending");
  const [, claims = ""] = tokens.id_token!.split(".");
  const { iss } = JSON.parse(Buffer.from(claims, "base64url").toString());
  must(takesIssuer(iss, place), "the issuer");
}

async function oauth4webapi({ issuer: text }: Place): Promise<void> {
  const issuer = new URL(text);
  const insecure = { [oauth.allowInsecureRequests]: true } as const;
  const its = { client_id: ID };
  const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" });
  const as = await oauth.processDiscoveryResponse(issuer, found);
  const scope = { scope: "openid" };
  const asked = await oauth.deviceAuthorizationRequest(as, its, oauth.None(), scope, insecure);
  const codes = await oauth.processDeviceAuthorizationResponse(as, its, asked);
  const poll = async (): Promise<oauth.TokenEndpointResponse> => {
    const none = oauth.None();
    const { device_code } = codes;
    const answer = await oauth.deviceCodeGrantRequest(as, its, none, device_code, insecure);
    return oauth.processDeviceCodeResponse(as, its, answer);
  };
  await expect(poll()).rejects.toMatchObject({ error: "authorization_pending" });
  await sleep(1000);
  const { access_token } = await poll();
  if (as.revocation_endpoint === undefined) return;
  const answer = await oauth.revocationRequest(as, its, oauth.None(), access_token, insecure);
  await oauth.processRevocationResponse(answer);
}

async function openidClient({ issuer, service }: Place): Promise<void> {
  // Signatures of ID tokens, too.
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
  const config = await client.discovery(new URL(issuer), ID, undefined, client.None(), { execute });
  // Some dialects do not know it, and some give a refresh token to nobody else.
  const offline = /auth0|entra/.test(service.options.dialect) ? " offline_access" : "";
  const scope = `openid${offline}`;
  const codes = await client.initiateDeviceAuthorization(config, { scope });
  const tokens = await client.pollDeviceAuthorizationGrant(config, codes);
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token!);
  must(renewed.access_token !== tokens.access_token, "the refresh");
}

async function picogrant({ issuer }: Place): Promise<void> {
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-dialect-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  const session = await signIn({ server: issuer, clientId: ID, scope: "openid", state });
  must((await session.claims())?.sub === "ada", "the claims");
  await session.signOut();
}

/** Debian's python3-authlib and python3-requests, with its own check of ID tokens. */
async function authlib({ issuer }: Place): Promise<void> {
  const { stdout } = await promisify(execFile)(PYTHON, ["-c", SCRIPT, issuer, ID]);
  const { claims, person } = JSON.parse(stdout);
  expect(claims).toMatchObject({ iss: issuer, sub: "ada", aud: ID });
  expect(person).toEqual({ sub: "ada", email: "ada@example.test", email_verified: true });
}

const CLIENTS: Record<string, (place: Place) => Promise<void>> = {
  picogrant,
  "openid-client 6": openidClient,
  "oauth4webapi 3": oauth4webapi,
  ...(!isAuthlibMissing && { Authlib: authlib }),
  ...Object.fromEntries(
    Object.entries(READERS).map(([name, reader]) => [name, (place) => read(reader, place)]),
  ),
};

const TABLE = `
                      documents rfc8628   google    auth0     entra     keycloak
picogrant             yes       yes       yes       yes       yes       yes
openid-client 6       no        yes       no        yes       yes       yes
oauth4webapi 3        no        yes       no        yes       yes       yes
Authlib               yes       yes       yes       yes       yes       yes
psql 18 (libpq-oauth) no        yes       no        no        yes       yes
golang.org/x/oauth2   yes       yes       yes       yes       yes       yes
ytmusicapi            yes       no        yes       no        no        no
MSAL's sample         no        no        no        no        yes       no
Auth0's quickstarts   no        no        no        yes       no        no
python-keycloak       no        no        no        no        no        yes
`;

async function livesIn(dialect: Dialect): Promise<string[]> {
  const { service, url } = await opened("http", { dialect });
  // A person allows what has been told to wait.
  service.observe((event) => {
    if (event.type !== "exchange" || !/authorization_pending/.test(event.responseBody)) return;
    for (const { userCode } of service.pending()) service.approve(userCode, "ada");
  });
  const place = { service, url, issuer: service.issuer };
  return Promise.all(
    Object.values(CLIENTS).map((live) =>
      live(place).then(
        () => "yes",
        () => "no",
      ),
    ),
  );
}

test("each client lives a whole life in the dialects that it understands, and in no other", async () => {
  const lives = await Promise.all(DIALECTS.map(livesIn));
  const line = (name: string, cells: readonly string[]): string =>
    [name.padEnd(22), ...cells.map((cell) => cell.padEnd(10))].join("").trimEnd();
  const lines = Object.keys(CLIENTS).map((name, at) =>
    line(
      name,
      lives.map((its) => its[at]!),
    ),
  );
  const table = [line("", DIALECTS), ...lines].join("\n");
  console.log(table);
  // Elsewhere than in the gate Authlib may be missing.
  const expected = TABLE.trim()
    .split("\n")
    .filter((one) => !(isAuthlibMissing && /^Authlib/.test(one)));
  expect(table.trim()).toBe(expected.join("\n"));
});
