// The service as an OpenID provider: what its metadata promise is done, one test for each promise; keys, ID tokens and
// userinfo of OpenID Connect Core, checked with jose; RFC 7636, RFC 9470, and revocation by either rule.
import { createHash } from "node:crypto";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { describe, expect, it, test } from "vitest";
import type { FixtureInput } from "../../targets/service/index.ts";
import {
  Bench,
  CONSOLE,
  DEVICE_GRANT,
  FIXTURE,
  seededRandom,
  TV,
  VIDEO_READONLY,
} from "./harness.ts";

const SCOPE = "openid profile email";
const VERIFIER = "v".repeat(43);
const S256 = createHash("sha256").update(VERIFIER).digest("base64url");

/** The built-in world with another client in place of the television. */
function fixtureWith(client: object): FixtureInput {
  const clients = FIXTURE.clients!.map((one) =>
    one.id === TV.client_id ? { ...one, ...client } : one,
  );
  return { ...FIXTURE, clients };
}

function metadataOf(bench: Bench, name = "openid-configuration"): Record<string, unknown> {
  return bench.get(`/.well-known/${name}`).json;
}

/** The claims of an ID token whose signature, issuer, audience and times are right. */
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

/** Tokens for a request of one's own. */
function signIn(
  bench: Bench,
  asked: Record<string, string> = {},
  polled = {},
): Record<string, unknown> {
  const codes = bench.requestCodes({ scope: SCOPE, ...asked }).json;
  expect(bench.service.approve(String(codes.user_code), "ada")).toBe("granted");
  return bench.poll(codes.device_code, polled).json;
}

describe("RFC 8414 §2, OpenID Connect Discovery §3: each promise is kept", () => {
  const PROMISES: Record<string, (bench: Bench, value: unknown) => unknown> = {
    issuer: (bench, value) => expect(value).toBe(bench.service.baseUrl),
    authorization_endpoint: (bench, value) =>
      expect(bench.get(pathOf(value)).json.error).toBe("unauthorized_client"),
    device_authorization_endpoint: (bench, value) =>
      expect(bench.post(pathOf(value), { client_id: TV.client_id, scope: SCOPE }).status).toBe(200),
    token_endpoint: (bench, value) =>
      expect(bench.post(pathOf(value), { ...TV, grant_type: DEVICE_GRANT }).status).toBe(400),
    revocation_endpoint: (bench, value) =>
      expect(bench.post(pathOf(value), { token: "x" }).json.error).toBe("invalid_token"),
    jwks_uri: (bench, value) => expect(bench.get(pathOf(value)).json.keys).not.toEqual([]),
    userinfo_endpoint: (bench, value) =>
      expect(bench.get(pathOf(value), signIn(bench).access_token).json.sub).toBe("ada"),
    grant_types_supported: (bench, value) => {
      const refused = (grant_type: unknown): unknown =>
        bench.post("/token", { ...TV, grant_type: String(grant_type) }).json.error;
      for (const type of value as string[]) expect(refused(type)).toBe("invalid_request");
      expect(refused("authorization_code")).toBe("unsupported_grant_type");
    },
    // SSSD's oidc_child asks for all of them at once.
    scopes_supported: (bench, value) => {
      const scope = (value as string[]).join(" ");
      expect(bench.post("/device/code", { client_id: "public-printer", scope }).status).toBe(200);
    },
    token_endpoint_auth_methods_supported: (bench, value) =>
      expectMethods(value, (fields, headers) =>
        bench.post(
          "/token",
          { grant_type: "refresh_token", refresh_token: "x", ...fields },
          headers,
        ),
      ),
    revocation_endpoint_auth_methods_supported: (bench, value) =>
      expectMethods(value, (fields, headers) =>
        bench.post("/revoke", { token: "x", ...fields }, headers),
      ),
    code_challenge_methods_supported: (bench, value) => {
      const status = (code_challenge_method: string): number =>
        bench.requestCodes({ code_challenge: S256, code_challenge_method }).status;
      for (const method of ["S256", "plain", "s256", "none"]) {
        expect([method, status(method)]).toEqual([
          method,
          (value as string[]).includes(method) ? 200 : 400,
        ]);
      }
    },
    response_types_supported: (bench, value) => {
      expect(value).toEqual(["code"]);
      expect(bench.get("/authorize?response_type=code").json.error).toBe("unauthorized_client");
    },
    subject_types_supported: async (bench, value) => {
      expect(value).toEqual(["public"]);
      // Public: the same person has the same name at two clients.
      const one = await claimsOf(bench.signIn({ scope: SCOPE }).id_token);
      const two = await claimsOf(bench.signIn({ scope: SCOPE, client: CONSOLE }).id_token);
      expect(two.sub).toBe(one.sub);
    },
    id_token_signing_alg_values_supported: async (_, value) => {
      expect(value).toContain("RS256");
      for (const idTokenAlgorithm of value as string[]) {
        const bench = new Bench({}, { fixture: fixtureWith({ idTokenAlgorithm }) });
        expect((await verified(bench, signIn(bench).id_token)).alg).toBe(idTokenAlgorithm);
      }
    },
    acr_values_supported: async (bench, value) => {
      for (const acr of value as string[]) {
        const { id_token } = signIn(bench, { acr_values: `unknown ${acr}` });
        expect((await verified(bench, id_token)).acr).toBe(acr);
      }
    },
    claim_types_supported: async (bench, value) => {
      expect(value).toEqual(["normal"]);
      expect(await verified(bench, signIn(bench).id_token)).not.toHaveProperty("_claim_names");
    },
    claims_supported: async (bench, value) => {
      const tokens = signIn(bench, { nonce: "n" });
      const { alg: _, ...claims } = await verified(bench, tokens.id_token);
      const person = bench.get("/userinfo", tokens.access_token).json;
      const all = new Set([...Object.keys(claims), ...Object.keys(person)]);
      expect([...all].sort()).toEqual([...(value as string[])].sort());
    },
    claims_parameter_supported: (_, value) => expect(value).toBe(false),
    request_parameter_supported: (_, value) => expect(value).toBe(false),
    request_uri_parameter_supported: (_, value) => expect(value).toBe(false),
  };

  const pathOf = (address: unknown): string => new URL(String(address)).pathname;
  const claimsOf = async (token: unknown): Promise<Record<string, unknown>> =>
    JSON.parse(Buffer.from(String(token).split(".")[1]!, "base64url").toString());

  function expectMethods(
    methods: unknown,
    ask: (
      fields: Record<string, string>,
      headers?: Record<string, string>,
    ) => { json: Record<string, unknown> },
  ): void {
    expect(methods).toEqual(["client_secret_post", "client_secret_basic", "none"]);
    const basic = Buffer.from(`${TV.client_id}:${TV.client_secret}`).toString("base64");
    // Refused for what is asked, and not for who asks.
    const errors = ["invalid_grant", "invalid_token"];
    expect(errors).toContain(ask(TV).json.error);
    expect(errors).toContain(ask({}, { authorization: `Basic ${basic}` }).json.error);
    expect(errors).toContain(ask({ client_id: "public-printer" }).json.error);
    expect(ask({ ...TV, client_secret: "wrong" }).json.error).toBe("invalid_client");
  }

  const NAMES = ["openid-configuration", "oauth-authorization-server"];
  it.each(NAMES)(
    "/.well-known/%s promises nothing that is not in the table, and all of it",
    (name) => {
      expect(Object.keys(metadataOf(new Bench(), name)).sort()).toEqual(
        Object.keys(PROMISES).sort(),
      );
    },
  );

  it.each(Object.entries(PROMISES))("%s", async (name, keep) => {
    for (const document of NAMES) {
      const bench = new Bench();
      await keep(bench, metadataOf(bench, document)[name]);
    }
  });

  it("a service whose host makes no keys promises no ID tokens, and gives none", () => {
    const bench = new Bench({}, { random: seededRandom(), makeKey: undefined });
    expect(metadataOf(bench)).not.toHaveProperty("userinfo_endpoint");
    expect(metadataOf(bench)).not.toHaveProperty("id_token_signing_alg_values_supported");
    expect(signIn(bench)).not.toHaveProperty("id_token");
    expect((bench.get("/keys").json.keys as object[]).length).toBe(1);
  });
});

describe("OpenID Connect Core §2, §3.1.3.6, §12.2: ID tokens", () => {
  test("subject, times, nonce and the hash of the access token", async () => {
    const bench = new Bench();
    const codes = bench.requestCodes({ scope: SCOPE, nonce: "n-0S6_WzA2Mj" }).json;
    bench.wait(60);
    bench.service.approve(String(codes.user_code), "ada");
    const approvedS = Math.floor(bench.nowMs / 1000);
    bench.wait(5);
    const tokens = bench.poll(codes.device_code).json;
    const half = createHash("sha256").update(String(tokens.access_token)).digest().subarray(0, 16);
    expect(await verified(bench, tokens.id_token)).toMatchObject({
      sub: "ada",
      nonce: "n-0S6_WzA2Mj",
      auth_time: approvedS,
      iat: approvedS + 5,
      exp: approvedS + 5 + 3600,
      at_hash: half.toString("base64url"),
    });
  });

  test("no openid, no ID token", () => {
    expect(new Bench().signIn()).not.toHaveProperty("id_token");
  });

  test("a refreshed one has the same subject and auth_time, a new iat, and no nonce", async () => {
    const bench = new Bench();
    const tokens = signIn(bench, { nonce: "n" });
    const first = await verified(bench, tokens.id_token);
    bench.wait(600);
    const second = await verified(bench, bench.refresh(tokens.refresh_token).json.id_token);
    expect(second).toMatchObject({ sub: first.sub, auth_time: first.auth_time, acr: first.acr });
    expect(second.iat).toBe(Number(first.iat) + 600);
    expect(second).not.toHaveProperty("nonce");
  });

  test("it outlives a snapshot: who signed in, when and how", async () => {
    const bench = new Bench();
    const tokens = signIn(bench, { acr_values: "urn:picogrant:acr:two-factor" });
    const first = await verified(bench, tokens.id_token);
    const later = new Bench({}, { snapshot: bench.service.snapshot() });
    const second = await verified(later, later.refresh(tokens.refresh_token).json.id_token);
    expect([second.auth_time, second.acr]).toEqual([first.auth_time, first.acr]);
  });
});

describe("OpenID Connect Core §10.1.1: keys are rotated", () => {
  test("a token of the old key is good as long as the key is published, and then no more", async () => {
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
});

describe("OpenID Connect Core §5.3, RFC 6750 §3: userinfo", () => {
  test.each([
    ["openid", { sub: "ada" }],
    ["openid profile", { sub: "ada", name: "Ada Brook" }],
    ["openid email", { sub: "ada", email: "ada@example.test", email_verified: true }],
  ])("%s: %j", (scope, claims) => {
    const bench = new Bench();
    const { access_token } = signIn(bench, { scope });
    expect(bench.get("/userinfo", access_token).json).toEqual(claims);
    const headers = { authorization: `Bearer ${access_token}` };
    expect(bench.post("/userinfo", {}, headers).json).toEqual(claims);
  });

  test("without a token, with a dead one, with one for something else", () => {
    const bench = new Bench();
    expect(bench.get("/userinfo")).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="userinfo"' },
    });
    const dead = bench.get("/userinfo", "nobody's");
    expect(dead.status).toBe(401);
    expect(dead.headers["www-authenticate"]).toContain('error="invalid_token"');
    const other = bench.get("/userinfo", bench.signIn().access_token);
    expect(other.status).toBe(403);
    expect(other.headers["www-authenticate"]).toContain('error="insufficient_scope"');
  });
});

describe("proof of key", () => {
  const asked = { code_challenge: S256, code_challenge_method: "S256" };

  test("RFC 7636 §4.6: the verifier that fits brings the tokens", () => {
    expect(signIn(new Bench(), asked, { code_verifier: VERIFIER })).toHaveProperty("access_token");
  });

  test.each([
    ["another one", { code_verifier: "w".repeat(43) }],
    ["none", {}],
    ["the challenge itself", { code_verifier: S256 }],
    ["one that is too short (RFC 7636 §4.1)", { code_verifier: "v".repeat(42) }],
  ])("RFC 7636 §4.6: %s is invalid_grant, and the code stays good for its owner", (_, polled) => {
    const bench = new Bench();
    const codes = bench.requestCodes(asked).json;
    bench.service.approve(String(codes.user_code), "ada");
    expect(bench.poll(codes.device_code, polled).json.error).toBe("invalid_grant");
    expect(bench.poll(codes.device_code, { code_verifier: VERIFIER }).status).toBe(200);
  });

  test.each([
    [
      "RFC 7636 §4.4.1: plain is not taken",
      { code_challenge: VERIFIER, code_challenge_method: "plain" },
    ],
    ["RFC 7636 §4.3: without a method it is plain", { code_challenge: VERIFIER }],
    [
      "RFC 7636 §4.2: no hash is so short",
      { code_challenge: "abc", code_challenge_method: "S256" },
    ],
    ["RFC 7636 §4.3: a method without a challenge", { code_challenge_method: "S256" }],
  ])("%s: invalid_request", (_, fields) => {
    expect(new Bench().requestCodes(fields).json.error).toBe("invalid_request");
  });

  test("RFC 7636 §4.6: plain is compared as it is, where the metadata name it", () => {
    const bench = new Bench({ codeChallengeMethods: ["S256", "plain"] });
    const plain = { code_challenge: VERIFIER };
    expect(signIn(bench, plain, { code_verifier: VERIFIER })).toHaveProperty("access_token");
    expect(signIn(bench, plain, { code_verifier: "w".repeat(43) }).error).toBe("invalid_grant");
  });

  test("RFC 9700 §2.1.1: a verifier for a code without a challenge is refused", () => {
    expect(signIn(new Bench(), {}, { code_verifier: VERIFIER }).error).toBe("invalid_grant");
  });

  test("RFC 7636 §4.4.1: a client of whom it is demanded gets no code without it, as Keycloak says it", () => {
    const bench = new Bench({}, { fixture: fixtureWith({ pkce: "required" }) });
    expect(bench.requestCodes().json).toEqual({
      error: "invalid_request",
      error_description: "Missing parameter: code_challenge_method",
    });
    expect(bench.requestCodes(asked).status).toBe(200);
  });

  test("RFC 7636 §4.4: a code with its challenge outlives a snapshot", () => {
    const bench = new Bench();
    const codes = bench.requestCodes(asked).json;
    bench.service.approve(String(codes.user_code), "ada");
    const later = new Bench({}, { snapshot: bench.service.snapshot() });
    expect(later.poll(codes.device_code).json.error).toBe("invalid_grant");
    expect(later.poll(codes.device_code, { code_verifier: VERIFIER }).status).toBe(200);
  });
});

describe("RFC 9470 §3: an API demands another sign-in", () => {
  const API = "/video/v3/liveBroadcasts?part=id&mine=true";
  const scope = VIDEO_READONLY;

  test("a stronger one", () => {
    const acr = "urn:picogrant:acr:two-factor";
    const bench = new Bench({ stepUp: { acr } });
    const weak = bench.get(API, signIn(bench, { scope }).access_token);
    expect(weak.status).toBe(401);
    expect(weak.headers["www-authenticate"]).toMatch(
      /error="insufficient_user_authentication".*acr_values="urn:picogrant:acr:two-factor"/,
    );
    const strong = signIn(bench, { scope, acr_values: acr }).access_token;
    expect(bench.get(API, strong).status).toBe(200);
  });

  test("a more recent one, which no refresh brings", () => {
    const bench = new Bench({ stepUp: { maxAge: 300 } });
    const tokens = signIn(bench, { scope });
    bench.wait(300);
    expect(bench.get(API, tokens.access_token).status).toBe(200);
    bench.wait(1);
    const { access_token } = bench.refresh(tokens.refresh_token).json;
    const old = bench.get(API, access_token);
    expect(old.status).toBe(401);
    expect(old.headers["www-authenticate"]).toContain('max_age="300"');
    expect(bench.get(API, signIn(bench, { scope }).access_token).status).toBe(200);
  });
});

describe("RFC 7009: revocation by its rule, where the option says so", () => {
  test("RFC 7009 §2.2: a token that is unknown or revoked already is 200, for a client that says who it is", () => {
    const bench = new Bench({ revocation: "rfc7009" });
    const { access_token, refresh_token } = bench.signIn();
    for (const token of [refresh_token, access_token, refresh_token, "unknown"]) {
      expect(bench.post("/revoke", { ...TV, token: String(token) }).status).toBe(200);
    }
    expect(bench.refresh(refresh_token).json.error).toBe("invalid_grant");
  });

  test("RFC 7009 §2.1: without credentials, or another client's token: refused, and nothing is revoked", () => {
    const bench = new Bench({ revocation: "rfc7009" });
    const token = String(bench.signIn().refresh_token);
    expect(bench.post("/revoke", { token }).status).toBe(400);
    expect(bench.post("/revoke", { ...CONSOLE, token }).json.error).toBe("invalid_grant");
    expect(bench.refresh(token).status).toBe(200);
  });

  test("RFC 7009 §2.1: with each token alone, the other goes on", () => {
    const API = "/video/v3/liveBroadcasts?part=id&mine=true";
    const bench = new Bench({ revocation: "rfc7009-each-alone" });
    const [one, two] = [bench.signIn(), bench.signIn()];
    bench.post("/revoke", { ...TV, token: String(one.access_token) });
    expect(bench.get(API, one.access_token).status).toBe(401);
    expect(bench.refresh(one.refresh_token).status).toBe(200);
    bench.post("/revoke", { ...TV, token: String(two.refresh_token) });
    expect(bench.refresh(two.refresh_token).json.error).toBe("invalid_grant");
    expect(bench.get(API, two.access_token).status).toBe(200);
    bench.post("/revoke", { ...TV, token: String(two.access_token) });
    expect(bench.get(API, two.access_token).status).toBe(401);
  });
});
