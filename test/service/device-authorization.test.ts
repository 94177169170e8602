// The device authorization endpoint: device doc §2.1, §4.1, §5, the quota row of §7, §8.
import { describe, expect, test } from "vitest";
import { createUserCode } from "../../targets/service/codes.ts";
import { optionsSchema } from "../../targets/service/options.ts";
import {
  Bench,
  CONSOLE,
  PUBLISHER,
  SCOPE_BASE,
  seededRandom,
  TV,
  VIDEO_READONLY,
} from "./harness.ts";

const ALLOWED = [
  "email",
  "openid",
  "profile",
  `${SCOPE_BASE}/auth/storage.appdata`,
  `${SCOPE_BASE}/auth/storage.file`,
  `${SCOPE_BASE}/auth/video`,
  `${SCOPE_BASE}/auth/video.readonly`,
];

describe("device doc §2.1 device authorization response", () => {
  test("device doc §2.1: every field of the table with its type, the names of RFC 8628 §3.2 beside", () => {
    const { status, json, headers } = new Bench({ baseUrl: "https://tv.test" }).requestCodes();
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("no-store");
    expect(json).toEqual({
      device_code: expect.stringMatching(/^[\x21-\x7e]+$/),
      user_code: expect.stringMatching(/^[\x21-\x7e]+$/),
      verification_url: "https://tv.test/device",
      verification_uri: "https://tv.test/device",
      verification_uri_complete: `https://tv.test/device?user_code=${json.user_code}`,
      expires_in: 1800,
      interval: 5,
    });
  });

  test("device doc §2.1: with RFC 8628's names switched off exactly the document's fields remain", () => {
    const bench = new Bench({ verificationUri: false, verificationUriComplete: false });
    expect(Object.keys(bench.requestCodes().json).sort()).toEqual([
      "device_code",
      "expires_in",
      "interval",
      "user_code",
      "verification_url",
    ]);
  });

  test("device doc §2.1: the user code is case-sensitive", () => {
    const bench = new Bench();
    const code = String(bench.requestCodes().json.user_code);
    expect(bench.service.approve(code.toLowerCase(), "ada")).toBe("unknown-code");
    expect(bench.service.approve(code, "ada")).toBe("granted");
  });

  test("RFC 8628 §6.1: user codes have no glyph that can be taken for another", () => {
    const bench = new Bench({ deviceCodeQuota: null });
    const seen = new Set<string>();
    for (let i = 0; i < 500; i++) {
      const code = String(bench.requestCodes().json.user_code);
      expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
      expect(seen).not.toContain(code);
      seen.add(code);
    }
  });

  test("RFC 8628 §6.1: every letter is equally likely, to within five deviations", () => {
    const random = seededRandom(7);
    const counts = new Map<string, number>();
    const codes = 20_000;
    const format = "X".repeat(15);
    for (let i = 0; i < codes; i++)
      for (const letter of createUserCode({ now: () => 0, random }, format))
        counts.set(letter, (counts.get(letter) ?? 0) + 1);
    const letters = codes * format.length;
    const deviation = Math.sqrt(letters * (1 / 20) * (19 / 20));
    expect(counts.size).toBe(20);
    for (const count of counts.values())
      expect(Math.abs(count - letters / 20)).toBeLessThan(5 * deviation);
  });

  test("RFC 8628 §5.2: a device code has at least 128 bits and shares nothing with the user code", () => {
    const { device_code, user_code } = new Bench().requestCodes().json;
    const text = String(device_code).replace(/^pgd\./, "");
    expect(Buffer.from(text, "base64url").length).toBeGreaterThanOrEqual(16);
    expect(text).not.toContain(String(user_code).replace("-", ""));
  });

  test("awkward codes reach the poll unharmed: / # & % + and a backquote", () => {
    const bench = new Bench({ tokenCharacters: "awkward" });
    const { device_code } = bench.requestCodes().json;
    expect(device_code).toMatch(/\/.*#.*&.*%.*\+.*`/);
    expect(bench.poll(device_code).status).toBe(428);
  });
});

describe("device doc §4.1 request", () => {
  test.each(["client_id", "scope"])(
    "device doc §4.1 row %s: required, else 400 invalid_request",
    (name) => {
      const answer = new Bench().requestCodes({ [name]: undefined });
      expect(answer.status).toBe(400);
      expect(answer.json).toEqual({
        error: "invalid_request",
        error_description: `Missing required parameter: ${name}`,
      });
    },
  );

  test("device doc §5.1 row client_id alone: it identifies the client; a secret is neither asked for nor used", () => {
    const bench = new Bench();
    expect(bench.requestCodes({ client_secret: undefined }).status).toBe(200);
    expect(bench.requestCodes({ client_secret: "wrong" }).status).toBe(200);
  });

  test("device doc §4.1: an unknown client is 401 invalid_client", () => {
    const answer = new Bench().requestCodes({ client_id: "nobody" });
    expect(answer).toMatchObject({ status: 401, json: { error: "invalid_client" } });
  });

  test("device doc §5.4 row client type: a client of another is refused here already: 401 invalid_client", () => {
    const answer = new Bench().requestCodes({ client_id: "web-shop" });
    expect(answer).toMatchObject({ status: 401, json: { error: "invalid_client" } });
  });

  test("device doc §4.1: parameters in the query are understood, as some clients send them", () => {
    const query = new URLSearchParams({ client_id: TV.client_id, scope: "email" });
    expect(new Bench().send("POST", `/device/code?${query}`).status).toBe(200);
  });

  test("RFC 8628 §3.1: a parameter given twice is 400 invalid_request, an empty one counts as missing", () => {
    const bench = new Bench();
    const twice = bench.send(
      "POST",
      "/device/code",
      "client_id=living-room-tv&scope=email&scope=x",
    );
    expect(twice).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    const empty = bench.send("POST", "/device/code", "client_id=&scope=email");
    expect(empty.json.error_description).toBe("Missing required parameter: client_id");
  });

  test("device doc §4 row bodies are forms: one that is not a form is 400 invalid_request", () => {
    const json = JSON.stringify({ client_id: TV.client_id, scope: "email" });
    const headers = { "content-type": "application/json" };
    const answer = new Bench().send("POST", "/device/code", json, headers);
    expect(answer).toMatchObject({ status: 400, json: { error: "invalid_request" } });
  });

  test("device doc §4: a form with a charset and with odd capitals is a form", () => {
    const headers = { "content-type": "Application/X-WWW-Form-Urlencoded;charset=UTF-8" };
    const body = "client_id=living-room-tv&scope=email";
    expect(new Bench().send("POST", "/device/code", body, headers).status).toBe(200);
  });

  test("device doc §5.1: client_id is the client; a header that names another is 400", () => {
    const bench = new Bench();
    const basic = (id: string) => ({ authorization: `Basic ${btoa(`${id}:secret`)}` });
    const ask = (id: string, headers: Record<string, string>) =>
      bench.post("/device/code", { client_id: id, scope: "email" }, headers);
    const answer = ask("living-room-tv", basic("game-console"));
    expect([answer.status, answer.json.error]).toEqual([400, "invalid_request"]);
    expect(bench.service.pending()).toEqual([]);
    expect(ask("living-room-tv", basic("living-room-tv")).status).toBe(200);
    expect(bench.service.pending().map(({ clientId }) => clientId)).toEqual(["living-room-tv"]);
  });

  test("device doc §5.1: client_id identifies the client, whatever an Authorization header holds", () => {
    const fields = { client_id: TV.client_id, scope: "email" };
    for (const authorization of ["Basic !!!", "Basic YWJj", "Bearer x", "Basic"])
      expect(new Bench().post("/device/code", fields, { authorization }).status).toBe(200);
  });

  test.each(["GET", "PUT", "DELETE", "PATCH"])(
    "device doc §4.1: %s is 405 and names POST",
    (method) => {
      const answer = new Bench().send(method, "/device/code");
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe("POST");
    },
  );
});

describe("device doc §5 scopes", () => {
  test.each(ALLOWED)(
    "device doc §5.5 row allowed scopes: %s is allowed on the device flow",
    (scope) => {
      expect(new Bench().requestCodes({ scope }).status).toBe(200);
    },
  );

  test.each([
    "video.channel-memberships.creator",
    "video.force-ssl",
    "video.upload",
    "video.partner",
    "video.partner-channel-audit",
  ])("device doc §5.6 row the video API's scopes: %s is not allowed on the device flow", (name) => {
    const answer = new Bench().requestCodes({ scope: `${SCOPE_BASE}/auth/${name}` });
    expect(answer).toMatchObject({ status: 400, json: { error: "invalid_scope" } });
  });

  test.each([
    "calendar",
    "EMAIL",
    "https://elsewhere.test/auth/video",
    `${SCOPE_BASE}/auth/Video`,
    "email\temail",
    "<script>",
    " ",
    "__proto__",
  ])(
    "device doc §5.5 row allowed scopes: %j is 400 invalid_scope, also beside an allowed one",
    (scope) => {
      const bench = new Bench();
      expect(bench.requestCodes({ scope }).json.error).toBe("invalid_scope");
      if (scope !== " ")
        expect(bench.requestCodes({ scope: `email ${scope}` }).json.error).toBe("invalid_scope");
    },
  );

  test("offer doc §5: the publisher scope is for clients that are permitted, and only them", () => {
    const bench = new Bench();
    expect(bench.requestCodes({ scope: PUBLISHER }).json.error).toBe("invalid_scope");
    const client_id = "publisher-console";
    expect(bench.requestCodes({ client_id, scope: PUBLISHER }).status).toBe(200);
  });

  test("device doc §5.5: {scope_base} is configurable", () => {
    const bench = new Bench({ scopeBase: "https://scopes.example/" });
    expect(bench.requestCodes({ scope: "https://scopes.example/auth/video" }).status).toBe(200);
    expect(bench.requestCodes({ scope: VIDEO_READONLY }).json.error).toBe("invalid_scope");
  });

  test("device doc §2.2: scopes asked for twice are granted once, in the order of the request", () => {
    expect(new Bench().signIn({ scope: "profile  email profile" }).scope).toBe("profile email");
  });
});

describe("device doc §7 and §8: quota", () => {
  test("device doc §7 row Device code request 403 rate_limit_exceeded: in error_code, and nothing else", () => {
    const bench = new Bench();
    const client_id = "impatient-box";
    expect(bench.requestCodes({ client_id }).status).toBe(200);
    expect(bench.requestCodes({ client_id }).status).toBe(200);
    const answer = bench.requestCodes({ client_id });
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual({ error_code: "rate_limit_exceeded" });
  });

  test("device doc §8 row Device code request quota: counted per client_id and comes back after its window", () => {
    const bench = new Bench({ deviceCodeQuota: { requests: 1, windowSeconds: 60 } });
    expect(bench.requestCodes().status).toBe(200);
    expect(bench.requestCodes().status).toBe(403);
    expect(bench.requestCodes({ client_id: CONSOLE.client_id }).status).toBe(200);
    bench.wait(59.999);
    expect(bench.requestCodes().status).toBe(403);
    bench.wait(0.001);
    expect(bench.requestCodes().status).toBe(200);
  });

  test("device doc §8: unknown clients cannot spend a client's quota", () => {
    const bench = new Bench({ deviceCodeQuota: { requests: 1, windowSeconds: 60 } });
    for (let i = 0; i < 5; i++) bench.requestCodes({ client_id: "nobody" });
    expect(bench.requestCodes().status).toBe(200);
  });

  test("device doc §8: code lifetime and interval follow the options", () => {
    const bench = new Bench({ codeLifetime: 90, interval: 7 });
    expect(bench.requestCodes().json).toMatchObject({ expires_in: 90, interval: 7 });
  });

  test("device doc §8 row user_code display: it fits 15 wide characters, whatever its format", () => {
    const bench = new Bench({ userCodeFormat: "XXXXX-XXX-XXXXX" });
    expect(bench.requestCodes().json.user_code).toHaveLength(15);
    expect(() => optionsSchema.parse({ userCodeFormat: "XXXXXXXX-XXXXXXX" })).toThrow();
    expect(() => optionsSchema.parse({ userCodeFormat: "XX-XX" })).toThrow();
  });

  test("device doc §8 row verification_url display: it fits 40 characters on usual bases", () => {
    for (const baseUrl of ["http://127.0.0.1:65535", "https://192.168.100.200:65535"]) {
      const { verification_url } = new Bench({ baseUrl }).requestCodes().json;
      expect(String(verification_url).length).toBeLessThanOrEqual(40);
    }
  });

  test("device doc §3 row expired: such codes are forgotten in the end, so memory stays bounded", () => {
    const bench = new Bench({ codeLifetime: 60, expiredCodeMemory: 60, deviceCodeQuota: null });
    const first = bench.requestCodes().json.device_code;
    bench.wait(119);
    bench.requestCodes();
    expect(bench.poll(first).json.error).toBe("expired_token");
    bench.wait(2);
    bench.requestCodes();
    expect(bench.poll(first).json.error).toBe("invalid_grant");
  });
});
