// Tests which OAuth clients can sign in with which dialects of the service, over real sockets. The clients make their
// own checks, except that of https. Some use signing keys (private_key_jwt, DPoP) instead of secrets.

import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { expect, onTestFinished, test } from "vitest";
import { signIn } from "../../platform/node/sign-in.ts";
import { DIALECTS, type Dialect } from "../../targets/service/dialects.ts";
import { startSimulatedService } from "../../targets/service/simulated-service.ts";
import { temporaryFolder } from "../listening.ts";
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
  readonly issuer: string;
  readonly dialect: Dialect;
  readonly id: string;
  /** If set, the client authenticates by private_key_jwt, and its tokens are bound to another key (DPoP). */
  readonly keys?: CryptoKeyPair;
}

/** Checks that a token that is bound to a key is useless as a bearer token. */
async function expectBound(token: string, as: { readonly userinfo_endpoint?: string }) {
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(as.userinfo_endpoint!, { headers })).status).toBe(401);
}

async function oauth4webapi({ issuer: text, id, keys }: Place): Promise<void> {
  const issuer = new URL(text);
  const insecure = { [oauth.allowInsecureRequests]: true } as const;
  const its = { client_id: id };
  const auth = keys ? oauth.PrivateKeyJwt(keys.privateKey) : oauth.None();
  const DPoP = keys && oauth.DPoP({}, await oauth.generateKeyPair("ES256"));
  const options = { ...insecure, ...(DPoP && { DPoP }) };
  const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: "oauth2" });
  const as = await oauth.processDiscoveryResponse(issuer, found);
  const scope = { scope: "openid" };
  const requested = await oauth.deviceAuthorizationRequest(as, its, auth, scope, insecure);
  const codes = await oauth.processDeviceAuthorizationResponse(as, its, requested);
  /** Sends the request again if the first response was `use_dpop_nonce`. */
  const send = async <T>(request: () => Promise<T>): Promise<T> =>
    request().catch((error) => (oauth.isDPoPNonceError(error) ? request() : Promise.reject(error)));
  const poll = async (): Promise<oauth.TokenEndpointResponse> => {
    const { device_code } = codes;
    const received = await oauth.deviceCodeGrantRequest(as, its, auth, device_code, options);
    return oauth.processDeviceCodeResponse(as, its, received);
  };
  await expect(send(poll)).rejects.toMatchObject({ error: "authorization_pending" });
  await sleep(1000);
  const { access_token } = await send(poll);
  if (DPoP) {
    const user = await send(async () => {
      const received = await oauth.userInfoRequest(as, its, access_token, options);
      return oauth.processUserInfoResponse(as, its, "ada", received);
    });
    expect(user.sub).toBe("ada");
    const seen = await oauth.introspectionRequest(as, its, auth, access_token, insecure);
    const { cnf } = await oauth.processIntrospectionResponse(as, its, seen);
    expect(cnf).toEqual({ jkt: await DPoP.calculateThumbprint() });
    await expectBound(access_token, as);
  }
  if (as.revocation_endpoint === undefined) return;
  const received = await oauth.revocationRequest(as, its, auth, access_token, insecure);
  await oauth.processRevocationResponse(received);
}

/** This secret contains characters that a form must encode. */
const SECRET = "a secret/with+odd&characters";

/** Some dialects do not know this scope. Others issue refresh tokens only with it. */
function offlineScope(dialect: Dialect): string {
  return /auth0|entra/.test(dialect) ? " offline_access" : "";
}

/** Signs in with openid-client, which also checks the signatures of ID tokens. */
async function openidClient({ issuer, dialect, id, keys }: Place): Promise<void> {
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks];
  const auth = keys ? client.PrivateKeyJwt(keys.privateKey) : client.ClientSecretPost(SECRET);
  const config = await client.discovery(new URL(issuer), id, undefined, auth, { execute });
  const options = keys && {
    DPoP: client.getDPoPHandle(config, await client.randomDPoPKeyPair("ES256")),
  };
  const scope = `openid${offlineScope(dialect)}`;
  const codes = await client.initiateDeviceAuthorization(config, { scope });
  const tokens = await client.pollDeviceAuthorizationGrant(config, codes, undefined, options);
  const refresh = (token: string) => client.refreshTokenGrant(config, token, undefined, options);
  const renewed = await refresh(tokens.refresh_token!);
  expect(renewed.access_token).not.toBe(tokens.access_token);
  if (keys) {
    expect(renewed.token_type).toBe("dpop");
    await client.fetchUserInfo(config, renewed.access_token, "ada", options);
    await expectBound(renewed.access_token, config.serverMetadata());
  }
  if (config.serverMetadata().revocation_endpoint === undefined) return;
  await client.tokenRevocation(config, renewed.access_token);
  const dead = refresh(renewed.refresh_token ?? tokens.refresh_token!);
  await expect(dead).rejects.toMatchObject({ error: "invalid_grant" });
}

async function picogrant({ issuer, id }: Place): Promise<void> {
  const session = await signIn({
    server: issuer,
    clientId: id,
    scope: "openid",
    state: temporaryFolder(),
    onCode() {},
  });
  expect((await session.claims())?.sub).toBe("ada");
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
};

const TABLE = `
                      specification  rfc8628        google         auth0          entra          keycloak
picogrant             yes            yes            yes            yes            yes            yes
openid-client 6       no             yes            no             yes            yes            yes
oauth4webapi 3        no             yes            no             yes            yes            yes
Authlib               yes            yes            yes            yes            yes            yes
`;

const accounts = [{ id: "ada", name: "Ada", email: "ada@example.test" }];

/** Starts a service whose user allows a code only after it has been polled once. */
async function startService(
  settings: Parameters<typeof startSimulatedService>[0],
): Promise<string> {
  const service = await startSimulatedService(settings);
  onTestFinished(() => service.close());
  service.observe((event) => {
    if (event.type !== "exchange" || !/authorization_pending/.test(event.responseBody)) return;
    const id = new URLSearchParams(event.requestBody).get("client_id");
    for (const { userCode, clientId } of service.pending())
      if (clientId === id) service.approve(userCode, "ada");
  });
  return service.issuer;
}

async function liesIn(dialect: Dialect): Promise<string[]> {
  const clients = Object.values(CLIENTS).map((live, at) => ({
    ...{ id: `client-${at}`, name: "Client" },
    secret: live === openidClient ? SECRET : undefined,
  }));
  const issuer = await startService({ dialect, fixture: { clients, accounts } });
  return Promise.all(
    Object.values(CLIENTS).map((live, at) =>
      live({ issuer, dialect, id: clients[at]!.id }).then(
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
  const expected = TABLE.trim()
    .split("\n")
    .filter((one, at) => at === 0 || one.slice(0, 22).trim() in CLIENTS);
  expect(table.trim()).toBe(expected.join("\n"));
});

const KEYED = ["openid-client 6", "oauth4webapi 3"];
test.each(KEYED.flatMap((name) => [false, true].map((dpopNonces) => [name, dpopNonces] as const)))(
  "%s signs in and calls with keys alone, with nonces: %s",
  async (name, dpopNonces) => {
    const keys = await oauth.generateKeyPair("ES256");
    const jwks = await crypto.subtle.exportKey("jwk", keys.publicKey);
    const dialect = "rfc8628";
    const options = { dpop: "required", dpopNonces } as const;
    const fixture = { clients: [{ id: "keyed", name: "Keyed", jwks }], accounts };
    const issuer = await startService({ dialect, options, fixture });
    await CLIENTS[name]!({ issuer, dialect, id: "keyed", keys });
  },
);
