// Tests that each family of endpoints rejects bad requests in its own format. Also tests settings that change
// responses: provoked responses, and JSON instead of forms.

import { describe, expect, test } from "vitest";
import { PATHS as ADDRESSES } from "../../targets/service/metadata.ts";
import { PROVOKED_REQUESTS, PROVOKED_RESPONSES } from "../../targets/service/provoked-responses.ts";
import {
  Bench,
  DEVICE_GRANT,
  type HttpResponse,
  PUBLISHER,
  PUBLISHER_CLIENT,
  TV,
} from "./harness.ts";

const OFFERS = `${ADDRESSES.publisher}test.picogrant.player/subscriptions/premium/basePlans/monthly/offers`;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"];

type Family = "oauth" | "api";
const ROUTES = (
  [
    [ADDRESSES.deviceAuthorization, "oauth", "POST"],
    [ADDRESSES.authorization, "oauth", "GET", "POST"],
    [ADDRESSES.token, "oauth", "POST"],
    [ADDRESSES.revocation, "oauth", "POST"],
    [ADDRESSES.introspection, "oauth", "POST"],
    [ADDRESSES.keys, "oauth", "GET"],
    [ADDRESSES.userinfo, "oauth", "GET", "POST"],
    ["/.well-known/risc-configuration", "oauth", "GET"],
    ["/.well-known/openid-configuration", "oauth", "GET"],
    ["/.well-known/oauth-authorization-server", "oauth", "GET"],
    [ADDRESSES.liveBroadcasts, "api", "GET"],
    [OFFERS, "api", "GET", "POST"],
    [`${OFFERS}/intro`, "api", "GET", "DELETE"],
    [`${OFFERS}/intro:activate`, "api", "POST"],
    [`${OFFERS}/intro:deactivate`, "api", "POST"],
    [ADDRESSES.stream, "api", "GET"],
    [ADDRESSES.streamUpdate, "api", "POST"],
    [ADDRESSES.streamVerify, "api", "POST"],
    [ADDRESSES.streamStatus, "api", "GET"],
    [ADDRESSES.streamStatusUpdate, "api", "POST"],
    [ADDRESSES.streamPoll, "api", "POST"],
  ] as [path: string, family: Family, ...methods: string[]][]
).map(([path, family, ...methods]) => ({ path, family, methods }));
/** With DPoP, the service has the introspection endpoint. */
const WITH_ALL = { dpop: "allowed" } as const;
// The userinfo endpoint accepts a POST, but does not read the body.
const WITH_BODY = ROUTES.filter(
  ({ path, methods }) => methods.includes("POST") && path !== ADDRESSES.userinfo,
);

function expectShape(
  family: Family,
  { status, json }: Pick<HttpResponse, "status" | "json">,
): void {
  expect(status).toBeGreaterThanOrEqual(400);
  if (family === "oauth") {
    expect(json).toEqual({ error: expect.any(String), error_description: expect.any(String) });
    return;
  }
  const message = expect.any(String);
  const one = expect.objectContaining({ message, domain: message, reason: message });
  const error = { code: status, message, status: expect.any(String), errors: [one], details: [] };
  expect(json).toEqual({ error });
}

function tokenFor(path: string, bench: Bench): string {
  if (path.startsWith("/events/")) return "tv-backend-token";
  const publisher = path.startsWith(ADDRESSES.publisher);
  const who = publisher ? { client: PUBLISHER_CLIENT, scope: PUBLISHER } : {};
  return String(bench.signIn(who).access_token);
}

test("the table has every published address and every internal one", () => {
  const paths = ROUTES.map(({ path }) => path);
  for (const address of Object.values(ADDRESSES)) {
    expect(paths.some((path) => path.startsWith(address))).toBe(true);
  }
});

describe.each(ROUTES)("$path ($family)", ({ path, family, methods }) => {
  const allowed = methods.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one]));

  test("RFC 9110 §15.5.6: another method is a 405 in the family's format, also without a token", async () => {
    for (const method of METHODS) {
      const bench = new Bench(WITH_ALL);
      // The service sends the Allow header of offers only to a client that may use offers.
      const headers = { authorization: `Bearer ${tokenFor(path, bench)}` };
      const response = bench.send(method, path, "", headers);
      const isAllowed = allowed.includes(method);
      expect(response.status === 405, method).toBe(!isAllowed);
      const refusal = isAllowed ? bench.send(method, path) : response;
      if (refusal.status >= 400) expectShape(family, refusal);
      if (isAllowed) continue;
      const over = await bench.fetch(method, path, undefined, headers);
      for (const one of [response, over])
        expect([one.status, one.headers.allow]).toEqual([405, allowed.join(", ")]);
      expect(over.text).toBe(method === "HEAD" ? "" : response.text);
    }
  });

  test("RFC 9110 §15.5.14: a body beyond the limit is a 413 in the family's format, and closes the connection", async () => {
    for (const method of ["POST", "PUT"]) {
      const response = await new Bench(WITH_ALL).fetch(method, path, "x".repeat(300_000));
      expect([response.status, response.headers.connection]).toEqual([413, "close"]);
      expectShape(family, response);
    }
  });
});

const BODIES = [
  ["application/json", "{"],
  ["application/json", '"text"'],
  ["application/json", "\xff\xfe"],
  ["application/xml", "<a/>"],
  ["application/x-www-form-urlencoded", "%%%=1&%%%=2"],
] as const;
test.each(WITH_BODY)(
  "offer doc §7 row errors: POST $path rejects an unusable body in the format of $family",
  ({ path, family }) => {
    for (const [type, body] of BODIES) {
      const bench = new Bench(WITH_ALL);
      const headers = { authorization: `Bearer ${tokenFor(path, bench)}`, "content-type": type };
      const poll = { delivery: { delivery_method: "urn:ietf:rfc:8936" } };
      const json = { ...headers, "content-type": "application/json" };
      bench.send("POST", ADDRESSES.streamUpdate, JSON.stringify(poll), json);
      const query = "offerId=intro&regionsVersion.version=2022/02";
      const response = bench.send("POST", `${path}?${query}`, body, headers);
      expect(response.status, body).toBe(400);
      expectShape(family, response);
    }
  },
);

test.each([
  "/nothing",
  "/video/v3/nothing",
  `${OFFERS}/nothing`,
  `${OFFERS}/intro:nothing`,
  `${ADDRESSES.publisher}nothing`,
  "/events/v1/nothing",
])("RFC 9110 §15.5.5: %s is 404 in the format of the APIs", async (path) => {
  const bench = new Bench();
  const headers = { authorization: `Bearer ${tokenFor(path, bench)}` };
  for (const method of METHODS.filter((one) => one !== "HEAD")) {
    const response = await bench.fetch(method, path, undefined, headers);
    if (response.status === 405) continue;
    expect(response.status, method).toBe(404);
    expectShape("api", response);
  }
});

test.each([
  [ADDRESSES.deviceAuthorization, "oauth"],
  [ADDRESSES.streamVerify, "api"],
] as const)(
  "RFC 9110 §15.6.1: an internal fault at %s is a 500 in the format of %s",
  async (path, family) => {
    let isBroken = false;
    const random = (count: number): Uint8Array => {
      if (isBroken) throw new Error("no entropy");
      return new Uint8Array(count).fill(7);
    };
    const bench = new Bench({}, { random });
    const headers = {
      authorization: "Bearer tv-backend-token",
      "content-type": "application/json",
    };
    const poll = { delivery: { delivery_method: "urn:ietf:rfc:8936" } };
    bench.send("POST", ADDRESSES.streamUpdate, JSON.stringify(poll), headers);
    isBroken = true;
    const type = family === "oauth" ? "application/x-www-form-urlencoded" : "application/json";
    const body = family === "oauth" ? "client_id=living-room-tv&scope=email" : "{}";
    const response = await bench.fetch("POST", path, body, { ...headers, "content-type": type });
    expect(response.status).toBe(500);
    expectShape(family, response);
  },
);

const API = "/video/v3/liveBroadcasts?part=id&mine=true";

const REQUEST = {
  code: (bench: Bench) => bench.requestCodes(),
  poll: (bench: Bench) => bench.poll("unknown"),
  refresh: (bench: Bench) => bench.refresh("unknown"),
  revocation: (bench: Bench) => bench.post("/revoke", { token: "unknown" }),
  userinfo: (bench: Bench) => bench.get("/userinfo"),
  api: (bench: Bench) => bench.get(API),
};

test.each(PROVOKED_REQUESTS)("provoked: %s: only these responses change", (request) => {
  const others = PROVOKED_REQUESTS.filter((one) => one !== request);
  const untouched = others.map((other) => REQUEST[other](new Bench()).headers);
  const bench = new Bench();
  const before = REQUEST[request](bench).status;
  for (const [name, required] of Object.entries(PROVOKED_RESPONSES)) {
    bench.service.setOptions({ provoke: { [request]: name } });
    const { status, text } = REQUEST[request](bench);
    expect([status, text]).toEqual([required.status, new TextDecoder().decode(required.body)]);
    expect(others.map((other) => REQUEST[other](bench).headers)).toEqual(untouched);
  }
  bench.service.setOptions({ provoke: {} });
  expect(REQUEST[request](bench).status).toBe(before);
});

test("a provoked rejection ends no grant, because the service itself did not reject the request", () => {
  const bench = new Bench({ provoke: { refresh: "interaction_required" } });
  const { refresh_token } = bench.signIn();
  expect(bench.refresh(refresh_token)).toMatchObject({
    status: 400,
    json: { error: "interaction_required" },
  });
  bench.service.setOptions({ provoke: {} });
  expect(bench.refresh(refresh_token).status).toBe(200);
});

describe("a server that accepts only JSON", () => {
  const request = (bench: Bench, path: string, value: unknown) =>
    bench.send("POST", path, JSON.stringify(value), { "content-type": "application/json" });

  test("RFC 9110 §15.5.16: a form gets a 415 without a body, a JSON object is accepted", () => {
    const bench = new Bench({ bodies: "json" });
    expect(bench.requestCodes()).toMatchObject({ status: 415, text: "" });
    expect(bench.post("/revoke", { token: "x" }).status).toBe(415);
    const { device_code, user_code } = request(bench, "/device/code", {
      client_id: TV.client_id,
      scope: "openid",
    }).json;
    bench.service.approve(String(user_code), "ada");
    const polled = { ...TV, grant_type: DEVICE_GRANT, device_code };
    expect(bench.poll(device_code).status).toBe(415);
    const tokens = request(bench, "/token", polled).json;
    expect(tokens).toHaveProperty("access_token");
    expect(request(bench, "/revoke", { token: tokens.refresh_token }).status).toBe(200);
  });

  test("a body that is not a JSON object of strings is invalid_request; the APIs still work the same", () => {
    const bench = new Bench({ bodies: "json" });
    const headers = { "content-type": "application/json" };
    for (const body of ["", "[1]", "{", '{"a":1}', "null", '"text"'])
      expect(bench.send("POST", "/token", body, headers).json.error, body).toBe("invalid_request");
    expect(bench.get(API).status).toBe(401);
  });
});
