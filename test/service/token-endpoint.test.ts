// Polling: device doc §3, §4.2 and every row "Poll" of §7.
import { describe, expect, test } from "vitest";
import { Bench, CONSOLE, pendingCode, VIDEO } from "./harness.ts";

describe("device doc §7 Poll", () => {
  test("device doc §7 row Poll 428 authorization_pending: Precondition Required, while nobody decided", () => {
    const bench = new Bench();
    const answer = bench.poll(pendingCode(bench).device);
    expect(answer.status).toBe(428);
    expect(answer.json).toEqual({
      error: "authorization_pending",
      error_description: "Precondition Required",
    });
    expect(answer.headers["content-type"]).toMatch(/^application\/json/);
  });

  test("device doc §7 row Poll 403 slow_down: Forbidden, when polled faster than the interval", () => {
    const bench = new Bench();
    const { device } = pendingCode(bench);
    bench.poll(device);
    bench.wait(4.999);
    const answer = bench.poll(device);
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual({ error: "slow_down", error_description: "Forbidden" });
  });

  test("device doc §7 row Poll 403 access_denied: Forbidden, after the user refused", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.service.deny(user);
    const answer = bench.poll(device);
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual({ error: "access_denied", error_description: "Forbidden" });
  });

  test("device doc §7 row Poll 400 admin_policy_enforced: when the organization forbids a scope", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench, { scope: `${VIDEO} email` });
    expect(bench.service.approve(user, "pupil")).toBe("admin_policy_enforced");
    const answer = bench.poll(device);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe("admin_policy_enforced");
  });

  test("device doc §7 row Poll 401 invalid_client: for an unknown client", () => {
    const bench = new Bench();
    const answer = bench.poll(pendingCode(bench).device, { client_id: "nobody" });
    expect(answer.status).toBe(401);
    expect(answer.json.error).toBe("invalid_client");
    expect(answer.headers["www-authenticate"]).toBeUndefined();
  });

  test("device doc §7 row Poll 401 invalid_client: for a client of another type", () => {
    const bench = new Bench();
    const web = { client_id: "web-shop", client_secret: "web-secret" };
    const answer = bench.poll(pendingCode(bench).device, web);
    expect(answer.status).toBe(401);
    expect(answer.json.error).toBe("invalid_client");
  });

  test("device doc §7 row Poll 401 invalid_client: for a wrong secret", () => {
    const bench = new Bench();
    const answer = bench.poll(pendingCode(bench).device, { client_secret: "tv-secreT" });
    expect(answer.status).toBe(401);
    expect(answer.json.error).toBe("invalid_client");
  });

  test.each(["nonsense", "%00", "pgd.", "\u{1F600}", "x".repeat(10_000)])(
    "device doc §7 row Poll 400 invalid_grant: for a code that cannot be parsed: %.20s",
    (code) => {
      const answer = new Bench().poll(code);
      expect(answer.status).toBe(400);
      expect(answer.json.error).toBe("invalid_grant");
    },
  );

  test("device doc §7 row Poll 400 invalid_grant: when the code was already claimed", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.service.approve(user, "ada");
    expect(bench.poll(device).status).toBe(200);
    const answer = bench.poll(device);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe("invalid_grant");
  });

  test.each(["password", "authorization_code", "urn:ietf:params:oauth:grant-type:device-code"])(
    "device doc §7 row Poll 400 unsupported_grant_type: for %s",
    (grantType) => {
      const bench = new Bench();
      const answer = bench.poll(pendingCode(bench).device, { grant_type: grantType });
      expect(answer.status).toBe(400);
      expect(answer.json.error).toBe("unsupported_grant_type");
    },
  );

  test("device doc §7 row Poll 403 org_internal: when an outsider approves an internal client", () => {
    const bench = new Bench();
    const kiosk = { client_id: "northwind-kiosk", client_secret: "kiosk-secret" };
    const { device, user } = pendingCode(bench, { client_id: kiosk.client_id });
    expect(bench.service.approve(user, "ada")).toBe("org_internal");
    const answer = bench.poll(device, kiosk);
    expect(answer.status).toBe(403);
    expect(answer.json.error).toBe("org_internal");
  });

  test("device doc §7 row Poll 403 org_internal: an internal client works for its own organization", () => {
    const bench = new Bench();
    const kiosk = { client_id: "northwind-kiosk", client_secret: "kiosk-secret" };
    expect(bench.signIn({ account: "nora", client: kiosk }).token_type).toBe("Bearer");
  });

  test.each([
    ["client_id", 400],
    ["client_secret", 400],
    ["device_code", 400],
    ["grant_type", 400],
  ])(
    "device doc §7 row missing parameters or wrong values: without %s 400 or 401",
    (name, status) => {
      const bench = new Bench();
      const answer = bench.poll(pendingCode(bench).device, { [name]: undefined });
      expect(answer.status).toBe(status);
      expect(answer.json.error).toBe("invalid_request");
      expect(answer.json.error_description).toContain(name);
    },
  );
});

describe("device doc §3 states", () => {
  test("device doc §3 row pending: polls at exactly the interval stay pending", () => {
    const bench = new Bench();
    const { device } = pendingCode(bench);
    for (let poll = 0; poll < 20; poll++) {
      expect(bench.poll(device).status).toBe(428);
      bench.wait(5);
    }
  });

  test("device doc §3 row slow_down: by default it does not lengthen the interval", () => {
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

  test("device doc §3 row granted: the next poll returns the tokens, however soon it comes", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.poll(device);
    bench.service.approve(user, "ada");
    expect(bench.poll(device).status).toBe(200);
  });

  test("device doc §3 row denied: a later approval changes nothing", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.service.deny(user);
    expect(bench.service.approve(user, "ada")).toBe("already-decided");
    expect(bench.poll(device).json.error).toBe("access_denied");
  });

  test("device doc §3 row expired: 400 expired_token from exactly expires_in seconds on", () => {
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

  test("device doc §3: a code approved in time brings its tokens after its end, too", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.service.approve(user, "ada");
    bench.wait(1800);
    expect(bench.poll(device).status).toBe(200);
  });

  test("device doc §3 row expired: nobody can approve an expired code", () => {
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
