// Errors of polls, the interval, and what survives in records, on a manual clock.

import { describe, expect, it } from "vitest";
import { ErrorCode, ErrorKind, Field, State } from "../../core/complete.ts";
import { Port } from "../world/core-port.ts";
import { code, error, tokens } from "../world/world.ts";

describe("device doc §7: every error of a poll", () => {
  /** A poll has been answered with an error: the state that follows, and no record behind a final one. */
  const answered = (status: number, name: string, state: State, number: ErrorCode): void => {
    const bench = new Port([code(), error(status, name)]);
    bench.until(2);
    expect(bench.device.state).toBe(state);
    expect(bench.device.error).toBe(number);
    if (state === State.FAILED) {
      expect([ErrorKind.USER, ErrorKind.ADMINISTRATOR, ErrorKind.MAKER]).toContain(
        bench.core.errorKind(bench.device, number),
      );
      expect(bench.kept).toBe("");
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

  it("device doc §7 row Poll 400 invalid_grant: a new code by itself", () => {
    const bench = new Port([code(), error(400, "invalid_grant"), code({ user_code: "NEW" })]);
    bench.until(3);
    expect(bench.sent[2]!.endpoint).toBe(0);
    expect(bench.text(Field.USER_CODE)).toBe("NEW");
  });
});

it("SPEC.md, Time, RFC 8628 §3.5: one poll per interval, none early", () => {
  const bench = new Port([code({ interval: 7 })]);
  bench.until(6);
  const times = bench.sent.filter(({ endpoint }) => endpoint === 1).map(({ atMs }) => atMs);
  expect(times.slice(1).map((time, i) => time - times[i]!)).toEqual([7000, 7000, 7000, 7000]);
});

describe("SPEC.md, Records: what survives", () => {
  it("tokens come back, for this client only; a spent device code does not stay (RFC 8628 §5.2)", () => {
    const before = new Port([code({ device_code: "spent-code" }), tokens()]);
    before.until(2);
    before.pass(0);
    expect(before.kept).not.toContain("spent-code");
    const after = new Port([tokens({ access_token: "renewed" })], {
      storage: before.world.storage,
    });
    after.until(1);
    expect(after.sent[0]!.text).toContain("refresh_token=refresh");
    expect(after.device.state).toBe(State.SIGNED_IN);
    const other = new Port([], {
      storage: before.world.storage,
      clientId: "other",
      autoStart: 0,
    });
    expect(other.device.state).toBe(State.SIGNED_OUT);
  });

  it("tenants of one origin do not share records (RFC 9700 §4.4)", () => {
    const of = (tenant: string) => ({
      server: `https://auth.test/${tenant}`,
      formerServer: "https://auth.test",
    });
    const before = new Port([code(), tokens()], of("a"));
    before.until(2);
    before.pass(0);
    const start = (tenant: string) =>
      new Port([], { ...of(tenant), storage: before.world.storage, autoStart: 0 }).device.state;
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
    const bench = new Port([code(), tokens(), tokens({ scope })]);
    bench.until(3);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.SCOPE).trim()).toBe(kept);
  });

  it.each(["invalid_grant", "bad_refresh_token", "interaction_required"])(
    "RFC 6749 §5.2, OpenID Connect Core 1.0 §3.1.2.6: a refresh answered %s ends the session",
    (name) => {
      const bench = new Port([code(), tokens(), error(400, name)]);
      bench.until(3);
      bench.run();
      expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
      expect(bench.frame().join("")).toContain("Session ended.");
      expect(bench.kept).toBe("");
    },
  );

  it("RFC 8259 §7: an escape has hexadecimal digits of either case, and nothing else", () => {
    for (const digit of "/09:@AFG`afg") {
      const body = `{"access_token":"\\u004${digit}","token_type":"Bearer"}`;
      const bench = new Port([code(), { status: 200, body }]);
      bench.until(2);
      bench.run();
      const value = Number.parseInt(digit, 16);
      const isDigit = !Number.isNaN(value);
      expect(bench.device.state, digit).toBe(isDigit ? State.SIGNED_IN : State.PENDING);
      if (isDigit) expect(bench.text(Field.ACCESS_TOKEN)).toBe(String.fromCharCode(64 + value));
    }
  });
});
