// Arbitrary requests: the service answers everything and never fails. fast-check prints the seed of a failure. Histories
// are the oracle's (oracle.test.ts).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../any-character.ts";
import { isFullRun } from "../full-run.ts";
import {
  Bench,
  DEVICE_GRANT,
  FIXTURE,
  form,
  PUBLISHER,
  PUBLISHER_CLIENT,
  TV,
  VIDEO_READONLY,
} from "./harness.ts";
import { Visitor } from "./visitor.ts";

const PATHS = [
  "/device/code",
  "/token",
  "/revoke",
  "/keys",
  "/video/v3/liveBroadcasts",
  "/publisher/v3/applications/test.picogrant.player/subscriptions/premium/basePlans/monthly/offers",
  "/events/v1/stream",
  "/events/v1/stream:update",
  "/events/v1/stream:verify",
  "/events/v1/stream/status",
  "/events/v1/stream/status:update",
  "/events/v1/poll",
  "/.well-known/openid-configuration",
];
const path = fc.oneof(
  fc.constantFrom(...PATHS),
  fc.string({ unit: anyCharacter }).map((s) => `/${s}`),
);
/** As a form writes them. fast-check's own webQueryParameters takes a second to be made. */
const queryParameters = fc
  .array(fc.tuple(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter })))
  .map((pairs) => String(new URLSearchParams(pairs)));
const method = fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "BREW");
const token = fc.constantFrom("ada", "publisher", "tv-backend-token", "none");

/** Never a failure, and JSON is JSON. */
function expectAnswer(answer: {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
}) {
  expect(answer.status).toBeGreaterThanOrEqual(200);
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers["content-type"]).toMatch(/^application\/json/);
  expect(() => JSON.parse(answer.text)).not.toThrow();
}

describe("arbitrary requests", () => {
  const bench = new Bench({ deviceCodeQuota: null });
  const tokens: Record<string, string> = {
    ada: String(bench.signIn().access_token),
    publisher: String(bench.signIn({ client: PUBLISHER_CLIENT, scope: PUBLISHER }).access_token),
    "tv-backend-token": "tv-backend-token",
    none: "none",
  };

  test("any bytes at any address are answered below 500", () => {
    const headers = fc.record(
      {
        "content-type": fc.oneof(
          fc.constantFrom("application/json", "application/x-www-form-urlencoded", "text/plain"),
          fc.string(),
        ),
        authorization: fc.oneof(
          token.map((name) => `Bearer ${tokens[name]}`),
          fc.base64String().map((text) => `Basic ${text}`),
          fc.string({ unit: anyCharacter }),
        ),
      },
      { requiredKeys: [] },
    );
    const request = fc.record({
      method,
      path,
      query: fc.oneof(queryParameters, fc.string({ unit: anyCharacter })),
      headers,
      body: fc.uint8Array({ maxLength: 300 }),
    });
    fc.assert(
      fc.property(request, ({ method, path, query, headers, body }) => {
        expectAnswer(bench.send(method, `${path}?${query}`, body, headers));
      }),
      { numRuns: isFullRun ? 1500 : 100 },
    );
  });

  test("any form at the OAuth endpoints is answered below 500", () => {
    const value = fc.oneof(
      fc.constantFrom(...Object.values(TV), "web-shop", "refresh_token", DEVICE_GRANT, "email"),
      fc.string({ unit: anyCharacter, maxLength: 50 }),
    );
    const names = ["client_id", "client_secret", "grant_type", "device_code", "refresh_token"];
    const fields = fc.array(
      fc.tuple(fc.constantFrom(...names, "scope", "token", "token_type_hint"), value),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...PATHS.slice(0, 3)), fields, (path, pairs) => {
        const answer = bench.send("POST", path, new URLSearchParams(pairs).toString());
        expectAnswer(answer);
        if (answer.status >= 400)
          expect(answer.json.error ?? answer.json.error_code).toBeTypeOf("string");
      }),
      { numRuns: isFullRun ? 1500 : 100 },
    );
  });

  test("any JSON at the APIs is answered below 500", () => {
    const offer = fc.record(
      {
        packageName: fc.oneof(fc.constant("test.picogrant.player"), fc.jsonValue()),
        productId: fc.oneof(fc.constant("premium"), fc.jsonValue()),
        basePlanId: fc.oneof(fc.constant("monthly"), fc.jsonValue()),
        phases: fc.jsonValue(),
        targeting: fc.jsonValue(),
        offerTags: fc.jsonValue(),
        delivery: fc.jsonValue(),
        events_requested: fc.jsonValue(),
        ack: fc.jsonValue(),
        setErrs: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const body = fc.oneof(offer, fc.jsonValue()).map((value) => JSON.stringify(value));
    const query = "offerId=intro&regionsVersion.version=2022/02";
    fc.assert(
      fc.property(fc.constantFrom(...PATHS.slice(5)), body, token, (path, text, name) => {
        const headers = {
          "content-type": "application/json",
          authorization: `Bearer ${tokens[name]}`,
        };
        expectAnswer(bench.send("POST", `${path}?${query}`, text, headers));
      }),
      { numRuns: isFullRun ? 1500 : 100 },
    );
  });

  test("any form at the pages is answered below 500 and never with a script", async () => {
    const visitor = new Visitor(bench.service);
    const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get("/device")).html)![1]!;
    const target = fc.constantFrom(
      "/device",
      "/device/account",
      "/device/decision",
      "/account/choose",
      "/account/remove",
    );
    const value = fc.oneof(
      fc.constantFrom("ada", "allow", "deny", "<script>"),
      fc.string({ unit: anyCharacter }),
    );
    const names = fc.constantFrom("user_code", "account", "decision", "scope", "access", "client");
    const fields = fc.array(fc.tuple(names, value), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(target, fields, async (path, pairs) => {
        const page = await visitor.post(path, [["csrf", csrf], ...pairs]);
        expect(page.status).toBeLessThan(500);
        expect(page.html).not.toMatch(/<script/i);
        bench.wait(700);
      }),
      { numRuns: isFullRun ? 300 : 50 },
    );
  });
});

test("fetch answers exactly as handle does", async () => {
  const [one, two] = [new Bench(), new Bench()];
  const targets = fc.tuple(
    fc.constantFrom("GET", "POST", "PUT", "DELETE"),
    fc.constantFrom(...PATHS),
    fc.constantFrom("", "part=id&mine=true", "offerId=a", "token=x"),
    fc.constantFrom("", "client_id=living-room-tv&scope=email", "{}", "client_id=%zz"),
    fc.constantFrom("application/x-www-form-urlencoded", "application/json", "text/plain"),
  );
  await fc.assert(
    fc.asyncProperty(targets, async ([method, path, query, body, type]) => {
      const headers = { "content-type": type, authorization: "Bearer tv-backend-token" };
      const sent = method === "GET" ? "" : body;
      const expected = one.send(method, `${path}?${query}`, sent, headers);
      const url = `${two.service.baseUrl}${path}?${query}`;
      const init = method === "GET" ? { method, headers } : { method, headers, body: sent };
      const response = await two.service.fetch(new Request(url, init));
      expect(response.status).toBe(expected.status);
      expect(await response.text()).toBe(expected.text);
      expect(Object.fromEntries(response.headers)).toEqual(expected.headers);
    }),
    { numRuns: isFullRun ? 300 : 50 },
  );
});

test("nothing secret reaches an observer", async () => {
  const events: string[] = [];
  const bench = new Bench({ refreshTokenRotation: true });
  bench.service.observe((event) => events.push(JSON.stringify(event)));
  const { device_code, user_code } = bench.requestCodes().json;
  bench.poll(device_code);
  const visitor = new Visitor(bench.service);
  const entry = await visitor.get(`/device?user_code=${user_code}`);
  const chooser = await visitor.submit(entry, "/device");
  const page = await visitor.submit(chooser, "/device/account", { account: "ada" });
  await visitor.submit(page, "/device/decision", { decision: "allow" });
  const tokens = bench.poll(device_code).json;
  const refreshed = bench.refresh(tokens.refresh_token).json;
  bench.get(`/video/v3/liveBroadcasts?part=id&mine=true&access_token=${refreshed.access_token}`);
  const second = bench.signIn();
  bench.post(`/revoke?token=${second.access_token}`, {});
  bench.send("POST", "/token", form({ ...TV }), { "content-type": "text/plain" });
  // A client that does not percent-encode sends an awkward code in pieces.
  const piece = "piece-of-a-code";
  bench.send("POST", "/token", `client_id=x&device_code=a&${piece}&x=${piece}`);
  const secrets = [
    piece,
    TV.client_secret,
    device_code,
    user_code,
    String(user_code).replace("-", ""),
    tokens.access_token,
    tokens.refresh_token,
    refreshed.access_token,
    refreshed.refresh_token,
    second.access_token,
    second.refresh_token,
  ];
  expect(events.length).toBeGreaterThan(15);
  for (const secret of secrets)
    for (const event of events) expect(event).not.toContain(String(secret));
});

test("the built-in fixture has an account or client for each answer of device doc §7", () => {
  const { accounts, clients, organizations } = FIXTURE;
  expect(organizations?.some((entry) => (entry.blockedScopes ?? []).length > 0)).toBe(true);
  expect(accounts?.some((account) => account.kind === "service")).toBe(true);
  expect(accounts?.some((account) => account.timeBasedAccess)).toBe(true);
  expect(clients?.some((client) => client.internalTo)).toBe(true);
  expect(clients?.some((client) => client.deviceCodeQuota)).toBe(true);
  expect(clients?.some((client) => client.type === "web")).toBe(true);
  expect(new Bench().requestCodes({ scope: VIDEO_READONLY }).status).toBe(200);
});
