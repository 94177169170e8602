// Tests clients of other projects at our service, with private_key_jwt and DPoP: the service verifies their proofs, and
// refuses a stolen token.

import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { expect, onTestFinished, test } from "vitest";
import { startSimulatedService } from "../../targets/service/simulated-service.ts";

const ID = "keyed";
const SCOPE = { scope: "openid email" };

interface Place {
  readonly issuer: URL;
  readonly keys: CryptoKeyPair;
  readonly approve: () => void;
}

async function openidClient({ issuer, keys, approve }: Place): Promise<string> {
  const execute = [client.allowInsecureRequests];
  const auth = client.PrivateKeyJwt(keys.privateKey);
  const config = await client.discovery(issuer, ID, undefined, auth, { execute });
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair("ES256"));
  const codes = await client.initiateDeviceAuthorization(config, SCOPE);
  approve();
  const tokens = await client.pollDeviceAuthorizationGrant(config, codes, undefined, { DPoP });
  const refresh = () =>
    client.refreshTokenGrant(config, tokens.refresh_token!, undefined, { DPoP });
  const { access_token, token_type } = await refresh();
  expect(token_type).toBe("dpop");
  const user = await client.fetchUserInfo(config, access_token, "ada", { DPoP });
  expect(user.email).toBe("ada@example.test");
  await client.tokenRevocation(config, tokens.refresh_token!);
  await expect(refresh()).rejects.toMatchObject({ error: "invalid_grant" });
  return access_token;
}

async function oauth4webapi({ issuer, keys, approve }: Place): Promise<string> {
  const insecure = { [oauth.allowInsecureRequests]: true } as const;
  const its = { client_id: ID };
  const found = await oauth.discoveryRequest(issuer, insecure);
  const as = await oauth.processDiscoveryResponse(issuer, found);
  expect(as.dpop_signing_alg_values_supported).toEqual(["ES256"]);
  const auth = oauth.PrivateKeyJwt(keys.privateKey);
  const DPoP = oauth.DPoP({}, await oauth.generateKeyPair("ES256"));
  const options = { ...insecure, DPoP };
  const requested = await oauth.deviceAuthorizationRequest(as, its, auth, SCOPE, insecure);
  const codes = await oauth.processDeviceAuthorizationResponse(as, its, requested);
  approve();
  /** Sends the request again if the first response was `use_dpop_nonce`. */
  const send = async <T>(request: () => Promise<T>): Promise<T> =>
    request().catch((error) => (oauth.isDPoPNonceError(error) ? request() : Promise.reject(error)));
  const { access_token, token_type } = await send(async () => {
    const { device_code } = codes;
    const received = await oauth.deviceCodeGrantRequest(as, its, auth, device_code, options);
    return oauth.processDeviceCodeResponse(as, its, received);
  });
  expect(token_type).toBe("dpop");
  const user = await send(async () => {
    const received = await oauth.userInfoRequest(as, its, access_token, options);
    return oauth.processUserInfoResponse(as, its, "ada", received);
  });
  expect(user.sub).toBe("ada");
  const seen = await oauth.introspectionRequest(as, its, auth, access_token, insecure);
  const { cnf } = await oauth.processIntrospectionResponse(as, its, seen);
  expect(cnf).toEqual({ jkt: await DPoP.calculateThumbprint() });
  return access_token;
}

const CLIENTS = { openidClient, oauth4webapi };
test.each([
  ["openidClient", false],
  ["openidClient", true],
  ["oauth4webapi", false],
  ["oauth4webapi", true],
] as const)("%s signs in and calls with keys alone, with nonces: %s", async (name, dpopNonces) => {
  const keys = await oauth.generateKeyPair("ES256");
  const jwks = await crypto.subtle.exportKey("jwk", keys.publicKey);
  const accounts = [{ id: "ada", name: "Ada", email: "ada@example.test" }];
  const service = await startSimulatedService({
    dialect: "rfc8628",
    options: { dpop: "required", dpopNonces },
    fixture: { clients: [{ id: ID, name: "Keyed", jwks }], accounts },
  });
  onTestFinished(() => service.close());
  const approve = () => void service.approve(service.pending()[0]!.userCode, "ada");
  const token = await CLIENTS[name]({ issuer: new URL(service.url), keys, approve });
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${service.url}/userinfo`, { headers })).status).toBe(401);
});
