// Discovery: device doc §4.1 (the address is published), RFC 8414 §3.
import { expect, test } from "vitest";
import { Bench, SCOPE_BASE } from "./harness.ts";

test.each(["openid-configuration", "oauth-authorization-server"])(
  "device doc §4.1: /.well-known/%s publishes device_authorization_endpoint and the others",
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
