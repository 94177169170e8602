// Sends arbitrary requests to a service in memory. The service must respond to each, without an internal error. fast-check
// prints the seed of a failure.

import fc from "fast-check";
import { expect, test } from "vitest";
import { PATHS } from "../../targets/service/metadata.ts";
import { makeKey } from "../../targets/service/node-environment.ts";
import { anyCharacter } from "../any-character.ts";
import { isFullRun } from "../full-run.ts";
import { Bench, DEVICE_GRANT, FIXTURE, PUBLISHER, PUBLISHER_CLIENT, TV } from "./harness.ts";
import { UserAgent } from "./user-agent.ts";

const KEY = makeKey("ES256");
const keyed = { id: "keyed", name: "Keyed", jwks: KEY.publicJwk };
const bench = new Bench(
  { deviceCodeQuota: null, dpop: "allowed" },
  { fixture: { ...FIXTURE, clients: [...FIXTURE.clients!, keyed] } },
);
const OAUTH = [PATHS.deviceAuthorization, PATHS.token, PATHS.revocation, PATHS.introspection];
const OFFERS = `${PATHS.publisher}test.picogrant.player/subscriptions/premium/basePlans/monthly/offers`;
const APIS = [PATHS.liveBroadcasts, OFFERS, PATHS.stream, PATHS.streamUpdate, PATHS.streamVerify];
APIS.push(PATHS.streamStatus, PATHS.streamStatusUpdate, PATHS.streamPoll);

const any = fc.string({ unit: anyCharacter, maxLength: 50 });
const path = fc.oneof(
  fc.constantFrom(...OAUTH, ...APIS, PATHS.keys, "/.well-known/openid-configuration"),
  any.map((text) => `/${text}`),
);
const form = (names: fc.Arbitrary<string>, values: fc.Arbitrary<string>) =>
  fc.array(fc.tuple(names, values), { maxLength: 8 });
const query = fc.oneof(
  form(any, any).map((pairs) => `${new URLSearchParams(pairs)}`),
  any,
);
const authorization = fc.oneof(
  fc.constantFrom(
    `Bearer ${bench.signIn().access_token}`,
    `Bearer ${bench.signIn({ client: PUBLISHER_CLIENT, scope: PUBLISHER }).access_token}`,
    ...FIXTURE.receivers!.map(({ token }) => `Bearer ${token}`),
  ),
  fc.constant(`DPoP ${bench.signIn().access_token}`),
  fc.base64String().map((text) => `Basic ${text}`),
  any,
);
const TYPES = ["application/json", "application/x-www-form-urlencoded", "text/plain"];
const type = fc.oneof(fc.constantFrom(...TYPES), any);
const json = fc.jsonValue();
const own = (value: unknown) => fc.oneof(fc.constant(value), json);
const encode = (data: string | Uint8Array): string => Buffer.from(data).toString("base64url");
/** Signed proofs and client assertions. Their members are always the same; many values are random. */
const jwt = fc
  .tuple(
    fc.record({ typ: own("dpop+jwt"), alg: own("ES256"), jwk: own(KEY.publicJwk), kid: json }),
    fc.record({
      ...{ htm: own("POST"), htu: own(`${bench.service.baseUrl}/token`), ath: json, nonce: json },
      ...{ iat: own(bench.nowMs / 1000), exp: own(bench.nowMs / 1000 + 60), jti: own("1") },
      ...{ iss: own("keyed"), sub: own("keyed"), aud: own([bench.service.issuer]), nbf: own(0) },
    }),
  )
  .map((parts) => parts.map((part) => encode(JSON.stringify(part))).join("."))
  .map((input) => `${input}.${encode(KEY.sign(Buffer.from(input)))}`);
const dpop = fc.option(fc.oneof(jwt, any), { nil: undefined });
const fields = {
  ...{ packageName: own("test.picogrant.player"), productId: own("premium") },
  ...{ basePlanId: own("monthly"), phases: json, targeting: json, offerTags: json },
  ...{ delivery: json, events_requested: json, ack: json, setErrs: json },
};
const object = fc.oneof(fc.record(fields, { requiredKeys: [] }), json);
const ASSERTION_TYPE = "client_assertion_type";
const KNOWN = [
  "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  ...Object.values(TV),
  "web-shop",
  "refresh_token",
  DEVICE_GRANT,
  "email",
];
const NAMES = ["client_id", "client_secret", "grant_type", "device_code", "refresh_token", "scope"];
const parameters = form(
  fc.constantFrom(...NAMES, "token", "client_assertion", ASSERTION_TYPE),
  fc.oneof(fc.constantFrom(...KNOWN), any, jwt),
);
const METHODS = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "BREW"];

/** Any bytes at any address, forms at the OAuth endpoints, and JSON at the APIs. */
const requests = fc.oneof(
  fc.record({
    ...{ method: fc.constantFrom(...METHODS), path, query, authorization, type, dpop },
    body: fc.uint8Array({ maxLength: 300 }),
  }),
  fc.record({
    ...{ method: fc.constant("POST"), path: fc.constantFrom(...OAUTH), query: fc.constant("") },
    ...{ authorization: fc.constant(undefined), type: fc.constant(TYPES[1]!), dpop },
    body: parameters.map((pairs) => `${new URLSearchParams(pairs)}`),
  }),
  fc.record({
    ...{ method: fc.constant("POST"), path: fc.constantFrom(...APIS), authorization, dpop },
    query: fc.constant("offerId=intro&regionsVersion.version=2022/02"),
    ...{ type: fc.constant(TYPES[0]!), body: object.map((value) => JSON.stringify(value)) },
  }),
);

test("the response to any request has a status below 500, and JSON in it is valid", () => {
  fc.assert(
    fc.property(requests, ({ method, path, query, body, type, authorization, dpop }) => {
      const headers = {
        "content-type": type,
        ...(authorization !== undefined && { authorization }),
        ...(dpop !== undefined && { dpop }),
      };
      const response = bench.send(method, `${path}?${query}`, body, headers);
      expect(response.status).toBeGreaterThanOrEqual(200);
      expect(response.status).toBeLessThan(500);
      expect(response.headers["content-type"]).toMatch(/^application\/json/);
      expect(() => JSON.parse(response.text)).not.toThrow();
    }),
    { numRuns: isFullRun ? 4500 : 300 },
  );
});

test("the response to any form on the pages has a status below 500 and no script", async () => {
  const userAgent = new UserAgent(bench.service);
  const csrf = /name="csrf" value="([^"]+)"/.exec((await userAgent.get("/device")).html)![1]!;
  const forms = ["/device", "/device/account", "/device/decision", "/account/choose"];
  const target = fc.constantFrom(...forms, "/account/remove");
  const value = fc.oneof(fc.constantFrom("ada", "allow", "deny", "<script>"), any);
  const names = fc.constantFrom("user_code", "account", "decision", "scope", "access", "client");
  await fc.assert(
    fc.asyncProperty(target, form(names, value), async (path, pairs) => {
      const page = await userAgent.post(path, [["csrf", csrf], ...pairs]);
      expect(page.status).toBeLessThan(500);
      expect(page.html).not.toMatch(/<script/i);
      bench.wait(700);
    }),
    { numRuns: isFullRun ? 300 : 50 },
  );
});
