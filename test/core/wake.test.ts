// wakeIn exactly: when the next tick is of use, in every state; and that a tick just before it does
// nothing, and one at it what is due.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Command, ErrorCode, Field, State } from "../../core/complete.ts";
import { Bench, code, error, json, publicState, type Reaction, tokens } from "./bench.ts";
import { call, LIST, shown } from "./session.ts";

/** As long as a host may sleep where nothing is to be done. */
const LONGEST_MS = 100_000_000;
const wakeIn = ({ core, device }: Bench): number => core.wakeIn(device);
const pending = error(428, "authorization_pending");

/** Has its code, and no time has passed. */
function coded(members: object = {}, later: Reaction[] = [], settings: object = {}): Bench {
  const bench = new Bench([code(members), ...later], { autoStart: 0, ...settings });
  bench.core.signIn(bench.device);
  bench.run(0);
  return bench;
}

/** Signed in, and no time has passed. */
function signedIn(members: object = {}, later: Reaction[] = [], settings: object = {}): Bench {
  const bench = coded({}, [tokens(members), ...later], settings);
  bench.pass(5000);
  expect(bench.device.state).toBe(State.SIGNED_IN);
  return bench;
}

describe("SPEC The loop: wakeIn", () => {
  it("STARTING, SIGNED_OUT, FAILED: as long as one likes", () => {
    expect(wakeIn(new Bench([], { storageHangs: true }))).toBe(LONGEST_MS);
    const idle = new Bench([], { autoStart: 0 });
    expect(wakeIn(idle)).toBe(LONGEST_MS);
    idle.run(400);
    expect(wakeIn(idle)).toBe(LONGEST_MS);
    expect(wakeIn(coded({}, [error(403, "access_denied")], {}))).toBe(1000);
    const failed = new Bench([error(401, "invalid_client")], { autoStart: 0 });
    failed.core.signIn(failed.device);
    failed.run(0);
    expect(failed.device.state).toBe(State.FAILED);
    expect(wakeIn(failed)).toBe(LONGEST_MS);
  });

  it("SIGNED_OUT, FAILED behind a session, whose tokens would have lived on: as long as one likes", () => {
    const out = signedIn({}, [json(200, {}), json(200, {})]);
    out.core.signOut(out.device);
    out.pass(60_000);
    expect(out.device.state).toBe(State.SIGNED_OUT);
    expect(wakeIn(out)).toBe(LONGEST_MS);
    const ended = signedIn({}, [error(400, "invalid_grant")]);
    ended.until(3);
    expect(ended.device.state).toBe(State.FAILED);
    expect(wakeIn(ended)).toBe(LONGEST_MS);
  });

  it("REFRESHING, refused: the time to the next try, which grows to more than half an hour", () => {
    const bench = signedIn({ expires_in: 60 }, Array(30).fill(error(400, "invalid_client")));
    bench.pass(61_000 + 20_000_000);
    expect(bench.device.state).toBe(State.REFRESHING);
    const { sent } = bench;
    bench.pass(wakeIn(bench));
    const waitMs = wakeIn(bench);
    expect(waitMs).toBe(bench.device.waitMs);
    expect(waitMs).toBeGreaterThanOrEqual(2_048_000);
    expect(waitMs).toBeLessThan(4_096_000);
    const before = sent.length;
    bench.pass(waitMs - 1);
    expect(sent).toHaveLength(before);
    bench.pass(1);
    expect(sent).toHaveLength(before + 1);
  });

  it("REQUESTING: the time to the request, then the two minutes that an exchange may take", () => {
    const bench = new Bench(["hang"]);
    const waitMs = wakeIn(bench);
    bench.run(waitMs - 1);
    expect(wakeIn(bench)).toBe(1);
    expect(bench.sent).toHaveLength(0);
    bench.run(1);
    expect(bench.sent).toHaveLength(1);
    expect(wakeIn(bench)).toBe(120_000);
    bench.run(119_999);
    expect(wakeIn(bench)).toBe(1);
    expect(bench.aborts).toBe(0);
    bench.run(1);
    expect(bench.aborts).toBe(1);
    expect(bench.device.error).toBe(ErrorCode.UNREACHABLE);
  });

  it("PENDING: the next second of the countdown, or the poll where it comes before", () => {
    const bench = coded({ interval: 2 });
    expect(wakeIn(bench)).toBe(1000);
    bench.run(1);
    expect(wakeIn(bench)).toBe(999);
    bench.run(998);
    expect(wakeIn(bench)).toBe(1);
    bench.run(1);
    expect(wakeIn(bench)).toBe(1000);
    bench.run(999);
    bench.run(1);
    expect(bench.sent).toHaveLength(2);
    expect(wakeIn(bench)).toBe(1000);
  });

  it("PENDING, the poll under way: the countdown goes on, and ends while it hangs", () => {
    const bench = coded({ expires_in: 7 }, ["hang"]);
    bench.pass(5000);
    expect(bench.sent).toHaveLength(2);
    expect(wakeIn(bench)).toBe(1000);
    bench.pass(2000);
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.frame().join("")).not.toContain("ABCD-EFGH");
    expect(wakeIn(bench)).toBe(118_000);
    // It was sent in time: its answer still counts.
    bench.give(bench.sent[1]!.id, tokens());
    bench.run(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("PENDING, the code over while its poll hangs: pending is no reason to show it again", () => {
    const bench = coded({ expires_in: 7 }, ["hang"]);
    bench.pass(8000);
    bench.give(bench.sent[1]!.id, pending);
    expect(bench.device.codeShown).toBe(0);
    bench.run(0);
    expect(bench.frame().join("")).not.toContain("ABCD-EFGH");
    // That poll left before the end: the last one is still to come.
    expect(wakeIn(bench)).toBe(5000);
    bench.answers = [pending];
    bench.run(5000);
    expect(bench.sent).toHaveLength(3);
    expect(bench.device.state).toBe(State.REQUESTING);
  });

  it("PENDING after a restart: the poll, or the code's end where it comes before", () => {
    const long = coded({ interval: 9 });
    const after = new Bench([], { slots: long.slots });
    // The interval, and what a slow_down may have added since (RFC 8628 §3.5).
    expect(wakeIn(after)).toBeGreaterThanOrEqual(14_000);
    expect(wakeIn(after)).toBeLessThan(19_000);
    const short = coded({ expires_in: 3 });
    const over = new Bench([], { slots: short.slots });
    expect(wakeIn(over)).toBe(3000);
    over.run(2999);
    expect(over.sent).toHaveLength(0);
    over.run(1);
    // What is left of the interval since the restart: then it is polled once.
    over.answers = [pending];
    expect(wakeIn(over)).toBeGreaterThanOrEqual(7000);
    expect(wakeIn(over)).toBeLessThan(12_000);
    over.run(wakeIn(over));
    expect(over.sent).toHaveLength(1);
    expect(over.device.state).toBe(State.REQUESTING);
  });

  it.each([
    [1, 1000],
    [60, 60_000],
    [61, 61_000],
    [99_999, 99_999_000],
    [100_000, LONGEST_MS],
    [100_001, LONGEST_MS],
    [undefined, LONGEST_MS],
  ])("SIGNED_IN without a refresh token, for %j seconds: %i ms", (expires_in, ms) => {
    const bench = signedIn({ refresh_token: undefined, expires_in });
    expect(wakeIn(bench)).toBe(ms);
    bench.run(400);
    if (ms < LONGEST_MS) expect(wakeIn(bench)).toBe(ms - 400);
  });

  it("SIGNED_IN, to the second: refreshed when it is due, not a tick before", () => {
    const bench = signedIn({}, ["hang"]);
    const dueMs = wakeIn(bench);
    bench.run(dueMs - 1);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(wakeIn(bench)).toBe(1);
    bench.run(1);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(bench.sent).toHaveLength(3);
    expect(wakeIn(bench)).toBe(120_000);
  });

  it("REFRESHING while it backs off: also the second in which the access token lapses, which is shown", () => {
    const unavailable = error(503, "temporarily_unavailable");
    const bench = signedIn({ expires_in: 3600 }, Array<Reaction>(20).fill(unavailable));
    bench.pass(3_599_000);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(bench.frame()[0]).toContain("Signed in");
    expect(wakeIn(bench)).toBe(1000);
    bench.pass(1000);
    expect(bench.frame()[0]).toContain("Service busy");
    expect(wakeIn(bench)).toBeGreaterThan(1000);
  });

  it("to the millisecond, also the longest time that a host may sleep", () => {
    const bench = signedIn({ expires_in: 100_000, refresh_token: undefined });
    expect(wakeIn(bench)).toBe(LONGEST_MS);
    bench.run(1);
    expect(wakeIn(bench)).toBe(LONGEST_MS - 1);
    const longer = signedIn({ expires_in: 100_001, refresh_token: undefined });
    longer.run(1);
    expect(wakeIn(longer)).toBe(LONGEST_MS);
  });

  it("SIGNED_IN without a refresh token: its end, then the session's", () => {
    const bench = signedIn({ refresh_token: undefined });
    bench.run(3_599_999);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    bench.run(1);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
  });

  it("SIGNED_IN with a call under way: the display changes as the access token ends; no refresh is due before it has", () => {
    const bench = signedIn({ expires_in: 60 }, ["hang"]);
    bench.pass(52_000);
    expect(call(bench, LIST)).toBe(1);
    expect(wakeIn(bench)).toBe(0);
    bench.run(0);
    expect(wakeIn(bench)).toBe(8000);
    expect(shown(bench)).toContain("Signed in");
    bench.run(8000);
    expect(shown(bench)).toContain("Connecting");
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(wakeIn(bench)).toBe(112_000);
    bench.answers = ["hang"];
    bench.give(bench.sent[2]!.id, json(200, {}));
    expect(wakeIn(bench)).toBe(0);
    bench.run(0);
    expect(bench.device.state).toBe(State.REFRESHING);
  });

  it("SIGNED_IN with tokens that storage refused: offered again after a minute", () => {
    const bench = coded({}, [tokens()]);
    bench.storageHangs = true;
    bench.pass(5000);
    for (let tries = 0; tries < 3; tries++) {
      bench.core.storageDone(bench.device, 0);
      expect(wakeIn(bench)).toBe(0);
      bench.run(0);
    }
    expect(bench.device.notSaved).toBe(1);
    expect(wakeIn(bench)).toBe(60_000);
    bench.storageHangs = false;
    const { writes } = bench;
    bench.run(59_999);
    expect(bench.writes).toBe(writes);
    bench.run(1);
    expect(bench.writes).toBe(writes + 1);
    expect(bench.device.notSaved).toBe(0);
    expect(wakeIn(bench)).toBeGreaterThan(2_000_000);
  });

  it("a text of several pages: what is due before its next page comes first", () => {
    const messages = Array(24).fill("many words that need more than one page").join("\n");
    const bench = new Bench([null], { columns: 16, rows: 2, autoStart: 0, messages });
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(wakeIn(bench)).toBeGreaterThanOrEqual(1000);
    expect(wakeIn(bench)).toBeLessThan(2000);
  });

  it("a text of several pages: the next page", () => {
    const bench = new Bench([error(403, "org_internal")], { columns: 16, rows: 2, autoStart: 0 });
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(wakeIn(bench)).toBe(3000);
    bench.run(2999);
    expect(wakeIn(bench)).toBe(1);
    bench.run(1);
    expect(wakeIn(bench)).toBe(3000);
  });

  const sooner: [what: string, act: (bench: Bench) => void][] = [
    ["the user has cancelled", ({ core, device }) => core.cancel(device)],
    ["the user wants another code", ({ core, device }) => core.signIn(device)],
    ["the application has a line", ({ core, device }) => core.setStatus(device, [65], 0, 1)],
  ];
  it.each(sooner)("0 when %s, and not 0 any more when that is done", (_, act) => {
    const bench = coded({}, ["hang"]);
    act(bench);
    expect(wakeIn(bench)).toBe(0);
    bench.run(0);
    expect(wakeIn(bench)).toBeGreaterThan(0);
  });
});

describe("SPEC The loop: time", () => {
  it("counts every millisecond, however it is cut", () => {
    const naps = fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(naps, (each) => {
        const bench = signedIn({ refresh_token: undefined, expires_in: 50_000_000 });
        let passedMs = 0;
        for (const nap of each) {
          bench.run(nap);
          passedMs += nap;
          expect(bench.device.accessLifeS).toBe(50_000_000 - Math.floor(passedMs / 1000));
        }
      }),
    );
  });

  it.each([
    [99_999_999, 99_999],
    [100_000_000, 100_000],
    [100_000_001, 100_000],
    [134_217_727, 100_000],
    [2 ** 31, 100_000],
    [1e15, 100_000],
    [Number.POSITIVE_INFINITY, 100_000],
  ])("a sleep of %d ms counts as %i s", (elapsedMs, seconds) => {
    const bench = signedIn({ refresh_token: undefined, expires_in: 50_000_000 });
    bench.run(elapsedMs);
    expect(bench.device.accessLifeS).toBe(50_000_000 - seconds);
    bench.run(1000);
    expect(bench.device.accessLifeS).toBe(50_000_000 - seconds - 1);
  });

  it("what was carried over from before such a sleep is not lost", () => {
    const bench = signedIn({ refresh_token: undefined, expires_in: 50_000_000 });
    bench.run(999);
    bench.run(LONGEST_MS);
    expect(bench.device.accessLifeS).toBe(50_000_000 - 100_000);
    bench.run(1);
    expect(bench.device.accessLifeS).toBe(50_000_000 - 100_001);
  });

  it("an unknown lifetime stays unknown, a known one ends at 0", () => {
    const bench = signedIn({ expires_in: undefined, refresh_token_expires_in: 10 });
    for (let i = 0; i < 2000; i++) bench.run(LONGEST_MS);
    expect(bench.device.accessLifeS).toBe(100_000_000);
    expect(bench.device.refreshLifeS).toBe(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });
});

describe("SPEC A request: an answer belongs to the request whose id it carries", () => {
  type Tell = "responseStart" | "responseBody" | "responseEnd" | "responseFailed";
  const bytes = new TextEncoder().encode(tokens().body);
  const tell = ({ core, device }: Bench, name: Tell, id: number): void => {
    if (name === "responseStart") core.responseStart(device, id, 200, 77);
    else if (name === "responseBody") core.responseBody(device, id, bytes, 0, bytes.length);
    else core[name](device, id);
  };
  const names: Tell[] = ["responseStart", "responseBody", "responseEnd", "responseFailed"];

  it.each(names)("%s for one that is over changes nothing", (name) => {
    for (const away of [0, -1, 1]) {
      const bench = coded({}, [pending]);
      bench.pass(5000);
      const before = publicState(bench);
      tell(bench, name, bench.sent[1]!.id + away);
      expect(publicState(bench)).toEqual(before);
      bench.run(0);
      expect(publicState(bench)).toEqual(before);
    }
  });

  it.each(names)("%s for another leaves the one under way as it is", (name) => {
    for (const away of [-1, 1]) {
      const bench = coded({}, ["hang"]);
      bench.pass(5000);
      const { id } = bench.sent[1]!;
      const { core, device } = bench;
      const half = bytes.length >> 1;
      core.responseStart(device, id, 200, -1);
      core.responseBody(device, id, bytes, 0, half);
      const before = publicState(bench);
      tell(bench, name, id + away);
      expect(publicState(bench)).toEqual(before);
      core.responseBody(device, id, bytes, half, bytes.length);
      core.responseEnd(device, id);
      expect(device.state).toBe(State.SIGNED_IN);
    }
  });

  it("ends without a status: no answer at all", () => {
    const bench = coded({}, ["hang"]);
    bench.pass(5000);
    bench.core.responseEnd(bench.device, bench.sent[1]!.id);
    bench.run(0);
    expect(bench.device.error).toBe(ErrorCode.UNREACHABLE);
  });

  it("a body without a status is nobody's: it does not go on with the answer before it", () => {
    for (const cut of [3, 10, 20, 30, 60, bytes.length - 1]) {
      const bench = coded({}, ["hang", "hang"]);
      const { core, device } = bench;
      bench.pass(5000);
      const first = bench.sent[1]!.id;
      core.responseStart(device, first, 200, -1);
      core.responseBody(device, first, bytes, 0, cut);
      core.responseFailed(device, first);
      bench.until(3);
      const before = publicState(bench);
      core.responseBody(device, bench.sent[2]!.id, bytes, cut, bytes.length);
      expect(publicState(bench)).toEqual(before);
      // Nor does it count as the beginning of what comes then.
      bench.give(bench.sent[2]!.id, tokens());
      expect(device.state).toBe(State.SIGNED_IN);
      expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
    }
  });

  it("identifiers differ from one request to the next, for more than 65536 of them", () => {
    const bench = coded({ interval: 1, expires_in: 99_000_000 });
    const { core, device } = bench;
    let last = device.requestId;
    for (let i = 0; i < 66_000; i++) {
      let command = core.tick(device, 1000);
      while (command !== Command.NONE) {
        if (command === Command.SEND) {
          expect(device.requestId).not.toBe(last);
          last = device.requestId;
          core.responseStart(device, last, 503, -1);
          core.responseEnd(device, last);
        }
        command = core.tick(device, 0);
      }
    }
    expect(last).toBeGreaterThanOrEqual(0);
    expect(last).toBeLessThan(65_536);
  });
});
