// Each family of addresses refuses in its own shape, whatever is wrong: OAuth's two members for its
// endpoints, the object with code, status and errors for the resource APIs and the event stream.
import { describe, expect, test } from "vitest";
import { PATHS as ADDRESSES } from "../../targets/service/metadata.ts";
import { type Answer, Bench, PUBLISHER, PUBLISHER_CLIENT } from "./harness.ts";

const OFFERS = `${ADDRESSES.publisher}test.picogrant.player/subscriptions/premium/basePlans/monthly/offers`;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"];

type Family = "oauth" | "api";
const ROUTES = (
  [
    [ADDRESSES.deviceAuthorization, "oauth", "POST"],
    [ADDRESSES.authorization, "oauth", "GET", "POST"],
    [ADDRESSES.token, "oauth", "POST"],
    [ADDRESSES.revocation, "oauth", "POST"],
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
// The userinfo endpoint takes a POST and reads no body.
const WITH_BODY = ROUTES.filter(
  ({ path, methods }) => methods.includes("POST") && path !== ADDRESSES.userinfo,
);

function expectShape(family: Family, { status, json }: Pick<Answer, "status" | "json">): void {
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

/** Through the app, as over HTTP. */
async function fetched(bench: Bench, method: string, path: string, init: RequestInit = {}) {
  const request = new Request(bench.service.baseUrl + path, { method, ...init });
  const response = await bench.service.fetch(request);
  const text = await response.text();
  const json = (text === "" ? {} : JSON.parse(text)) as Answer["json"];
  return { status: response.status, headers: response.headers, text, json };
}

function tokenFor(path: string, bench: Bench): string {
  if (path.startsWith("/events/")) return "tv-backend-token";
  const publisher = path.startsWith(ADDRESSES.publisher);
  const who = publisher ? { client: PUBLISHER_CLIENT, scope: PUBLISHER } : {};
  return String(bench.signIn(who).access_token);
}

test("the table has every address that is published, and the service's own", () => {
  const paths = ROUTES.map(({ path }) => path);
  for (const address of Object.values(ADDRESSES)) {
    expect(paths.some((path) => path.startsWith(address))).toBe(true);
  }
});

describe.each(ROUTES)("$path ($family)", ({ path, family, methods }) => {
  const allowed = methods.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one]));

  test.each(METHODS)(
    "RFC 9110 §15.5.6: %s is answered, or 405 in the family's shape",
    async (method) => {
      const bench = new Bench();
      // The offers' own methods are told to those only who may use them.
      const headers = { authorization: `Bearer ${tokenFor(path, bench)}` };
      const answer = bench.send(method, path, "", headers);
      expect(answer.status === 405).toBe(!allowed.includes(method));
      if (answer.status !== 405) return;
      expectShape(family, answer);
      expect(answer.headers.allow).toBe(allowed.join(", "));
      const over = await fetched(bench, method, path, { headers });
      expect([over.status, over.headers.get("allow")]).toEqual([405, allowed.join(", ")]);
      expect(over.text).toBe(method === "HEAD" ? "" : answer.text);
    },
  );

  test.each(allowed)("RFC 9110 §15.5: whatever %s is refused for without a token", (method) => {
    const answer = new Bench().send(method, path);
    if (answer.status >= 400) expectShape(family, answer);
  });

  test("RFC 9110 §15.5.14: a body beyond the limit is 413 in the family's shape, and ends the connection", async () => {
    for (const method of ["POST", "PUT"]) {
      const answer = await fetched(new Bench(), method, path, { body: "x".repeat(300_000) });
      expect([answer.status, answer.headers.get("connection")]).toEqual([413, "close"]);
      expectShape(family, answer);
    }
  });
});

describe.each(WITH_BODY)("POST $path ($family)", ({ path, family }) => {
  test.each([
    ["application/json", "{"],
    ["application/json", "[1,2"],
    ["application/json", '"text"'],
    ["application/json", "\xff\xfe"],
    ["application/xml", "<a/>"],
    ["text/plain", "token"],
    ["application/x-www-form-urlencoded", "%%%=1&%%%=2"],
  ])("a body of %s that is %j is refused in the family's shape", (type, body) => {
    const bench = new Bench();
    const headers = { authorization: `Bearer ${tokenFor(path, bench)}`, "content-type": type };
    const poll = { delivery: { delivery_method: "urn:ietf:rfc:8936" } };
    bench.send("POST", ADDRESSES.streamUpdate, JSON.stringify(poll), {
      ...headers,
      "content-type": "application/json",
    });
    const query = "offerId=intro&regionsVersion.version=2022/02";
    const answer = bench.send("POST", `${path}?${query}`, body, headers);
    expect(answer.status).toBe(400);
    expectShape(family, answer);
  });
});

test.each([
  "/nothing",
  "/video/v3/nothing",
  `${OFFERS}/nothing`,
  `${OFFERS}/intro:nothing`,
  `${ADDRESSES.publisher}nothing`,
  "/events/v1/nothing",
])("RFC 9110 §15.5.5: %s is 404 in the APIs' shape", async (path) => {
  const bench = new Bench();
  const headers = { authorization: `Bearer ${tokenFor(path, bench)}` };
  for (const method of METHODS.filter((one) => one !== "HEAD")) {
    const answer = await fetched(bench, method, path, { headers });
    if (answer.status === 405) continue;
    expect(answer.status, method).toBe(404);
    expectShape("api", answer);
  }
});

test("an alias has the shape of what it stands for", async () => {
  const bench = new Bench({ pathAliases: { "/tube/": "/video/v3/" } });
  const answer = await fetched(bench, "POST", "/tube/liveBroadcasts", {
    body: "x".repeat(300_000),
  });
  expect(answer.status).toBe(413);
  expectShape("api", answer);
  expectShape("api", bench.send("DELETE", "/tube/liveBroadcasts"));
});

test.each([
  [ADDRESSES.deviceAuthorization, "oauth"],
  [ADDRESSES.streamVerify, "api"],
] as const)(
  "RFC 9110 §15.6.1: a fault of the service at %s is 500 in the shape of %s",
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
    const answer = await fetched(bench, "POST", path, {
      headers: { ...headers, "content-type": type },
      body: family === "oauth" ? "client_id=living-room-tv&scope=email" : "{}",
    });
    expect(answer.status).toBe(500);
    expectShape(family, answer);
  },
);
