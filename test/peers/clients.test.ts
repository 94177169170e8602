// Which clients can sign in with which dialects of the service, over real sockets. Some are the real clients with all
// of their checks, others are models written after the client's source.

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
import { startSimulatedService } from "../../targets/service/simulated-service.ts";
import { DEVICE_GRANT } from "../service/harness.ts";
import { isAuthlibMissing, PYTHON } from "./authlib-server.ts";

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
user = requests.get(server["userinfo_endpoint"], headers=bearer).json()
print(json.dumps({"claims": dict(claims), "user": user}))
`;

interface Place {
  readonly url: string;
  readonly issuer: string;
  readonly dialect: Dialect;
  readonly id: string;
}
type Json = Readonly<Record<string, unknown>>;

/** How a client reads responses, according to its source: what it requests, and what it rejects. */
interface Reader {
  readonly source: string;
  /** The metadata's address. Without it, the client is configured with the endpoints. */
  readonly metadata?: (place: Place) => string;
  readonly takesCode?: (codes: Json) => boolean;
  readonly takesTokens?: (tokens: Json) => boolean;
  readonly takesStatus?: (status: number) => boolean;
  readonly takesIssuer?: (issuer: string, place: Place) => boolean;
}

const areTexts = (...values: unknown[]): boolean => values.every((one) => typeof one === "string");
const hasCodes = ({ device_code, user_code, verification_uri, verification_url }: Json): boolean =>
  areTexts(device_code, user_code, verification_uri ?? verification_url);

const READERS: Record<string, Reader> = {
  // This client rejects two names of one field as a duplicate.
  "psql 18 (libpq-oauth)": {
    source: "https://github.com/postgres/postgres, src/interfaces/libpq-oauth/oauth-curl.c",
    metadata: ({ issuer }) => `${issuer}/.well-known/openid-configuration`,
    takesCode: (codes) =>
      hasCodes(codes) &&
      "verification_uri" in codes !== "verification_url" in codes &&
      [codes.expires_in, codes.interval ?? 5].every((one) => typeof one === "number"),
    takesTokens: ({ access_token, token_type, error }) =>
      areTexts(error) || areTexts(access_token, token_type),
    takesStatus: (status) => [200, 400, 401].includes(status),
  },
  "golang.org/x/oauth2": {
    source: "https://github.com/golang/oauth2, deviceauth.go",
    takesCode: (codes) =>
      hasCodes(codes) && [codes.expires_in ?? 0, codes.interval ?? 0].every(Number.isInteger),
    takesTokens: ({ access_token, error }) => areTexts(error ?? access_token),
  },
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
  const { metadata, takesCode, takesTokens, takesStatus, takesIssuer } = reader;
  const page = metadata && (await fetch(metadata(place)));
  must(page?.ok ?? true, "metadata");
  const found = (await page?.json()) as Record<string, string> | undefined;
  const {
    device_authorization_endpoint: codeAddress = `${place.url}/device/code`,
    token_endpoint: tokenAddress = `${place.url}/token`,
  } = found ?? {};
  const request = async (address: string, fields: Record<string, string>): Promise<Json> => {
    const body = new URLSearchParams({ client_id: place.id, ...fields });
    const received = await fetch(address, { method: "POST", body });
    must(takesStatus?.(received.status) ?? true, `status ${received.status}`);
    return (await received.json()) as Json;
  };
  const codes = await request(codeAddress, { scope: "openid" });
  must(takesCode?.(codes) ?? true, "the code");
  let tokens: Json = {};
  do {
    await sleep(Number(codes.interval) * 1000);
    const fields = { grant_type: DEVICE_GRANT, device_code: String(codes.device_code) };
    tokens = await request(tokenAddress, fields);
    must(takesTokens?.(tokens) ?? true, "the tokens");
  } while (tokens.error === "authorization_pending");
  const [, claims = ""] = String(tokens.id_token).split(".");
  const { iss } = JSON.parse(Buffer.from(claims, "base64url").toString());
  must(takesIssuer?.(iss, place) ?? true, "the issuer");
}

async function oauth4webapi({ issuer: text, id }: Place): Promise<void> {
  const issuer = new URL(text);
  const insecure = { [oauth.allowInsecureRequests]: true } as const;
  const its = { client_id: id };
  const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" });
  const as = await oauth.processDiscoveryResponse(issuer, found);
  const scope = { scope: "openid" };
  const requested = await oauth.deviceAuthorizationRequest(as, its, oauth.None(), scope, insecure);
  const codes = await oauth.processDeviceAuthorizationResponse(as, its, requested);
  const poll = async (): Promise<oauth.TokenEndpointResponse> => {
    const none = oauth.None();
    const { device_code } = codes;
    const received = await oauth.deviceCodeGrantRequest(as, its, none, device_code, insecure);
    return oauth.processDeviceCodeResponse(as, its, received);
  };
  await expect(poll()).rejects.toMatchObject({ error: "authorization_pending" });
  await sleep(1000);
  const { access_token } = await poll();
  if (as.revocation_endpoint === undefined) return;
  const received = await oauth.revocationRequest(as, its, oauth.None(), access_token, insecure);
  await oauth.processRevocationResponse(received);
}

/** Contains characters that a form must encode. */
const SECRET = "a secret/with+odd&characters";

/** Some dialects do not know this scope. Others issue refresh tokens only with it. */
function offlineScope(dialect: Dialect): string {
  return /auth0|entra/.test(dialect) ? " offline_access" : "";
}

async function openidClient({ issuer, dialect, id }: Place): Promise<void> {
  // Also checks the signatures of ID tokens.
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
  const auth = client.ClientSecretPost(SECRET);
  const config = await client.discovery(new URL(issuer), id, SECRET, auth, { execute });
  const scope = `openid${offlineScope(dialect)}`;
  const codes = await client.initiateDeviceAuthorization(config, { scope });
  const tokens = await client.pollDeviceAuthorizationGrant(config, codes);
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token!);
  must(renewed.access_token !== tokens.access_token, "the refresh");
  if (config.serverMetadata().revocation_endpoint === undefined) return;
  await client.tokenRevocation(config, renewed.access_token);
  const dead = client.refreshTokenGrant(config, renewed.refresh_token ?? tokens.refresh_token!);
  await expect(dead).rejects.toMatchObject({ error: "invalid_grant" });
}

async function picogrant({ issuer, id }: Place): Promise<void> {
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-dialect-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  const session = await signIn({
    server: issuer,
    clientId: id,
    scope: "openid",
    state,
    onCode() {},
  });
  must((await session.claims())?.sub === "ada", "the claims");
  await session.signOut();
}

/** Runs Debian's python3-authlib and python3-requests. Authlib also checks ID tokens. */
async function authlib({ issuer, id }: Place): Promise<void> {
  const { stdout } = await promisify(execFile)(PYTHON, ["-c", SCRIPT, issuer, id]);
  const { claims, user } = JSON.parse(stdout);
  expect(claims).toMatchObject({ iss: issuer, sub: "ada", aud: id });
  expect(user).toEqual({ sub: "ada", email: "ada@example.test", email_verified: true });
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
                      specification  rfc8628        google         auth0          entra          keycloak
picogrant             yes            yes            yes            yes            yes            yes
openid-client 6       no             yes            no             yes            yes            yes
oauth4webapi 3        no             yes            no             yes            yes            yes
Authlib               yes            yes            yes            yes            yes            yes
psql 18 (libpq-oauth) no             yes            no             no             yes            yes
golang.org/x/oauth2   yes            yes            yes            yes            yes            yes
ytmusicapi            yes            no             yes            no             no             no
MSAL's sample         no             no             no             no             yes            no
Auth0's quickstarts   no             no             no             yes            no             no
python-keycloak       no             no             no             no             no             yes
`;

async function liesIn(dialect: Dialect): Promise<string[]> {
  const clients = Object.values(CLIENTS).map((live, at) => ({
    ...{ id: `client-${at}`, name: "Client" },
    secret: live === openidClient ? SECRET : undefined,
  }));
  const accounts = [{ id: "ada", name: "Ada", email: "ada@example.test" }];
  const service = await startSimulatedService({ dialect, fixture: { clients, accounts } });
  onTestFinished(() => service.close());
  const { url, issuer } = service;
  // The user allows a code only after it has been polled once.
  service.observe((event) => {
    if (event.type !== "exchange" || !/authorization_pending/.test(event.responseBody)) return;
    const id = new URLSearchParams(event.requestBody).get("client_id");
    for (const { userCode, clientId } of service.pending())
      if (clientId === id) service.approve(userCode, "ada");
  });
  return Promise.all(
    Object.values(CLIENTS).map((live, at) =>
      live({ url, issuer, dialect, id: clients[at]!.id }).then(
        () => "yes",
        () => "no",
      ),
    ),
  );
}

test("each client completes a sign-in in the dialects that it supports, and in no other", async () => {
  const runs = await Promise.all(DIALECTS.map(liesIn));
  const line = (name: string, cells: readonly string[]): string =>
    [name.padEnd(22), ...cells.map((cell) => cell.padEnd(15))].join("").trimEnd();
  const lines = Object.keys(CLIENTS).map((name, at) =>
    line(
      name,
      runs.map((its) => its[at]!),
    ),
  );
  const table = [line("", DIALECTS), ...lines].join("\n");
  console.log(table);
  // Debian's packages may be missing on this machine.
  const expected = TABLE.trim()
    .split("\n")
    .filter((one, at) => at === 0 || one.slice(0, 22).trim() in CLIENTS);
  expect(table.trim()).toBe(expected.join("\n"));
  // For each dialect, some client supports it but not all others.
  for (const [at, its] of runs.entries()) {
    const fussy = its.filter((_, one) => runs.some((others) => others[one] === "no"));
    expect(fussy, DIALECTS[at]).toContain("yes");
  }
});
