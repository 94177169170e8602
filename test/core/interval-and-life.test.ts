// Waits and lifetimes at their edges (SPEC.md, Time): neither earlier than a server asks, nor longer than a token lives.

import { describe, expect, it } from "vitest";
import { Event, State } from "../../core/complete.ts";
import { Limit } from "../../core/device/limits.ts";
import { type Answer, Bench, code, error, tokens } from "./bench.ts";
import { call, LIST, polls, shown } from "./session.ts";

const pauses = (bench: Bench): number[] => {
  const times = polls(bench).map(({ atMs }) => atMs);
  return times.slice(1).map((atMs, at) => atMs - times[at]!);
};

describe("RFC 8628 §3.2 interval: the minimum amount of time in seconds between polls", () => {
  it.each([
    [4.9, 5000],
    ["4.9", 5000],
    ["4.000000000001", 5000],
    [5, 5000],
    ["5.0", 5000],
    ["7.", 7000],
    [0.5, 1000],
  ])("%s is polled after %i ms", (interval, ms) => {
    const bench = new Bench([code({ interval })]);
    bench.until(4);
    expect(pauses(bench)).toEqual([ms, ms]);
  });

  it("slow_down with an interval that has a fraction", () => {
    const slower: Answer = { status: 400, body: '{"error":"slow_down","interval":11.2}' };
    const bench = new Bench([code(), slower]);
    bench.until(4);
    expect(pauses(bench)).toEqual([12_000, 12_000]);
  });

  it("of a lifetime a fraction is dropped: the end is never later than the server's", () => {
    const bench = new Bench([code({ expires_in: "59.9" })]);
    bench.until(1);
    expect(bench.device.codeLifeS).toBeLessThanOrEqual(59);
  });
});

describe("RFC 8628 §3.5 slow_down: this and all subsequent requests", () => {
  it("a code that a restart finds is polled with the interval and five seconds more", () => {
    const before = new Bench([code({ interval: 7 }), error(400, "slow_down")]);
    before.until(3);
    expect(before.writes).toBe(1);
    const bench = new Bench([], { slots: before.slots });
    expect(bench.device.state).toBe(State.PENDING);
    bench.until(3);
    expect(bench.sent[0]!.atMs).toBeGreaterThanOrEqual(12_000);
    expect(pauses(bench)).toEqual([12_000, 12_000]);
    expect(bench.writes).toBe(0);
    // The record has the interval that the server named: restarts do not add up.
    const third = new Bench([], { slots: bench.slots });
    third.until(3);
    expect(pauses(third)).toEqual([12_000, 12_000]);
  });

  it.each([1, 2, 3, 4, 5])(
    "the longest interval is waited for after a start that is spread as far as can be: seed %i",
    (seed) => {
      const before = new Bench([code({ interval: Limit.INTERVAL_MAX_S - 5, expires_in: 300_000 })]);
      before.until(1);
      before.run(0);
      const bench = new Bench(["hang"], { slots: before.slots, startSpreadMs: 60_000, seed });
      bench.pass(0);
      const { waitMs } = bench.device;
      expect(waitMs).toBeGreaterThan(Limit.INTERVAL_MAX_MS);
      bench.pass(waitMs - 1);
      expect(bench.sent).toEqual([]);
      bench.pass(1);
      expect(bench.sent).toHaveLength(1);
    },
  );

  it("where the interval and five seconds more cannot be waited for, the found code ends before its poll", () => {
    const before = new Bench([code({ interval: 99_930, expires_in: 300_000 })]);
    before.until(1);
    before.run(0);
    const bench = new Bench([], { slots: before.slots, renewalsMax: 0 });
    bench.pass(110_000_000);
    expect(bench.sent).toEqual([]);
    expect(bench.device.event).toBe(Event.RENEWALS_EXHAUSTED);
  });
});

describe("RFC 6749 §5.1 expires_in: the lifetime in seconds of the access token", () => {
  it.each([1, 5, 30, 59])("a token of %i s is used as long, and refreshed before that", (life) => {
    const bench = new Bench([code(), tokens({ expires_in: life, refresh_token: undefined })]);
    bench.until(2);
    expect(bench.device.accessLifeS).toBeLessThanOrEqual(life);
    bench.pass(life * 1000);
    // Without a refresh token the session ends with it: no dead token is handed out.
    expect(bench.device.state).toBe(State.FAILED);
  });

  it("a token of 5 s is refreshed when it ends, and no call goes out with it after that", () => {
    const short = tokens({ expires_in: 5 });
    const bench = new Bench([code(), short, "hang"]);
    bench.until(2);
    const fromMs = bench.nowMs;
    bench.until(3);
    expect(bench.nowMs - fromMs).toBeLessThanOrEqual(5000);
    bench.pass(1000);
    expect(bench.device.state).toBe(State.REFRESHING);
    call(bench, LIST);
    bench.pass(1000);
    expect(bench.sent.filter(({ bearer }) => bearer)).toEqual([]);
  });

  it("0 says nothing of the token: it is used until it is refused", () => {
    const bench = new Bench([code(), tokens({ expires_in: 0 })]);
    bench.until(2);
    bench.pass(3_600_000);
    expect(bench.sent).toHaveLength(2);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(shown(bench)).toContain("Signed in");
  });
});
