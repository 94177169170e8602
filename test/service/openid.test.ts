// Tests that the service does what each member of its metadata says. jose checks the signatures of ID tokens.
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { describe, expect, it, test } from "vitest";
import { testRows } from "./dialogue.ts";
import { Bench, FIXTURE, S256, SCOPE_BASE, TV } from "./harness.ts";

const SCOPE = "openid profile email";
const NAMES = ["openid-configuration", "oauth-authorization-server"];

function metadataOf(bench: Bench, name = "openid-configuration"): Record<string, unknown> {
  return bench.get(`/.well-known/${name}`).json;
}

async function verified(bench: Bench, token: unknown): Promise<Record<string, unknown>> {
  const keys = createLocalJWKSet(bench.get("/keys").json as unknown as JSONWebKeySet);
  const { payload, protectedHeader } = await jwtVerify(String(token), keys, {
    issuer: bench.service.baseUrl,
    audience: TV.client_id,
    currentDate: new Date(bench.nowMs),
    requiredClaims: ["sub", "iat", "exp"],
  });
  return { ...payload, alg: protectedHeader.alg };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

function signIn(bench: Bench, requested: Record<string, string> = {}): Record<string, unknown> {
  const codes = bench.requestCodes({ scope: SCOPE, ...requested }).json;
  expect(bench.service.approve(String(codes.user_code), "ada")).toBe("granted");
  return bench.poll(codes.device_code).json;
}

describe("RFC 8414 §2, RFC 6749 §4.1.2.1, OpenID Connect Discovery §3: the service does what each member promises", () => {
  // The oracle (oracle.ts) uses these methods at both endpoints.
  const METHODS = ["client_secret_post", "client_secret_basic", "none"];
  const CONSTANTS: Record<string, unknown> = {
    token_endpoint_auth_methods_supported: METHODS,
    revocation_endpoint_auth_methods_supported: METHODS,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    claim_types_supported: ["normal"],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
  const ADDRESSES: Record<string, string> = {
    device_authorization_endpoint: "/device/code",
    token_endpoint: "/token",
    revocation_endpoint: "/revoke",
    userinfo_endpoint: "/userinfo",
    jwks_uri: "/keys",
  };
  const PROMISES: Record<string, (bench: Bench, value: unknown) => unknown> = {
    ...mapValues(CONSTANTS, (constant) => (_, value) => expect(value).toEqual(constant)),
    ...mapValues(ADDRESSES, (path) => (bench, value) => {
      expect(value).toBe(bench.service.baseUrl + path);
      for (const method of ["GET", "POST"]) expect(bench.send(method, path).status).not.toBe(404);
    }),
    issuer: (bench, value) => expect(value).toBe(bench.service.baseUrl),
    // No client may use this endpoint, so the response must not be a redirect (RFC 6749 §4.1.2.1).
    authorization_endpoint: (bench, value) => {
      const { pathname } = new URL(String(value));
      const response = bench.get(`${pathname}?response_type=code&client_id=living-room-tv`);
      expect([response.status, response.json.error]).toEqual([400, "unauthorized_client"]);
      expect(response.headers).not.toHaveProperty("location");
    },
    grant_types_supported: (bench, value) => {
      const refused = (grant_type: unknown): unknown =>
        bench.post("/token", { ...TV, grant_type: String(grant_type) }).json.error;
      for (const type of value as string[]) expect(refused(type)).toBe("invalid_request");
      expect(refused("authorization_code")).toBe("unsupported_grant_type");
    },
    // Some clients, such as SSSD's oidc_child, request all these scopes at once.
    scopes_supported: (bench, value) => {
      const scope = (value as string[]).join(" ");
      expect(bench.post("/device/code", { client_id: "public-printer", scope }).status).toBe(200);
    },
    code_challenge_methods_supported: (bench, value) => {
      const status = (code_challenge_method: string): number =>
        bench.requestCodes({ code_challenge: S256, code_challenge_method }).status;
      for (const method of ["S256", "plain", "s256", "none"]) {
        const expected = (value as string[]).includes(method) ? 200 : 400;
        expect(status(method), method).toBe(expected);
      }
    },
    id_token_signing_alg_values_supported: async (_, value) => {
      expect(value).toContain("RS256");
      for (const idTokenAlgorithm of value as string[]) {
        const clients = FIXTURE.clients!.map((one) =>
          one.id === TV.client_id ? { ...one, idTokenAlgorithm } : one,
        ) as typeof FIXTURE.clients;
        const bench = new Bench({}, { fixture: { ...FIXTURE, clients } });
        expect((await verified(bench, signIn(bench).id_token)).alg).toBe(idTokenAlgorithm);
      }
    },
    acr_values_supported: async (bench, value) => {
      for (const acr of value as string[]) {
        const { id_token } = signIn(bench, { acr_values: `unknown ${acr}` });
        expect((await verified(bench, id_token)).acr).toBe(acr);
      }
    },
    claims_supported: async (bench, value) => {
      const tokens = signIn(bench, { nonce: "n" });
      const { alg: _, ...claims } = await verified(bench, tokens.id_token);
      const user = bench.get("/userinfo", tokens.access_token).json;
      const all = new Set([...Object.keys(claims), ...Object.keys(user)]);
      expect([...all].sort()).toEqual([...(value as string[])].sort());
    },
  };

  it.each(NAMES)("/.well-known/%s has exactly the members of this table", (name) => {
    expect(Object.keys(metadataOf(new Bench(), name)).sort()).toEqual(Object.keys(PROMISES).sort());
  });

  it.each(Object.entries(PROMISES))("%s", async (name, keep) => {
    for (const document of NAMES) {
      const bench = new Bench();
      await keep(bench, metadataOf(bench, document)[name]);
    }
  });

  it("a service on a host that cannot generate keys announces no ID tokens and issues none", () => {
    const bench = new Bench({}, { makeKey: undefined });
    expect(metadataOf(bench)).not.toHaveProperty("userinfo_endpoint");
    expect(metadataOf(bench)).not.toHaveProperty("id_token_signing_alg_values_supported");
    expect(signIn(bench)).not.toHaveProperty("id_token");
    expect((bench.get("/keys").json.keys as object[]).length).toBe(1);
  });
});

test("OpenID Connect Core §10.1.1: after a rotation, a token signed with the old key is valid exactly as long as the key is published", async () => {
  const bench = new Bench({ retiredKeySeconds: 600 });
  const { id_token } = signIn(bench);
  const before = await verified(bench, id_token);
  bench.service.rotateKeys();
  bench.wait(599);
  expect(await verified(bench, id_token)).toEqual(before);
  const renewed = signIn(bench).id_token;
  expect(kidOf(renewed)).not.toBe(kidOf(id_token));
  bench.wait(1);
  await expect(verified(bench, id_token)).rejects.toThrow("no applicable key");
  await verified(bench, renewed);
});

const kidOf = (token: unknown): string =>
  JSON.parse(Buffer.from(String(token).split(".")[0]!, "base64url").toString()).kid;

test.each(NAMES)(
  "device doc §4.1 row device_authorization_endpoint: /.well-known/%s has it and the others (RFC 8414 §3, §3.2)",
  (name) => {
    const { status, json, headers } = new Bench({ baseUrl: "https://s.test/" }).get(
      `/.well-known/${name}`,
    );
    expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
    expect(json).toMatchObject({
      issuer: "https://s.test",
      device_authorization_endpoint: "https://s.test/device/code",
      token_endpoint: "https://s.test/token",
      revocation_endpoint: "https://s.test/revoke",
      jwks_uri: "https://s.test/keys",
    });
    expect(json.scopes_supported).toContain(`${SCOPE_BASE}/auth/video.readonly`);
    expect(json.scopes_supported).not.toContain(`${SCOPE_BASE}/auth/video.upload`);
    // RFC 8414 §3.2: members without a value must be omitted.
    for (const value of Object.values(json)) expect(value).not.toEqual([]);
  },
);

testRows`
RFC 9470 §3: an API demands a stronger sign-in, and names it
  ${{ stepUp: { acr: "urn:picogrant:acr:two-factor" } }}
  sign-in -> 200
  list -> 401 insufficientUserAuthentication challenge=error="insufficient_user_authentication"
  list -> 401 insufficientUserAuthentication challenge=acr_values="urn:picogrant:acr:two-factor"
  code acr_values=urn:picogrant:acr:two-factor -> 200
  allow ada -> granted
  poll -> 200
  list -> 200
RFC 9470 §3: an API demands a more recent sign-in, which a refresh does not provide
  ${{ stepUp: { maxAge: 300 } }}
  sign-in -> 200
  wait 300
  list -> 200
  wait 1
  refresh -> 200
  list -> 401 insufficientUserAuthentication challenge=max_age="300"
`;
