// Tests the controls and inputs of the service: options, fixtures, snapshots, observers, and memory limits.

import { describe, expect, test, vi } from "vitest";
import {
  type FixtureInput,
  readFixture,
  readSnapshot,
  type ServiceEvent,
} from "../../targets/service/index.ts";
import { accessLogLine } from "../../targets/service/observers.ts";
import { Sessions } from "../../targets/service/pages/page-request.ts";
import { isFullRun } from "../full-run.ts";
import { Bench, FIXTURE, seededRandom } from "./harness.ts";
import { UserAgent } from "./user-agent.ts";

describe("controls", () => {
  test("a restart discards browser sessions; beyond the limit, the oldest session is discarded", async () => {
    const bench = new Bench();
    const userAgent = new UserAgent(bench.service);
    await userAgent.submit(await userAgent.get("/account"), "/account/choose", { account: "ada" });
    expect((await userAgent.get("/account")).html).toContain("Your account");
    bench.service.restart({ loseCodes: false });
    expect((await userAgent.get("/account")).html).toContain("Choose an account");
    const sessions = new Sessions({ now: () => 0, random: seededRandom() });
    const ids = Array.from({ length: 10_001 }, () => sessions.signIn(sessions.create(), "ada"));
    expect(ids.slice(0, 2).map((id) => sessions.accountOf(id))).toEqual([undefined, "ada"]);
  });

  test("setOptions affects future responses, but not tokens that are already issued", () => {
    const bench = new Bench();
    const { device_code } = bench.requestCodes().json;
    bench.service.setOptions({ interval: 30, codeLifetime: 60 });
    expect(bench.requestCodes().json).toMatchObject({ interval: 30, expires_in: 60 });
    bench.poll(device_code);
    for (const seconds of [5, 1000]) {
      bench.wait(seconds);
      expect(bench.poll(device_code).status).toBe(428);
    }
    expect(() => bench.service.setOptions({ interval: -1 })).toThrow(/^option interval: /);
    expect(bench.service.options.interval).toBe(30);
    // A new dialect sets all options that differ between dialects, such as codeLifetime. Other options stay.
    bench.service.setOptions({ dialect: "keycloak" });
    expect(bench.service.options).toMatchObject({ codeLifetime: 600, interval: 30 });
    bench.service.setOptions({ dialect: "specification" });
    expect(bench.service.options).toEqual(new Bench({ interval: 30 }).service.options);
    expect(() => bench.service.setEnabledApis("nobody", [])).toThrow('no client "nobody"');
  });

  test("the same seed and clock produce the same bytes; a repeating random source is reported", () => {
    expect(new Bench().signIn()).toEqual(new Bench().signIn());
    const bench = new Bench({}, { random: (count) => new Uint8Array(count) });
    bench.requestCodes();
    expect(() => bench.requestCodes()).toThrow("no free user code");
  });
});

describe("observers", () => {
  test("they receive attempts, grants and exchanges until they unsubscribe", () => {
    const bench = new Bench();
    const events: ServiceEvent[] = [];
    const stop = bench.service.observe((event) => events.push(event));
    bench.refresh(bench.signIn().refresh_token);
    bench.service.revokeAllFor("ada");
    const reported = events.map((event) =>
      event.type === "attempt" ? event.state : event.type === "grant" ? event.change : event.type,
    );
    expect(reported).toEqual([
      ...["pending", "exchange", "granted", "issued", "claimed", "exchange"],
      ...["refreshed", "exchange", "revoked"],
    ]);
    stop();
    bench.requestCodes();
    expect(events).toHaveLength(reported.length);
  });

  test("they receive no secret from pages, from bodies of other types, or from a code in several pieces", async () => {
    const bench = new Bench();
    const reported: string[] = [];
    bench.service.observe((event) => reported.push(JSON.stringify(event)));
    const { user_code } = bench.requestCodes().json;
    const userAgent = new UserAgent(bench.service);
    await userAgent.submit(await userAgent.get(`/device?user_code=${user_code}`), "/device");
    bench.send("POST", "/token", "secret", { "content-type": "text/plain" });
    bench.send("POST", "/token", "client_id=x&device_code=a&secret&x=secret");
    bench.post("/revoke?token=secret", { code_verifier: "secret", csrf: "secret" });
    expect(reported.length).toBeGreaterThan(5);
    for (const secret of [String(user_code), String(user_code).replace("-", ""), "secret"])
      expect(
        reported.filter((event) => event.replaceAll("client_secret", "").includes(secret)),
      ).toEqual([]);
  });

  test("an observer that throws affects no response and no grant", () => {
    const bench = new Bench();
    const seen: string[] = [];
    bench.service.observe(() => {
      throw new Error("disk full");
    });
    bench.service.observe((event) => {
      seen.push(event.type === "failure" ? event.message : event.type);
    });
    expect(bench.signIn()).toHaveProperty("access_token");
    expect(bench.service.counts().grants).toBe(1);
    expect(seen).toContain("exchange");
    expect(seen).toContain("an observer threw: disk full");
  });

  test("the access log has one line per exchange, and no control character in it", () => {
    const bench = new Bench();
    const lines: (string | undefined)[] = [];
    bench.service.observe((event) => lines.push(accessLogLine(event)));
    bench.poll("none");
    bench.requestCodes({ client_id: "nobody" });
    bench.get("/\u001b[31mred\r\nPOST /token 200");
    expect(lines).toEqual([
      "00:00:00 POST /token 400 client=living-room-tv invalid_grant",
      "00:00:00 POST /device/code 401 client=nobody invalid_client",
      "00:00:00 GET /?[31mred??POST /token 200 404",
    ]);
  });
});

describe("memory", () => {
  /** Counts the elements of maps and sets that the service visits while `act` runs. */
  function stepsOf(act: () => void): number {
    const lists = [new Map().values(), new Set().values()].map(Object.getPrototypeOf);
    const spies = lists.map((list) => vi.spyOn(list, "next"));
    act();
    const steps = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    for (const spy of spies) spy.mockRestore();
    return steps;
  }

  test("the cost of a request does not depend on the amount of stored data, which is limited", () => {
    const attemptsMax = isFullRun ? 100_000 : 5000;
    const bench = new Bench({ deviceCodeQuota: null, attemptsMax, interval: 0 });
    for (const count of [10, 1000, attemptsMax, attemptsMax + 1000]) {
      while (bench.service.counts().attempts < Math.min(count, attemptsMax)) {
        bench.service.deny(String(bench.requestCodes().json.user_code));
        bench.service.pending();
      }
      const { device_code, user_code } = bench.requestCodes().json;
      const actions = [
        () => bench.requestCodes(),
        () => bench.poll(device_code),
        () => bench.service.pending(),
        () => bench.service.approve(String(user_code), "ada"),
        () => bench.refresh(bench.poll(device_code).json.refresh_token),
      ];
      bench.service.revokeAllFor("ada");
      expect(Math.max(...actions.map(stepsOf)), `of ${count}`).toBeLessThan(10);
      for (const { userCode } of bench.service.pending()) bench.service.deny(userCode);
      expect(bench.service.counts().attempts).toBeLessThanOrEqual(attemptsMax);
    }
  });

  test("many hourly refreshes leave one grant and one valid access token; with rotation, seventeen refresh tokens", () => {
    for (const refreshTokenRotation of [false, true]) {
      const bench = new Bench({ refreshTokenRotation });
      let { refresh_token } = bench.signIn();
      for (let hour = 0; hour < 500; hour++) {
        bench.wait(3600);
        ({ refresh_token = refresh_token } = bench.refresh(refresh_token).json);
      }
      const refreshTokens = refreshTokenRotation ? 17 : 1;
      expect(bench.service.counts()).toMatchObject({ grants: 1, refreshTokens, accessTokens: 1 });
    }
  });

  test.each([
    ["the oldest token that is remembered ends the grant", 16, 400],
    ["an older one is unknown and has no effect", 17, 200],
  ])("RFC 9700 §4.14.2: reuse of a replaced refresh token: %s", (_, refreshes, afterwards) => {
    const bench = new Bench({ refreshTokenRotation: true, rotationGrace: 0 });
    const first = bench.signIn().refresh_token;
    let latest = first;
    for (let i = 0; i < refreshes; i++) latest = bench.refresh(latest).json.refresh_token;
    expect(bench.refresh(first).json.error).toBe("invalid_grant");
    expect(bench.refresh(latest).status).toBe(afterwards);
  });

  test("a displaced grant is deleted when its access tokens expire, and a decision when no device fetches it", () => {
    const bench = new Bench({
      refreshTokensPerClientAndUser: 1,
      codeLifetime: 60,
      expiredCodeMemory: 0,
    });
    const code = bench.requestCodes().json.user_code;
    bench.service.approve(String(code), "ada");
    bench.signIn();
    bench.signIn();
    expect(bench.service.counts()).toMatchObject({ attempts: 3, accountsWithEvictedGrants: 1 });
    bench.wait(3660);
    bench.signIn({ account: "ben" });
    expect(bench.service.counts()).toMatchObject({ attempts: 1, accountsWithEvictedGrants: 0 });
  });
});

describe("input of a service", () => {
  const base = FIXTURE as Required<FixtureInput>;
  const JWK = { kty: "EC", crv: "P-256", x: "A".repeat(43), y: "A".repeat(43) };
  test.each([
    [null, /^fixture: /],
    [{ clients: [{ id: "a" }] }, /^fixture: clients\[0\]\.name: /],
    [
      { clients: [{ id: "a", name: "A", typ: "web" }] },
      /clients\[0\].*"typ"; did you mean "type"\?$/,
    ],
    [{ client: [] }, /^fixture: .*"client"; did you mean "clients"\?$/],
    [{ clients: [{ id: "a", name: "A", type: "toaster" }] }, /clients\[0\]\.type/],
    [{ accounts: [1, 2].map(() => ({ id: "a", name: "", email: "" })) }, /"a" appears twice/],
    [{ accounts: [{ id: "a", name: "", email: "", organization: "x" }] }, /"x" is not defined/],
    [{ clients: [{ id: "a", name: "A", internalTo: "x" }] }, /"x" is not defined/],
    [{ receivers: [{ id: "r", name: "R", token: "12345678", clients: ["x"] }] }, /"x"/],
    [
      { clients: [{ id: "a", name: "A", jwks: { ...JWK, d: "x" } }] },
      /jwks\[0\]: has a private key/,
    ],
    [{ clients: [{ id: "a", name: "A", jwks: JWK, secret: "s" }] }, /"a": has a secret and keys/],
    [{ clients: [{ id: "a", name: "A", jwks: { keys: [{ ...JWK, x: 1 }] } }] }, /jwks\[0\]\.x/],
    [{ applications: [{ packageName: "a.b", publishers: ["x"], subscriptions: [] }] }, /"x"/],
    [
      { organizations: [{ id: "o", name: "O", blockedScopes: ["vidoe"] }] },
      /organizations\[0\]\.blockedScopes\[0\]: is no scope; the scopes are email, /,
    ],
    [
      { ...base, receivers: base.receivers?.map((one) => ({ ...one, token: "one-token" })) },
      /receivers "publisher-backend" token: is also the token of "tv-backend"/,
    ],
  ])("a wrong fixture is reported in one line with its position: %#", (fixture, message) => {
    expect(() => readFixture(fixture)).toThrow(message);
    expect(() => readFixture(fixture)).not.toThrow("\n");
  });

  test.each([
    [{ interval: -1 }, "interval"],
    [{ dialect: "latin" }, "dialect"],
    [{ codeLifetime: 1.5 }, "codeLifetime"],
    [{ baseUrl: "ftp://x" }, "baseUrl"],
    [{ baseUrl: "http://x.test/base" }, "baseUrl: is an address without a path"],
    [{ intervall: 5 }, '"intervall"; did you mean "interval"?'],
    [{ stepUp: { maxage: 5 } }, 'stepUp: Unrecognized key: "maxage"; did you mean "maxAge"?'],
    [{ colour: "red" }, 'option Unrecognized key: "colour"'],
    [{ userCodeFormat: "abc" }, "userCodeFormat"],
    [{ provoke: { refresh: "nonsense" } }, /^option provoke\.refresh: /],
    [{ provoke: { nonsense: "405" } }, /^option provoke/],
  ])("a wrong option is reported in one line that names it: %j", (options, name) => {
    expect(() => new Bench(options as object)).toThrow(name);
  });

  test.each([
    ["text", "x"],
    ["another version", { version: 2, atMs: 0, attempts: [], grants: [] }],
    ["a missing list", { version: 1, atMs: 0, attempts: [] }],
    ["a grant of another shape", { version: 1, atMs: 0, attempts: [], grants: [{ id: "g1" }] }],
  ])("an invalid snapshot is rejected with one line: %s", (_, input) => {
    expect(() => readSnapshot(input)).toThrow(/^snapshot: .+$/);
  });

  test("services made from a fixture are independent and do not change it; an empty fixture is valid", () => {
    const before = JSON.stringify(FIXTURE);
    const [one, two] = [new Bench(), new Bench()];
    one.service.setPolicy("northwind", ["video.readonly"]);
    one.service.disableAccount("ada");
    expect(two.signIn({ account: "nora" }).token_type).toBe("Bearer");
    expect(two.signIn().token_type).toBe("Bearer");
    expect(JSON.stringify(FIXTURE)).toBe(before);
    expect(new Bench({}, { fixture: {} }).service.pending()).toEqual([]);
  });
});
