// Discovery: device doc §4.1 (the address is published), RFC 8414 §3.
import { expect, test } from "vitest";
import { Bench, SCOPE_BASE } from "./harness.ts";

test.each(["openid-configuration", "oauth-authorization-server"])(
  "device doc §4.1 row device_authorization_endpoint: /.well-known/%s publishes it and the others (RFC 8414 §3)",
  (name) => {
    const bench = new Bench({ baseUrl: "https://s.test/" });
    const { status, json, headers } = bench.get(`/.well-known/${name}`);
    expect(status).toBe(200);
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(json).toMatchObject({
      issuer: "https://s.test",
      device_authorization_endpoint: "https://s.test/device/code",
      token_endpoint: "https://s.test/token",
      revocation_endpoint: "https://s.test/revoke",
      jwks_uri: "https://s.test/keys",
      grant_types_supported: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
    });
    expect(json.scopes_supported).toContain(`${SCOPE_BASE}/auth/video.readonly`);
    expect(json.scopes_supported).not.toContain(`${SCOPE_BASE}/auth/video.upload`);
  },
);

test("RFC 8414 §2, §3.2, OpenID Connect Discovery §3: every required member is there, and no empty array", () => {
  const { json } = new Bench({ baseUrl: "https://s.test/" }).get(
    "/.well-known/openid-configuration",
  );
  for (const name of [
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "jwks_uri",
    "response_types_supported",
    "subject_types_supported",
    "id_token_signing_alg_values_supported",
  ])
    expect(json).toHaveProperty(name);
  expect(json.id_token_signing_alg_values_supported).toContain("RS256");
  for (const value of Object.values(json))
    if (Array.isArray(value)) expect(value.length).toBeGreaterThan(0);
});

test("RFC 6749 §4.1.2.1: the authorization endpoint says that no client may use it", () => {
  const bench = new Bench();
  const { json } = bench.get("/.well-known/openid-configuration");
  const { pathname } = new URL(String(json.authorization_endpoint));
  const answer = bench.get(`${pathname}?response_type=code&client_id=living-room-tv`);
  expect([answer.status, answer.json.error]).toEqual([400, "unauthorized_client"]);
  expect(answer.headers).not.toHaveProperty("location");
});

test("device doc §4.1: the published addresses answer, and only POST where they should", () => {
  const bench = new Bench();
  const metadata = bench.get("/.well-known/openid-configuration").json;
  for (const name of ["device_authorization_endpoint", "token_endpoint", "revocation_endpoint"]) {
    const { pathname } = new URL(String(metadata[name]));
    expect(bench.post(pathname, {}).status).toBe(400);
    expect(bench.get(pathname).status).toBe(405);
  }
});

test("unknown addresses are 404 with a JSON error", () => {
  const answer = new Bench().get("/nowhere");
  expect(answer.status).toBe(404);
  expect(answer.json.error).toMatchObject({ code: 404, status: "NOT_FOUND" });
});
