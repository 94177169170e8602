// SPEC.md, Errors: what a refusal costs. No passing fault and nothing that the maker can mend costs a session; no
// device waits without end for what does not pass by itself; a person has a way out at any time.

import { describe, expect, it } from "vitest";
import { ErrorCode, Event, Region, State } from "../../core/complete.ts";
import { type Answer, Bench, code, error, json, type Reaction, shown, tokens } from "./bench.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Signed in with a refresh token, and refreshed in vain for as long. */
function refusedFor(ms: number, answer: Reaction, memoryBytes = 8192): Bench {
  const bench = new Bench([code(), tokens({ expires_in: 60 })], { memoryBytes });
  bench.until(2);
  bench.answers = Array(4000).fill(answer);
  bench.pass(ms);
  return bench;
}

const refreshes = ({ sent }: Bench): number[] =>
  sent.filter(({ body }) => body.includes("grant_type=refresh_token")).map(({ atMs }) => atMs);

const pauses = (times: readonly number[]): number[] =>
  times.slice(1).map((time, i) => time - times[i]!);

describe("RFC 6749 §5.2: a refresh that is refused for a reason that is not the tokens'", () => {
  it.each([
    error(401, "invalid_client"),
    error(400, "unauthorized_client"),
    error(400, "invalid_request"),
    error(400, "admin_policy_enforced"),
    json(415, {}),
    json(401, {}),
    json(308, {}),
    tokens({ access_token: "a".repeat(2600) }),
    tokens({ token_type: "mac" }),
  ])("%j costs no session in days, and is asked for more and more seldom", (answer) => {
    const bench = refusedFor(3 * DAY_MS, answer as Answer, 4096);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(bench.text(Region.REFRESH_TOKEN)).toBe("refresh");
    const times = refreshes(bench);
    expect(times.length).toBeLessThan(3 * 24 * 2);
    expect(times.length).toBeGreaterThan(3 * 12);
    // And as soon as it is mended it goes on.
    bench.answers = [tokens({ expires_in: 90_000 })];
    bench.pass(1.2 * HOUR_MS);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.device.error).toBe(ErrorCode.NONE);
  });

  it("the waits double from a second or two to more than half an hour, half of each random", () => {
    const waits = pauses(refreshes(refusedFor(DAY_MS, error(401, "invalid_client"))));
    waits.forEach((wait, i) => {
      const longest = Math.min(2000 * 2 ** i, 4_096_000);
      expect(wait).toBeGreaterThanOrEqual(longest / 2);
      expect(wait).toBeLessThan(longest);
    });
    expect(new Set(waits.slice(14)).size).toBeGreaterThan(5);
  });

  it("Retry-After is honoured, and a failure of the network is tried again soon", () => {
    const answer = { ...error(401, "invalid_client"), retryAfterS: 500 };
    const bench = refusedFor(DAY_MS, answer);
    expect(Math.min(...pauses(refreshes(bench)))).toBeGreaterThanOrEqual(500_000);
    bench.answers = Array(50).fill(null);
    bench.pass(2 * HOUR_MS);
    expect(Math.max(...pauses(refreshes(bench)).slice(-10))).toBeLessThanOrEqual(64_000);
  });

  it("the display says why, and whom to ask", () => {
    const bench = refusedFor(HOUR_MS, error(401, "invalid_client"));
    expect(shown(bench)).toContain("Device refused.");
    const unknown = refusedFor(HOUR_MS, error(400, "quota-7"));
    expect(shown(unknown).replaceAll(/\s+/g, " ")).toContain("Failed. Ask the maker");
    expect(shown(unknown)).toContain("quota-7");
  });
});

describe("a refresh that is refused by a name that nobody knows", () => {
  it("is borne for a day, and then counts as the end of the session", () => {
    const bench = refusedFor(DAY_MS, error(400, "quota-7"));
    const [first] = refreshes(bench);
    const { sent } = bench;
    expect(bench.device.state).toBe(State.REFRESHING);
    bench.pass(first! + DAY_MS - 1000 - bench.nowMs);
    expect(bench.device.state).toBe(State.REFRESHING);
    const before = sent.length;
    bench.pass(1.2 * HOUR_MS);
    expect(sent.length).toBe(before + 1);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
    bench.answers = [code()];
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.device.state).toBe(State.PENDING);
  });

  it("the refresh token before the present one is tried first, once", () => {
    const bench = refusedFor(0, error(400, "quota-7"));
    bench.answers.unshift(tokens({ refresh_token: "second", expires_in: 60 }));
    bench.pass(DAY_MS + 2 * HOUR_MS);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
    const sent = bench.sent.map(({ body }) => new URLSearchParams(body).get("refresh_token"));
    expect(sent.filter((token) => token === "refresh")).toHaveLength(2);
    expect(sent.at(-1)).toBe("refresh");
  });

  it.each<[string, Answer]>([
    ["a known name", error(401, "invalid_client")],
    ["a success", tokens({ expires_in: 60 })],
  ])("%s in between begins the day anew", (_, answer) => {
    const bench = refusedFor(20 * HOUR_MS, error(400, "quota-7"));
    bench.answers.unshift(answer);
    bench.pass(20 * HOUR_MS);
    expect([State.REFRESHING, State.SIGNED_IN]).toContain(bench.device.state);
    bench.pass(10 * HOUR_MS);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
  });

  it("no answer at all is no refusal: the session outlives any time without a network", () => {
    const bench = refusedFor(HOUR_MS, null);
    bench.answers = Array(60_000).fill(null);
    bench.pass(DAY_MS + HOUR_MS);
    expect(bench.device.state).toBe(State.REFRESHING);
    bench.answers = Array(9).fill(error(400, "quota-7"));
    bench.pass(100_000);
    expect(bench.device.state).toBe(State.REFRESHING);
  });

  it("a restart begins the day anew, and writes nothing for it", () => {
    const bench = refusedFor(23 * HOUR_MS, error(400, "quota-7"));
    expect(bench.writes).toBe(2);
    const next = new Bench(Array(4000).fill(error(400, "quota-7")), { slots: bench.slots });
    next.pass(23 * HOUR_MS);
    expect(next.device.state).toBe(State.REFRESHING);
    next.pass(3 * HOUR_MS);
    expect(next.device.error).toBe(ErrorCode.SESSION_ENDED);
  });
});

describe("a person has a way out of every refusal", () => {
  const REFUSALS: [string, Reaction][] = [
    ["invalid_client", error(401, "invalid_client")],
    ["a name that nobody knows", error(400, "quota-7")],
    ["invalid_scope", error(400, "invalid_scope")],
    ["an administrator's", error(400, "org_internal")],
    ["redirects", json(302, {})],
    ["415", json(415, {})],
    ["a token that does not fit", tokens({ access_token: "a".repeat(9000) })],
  ];

  it.each(REFUSALS)(
    "%s: signIn has the tokens tried at once, and then asks for a code",
    (...row) => {
      const [, answer] = row;
      const bench = refusedFor(5 * HOUR_MS, answer);
      const { length } = bench.sent;
      bench.core.signIn(bench.device);
      bench.run(0);
      expect(bench.sent.slice(length).map(({ body }) => body.includes("=refresh_token"))).toEqual([
        true,
      ]);
      expect(bench.device.state).toBe(State.REFRESHING);
      bench.answers = [code()];
      bench.core.signIn(bench.device);
      bench.run(0);
      expect(bench.device.state).toBe(State.PENDING);
      expect(bench.slots.filter((slot) => slot.length > 0)).toHaveLength(1);
      // Nothing of the session is left.
      const after = new Bench([], { slots: bench.slots, autoStart: 0 });
      expect(after.device.state).toBe(State.PENDING);
    },
  );

  it.each(REFUSALS)("%s: signOut revokes", (_, answer) => {
    const bench = refusedFor(5 * HOUR_MS, answer);
    bench.answers = [json(200, {})];
    bench.core.signOut(bench.device);
    bench.run(0);
    expect(bench.sent.at(-1)).toMatchObject({ endpoint: 2, target: "?token=refresh" });
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });

  it.each(REFUSALS)("%s: cancel forgets the tokens here, at once", (_, answer) => {
    const bench = refusedFor(5 * HOUR_MS, answer);
    const { length } = bench.sent;
    bench.core.cancel(bench.device);
    bench.run(0);
    expect(bench.device.event).toBe(Event.CANCEL);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
    expect(bench.device.length[Region.REFRESH_TOKEN]).toBe(-1);
    expect(bench.sent).toHaveLength(length);
  });

  it("the same while the request is under way, and while there is no network", () => {
    for (const act of ["signIn", "signOut", "cancel"] as const) {
      for (const last of ["hang", null] as const) {
        const bench = refusedFor(5 * HOUR_MS, error(401, "invalid_client"));
        bench.answers = [last];
        bench.core.signIn(bench.device);
        bench.run(0);
        bench.core[act](bench.device);
        bench.run(0);
        const to = { signIn: State.REQUESTING, signOut: State.REVOKING, cancel: State.SIGNED_OUT };
        expect([act, last, bench.device.state]).toEqual([act, last, to[act]]);
        expect(bench.aborts).toBe(last === "hang" ? 1 : 0);
      }
    }
  });

  it("cancel ends a sign-out whose server does not answer", () => {
    const bench = refusedFor(0, null);
    bench.answers = ["hang"];
    bench.core.signOut(bench.device);
    bench.run(0);
    expect(bench.device.state).toBe(State.REVOKING);
    bench.core.cancel(bench.device);
    bench.run(0);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });

  it("what is noted before the records are read is not meant for them: cancel leaves a revocation", () => {
    const bench = refusedFor(0, null);
    bench.answers = ["hang"];
    bench.core.signOut(bench.device);
    bench.run(0);
    const next = new Bench([], { slots: bench.slots, storageHangs: true });
    next.core.cancel(next.device);
    next.storageHangs = false;
    next.answers = [json(200, {})];
    for (let i = 0; i < 3 && next.device.state === State.STARTING; i++) {
      const record = next.slots[next.device.slot]!;
      next.memory.set(record, next.device.data);
      next.core.storageDone(next.device, record.length);
      next.run(0);
    }
    expect(next.device.state).toBe(State.REVOKING);
    next.pass(6000);
    expect(next.device.event).toBe(Event.REVOKED);
  });
});

/** Asks for a code, or polls with one, as often as these answers come. */
function answered(purpose: "code" | "poll", answer: Reaction, ms: number): Bench {
  const bench = new Bench(purpose === "code" ? [] : [code({ expires_in: 90_000 })]);
  if (purpose === "poll") bench.until(1);
  bench.answers = Array(3000).fill(answer);
  bench.pass(ms);
  return bench;
}

describe.each(["code", "poll"] as const)(
  "RFC 9110 §15: what does not pass by itself; %s",
  (purpose) => {
    it.each([405, 406, 411, 413, 414, 415])("%i is final, and the maker's", (status) => {
      for (const body of ["", "<html>"]) {
        const bench = answered(purpose, { status, body }, 60_000);
        expect(bench.device.state).toBe(State.FAILED);
        expect(bench.device.error).toBe(ErrorCode.REQUEST_REFUSED);
        expect(bench.sent).toHaveLength(purpose === "code" ? 1 : 2);
      }
    });

    it.each([301, 302, 303, 307, 308, 400, 401, 403, 404, 410, 422])(
      "%i that names no error is final after ten in a row, and not before two minutes",
      (status) => {
        const answer = { status, body: "<html>" };
        const early = answered(purpose, answer, 120_000);
        expect(early.device.state).not.toBe(State.FAILED);
        const bench = answered(purpose, answer, 400_000);
        expect(bench.device.state).toBe(State.FAILED);
        expect(bench.device.error).toBe(ErrorCode.USELESS_ANSWERS);
        expect(bench.sent).toHaveLength(purpose === "code" ? 10 : 11);
      },
    );

    it("any other answer in between begins the count anew; none at all does not", () => {
      const useless = Array(9).fill({ status: 302, body: "" });
      const between = answered(purpose, null, 0);
      between.answers = [...useless, { status: 503, body: "" }, ...useless];
      between.until(19 + (purpose === "poll" ? 1 : 0));
      expect(between.device.state).not.toBe(State.FAILED);
      const none = answered(purpose, null, 0);
      none.answers = [...useless, null, null, { status: 302, body: "" }];
      none.until(12 + (purpose === "poll" ? 1 : 0));
      expect(none.device.error).toBe(ErrorCode.USELESS_ANSWERS);
    });

    it.each([102, 199, 408, 425, 429, 500, 502, 503, 504])(
      "%i passes by itself, however often it comes",
      (status) => {
        const bench = answered(purpose, { status, body: "" }, HOUR_MS);
        expect(bench.device.state).not.toBe(State.FAILED);
        expect(bench.sent.length).toBeGreaterThan(30);
      },
    );

    it("signIn begins the count anew", () => {
      const bench = answered(purpose, { status: 404, body: "" }, 400_000);
      bench.core.signIn(bench.device);
      bench.pass(120_000);
      expect(bench.device.state).toBe(State.REQUESTING);
    });
  },
);

describe("RFC 8628 §3.2: answers to the request for a code that are none", () => {
  const none = json(200, {});
  const network = [null, error(503, ""), { status: 200, body: "<html>" }];

  it.each([
    ["nothing", none],
    ["a lifetime below zero", code({ expires_in: -1 })],
    ["no address", code({ verification_url: undefined })],
    ["an address of another scheme", code({ verification_url: "javascript:x" })],
  ])("%s: asked for again a few times, then it is the maker's", (_, answer) => {
    const bench = new Bench(Array(100).fill(answer));
    bench.pass(DAY_MS);
    expect(bench.sent).toHaveLength(5);
    expect(bench.device.error).toBe(ErrorCode.USELESS_ANSWERS);
    expect(shown(bench)).toContain("Wrong setup.");
  });

  it("failures of the network between them neither count nor begin the count anew", () => {
    const bench = new Bench([none, ...network, ...Array(4).fill(none), code()]);
    bench.pass(HOUR_MS);
    expect(bench.device.error).toBe(ErrorCode.USELESS_ANSWERS);
    const early = new Bench([none, ...network, ...Array(3).fill(none), code()]);
    early.pass(HOUR_MS / 6);
    expect(early.device.codeShown).toBe(1);
  });
});

describe("RFC 8628 §3.5: codes that the server does not know as soon as they are polled", () => {
  it("the third in a row is the maker's: it asks for no more of them", () => {
    const dead = [code(), error(400, "invalid_grant")];
    const bench = new Bench([...dead, ...dead, ...dead, ...dead, ...dead]);
    bench.pass(600_000);
    expect(bench.sent).toHaveLength(6);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.USELESS_ANSWERS);
    expect(shown(bench)).toContain("Wrong setup.");
    bench.answers = [code()];
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.device.state).toBe(State.PENDING);
  });

  it.each(["authorization_pending", "slow_down"])(
    "one that was %s begins the count anew",
    (name) => {
      const dead = [code(), error(400, "invalid_grant")];
      const lived = [code(), error(400, name), error(400, "invalid_grant")];
      const bench = new Bench([...dead, ...dead, ...lived, code()], { renewalsMax: 9 });
      bench.until(8);
      expect(bench.device.state).toBe(State.PENDING);
    },
  );

  it("a code that has run out is no such thing", () => {
    const old = [code(), error(400, "expired_token")];
    const bench = new Bench([...old, ...old, ...old, ...old, code()], { renewalsMax: 9 });
    bench.until(9);
    expect(bench.device.state).toBe(State.PENDING);
  });
});
