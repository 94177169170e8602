// The documents' rows and the timing rules, on a manual clock.

import { describe, expect, it } from "vitest";
import { ErrorCode, ErrorKind, Field, State } from "../../core/complete.ts";
import { Bench, code, error, json, tokens } from "./bench.ts";

const polls = (bench: Bench): number[] =>
  bench.sent.filter(({ endpoint }) => endpoint === 1).map(({ atMs }) => atMs);
const gaps = (times: number[]): number[] => times.slice(1).map((time, i) => time - times[i]!);

describe("device doc §7: every error of a poll", () => {
  /** A poll has been answered with an error: the state that follows, and no record behind a final one. */
  const answered = (status: number, name: string, state: State, number: ErrorCode): void => {
    const bench = new Bench([code(), error(status, name)]);
    bench.until(2);
    expect(bench.device.state).toBe(state);
    expect(bench.device.error).toBe(number);
    if (state === State.FAILED) {
      expect([ErrorKind.USER, ErrorKind.ADMINISTRATOR, ErrorKind.MAKER]).toContain(
        bench.core.errorKind(bench.device, number),
      );
      expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
    }
  };

  it.each([
    [428, "authorization_pending", State.PENDING, ErrorCode.AUTHORIZATION_PENDING],
    [403, "slow_down", State.PENDING, ErrorCode.SLOW_DOWN],
    [403, "access_denied", State.FAILED, ErrorCode.ACCESS_DENIED],
    [400, "admin_policy_enforced", State.FAILED, ErrorCode.ADMIN_POLICY_ENFORCED],
    [401, "invalid_client", State.FAILED, ErrorCode.INVALID_CLIENT],
    [400, "unsupported_grant_type", State.FAILED, ErrorCode.UNSUPPORTED_GRANT_TYPE],
    [403, "org_internal", State.FAILED, ErrorCode.ORG_INTERNAL],
  ])("device doc §7 row Poll %i %s: the state that it leads to", answered);

  it.each([
    [400, "invalid_request", State.FAILED, ErrorCode.INVALID_REQUEST],
    [400, "unauthorized_client", State.FAILED, ErrorCode.UNAUTHORIZED_CLIENT],
    [400, "invalid_scope", State.FAILED, ErrorCode.INVALID_SCOPE],
    [400, "authorization_declined", State.FAILED, ErrorCode.ACCESS_DENIED],
    [200, "authorization_pending", State.PENDING, ErrorCode.AUTHORIZATION_PENDING],
    [400, "something_new", State.FAILED, ErrorCode.UNKNOWN_ERROR],
  ])("SPEC.md, Errors: a poll's %i %s, and the state that it leads to", answered);

  const renewed = (name: string): void => {
    const bench = new Bench([code(), error(400, name), code({ user_code: "NEW" })]);
    bench.until(3);
    expect(bench.sent[2]!.endpoint).toBe(0);
    expect(bench.text(Field.USER_CODE)).toBe("NEW");
  };

  it("device doc §7 row Poll 400 invalid_grant: a new code by itself", () => {
    renewed("invalid_grant");
  });

  it.each(["expired_token", "token_expired", "bad_verification_code", "incorrect_device_code"])(
    "SPEC.md, Errors: %s brings a new code by itself",
    renewed,
  );

  it.each([
    ["502 with HTML", { status: 502, body: "<html>" }],
    ["a captive portal's 200", { status: 200, body: "<html>login</html>" }],
    ["302", { status: 302, body: "" }],
    ["an empty 200", { status: 200, body: "" }],
    ["a cut body", { status: 200, body: '{"access_token":"a' }],
    ["429", { status: 429, body: "" }],
    ["a reset", null],
  ])("SPEC.md, Errors: %s never kills a valid code", (_name, answer) => {
    const bench = new Bench([code(), answer, answer, answer, tokens()]);
    bench.until(5);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §7 row Device code request 403 rate_limit_exceeded: error_code alone backs off and goes on", () => {
    const quota = { status: 403, body: '{"error_code":"rate_limit_exceeded"}' };
    const bench = new Bench([quota, quota, code()]);
    bench.until(3);
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.sent[2]!.atMs - bench.sent[1]!.atMs).toBeGreaterThanOrEqual(2000);
  });
});

describe("SPEC.md, Time: timing", () => {
  it("RFC 8628 §3.5: one poll per interval, none early", () => {
    const bench = new Bench([code({ interval: 7 })]);
    bench.until(6);
    expect(gaps(polls(bench))).toEqual([7000, 7000, 7000, 7000]);
  });

  it.each([
    [undefined, 5000],
    [0, 1000],
    [1, 1000],
    ["9", 9000],
  ])("interval %s is polled every %i ms", (interval, ms) => {
    const bench = new Bench([code({ interval, expires_in: 100_000 })]);
    bench.until(3);
    expect(gaps(polls(bench))).toEqual([ms]);
  });

  it("slow_down adds five seconds for good, or what the server names, and never shortens", () => {
    const slow = (interval?: number) => ({
      status: 400,
      body: JSON.stringify({ error: "slow_down", interval }),
    });
    const bench = new Bench([code(), slow(), slow(60), slow(3)]);
    bench.until(6);
    expect(gaps(polls(bench))).toEqual([10_000, 60_000, 65_000, 65_000].slice(0, 4));
  });

  it("backoff doubles with jitter, is capped, and ends with the first answer", () => {
    const bench = new Bench([code(), ...Array(8).fill(null), error(428, "authorization_pending")]);
    bench.until(12);
    const waits = gaps(polls(bench));
    for (const [i, most] of [5000, 5000, 8000, 16_000, 32_000, 64_000, 64_000].entries()) {
      expect(waits[i]).toBeGreaterThanOrEqual(Math.max(5000, most / 2));
      expect(waits[i]).toBeLessThanOrEqual(most);
    }
    expect(waits.at(-1)).toBe(5000);
  });

  it("Retry-After is honoured", () => {
    const bench = new Bench([code(), { status: 503, body: "", retryAfterS: 40 }]);
    bench.until(3);
    expect(gaps(polls(bench))[0]).toBeGreaterThanOrEqual(40_000);
  });

  it("a long sleep gives one poll, not a burst", () => {
    const bench = new Bench([code()]);
    bench.until(2);
    bench.nowMs += 600_000;
    bench.run(600_000);
    expect(bench.sent.length).toBe(3);
  });

  it("expiry renews the code up to the cap, then asks the user", () => {
    const bench = new Bench();
    bench.answers = [];
    for (let i = 0; i < 4; i++) bench.answers.push(code({ expires_in: 3, interval: 67 }));
    bench.pass(120_000);
    expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([0, 0, 0, 0]);
    expect(bench.device.error).toBe(ErrorCode.RENEWALS_EXHAUSTED);
    bench.answers = [code()];
    bench.core.signIn(bench.device);
    bench.pass(0);
    expect(bench.device.state).toBe(State.PENDING);
  });

  it("cancel gives the attempt up and a new code replaces the old", () => {
    const bench = new Bench([code(), code({ user_code: "SECOND" })]);
    bench.pass(6000);
    bench.core.signIn(bench.device);
    bench.pass(0);
    expect(bench.frame().join("")).toContain("SECOND");
    bench.core.cancel(bench.device);
    bench.pass(60_000);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.frame().join("")).not.toContain("SECOND");
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });
});

describe("SPEC.md, Errors: what does not pass by itself", () => {
  it.each([
    ["a status that says that the request is wrong", [{ status: 405, body: "<html>" }], 1],
    ["one that names no error", [{ status: 302, body: "<html>" }], 10],
    ["an answer with nothing of use", [json(200, {})], 5],
    ["a code that is dead as soon as it is polled", [code(), error(400, "invalid_grant")], 6],
  ])("RFC 9110 §15: %s is the maker's to put right; signIn counts anew", (_, answers, requests) => {
    const bench = new Bench(Array(50).fill(answers).flat());
    for (const times of [1, 2]) {
      bench.pass(86_400_000);
      expect(bench.sent).toHaveLength(times * requests);
      expect(bench.device.state).toBe(State.FAILED);
      bench.core.signIn(bench.device);
    }
  });
});

describe("SPEC.md, Records: what survives", () => {
  it("a pending code is polled again after a restart, marked until it is confirmed", () => {
    const before = new Bench([code()]);
    before.pass(20_000);
    const after = new Bench([], { slots: before.slots });
    expect(after.frame().at(-1)).toMatch(/ABCD-EFGH +\?$/);
    expect(after.device.codeConfirmed).toBe(0);
    after.until(1);
    expect(after.sent[0]!.atMs).toBeGreaterThanOrEqual(5000);
    expect(after.sent[0]!.body).toContain("device_code=dc");
    expect(after.frame().at(-1)).toMatch(/ABCD-EFGH *$/);
    expect(after.device.codeConfirmed).toBe(1);
  });

  it("tokens come back, for this client only; a spent device code does not stay (RFC 8628 §5.2)", () => {
    const before = new Bench([code({ device_code: "spent-code" }), tokens()]);
    before.until(2);
    before.pass(0);
    expect(Buffer.concat(before.slots).toString("latin1")).not.toContain("spent-code");
    const after = new Bench([tokens({ access_token: "renewed" })], { slots: before.slots });
    after.until(1);
    expect(after.sent[0]!.body).toContain("refresh_token=refresh");
    expect(after.device.state).toBe(State.SIGNED_IN);
    const other = new Bench([], { slots: before.slots, clientId: "other", autoStart: 0 });
    expect(other.device.state).toBe(State.SIGNED_OUT);
  });

  it("tenants of one origin do not share records (RFC 9700 §4.4)", () => {
    const of = (tenant: string) => ({
      server: `https://auth.test/${tenant}`,
      formerServer: "https://auth.test",
    });
    const before = new Bench([code(), tokens()], of("a"));
    before.until(2);
    before.pass(0);
    const start = (tenant: string) =>
      new Bench([], { ...of(tenant), slots: [...before.slots], autoStart: 0 }).device.state;
    expect(start("b")).toBe(State.SIGNED_OUT);
    expect(start("a")).toBe(State.REFRESHING);
  });

  it.each<[scope: unknown, kept: string]>([
    ["email profile", "email profile"],
    [["email", "profile"], "email profile"],
    [`${"s".repeat(155)} t u v`, `${"s".repeat(155)} t u`],
    [`${"s".repeat(160)} t`, "s".repeat(160)],
    ["s".repeat(161), ""],
    ["x ".repeat(30_000), "x ".repeat(80).trim()],
  ])("RFC 6749 §3.3, §5.1: %j: of a scope of any length whole names are kept", (scope, kept) => {
    const bench = new Bench([code(), tokens(), tokens({ scope })]);
    bench.until(3);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.SCOPE).trim()).toBe(kept);
  });

  it("RFC 8259 §7: an escape has hexadecimal digits of either case, and nothing else", () => {
    for (const digit of "/09:@AFG`afg") {
      const body = `{"access_token":"\\u004${digit}","token_type":"Bearer"}`;
      const bench = new Bench([code(), { status: 200, body }]);
      bench.until(2);
      bench.run(0);
      const value = Number.parseInt(digit, 16);
      const isDigit = !Number.isNaN(value);
      expect(bench.device.state, digit).toBe(isDigit ? State.SIGNED_IN : State.PENDING);
      if (isDigit) expect(bench.text(Field.ACCESS_TOKEN)).toBe(String.fromCharCode(64 + value));
    }
  });

  it("a rotated refresh token is stored before anything else is sent; the one before is tried once", () => {
    const bench = new Bench([code(), tokens()]);
    bench.until(2);
    bench.answers = [
      tokens({ refresh_token: "rotated" }),
      error(400, "invalid_grant"),
      error(400, "invalid_grant"),
    ];
    bench.pass(3_600_000);
    expect(bench.writes).toBe(3);
    bench.pass(3_700_000);
    const tried = bench.sent
      .slice(3)
      .map(({ body }) => new URLSearchParams(body).get("refresh_token"));
    expect(tried).toEqual(["rotated", "refresh"]);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });

  it.each([
    "invalid_grant",
    "bad_refresh_token",
    "invalid_refresh_token",
    "refresh_token_expired",
    "bad_token",
    "expired_token",
    "token_expired",
    "access_denied",
    "invalid_token",
    "token_revoked",
    "interaction_required",
    "login_required",
    "account_selection_required",
    "consent_required",
    "mfa_required",
    "interrupted_user",
    "ux_not_allowed",
  ])(
    "RFC 6749 §5.2, OpenID Connect Core 1.0 §3.1.2.6: a refresh answered %s ends the session, and signIn asks for a code",
    (name) => {
      const bench = new Bench([code(), tokens(), error(400, name)]);
      bench.until(3);
      bench.run(0);
      expect(bench.device.state).toBe(State.FAILED);
      expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
      expect(bench.frame().join("")).toContain("Session ended.");
      expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
      bench.core.signIn(bench.device);
      bench.run(0);
      expect(bench.sent.at(-1)!.endpoint).toBe(0);
    },
  );

  it("device doc §4.4: signing out revokes by the query, tries again, and wipes", () => {
    const bench = new Bench([code(), tokens()]);
    bench.until(2);
    bench.answers = [error(400, "invalid_request"), { status: 200, body: "" }];
    bench.core.signOut(bench.device);
    bench.pass(10_000);
    expect(bench.sent[2]).toMatchObject({ endpoint: 2, target: "?token=refresh", body: "" });
    expect(bench.sent[3]).toMatchObject({ endpoint: 2, target: "?token=refresh", body: "" });
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });
});
