// Tests which records are valid after a restart, and how the core parses a scope.

import { describe, expect, it } from "vitest";
import { Field, State } from "../../core/complete.ts";
import { Port } from "../environment/core-port.ts";
import { code, tokens } from "../environment/environment.ts";

describe("SPEC.md, Records", () => {
  it("tokens are valid only for the same client after a restart; a used device code is not (RFC 8628 §5.2)", () => {
    const before = new Port([code({ device_code: "spent-code" }), tokens()]);
    before.until(2);
    before.pass(0);
    expect(before.stored).not.toContain("spent-code");
    const after = new Port([tokens({ access_token: "renewed" })], {
      storage: before.environment.storage,
    });
    after.until(1);
    expect(after.sent[0]!.text).toContain("refresh_token=refresh");
    expect(after.device.state).toBe(State.SIGNED_IN);
    const other = new Port([], {
      storage: before.environment.storage,
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
      new Port([], { ...of(tenant), storage: before.environment.storage, autoStart: 0 }).device
        .state;
    expect(start("b")).toBe(State.SIGNED_OUT);
    expect(start("a")).toBe(State.REFRESHING);
  });

  it.each<[scope: unknown, stored: string]>([
    ["email profile", "email profile"],
    [["email", "profile"], "email profile"],
    [`${"s".repeat(155)} t u v`, `${"s".repeat(155)} t u`],
    [`${"s".repeat(160)} t`, "s".repeat(160)],
    ["s".repeat(161), ""],
    ["x ".repeat(30_000), "x ".repeat(80).trim()],
  ])("RFC 6749 §3.3, §5.1: a long scope is truncated to whole names (%#)", (scope, stored) => {
    const bench = new Port([code(), tokens(), tokens({ scope })]);
    bench.until(3);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.SCOPE).trim()).toBe(stored);
  });
});
