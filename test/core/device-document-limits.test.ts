// The device document row by row, as the device sees it: errors and limits. A test's name begins with the
// section, and the row where the section is a table.

import { describe, expect, it } from "vitest";
import { ErrorCode, State } from "../../core/complete.ts";
import { Bench, code, error, fields, json, polls, shown, signedIn } from "./bench.ts";

describe("device doc §7", () => {
  it("device doc §7 row Device code request 403 rate_limit_exceeded: backs off, longer each time", () => {
    const quota = json(403, { error_code: "rate_limit_exceeded" });
    const bench = new Bench([quota, quota, quota, quota, code()]);
    bench.until(5);
    const times = bench.sent.map(({ atMs }) => atMs);
    const waits = times.slice(1).map((time, i) => time - times[i]!);
    for (const [i, most] of [2000, 4000, 8000, 16_000].entries()) {
      expect(waits[i]).toBeGreaterThanOrEqual(most / 2);
      expect(waits[i]).toBeLessThanOrEqual(most);
    }
    expect(bench.device.state).toBe(State.PENDING);
  });

  it.each([
    [400, ""],
    [400, '{"error":"invalid_token"}'],
    [400, '{"error":{"code":400,"message":"no"}}'],
    [400, "<html>"],
  ])("device doc §7 row Revoke 400: %j is tried again, then let be", (status, body) => {
    const bench = signedIn();
    bench.answers = Array(10).fill({ status, body });
    bench.core.signOut(bench.device);
    bench.pass(600_000);
    expect(bench.sent.slice(2).map(({ target }) => (target ? "query" : "body"))).toEqual([
      ...Array(4).fill("query"),
    ]);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });

  it.each([400, 401])(
    "device doc §7 row missing parameters or wrong values: %i is final, and nothing to ask again",
    (status) => {
      const bench = new Bench([code(), error(status, "invalid_request")]);
      bench.pass(86_400_000);
      expect(bench.device.state).toBe(State.FAILED);
      expect(bench.sent.length).toBe(2);
    },
  );

  it.each([
    [json(400, { error: "invalid_grant" }), "the session ends"],
    [json(401, { error: "invalid_client" }), "the tokens are kept for a better setup"],
    [{ status: 400, body: "not shown" }, "the session goes on"],
  ])("device doc §7: a refresh failure's body is not shown; %j", (answer, outcome) => {
    const bench = signedIn();
    bench.answers = [answer, answer, answer];
    bench.until(3);
    const kept = bench.slots.some((slot) => slot.length > 0);
    if (outcome === "the session ends") {
      expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
      expect(kept).toBe(false);
    } else {
      expect(kept).toBe(true);
      expect(bench.device.error).not.toBe(ErrorCode.SESSION_ENDED);
    }
  });
});

describe("device doc §8", () => {
  it("device doc §8 row Code lifetime: no poll with a code that has lived its time", () => {
    const bench = new Bench([code({ expires_in: 20 })]);
    bench.pass(60_000);
    const from = bench.sent[0]!.atMs;
    const first = polls(bench).filter((sent) => fields(sent).device_code === "dc");
    for (const { atMs } of first) expect(atMs - from).toBeLessThanOrEqual(20_000);
  });

  it("device doc §8 row Polling rate: never two polls within the interval, whatever comes", () => {
    const bench = new Bench([
      code(),
      null,
      error(403, "slow_down"),
      { status: 503, body: "" },
      { status: 200, body: "<html>" },
      error(428, "authorization_pending"),
      null,
    ]);
    bench.until(10);
    const times = polls(bench).map(({ atMs }) => atMs);
    for (const [i, time] of times.slice(1).entries()) {
      expect(time - times[i]!).toBeGreaterThanOrEqual(i < 2 ? 5000 : 10_000);
    }
  });

  it("device doc §8 row Device code request quota: asked for again ever more slowly, on end", () => {
    const quota = json(403, { error_code: "rate_limit_exceeded" });
    const bench = new Bench(Array(2000).fill(quota));
    bench.pass(3_600_000);
    expect(bench.sent.length).toBeLessThan(130);
    expect(bench.device.state).toBe(State.REQUESTING);
  });

  it("device doc §8 row Refresh tokens issued: one that died silently ends the session", () => {
    const bench = signedIn();
    bench.answers = [error(400, "invalid_grant")];
    bench.until(3);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
    expect(shown(bench)).toContain("Session ended");
  });

  it.each([16, 20, 32, 80])(
    "device doc §8 row user_code display: 15 wide characters on %i columns, on one line",
    (columns) => {
      const bench = new Bench([code({ user_code: "WWWWWWWWWWWWWWW" })], { columns });
      bench.until(1);
      expect(bench.frame().at(-1)).toContain("WWWWWWWWWWWWWWW");
    },
  );

  it.each([
    [16, 4],
    [20, 4],
    [40, 2],
    [80, 8],
  ])(
    "device doc §8 row verification_url display: 40 characters on %i x %i at once",
    (columns, rows) => {
      const address = "https://www.example.com/some/device/abcd";
      const bench = new Bench([code({ verification_url: address })], { columns, rows });
      bench.until(1);
      const text = bench
        .frame()
        .map((row) => row.trimEnd())
        .join("");
      expect(text).toContain(columns < 40 ? address.slice(8) : address);
    },
  );

  it.each(["http://", "https://"])(
    "device doc §8 row verification_url display: %s may be left away",
    (scheme) => {
      const bench = new Bench([code({ verification_url: `${scheme}example.com/12345678` })]);
      bench.until(1);
      expect(bench.frame().map((row) => row.trimEnd())).toContain("example.com/12345678");
    },
  );

  it("device doc §8 row Refresh token lifetime: when it has expired the user is asked", () => {
    const bench = signedIn({ refresh_token_expires_in: 3000 });
    bench.answers = [error(400, "invalid_grant")];
    bench.until(3);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
  });
});
