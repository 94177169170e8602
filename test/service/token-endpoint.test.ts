// Polling and refreshing: device doc §2.2, §3, §4.2, §4.3 and every row "Poll" of §7.
import { describe, expect, test } from "vitest";
import { Bench, CONSOLE, DEVICE_GRANT, TV, VIDEO, VIDEO_READONLY } from "./harness.ts";

function pendingCode(bench: Bench, fields = {}): { device: string; user: string } {
  const { device_code, user_code } = bench.requestCodes(fields).json;
  return { device: String(device_code), user: String(user_code) };
}

describe("device doc §7 Poll", () => {
  test("device doc §7 Poll: 428 authorization_pending, Precondition Required, while nobody decided", () => {
    const bench = new Bench();
    const answer = bench.poll(pendingCode(bench).device);
    expect(answer.status).toBe(428);
    expect(answer.json).toEqual({
      error: "authorization_pending",
      error_description: "Precondition Required",
    });
    expect(answer.headers["content-type"]).toMatch(/^application\/json/);
  });

  test("device doc §7 Poll: 403 slow_down, Forbidden, when polled faster than the interval", () => {
    const bench = new Bench();
    const { device } = pendingCode(bench);
    bench.poll(device);
    bench.wait(4.999);
    const answer = bench.poll(device);
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual({ error: "slow_down", error_description: "Forbidden" });
  });

  test("device doc §7 Poll: 403 access_denied, Forbidden, after the user refused", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.service.deny(user);
    const answer = bench.poll(device);
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual({ error: "access_denied", error_description: "Forbidden" });
  });

  test("device doc §7 Poll: 400 admin_policy_enforced when the organization forbids a scope", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench, { scope: `${VIDEO} email` });
    expect(bench.service.approve(user, "pupil")).toBe("admin_policy_enforced");
    const answer = bench.poll(device);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe("admin_policy_enforced");
  });

  test("device doc §7 Poll: 401 invalid_client for an unknown client", () => {
    const bench = new Bench();
    const answer = bench.poll(pendingCode(bench).device, { client_id: "nobody" });
    expect(answer.status).toBe(401);
    expect(answer.json.error).toBe("invalid_client");
    expect(answer.headers["www-authenticate"]).toBeUndefined();
  });

  test("device doc §7 Poll: 401 invalid_client for a client of another type", () => {
    const bench = new Bench();
    const web = { client_id: "web-shop", client_secret: "web-secret" };
    const answer = bench.poll(pendingCode(bench).device, web);
    expect(answer.status).toBe(401);
    expect(answer.json.error).toBe("invalid_client");
  });

  test("device doc §7 Poll: 401 invalid_client for a wrong secret", () => {
    const bench = new Bench();
    const answer = bench.poll(pendingCode(bench).device, { client_secret: "tv-secreT" });
    expect(answer.status).toBe(401);
    expect(answer.json.error).toBe("invalid_client");
  });

  test.each(["nonsense", "%00", "pgd.", "\u{1F600}", "x".repeat(10_000)])(
    "device doc §7 Poll: 400 invalid_grant for a code that cannot be parsed: %.20s",
    (code) => {
      const answer = new Bench().poll(code);
      expect(answer.status).toBe(400);
      expect(answer.json.error).toBe("invalid_grant");
    },
  );

  test("device doc §7 Poll: 400 invalid_grant when the code was already claimed", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.service.approve(user, "ada");
    expect(bench.poll(device).status).toBe(200);
    const answer = bench.poll(device);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe("invalid_grant");
  });

  test.each(["password", "authorization_code", "urn:ietf:params:oauth:grant-type:device-code"])(
    "device doc §7 Poll: 400 unsupported_grant_type for %s",
    (grantType) => {
      const bench = new Bench();
      const answer = bench.poll(pendingCode(bench).device, { grant_type: grantType });
      expect(answer.status).toBe(400);
      expect(answer.json.error).toBe("unsupported_grant_type");
    },
  );

  test("device doc §7 Poll: 403 org_internal when an outsider approves an internal client", () => {
    const bench = new Bench();
    const kiosk = { client_id: "northwind-kiosk", client_secret: "kiosk-secret" };
    const { device, user } = pendingCode(bench, { client_id: kiosk.client_id });
    expect(bench.service.approve(user, "ada")).toBe("org_internal");
    const answer = bench.poll(device, kiosk);
    expect(answer.status).toBe(403);
    expect(answer.json.error).toBe("org_internal");
  });

  test("device doc §7 Poll: an internal client works for its own organization", () => {
    const bench = new Bench();
    const kiosk = { client_id: "northwind-kiosk", client_secret: "kiosk-secret" };
    expect(bench.signIn({ account: "nora", client: kiosk }).token_type).toBe("Bearer");
  });

  test.each([
    ["client_id", 400],
    ["client_secret", 400],
    ["device_code", 400],
    ["grant_type", 400],
  ])("device doc §7 Poll: a missing %s gives 400 or 401", (name, status) => {
    const bench = new Bench();
    const answer = bench.poll(pendingCode(bench).device, { [name]: undefined });
    expect(answer.status).toBe(status);
    expect(answer.json.error).toBe("invalid_request");
    expect(answer.json.error_description).toContain(name);
  });
});

describe("device doc §3 states", () => {
  test("device doc §3 pending: polls at exactly the interval stay pending", () => {
    const bench = new Bench();
    const { device } = pendingCode(bench);
    for (let poll = 0; poll < 20; poll++) {
      expect(bench.poll(device).status).toBe(428);
      bench.wait(5);
    }
  });

  test("device doc §3 pending: by default slow_down does not lengthen the interval", () => {
    const bench = new Bench();
    const { device } = pendingCode(bench);
    bench.poll(device);
    bench.wait(1);
    expect(bench.poll(device).json.error).toBe("slow_down");
    bench.wait(5);
    expect(bench.poll(device).json.error).toBe("authorization_pending");
  });

  test("RFC 8628 §3.5: with slowDownGrowth 5 each slow_down adds five seconds for good", () => {
    const bench = new Bench({ slowDownGrowth: 5 });
    const { device } = pendingCode(bench);
    bench.poll(device);
    bench.wait(1);
    expect(bench.poll(device).json.error).toBe("slow_down");
    bench.wait(9.999);
    expect(bench.poll(device).json.error).toBe("slow_down");
    bench.wait(15);
    expect(bench.poll(device).json.error).toBe("authorization_pending");
  });

  test("device doc §3 granted: the next poll returns the tokens, however soon it comes", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.poll(device);
    bench.service.approve(user, "ada");
    expect(bench.poll(device).status).toBe(200);
  });

  test("device doc §3 denied: a later approval changes nothing", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.service.deny(user);
    expect(bench.service.approve(user, "ada")).toBe("already-decided");
    expect(bench.poll(device).json.error).toBe("access_denied");
  });

  test("device doc §3 expired: 400 expired_token from exactly expires_in seconds on", () => {
    const bench = new Bench();
    const { device } = pendingCode(bench);
    bench.wait(1799.999);
    expect(bench.poll(device).status).toBe(428);
    bench.wait(0.001);
    const answer = bench.poll(device);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe("expired_token");
  });

  test("device doc §7: expired_token for expiredCodeMemory seconds, then invalid_grant", () => {
    const bench = new Bench({ codeLifetime: 60, expiredCodeMemory: 30 });
    const { device, user } = pendingCode(bench);
    bench.wait(89.999);
    expect(bench.poll(device).json.error).toBe("expired_token");
    expect(bench.service.approve(user, "ada")).toBe("expired");
    // Nobody has asked for a code since: time alone decides.
    bench.wait(0.001);
    const answer = bench.poll(device);
    expect([answer.status, answer.json.error]).toEqual([400, "invalid_grant"]);
    expect(bench.service.approve(user, "ada")).toBe("unknown-code");
    expect(bench.service.deny(user)).toBe("unknown-code");
  });

  test.each([
    ["admin_policy_enforced", 400, (bench: Bench) => bench.service.setPolicy("ada", ["video"])],
    ["access_denied", 403, (bench: Bench) => bench.service.disableAccount("ada")],
  ] as const)(
    "device doc §7: what forbids the grant before the poll claims it is told: %s",
    (error, status, forbid) => {
      const bench = new Bench();
      const { device_code, user_code } = bench.requestCodes({ scope: VIDEO }).json;
      bench.service.approve(String(user_code), "ada");
      forbid(bench);
      const answer = bench.poll(device_code);
      expect([answer.status, answer.json.error]).toEqual([status, error]);
      // It stays so, whatever changes later: the attempt is over.
      bench.service.setPolicy("ada", []);
      bench.service.enableAccount("ada");
      expect(bench.poll(device_code).json.error).toBe(error);
      expect(bench.service.counts().grants).toBe(0);
    },
  );

  test("device doc §7: a rule about scopes that were not granted forbids nothing", () => {
    const bench = new Bench();
    const { device_code, user_code } = bench.requestCodes({ scope: `email ${VIDEO}` }).json;
    bench.service.approve(String(user_code), "ada", { scopes: ["email"] });
    bench.service.setPolicy("ada", ["video"]);
    expect(bench.poll(device_code).json.scope).toBe("email");
  });

  test("device doc §3 expired: an approved but unclaimed code expires as well", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.service.approve(user, "ada");
    bench.wait(1800);
    expect(bench.poll(device).json.error).toBe("expired_token");
  });

  test("device doc §3 expired: nobody can approve an expired code", () => {
    const bench = new Bench();
    const { user } = pendingCode(bench);
    bench.wait(1800);
    expect(bench.service.approve(user, "ada")).toBe("expired");
  });

  test("device doc §3: another client neither learns of a code nor disturbs its polling", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.service.approve(user, "ada");
    expect(bench.poll(device, CONSOLE).json.error).toBe("invalid_grant");
    const own = bench.poll(device);
    expect(own.status).toBe(200);
    const other = pendingCode(bench);
    bench.poll(other.device);
    bench.wait(4);
    expect(bench.poll(other.device, CONSOLE).json).toEqual(bench.poll("none", CONSOLE).json);
    bench.wait(1);
    expect(bench.poll(other.device).json.error).toBe("authorization_pending");
  });
});

describe("device doc §2.2 token response", () => {
  test("device doc §2.2: the fields of a first answer, and no other", () => {
    const tokens = new Bench().signIn({ scope: `${VIDEO} email` });
    expect(Object.keys(tokens).sort()).toEqual([
      "access_token",
      "expires_in",
      "refresh_token",
      "scope",
      "token_type",
    ]);
    expect(tokens).toMatchObject({
      expires_in: 3600,
      scope: `${VIDEO} email`,
      token_type: "Bearer",
    });
    expect(String(tokens.access_token).length).toBeGreaterThan(22);
    expect(tokens.refresh_token).not.toBe(tokens.access_token);
  });

  test("device doc §2.2: scope holds what was granted, which may be less than was asked for", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench, { scope: `email ${VIDEO_READONLY}` });
    bench.service.approve(user, "ada", { scopes: ["email"] });
    expect(bench.poll(device).json.scope).toBe("email");
  });

  test("device doc §2.2: refresh_token_expires_in only for time-based access", () => {
    const bench = new Bench();
    expect(bench.signIn().refresh_token_expires_in).toBeUndefined();
    expect(bench.signIn({ accessSeconds: 86_400 }).refresh_token_expires_in).toBe(86_400);
    expect(bench.signIn({ account: "guest" }).refresh_token_expires_in).toBe(3600);
  });
});

describe("device doc §4.3 refresh", () => {
  test("device doc §4.3: a refresh answers access_token, expires_in, scope, token_type and no more", () => {
    const bench = new Bench();
    const tokens = bench.signIn();
    const answer = bench.refresh(tokens.refresh_token);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json).sort()).toEqual([
      "access_token",
      "expires_in",
      "scope",
      "token_type",
    ]);
    expect(answer.json.access_token).not.toBe(tokens.access_token);
    expect(answer.json.scope).toBe(tokens.scope);
  });

  test("device doc §4.3: a failed refresh is 400 invalid_grant", () => {
    const bench = new Bench();
    expect(bench.refresh("none")).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    const { refresh_token } = bench.signIn();
    expect(bench.refresh(refresh_token, CONSOLE).json.error).toBe("invalid_grant");
    expect(bench.refresh(refresh_token).status).toBe(200);
  });

  test("device doc §5.2: refreshing needs the client's secret", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn();
    expect(bench.refresh(refresh_token, { client_secret: undefined }).status).toBe(400);
    expect(bench.refresh(refresh_token, { client_secret: "guess" }).status).toBe(401);
  });

  test("device doc §2.2: remaining lifetimes are whole seconds and never more than there are", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn({ accessSeconds: 1000 });
    bench.wait(0.5);
    expect(bench.refresh(refresh_token).json).toMatchObject({
      expires_in: 999,
      refresh_token_expires_in: 999,
    });
  });

  test("device doc §2.2: a clock that ticks while the answer is made shortens no lifetime", () => {
    let ms = 0;
    const bench = new Bench({}, { now: () => ms++ });
    expect(bench.signIn({ accessSeconds: 60 })).toMatchObject({
      expires_in: 60,
      refresh_token_expires_in: 60,
    });
  });

  test.each([
    [86_400, 3600],
    [600, 600],
  ])(
    "device doc §2.2: the shorter of choice and account's rule counts: %i gives %i",
    (chosen, left) => {
      const tokens = new Bench().signIn({ account: "guest", accessSeconds: chosen });
      expect(tokens.refresh_token_expires_in).toBe(left);
    },
  );

  test("device doc §8: time-based access ends; expires_in never promises more", () => {
    const bench = new Bench();
    const tokens = bench.signIn({ accessSeconds: 4000 });
    expect(tokens.expires_in).toBe(3600);
    bench.wait(1000);
    const answer = bench.refresh(tokens.refresh_token);
    expect(answer.json.expires_in).toBe(3000);
    expect(answer.json.refresh_token_expires_in).toBe(3000);
    bench.wait(3000);
    expect(bench.refresh(tokens.refresh_token).json.error).toBe("invalid_grant");
  });
});

describe("RFC 6749 §2.3.1 client credentials", () => {
  test("RFC 6749 §2.3.1: HTTP Basic works, encoded or not, without client_id in the form", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.service.approve(user, "ada");
    const basic = `Basic ${Buffer.from("living-room-tv:tv-secret").toString("base64")}`;
    const fields = { device_code: device, grant_type: DEVICE_GRANT };
    const answer = bench.post("/token", fields, { authorization: basic });
    expect(answer.status).toBe(200);
  });

  test("RFC 6749 §2.3.1: HTTP Basic is form-encoded: ids and secrets may hold anything", () => {
    const odd = { id: "a:b c", secret: "p%+ü:", name: "Odd" };
    const bench = new Bench({}, { fixture: { clients: [odd] } });
    const encode = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
    const pair = `${encode(odd.id)}:${encode(odd.secret)}`;
    const authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
    const fields = { device_code: "x", grant_type: DEVICE_GRANT };
    expect(bench.post("/token", fields, { authorization }).json.error).toBe("invalid_grant");
  });

  // curl -u and many others send the two halves as they are.
  const plus = { id: "a+b", secret: "s+t%20u" };
  const percent = { id: "tv", secret: "100%" };
  test.each([
    ["both encoded", plus, "a%2Bb:s%2Bt%2520u", "invalid_grant"],
    ["both as they are", plus, "a+b:s+t%20u", "invalid_grant"],
    ["only the secret encoded", plus, "a+b:s%2Bt%2520u", "invalid_client"],
    ["only the id encoded", plus, "a%2Bb:s+t%20u", "invalid_client"],
    ["decoded once too often", plus, "a+b:s+t u", "invalid_client"],
    ["a wrong one", plus, "a+b:s+t%20v", "invalid_client"],
    ["no secret", plus, "a+b:", "invalid_request"],
    ["a lone percent sign", percent, "tv:100%", "invalid_grant"],
    ["a blank as a plus", { id: "a b", secret: "s t" }, "a+b:s+t", "invalid_grant"],
    ["a blank as it is", { id: "a b", secret: "s t" }, "a b:s t", "invalid_grant"],
  ])(
    "RFC 6749 §2.3.1: HTTP Basic may be encoded or not, both halves alike: %s",
    (_name, client, sent, error) => {
      const bench = new Bench({}, { fixture: { clients: [{ ...client, name: "Odd" }] } });
      const authorization = `Basic ${Buffer.from(sent).toString("base64")}`;
      const fields = { device_code: "x", grant_type: DEVICE_GRANT };
      for (const form of [fields, { ...fields, client_id: client.id }])
        expect(bench.post("/token", form, { authorization }).json.error).toBe(error);
      const token = { ...fields, client_id: "somebody-else" };
      expect(bench.post("/token", token, { authorization }).json.error).toBe("invalid_request");
      const revoked = error === "invalid_grant" ? "invalid_token" : error;
      expect(bench.post("/revoke", { token: "x" }, { authorization }).json.error).toBe(revoked);
      // The client is known whatever its secret: no scope is what is missed.
      const codes = bench.post("/device/code", {}, { authorization });
      expect(codes.json.error_description).toBe("Missing required parameter: scope");
    },
  );

  test("RFC 6749 §5.2: failed HTTP Basic is answered with a challenge", () => {
    const basic = `Basic ${Buffer.from("living-room-tv:wrong").toString("base64")}`;
    const fields = { device_code: "x", grant_type: DEVICE_GRANT };
    const answer = new Bench().post("/token", fields, { authorization: basic });
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toMatch(/^Basic /);
  });

  test.each(["Basic", "Basic ", "basic !!!", "Basic YWJj", "BASIC OnR2"])(
    "RFC 6749 §5.2: %j is failed HTTP Basic: 401 with a challenge, whatever the form says",
    (authorization) => {
      const bench = new Bench();
      const fields = { device_code: "x", grant_type: DEVICE_GRANT };
      for (const sent of [fields, { ...TV, ...fields }]) {
        const answer = bench.post("/token", sent, { authorization });
        expect(answer.status).toBe(401);
        expect(answer.json.error).toBe("invalid_client");
        expect(answer.headers["www-authenticate"]).toMatch(/^Basic /);
      }
      expect(bench.post("/revoke", { token: "x" }, { authorization }).status).toBe(401);
    },
  );

  test("RFC 6749 §2.3: HTTP Basic and the form may not name two clients", () => {
    const basic = `Basic ${Buffer.from("living-room-tv:tv-secret").toString("base64")}`;
    const fields = { device_code: "x", grant_type: DEVICE_GRANT };
    const answer = (clientId: string) =>
      new Bench().post("/token", { ...fields, client_id: clientId }, { authorization: basic });
    expect(answer("game-console").json.error).toBe("invalid_request");
    expect(answer("living-room-tv").json.error).toBe("invalid_grant");
  });

  test("RFC 6749 §5.2: an error_description has no quote, backslash, control or other character", () => {
    const name = encodeURIComponent(`a"\\\n\u00e9\u{1F600}${"x".repeat(1000)}`);
    for (const path of ["/token", "/device/code", "/revoke"]) {
      const { json } = new Bench().send("POST", path, `${name}=1&${name}=2`);
      expect(json.error).toBe("invalid_request");
      expect(json.error_description).toMatch(
        /^Parameter given twice: a[\x20\x21\x23-\x5b\x5d-\x7e]{1,50}$/,
      );
    }
  });

  test("RFC 6749 §3.2: a parameter given twice is refused, credentials in the query are not read", () => {
    const bench = new Bench();
    const { device } = pendingCode(bench);
    const twice = `client_id=living-room-tv&client_secret=tv-secret&client_secret=x&device_code=${device}&grant_type=${DEVICE_GRANT}`;
    expect(bench.send("POST", "/token", twice).json.error).toBe("invalid_request");
    const query = new URLSearchParams({ ...TV, device_code: device, grant_type: DEVICE_GRANT });
    expect(bench.send("POST", `/token?${query}`).json.error).toBe("invalid_request");
  });
});
