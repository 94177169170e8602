// Numbers of answers and what they come to: lifetimes, intervals, waits, each at its bounds.

import { describe, expect, it } from "vitest";
import { ErrorCode, Event, State } from "../../core/complete.ts";
import { isFullRun } from "../full-run.ts";
import { type Answer, Bench, code, error, json, tokens } from "./bench.ts";

/** Larger numbers count as this, which means unknown. */
const UNKNOWN = 100_000_000;

/** A device that has this answer to its first request, and no time has passed. */
function codeNow(members: object, seed = 7): Bench {
  const bench = new Bench([code(members)], { autoStart: 0, seed });
  bench.core.signIn(bench.device);
  bench.run(0);
  return bench;
}

/** Signed in, and no time has passed since. */
function tokensNow(members: object, seed = 7): Bench {
  const bench = codeNow({}, seed);
  bench.answers = [tokens(members)];
  bench.pass(5000);
  return bench;
}

/**
 * A wait for hours. While a code is shown a host wakes each second for the countdown; here it sleeps for an hour at a
 * time, and only the last seconds, in which something is due, pass as the device asks.
 */
function passHours(bench: Bench, ms: number): void {
  const asleep = bench.nowMs + ms - 20_000;
  while (bench.nowMs < asleep) {
    const step = Math.min(3_600_000, asleep - bench.nowMs);
    bench.nowMs += step;
    bench.run(step);
  }
  bench.pass(Math.min(ms, 20_000));
}

const seconds: [sent: unknown, read: number][] = [
  [1, 1],
  [9, 9],
  [59, 59],
  [60, 60],
  ["60", 60],
  [3600, 3600],
  [3601, 3601],
  ["0003600", 3600],
  [9_999_999, 9_999_999],
  [10_000_000, 10_000_000],
  [13_421_772, 13_421_772],
  [99_999_999, 99_999_999],
  [100_000_000, UNKNOWN],
  [100_000_001, UNKNOWN],
  [134_217_727, UNKNOWN],
  [134_217_728, UNKNOWN],
  [1_342_177_279, UNKNOWN],
  [999_999_999_999, UNKNOWN],
  ["9999999999999999999999", UNKNOWN],
  [12.9, 12],
  ["12.9", 12],
  ["12.", 12],
  ["12.90000000000000000001", 12],
];
const noSeconds = [
  -1,
  1e21,
  1.5e21,
  1.5552e-7,
  "18e2",
  "1.5552E7",
  "3.6e3",
  "3.-6",
  "3.x",
  "-60",
  "",
  "abc",
  "6 0",
  "60s",
  "/60",
  ":60",
];
/** As if the member were not there. */
const absent = [null, true, {}, undefined];

describe("RFC 8628 §3.2: expires_in of a code", () => {
  it.each(seconds)("%j is %i seconds", (sent, read) => {
    expect(codeNow({ expires_in: sent }).device.codeLifeS).toBe(read);
  });

  it.each(noSeconds)("%j is no lifetime, and such an answer no code", (sent) => {
    const { device } = codeNow({ expires_in: sent });
    expect(device.state).toBe(State.REQUESTING);
    expect(device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
  });

  it.each(absent)("%j is a server that does not say: ten minutes", (sent) => {
    expect(codeNow({ expires_in: sent }).device.codeLifeS).toBe(600);
  });

  it("0 is a code that is over at once: it is renewed up to the cap, not asked for for ever", () => {
    const bench = new Bench();
    bench.answers = [];
    for (let i = 0; i < 10; i++) bench.answers.push(code({ expires_in: 0 }), null);
    bench.pass(600_000);
    expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
    expect(bench.device.error).toBe(ErrorCode.RENEWALS_EXHAUSTED);
  });

  it.each(["18e2", "18E2", "1.8e3", "1.8E+3", "18000e-1"])(
    "an exponent is no way to write one: %s",
    (number) => {
      const body = code().body.replace("1800", number);
      const bench = new Bench([{ status: 200, body }], { autoStart: 0 });
      bench.core.signIn(bench.device);
      bench.run(0);
      expect(bench.device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
    },
  );
});

describe("RFC 6749 §5.1: expires_in of an access token", () => {
  it.each(seconds)("%j is %i seconds", (sent, read) => {
    expect(tokensNow({ expires_in: sent }).device.accessLifeS).toBe(read);
  });

  it.each([0, "0", ...noSeconds, ...absent])("%j is unknown: used until it is refused", (sent) => {
    const bench = tokensNow({ expires_in: sent });
    expect(bench.device.accessLifeS).toBe(UNKNOWN);
    bench.pass(86_400_000);
    expect(bench.device.accessLifeS).toBe(UNKNOWN);
    expect(bench.sent).toHaveLength(2);
  });
});

describe("device doc §2.2 row refresh_token_expires_in: any number", () => {
  it.each([[0, 0] as [unknown, number], ...seconds])("%j is %i seconds", (sent, read) => {
    expect(tokensNow({ refresh_token_expires_in: sent }).device.refreshLifeS).toBe(read);
  });

  it.each([...noSeconds, ...absent])("%j is unknown, and no time runs", (sent) => {
    const bench = tokensNow({ refresh_token_expires_in: sent });
    expect(bench.device.refreshLifeS).toBe(UNKNOWN);
    bench.pass(3_000_000);
    expect(bench.device.refreshLifeS).toBe(UNKNOWN);
  });

  it.each([
    [259_201, false],
    [259_200, false],
    [259_199, true],
  ])("of %i seconds: the user is told beneath three days: %s", (life, isTold) => {
    const bench = tokensNow({ refresh_token_expires_in: life });
    expect(bench.frame().join("").includes("Sign in again soon")).toBe(isTold);
  });
});

describe("RFC 8628 §3.2, §3.5: the interval", () => {
  const between = (bench: Bench, count: number, ms: number): number[] => {
    for (let i = 0; bench.sent.length < count && i < 2 * count; i++) passHours(bench, ms);
    const times = bench.sent.slice(0, count).map(({ atMs }) => atMs);
    return times.slice(1).map((time, i) => time - times[i]!);
  };
  it.each([
    [undefined, 5000],
    [-1, 5000],
    ["x", 5000],
    [0, 1000],
    [1, 1000],
    [2, 2000],
    [1.9, 2000],
    ["10", 10_000],
    [3599, 3_599_000],
    [3600, 3_600_000],
    [3601, 3_601_000],
    [7200, 7_200_000],
    [99_930, 99_930_000],
  ])("%j seconds are polled every %i ms", (interval, ms) => {
    const bench = codeNow({ interval, expires_in: 100_000_000 });
    expect(between(bench, 3, ms)).toEqual([ms, ms]);
  });

  it.each([
    [3600, undefined, 3_605_000],
    [99_925, undefined, 99_930_000],
    [5, 7200, 7_200_000],
    [5, 10, 10_000],
    [5, 11, 11_000],
    [5, 9, 10_000],
  ])("slow_down from %i s, naming %j: %i ms from then on", (...row) => {
    const [interval, named, ms] = row;
    const slow: Answer = {
      status: 400,
      body: JSON.stringify({ error: "slow_down", interval: named }),
    };
    const bench = codeNow({ interval, expires_in: 100_000_000 });
    bench.answers = [slow];
    expect(between(bench, 4, ms).slice(1)).toEqual([ms, ms]);
  });
});

describe("RFC 8628 §3.5: an interval that is too long to be waited for is not cut short", () => {
  it.each([99_931, 100_000, 134_217_728, "1000000000000000"])(
    "%j seconds: the code is never polled, and ends with the 27 hours that can be waited for",
    (interval) => {
      const bench = codeNow({ interval, expires_in: 100_000_000 });
      passHours(bench, 99_839_000);
      expect(bench.device.state).toBe(State.PENDING);
      bench.answers = ["hang"];
      bench.pass(10_000);
      expect(bench.device.event).toBe(Event.CODE_EXPIRED);
      expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([0, 0]);
    },
  );

  it.each([undefined, 200_000])("nor one that slow_down makes so, naming %j", (named) => {
    const slow: Answer = json(400, { error: "slow_down", interval: named });
    const bench = codeNow({ interval: 99_926, expires_in: 100_000_000 });
    bench.answers = [slow, "hang"];
    passHours(bench, 99_930_000);
    passHours(bench, 99_840_000);
    expect(bench.device.event).toBe(Event.CODE_EXPIRED);
    expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([0, 1, 0]);
  });

  it("a code that ends before is what it was", () => {
    const bench = codeNow({ interval: 200_000, expires_in: 1800 });
    expect(bench.device.codeLifeS).toBe(1800);
  });
});

describe("RFC 9110 §10.2.3: Retry-After", () => {
  it.each([
    [60, 60_000],
    [3599, 3_599_000],
    [3600, 3_600_000],
    [3601, 3_600_000],
    [134_217_727, 3_600_000],
  ])("of %i seconds: the next request comes after exactly %i ms", (retryAfterS, ms) => {
    const bench = new Bench([{ status: 503, body: "", retryAfterS }, code()]);
    bench.until(2);
    expect(bench.sent[1]!.atMs - bench.sent[0]!.atMs).toBe(ms);
  });

  it.each([0, -1, 1])("of %i seconds shortens no backoff", (retryAfterS) => {
    const bench = new Bench([{ status: 503, body: "", retryAfterS }, code()]);
    bench.until(2);
    expect(bench.sent[1]!.atMs - bench.sent[0]!.atMs).toBeGreaterThanOrEqual(1000);
  });

  it("RFC 7009 §2.2.1: of a revocation it counts up to a minute: the user has signed out", () => {
    for (const [retryAfterS, ms] of [
      [3600, 64_000],
      [65, 64_000],
      [64, 64_000],
      [63, 63_000],
    ] as const) {
      const bench = tokensNow({});
      const busy = { status: 503, body: "", retryAfterS };
      bench.answers = [busy, busy, busy, busy];
      bench.sent.length = 0;
      bench.core.signOut(bench.device);
      bench.pass(300_000);
      const times = bench.sent.map(({ atMs }) => atMs);
      expect(times.slice(1).map((time, i) => time - times[i]!)).toEqual([ms, ms, ms]);
      expect(bench.device.state).toBe(State.SIGNED_OUT);
      expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
    }
  });

  it("with a code, too, is waited for before the first poll", () => {
    const bench = new Bench([{ ...code(), retryAfterS: 30 }]);
    bench.until(2);
    expect(bench.sent[1]!.atMs - bench.sent[0]!.atMs).toBe(30_000);
  });
});

describe("SPEC Time: what is at random", () => {
  const count = isFullRun ? 120 : 60;
  /** Spread over all seeds, of which there are 2^26. */
  const SEEDS = Array.from({ length: count }, (_, i) => (i * 67_092_480) / count);
  /** All lie in the range, and some in each quarter of it. */
  function spread(values: readonly number[], from: number, below: number): void {
    for (const value of values) {
      expect(value).toBeGreaterThanOrEqual(from);
      expect(value).toBeLessThan(below);
    }
    const quarters = values.map((value) => Math.floor((4 * (value - from)) / (below - from)));
    expect(new Set(quarters).size).toBe(4);
  }

  it("the first request after a start comes within five seconds", () => {
    const firsts = SEEDS.map((seed) => {
      const bench = new Bench([], { seed });
      return bench.core.wakeIn(bench.device);
    });
    spread(firsts, 0, 5000);
  });

  it("backoff: the upper half of 2, 4, 8 ... 64 seconds", () => {
    const waits = SEEDS.map((seed) => {
      const bench = new Bench(Array(9).fill(null), { seed });
      bench.until(9);
      const times = bench.sent.map(({ atMs }) => atMs);
      return times.slice(1).map((time, i) => time - times[i]!);
    });
    for (const [i, most] of [2000, 4000, 8000, 16_000, 32_000, 64_000, 64_000, 64_000].entries()) {
      const column = waits.map((row) => row[i]!);
      spread(column, most / 2, most);
    }
    for (const row of waits) expect(new Set(row).size).toBe(row.length);
  });

  it.each([
    [3600, 3000, 3300],
    [2400, 1800, 2100],
    [2399, 1801, 2100],
    [86_400, 85_800, 86_100],
  ])("a token of %i seconds is refreshed after %i to %i", (life, from, to) => {
    const dues = SEEDS.map((seed) => {
      const bench = tokensNow({ expires_in: life }, seed);
      return bench.core.wakeIn(bench.device) / 1000;
    });
    spread(dues, from + 1, to + 1);
  });

  it.each([60, 61, 120, 300, 480, 511])(
    "a token of %i seconds, too, is refreshed from one to two eighths ahead of its end",
    (life) => {
      const margin = life >> 3;
      const dues = SEEDS.map((seed) => {
        const bench = tokensNow({ expires_in: life }, seed);
        return bench.core.wakeIn(bench.device) / 1000;
      });
      spread(dues, life - 2 * margin + 1, life - margin + 1);
    },
  );
});

describe("SPEC.md, Time: errors that a poll survives keep the interval as it is", () => {
  it("a backoff is over with the next answer, and the interval unchanged", () => {
    const pending = error(428, "authorization_pending");
    const bench = codeNow({});
    bench.answers = [null, null, null, pending, null];
    bench.until(7);
    const times = bench.sent.map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((time, i) => time - times[i]!);
    expect(gaps[4]).toBe(5000);
    expect(gaps[5]).toBe(5000);
  });
});
