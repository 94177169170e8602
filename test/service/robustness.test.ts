// Arbitrary requests: the service answers everything and never fails. fast-check prints the seed of a failure. Histories
// are the oracle's (oracle.test.ts).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../any-character.ts";
import { isFullRun } from "../full-run.ts";
import { Bench, DEVICE_GRANT, PUBLISHER, PUBLISHER_CLIENT, TV } from "./harness.ts";
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
    const known = [...Object.values(TV), "web-shop", "refresh_token", DEVICE_GRANT, "email"];
    const value = fc.oneof(
      fc.constantFrom(...known),
      fc.string({ unit: anyCharacter, maxLength: 50 }),
    );
    const names = ["client_id", "client_secret", "grant_type", "device_code", "refresh_token"];
    const name = fc.constantFrom(...names, "scope", "token", "token_type_hint");
    const fields = fc.array(fc.tuple(name, value), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...PATHS.slice(0, 3)), fields, (path, pairs) => {
        expectAnswer(bench.send("POST", path, new URLSearchParams(pairs).toString()));
      }),
      { numRuns: isFullRun ? 1500 : 100 },
    );
  });

  test("any JSON at the APIs is answered below 500", () => {
    const any = fc.jsonValue();
    const own = (value: string) => fc.oneof(fc.constant(value), any);
    const offer = fc.record(
      {
        packageName: own("test.picogrant.player"),
        productId: own("premium"),
        basePlanId: own("monthly"),
        ...{ phases: any, targeting: any, offerTags: any },
        ...{ delivery: any, events_requested: any, ack: any, setErrs: any },
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
    const forms = ["/device", "/device/account", "/device/decision", "/account/choose"];
    const target = fc.constantFrom(...forms, "/account/remove");
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
      const whole = method === "GET" ? undefined : sent;
      expect(await two.fetch(method, `${path}?${query}`, whole, headers)).toEqual(expected);
    }),
    { numRuns: isFullRun ? 300 : 50 },
  );
});
