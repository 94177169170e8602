// Security events that the device fetches by itself, and what it acknowledges. Complete build only.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallState, ErrorCode, Field, Region, State } from "../../core/complete.ts";
import { anyCharacter } from "../any-character.ts";
import { type Answer, Bench, code, json, publicState, type Reaction, tokens } from "./bench.ts";
import {
  ACCOUNT_DISABLED,
  claims,
  delivery,
  EMPTY,
  hand,
  jws,
  SESSIONS_REVOKED,
  TOKEN_REVOKED,
  tokenSubject,
  VERIFICATION,
} from "./security-events.ts";
import { call, LIST, outcome, session } from "./session.ts";

describe("RFC 8936: events by polling", () => {
  it("RFC 8936 §2.4: one at a time, acknowledged with the next request, until none is left", () => {
    const first = claims(VERIFICATION, { state: "x" });
    const second = claims(VERIFICATION, { state: "y" });
    const bench = session([delivery(first), delivery(second), EMPTY]);
    expect(bench.core.pollEvents(bench.device)).toBe(1);
    bench.pass(0);
    expect(bench.verified).toEqual([jws(first), jws(second)]);
    const poll = { maxEvents: 1, returnImmediately: true };
    expect(bench.sent.map(({ body }) => JSON.parse(body))).toEqual([
      poll,
      { ...poll, ack: [first.jti] },
      { ...poll, ack: [second.jti] },
    ]);
    expect(bench.sent.every(({ endpoint, bearer }) => endpoint === 4 && bearer === "")).toBe(true);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it("RFC 8936 §2.4.1: the first request of a run holds nothing of the answer that was read before", () => {
    // A number that nobody wants is read last.
    const bench = session(["hang"], { version: 1234 });
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(JSON.parse(bench.sent[0]!.body)).toEqual({ maxEvents: 1, returnImmediately: true });
  });

  it("RFC 8936 §2.4.4: a failed signature is reported and changes nothing", () => {
    const event = claims(ACCOUNT_DISABLED);
    const bench = session([delivery(event), EMPTY]);
    bench.genuine = false;
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(JSON.parse(bench.sent[1]!.body).setErrs).toEqual({
      [event.jti]: { err: "authentication_failed" },
    });
    expect(JSON.parse(bench.sent[1]!.body)).not.toHaveProperty("ack");
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("RFC 8936 §2.4.4: an event that is not genuine does not hide the true one of its identifier", () => {
    const event = claims(ACCOUNT_DISABLED);
    const bench = session([delivery(event), EMPTY]);
    bench.genuine = false;
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    bench.genuine = true;
    bench.answers = [delivery(event), EMPTY];
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(bench.device.state).toBe(State.FAILED);
  });

  it("RFC 8936 §2.4: the same event again is acknowledged again and applied once", () => {
    const event = claims(SESSIONS_REVOKED);
    const refreshed = tokens({ access_token: "second" });
    const bench = session([delivery(event), delivery(event), EMPTY, refreshed]);
    bench.core.pollEvents(bench.device);
    bench.pass(5000);
    const polls = bench.sent.filter(({ endpoint }) => endpoint === 4);
    expect(polls.map(({ body }) => JSON.parse(body).ack)).toEqual([
      undefined,
      [event.jti],
      [event.jti],
    ]);
    expect(bench.sent.filter(({ endpoint }) => endpoint === 1)).toHaveLength(1);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("second");
  });

  it("device doc §6 row account-disabled: fetched by polling, it ends the session and the poll", () => {
    const event = claims(ACCOUNT_DISABLED);
    const bench = session([delivery(event), EMPTY]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.callState).toBe(CallState.DONE);
    expect(bench.sent.map(({ body }) => JSON.parse(body).ack)).toEqual([undefined, [event.jti]]);
  });

  it.each([
    ["there is another event", delivery(claims(VERIFICATION))],
    ["the server refuses it", json(400, { err: "invalid_request" })],
    ["the server is down", json(503, {})],
    ["the answer is too long", delivery(claims(VERIFICATION, { state: "x".repeat(9000) }))],
    ["the connection breaks", null],
    ["there is never an answer", "hang"],
  ] as [string, Reaction][])(
    "an event that ends the session ends it once, whatever the acknowledgement leads to: %s",
    (_, answer) => {
      const bench = session([delivery(claims(TOKEN_REVOKED)), answer]);
      bench.core.pollEvents(bench.device);
      bench.run(0);
      expect(bench.sent).toHaveLength(2);
      bench.pass(121_000);
      expect([bench.device.state, bench.device.error]).toEqual([
        State.FAILED,
        ErrorCode.TOKEN_REVOKED,
      ]);
      expect(bench.device.callState).toBe(CallState.DONE);
      expect(bench.verified).toHaveLength(1);
      expect(bench.sent).toHaveLength(2);
    },
  );

  it("an event that cannot be acknowledged ends the session all the same", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED, {}, "x".repeat(500)))]);
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
    expect(outcome(bench).error).toBe(ErrorCode.MEMORY_TOO_SMALL);
  });

  it("SPEC Security events: a run ends with the acknowledgement of its last event, which may end the session", () => {
    const deliveries = Array.from({ length: 31 }, () => delivery(claims(VERIFICATION, {})));
    const bench = session([...deliveries, delivery(claims(ACCOUNT_DISABLED, {}, "last")), EMPTY]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(33);
    expect(bench.sent[32]!.body).toContain('"ack":["last"]');
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
  });

  it("SPEC Security events: the event behind a run's last is the server's still: neither verified nor applied", () => {
    const deliveries = Array.from({ length: 32 }, () => delivery(claims(VERIFICATION, {})));
    const bench = session([...deliveries, delivery(claims(ACCOUNT_DISABLED))]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(33);
    expect(bench.verified).toHaveLength(32);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(outcome(bench).error).toBe(ErrorCode.NONE);
  });

  it("signing out while an event that ends the session is being acknowledged stays signing out", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED)), "hang", json(200, {})]);
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    bench.core.signOut(bench.device);
    bench.pass(200_000);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.device.error).toBe(ErrorCode.NONE);
    // Nor does the next session end by it.
    bench.answers = [code(), tokens()];
    bench.core.signIn(bench.device);
    bench.pass(60_000);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    bench.answers = [json(200, { items: [] })];
    call(bench, LIST);
    bench.pass(1000);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("one that the application hands in ends a call that waits, with its own error", () => {
    const bench = session([null], { expires_in: 60 });
    bench.until(1);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(call(bench, LIST)).toBe(1);
    expect(hand(bench, claims(ACCOUNT_DISABLED))).toBe(1);
    expect(bench.device.state).toBe(State.FAILED);
    expect(outcome(bench)).toEqual({ error: ErrorCode.ACCOUNT_DISABLED, status: 0 });
  });

  it("one that the application hands in meanwhile takes nothing of it back", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED)), EMPTY]);
    bench.verifyHangs = true;
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    bench.core.eventVerified(bench.device, bench.device.requestId, 1);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(hand(bench, claims(VERIFICATION))).toBe(1);
    expect(bench.sent).toHaveLength(2);
    expect(bench.sent[1]!.body).toContain('"ack":[');
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
    bench.pass(1000);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.callState).toBe(CallState.DONE);
  });

  it("RFC 8936 §2.4: a server that always has the same event does not keep the device for ever", () => {
    const bench = session(Array(1000).fill(delivery(claims(VERIFICATION, {}))));
    bench.core.pollEvents(bench.device);
    for (let i = 0; i < 40; i++) bench.pass(1);
    expect(bench.sent.length).toBeLessThan(50);
    expect(bench.device.callState).toBe(CallState.DONE);
  });

  it.each([
    ["fits", "x".repeat(100)],
    ["is longer than any room", "x".repeat(9000)],
    ["is a number", 12],
    ["is a list", ["x"]],
    ["is a list of objects", [{ x: "y" }]],
    ["is nothing", null],
  ])("SPEC Security events: a `sets` that %s instead of an object has no events", (_, sets) => {
    const bench = session([json(200, { sets })]);
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: ErrorCode.NONE, status: 200 });
    expect(bench.verified).toEqual([]);
  });

  it("RFC 8936 §2.3: text beside the events, in a member of the same name too, leaves them whole", () => {
    const event = claims(VERIFICATION, { state: "x" });
    const delivered = `{"sets":{"a":"${jws(event)}"},"sets":"${"x".repeat(700)}"}`;
    const bench = session([delivery(event), { status: 200, body: delivered }, EMPTY]);
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(bench.verified).toEqual([jws(event), jws(event)]);
    expect(outcome(bench).error).toBe(ErrorCode.NONE);
  });

  it.each([
    ["no JWS", "abc"],
    ["a payload that is no JSON", "a.YWJj.c"],
    ["a payload that is no base64url", "a.*.c"],
    ["without jti", jws({ events: { [ACCOUNT_DISABLED]: {} } })],
  ])("RFC 8417 §2: %s ends the poll with an error and changes nothing", (_, set) => {
    const bench = session([json(200, { sets: { x: set } })]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(outcome(bench).error).toBe(ErrorCode.MALFORMED_RESPONSE);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    // SPEC, Regions: the life of what was verified is over.
    expect(bench.device.length[Field.VALUE_A]).toBe(-1);
  });
});

/** The outcome of a poll that gets this compact serialization, and nothing afterwards. */
function polled(set: string, genuine = true): Bench {
  const bench = session([json(200, { sets: { x: set } }), EMPTY]);
  bench.genuine = genuine;
  bench.core.pollEvents(bench.device);
  bench.pass(0);
  return bench;
}
const encoded = (text: string): string => Buffer.from(text).toString("base64url");

describe("RFC 7515 §2: the payload of a compact serialization", () => {
  it("whatever its length and characters, the identifier comes back in the acknowledgement", () => {
    const unit = fc.oneof(
      fc.constantFrom('"', "\\", "\u0000", "\u001f", " ", "\u007f"),
      anyCharacter,
    );
    const identifier = fc.string({ unit, minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(identifier, fc.nat(5), fc.boolean(), (jti, spaces, genuine) => {
        const payload = `${JSON.stringify({ jti, events: {} })}${" ".repeat(spaces)}`;
        const bench = polled(`h.${encoded(payload)}.s`, genuine);
        const { ack, setErrs } = JSON.parse(bench.sent[1]!.body);
        expect(ack ?? Object.keys(setErrs)).toEqual([jti]);
        expect(ack !== undefined).toBe(genuine);
      }),
    );
  });

  it("what JSON can have as it is comes back as it is, a space too", () => {
    const bench = polled(`h.${encoded('{"jti":"a ~\u007f","events":{}}')}.s`);
    expect(bench.sent[1]!.body).toContain('"ack":["a ~\u007f"]');
  });

  // CALL, 20 columns wide, without what else the answer consists of.
  it.each([
    [true, 324 - 39 - 9 - 2 - 1],
    [false, 324 - 39 - 13 - 34 - 1],
  ])("the longest identifier that comes back (acknowledged: %j) has %i bytes", (genuine, most) => {
    const bench = polled(jws({ jti: "x".repeat(most), events: {} }), genuine);
    expect(bench.sent[1]!.body).toContain(`"${"x".repeat(most)}"`);
    expect(outcome(bench).error).toBe(ErrorCode.NONE);
  });

  it.each([true, false])(
    "a longer one is not cut (genuine: %j): the poll ends with an error",
    (genuine) => {
      const bench = polled(jws({ jti: "x".repeat(275), events: {} }), genuine);
      expect(outcome(bench).error).toBe(ErrorCode.MEMORY_TOO_SMALL);
      expect(bench.sent).toHaveLength(1);
    },
  );

  it("an event that cannot be acknowledged is applied all the same, and once", () => {
    const event = claims(SESSIONS_REVOKED, {}, "x".repeat(1000));
    const bench = session([delivery(event), tokens({ access_token: "second" }), delivery(event)]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("second");
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(outcome(bench).error).toBe(ErrorCode.MEMORY_TOO_SMALL);
    expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([4, 1, 4]);
  });

  it("that fills the memory is read all the same, and its subject tested where it has no room", () => {
    const { capacity } = session().device;
    const lengthOf = (reason: string): number => jws(about(reason)).length;
    const about = (reason: string) =>
      claims(TOKEN_REVOKED, { reason, ...tokenSubject("another") }, "long");
    const room = capacity[Region.OUTPUT]! - (capacity[Region.OUTPUT]! % 10) - 1;
    const states = new Set<number>();
    for (let spare = 0; spare < 60; spare++) {
      const reason = "x".repeat(Math.floor(((room - spare - lengthOf("")) * 3) / 4));
      expect(lengthOf(reason)).toBeLessThanOrEqual(room);
      const bench = session([delivery(about(reason)), "hang"]);
      bench.core.pollEvents(bench.device);
      bench.pass(0);
      expect(JSON.parse(bench.sent[1]!.body).ack).toEqual(["long"]);
      states.add(bench.device.state);
    }
    // What fits can be compared, and is another token.
    expect([...states]).toEqual([State.REFRESHING, State.SIGNED_IN]);
  });

  it("one character that is not of base64url, anywhere in it, makes it none", () => {
    // Holds an underscore, a hyphen, B and A: what a wrong value could be taken for.
    const payload = encoded('{"jti":"ADP>|o?vr_","events":{}}');
    expect(payload).toMatch(/^(?=.*_)(?=.*-)(?=.*B)(?=.*A)/);
    const bench = session();
    for (const wrong of "*+/:=@[`{") {
      for (let at = 0; at < payload.length; at++) {
        for (const rest of [payload.slice(at), payload.slice(at + 1)]) {
          bench.answers = [
            json(200, { sets: { x: `h.${payload.slice(0, at)}${wrong}${rest}.s` } }),
          ];
          bench.core.pollEvents(bench.device);
          bench.run(0);
          expect(outcome(bench).error).toBe(ErrorCode.MALFORMED_RESPONSE);
        }
      }
    }
  });

  it("ends with the token where there is no second dot, whatever lies behind in the memory", () => {
    for (const jti of ["ABCDEFGH", "ABCDEFGHI", "ABCDEFGHIJ"]) {
      const bench = polled(`h.${encoded(JSON.stringify({ jti, events: {} }))}`);
      expect(JSON.parse(bench.sent[1]!.body).ack).toEqual([jti]);
    }
  });

  it("ends with the token where there is no second dot, not with what its own claims put behind it", () => {
    for (const jti of ["ABCDEFGH", "ABCDEFGHI", "ABCDEFGHIJ"]) {
      const event = claims(TOKEN_REVOKED, tokenSubject("another"), jti);
      const bench = polled(`h.${encoded(JSON.stringify(event))}`);
      expect(bench.sent).toHaveLength(2);
      expect(JSON.parse(bench.sent[1]!.body).ack).toEqual([jti]);
    }
  });
});

describe("RFC 8936 §2.4: bounds of a poll", () => {
  it("a run is one request and 32 more, whatever the server has", () => {
    const deliveries = Array.from({ length: 100 }, () => delivery(claims(VERIFICATION, {})));
    const bench = session(deliveries);
    bench.core.pollEvents(bench.device);
    bench.pass(60_000);
    expect(bench.sent).toHaveLength(33);
    expect(outcome(bench).error).toBe(ErrorCode.NONE);
  });

  it("an event longer than the memory has room for is told, not cut and not verified", () => {
    const long = claims(ACCOUNT_DISABLED, { reason: "x".repeat(9000) });
    const bench = session([delivery(long)]);
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(outcome(bench).error).toBe(ErrorCode.VALUE_TOO_LONG);
    expect(bench.verified).toEqual([]);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("tokens that fill their room are whole behind a poll", () => {
    const { capacity } = session().device;
    const access_token = "a".repeat(capacity[Field.ACCESS_TOKEN]!);
    const refresh_token = "r".repeat(capacity[Field.RECEIVED_REFRESH_TOKEN]!);
    const event = claims(VERIFICATION, { state: "x".repeat(200) });
    const bench = session([delivery(event), EMPTY, json(200, {})], { access_token, refresh_token });
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(outcome(bench).error).toBe(ErrorCode.NONE);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.sent.at(-1)!.bearer).toBe(access_token);
    bench.until(4);
    expect(bench.sent[3]!.body).toContain(`refresh_token=${refresh_token}`);
  });

  it("a refused poll (401) ends it, and leaves session and tokens alone", () => {
    const bench = session([json(401, {})]);
    bench.core.pollEvents(bench.device);
    bench.pass(60_000);
    expect(outcome(bench).status).toBe(401);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
    expect(bench.sent).toHaveLength(1);
  });
});

describe("the host's answer to VERIFY", () => {
  it("that nobody waits for changes nothing", () => {
    const bench = session();
    const before = publicState(bench);
    bench.core.eventVerified(bench.device, bench.device.requestId, 1);
    bench.core.eventVerified(bench.device, bench.device.requestId, 0);
    expect(publicState(bench)).toEqual(before);
  });

  it("is asked for without delay", () => {
    const bench = session(["hang"]);
    bench.core.pollEvents(bench.device);
    bench.run(0);
    bench.give(bench.sent[0]!.id, delivery(claims(VERIFICATION)) as Answer);
    expect(bench.core.wakeIn(bench.device)).toBe(0);
  });

  it("keeps everything else waiting until it is there, and is asked for once", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED)), EMPTY]);
    bench.verifyHangs = true;
    bench.core.pollEvents(bench.device);
    bench.pass(119_000);
    expect(bench.verified).toHaveLength(1);
    expect(bench.device.callState).toBe(CallState.VERIFYING);
    expect(call(bench, LIST)).toBe(0);
    expect(hand(bench, claims(VERIFICATION))).toBe(0);
    bench.core.eventVerified(bench.device, bench.device.requestId, 1);
    bench.run(0);
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
  });

  it("counts once, and then the host has nothing to end", () => {
    const bench = session([delivery(claims(VERIFICATION)), "hang"]);
    const { core, device } = bench;
    bench.verifyHangs = true;
    core.pollEvents(device);
    bench.pass(0);
    core.eventVerified(device, device.requestId, 1);
    const id = device.requestId;
    const after = publicState(bench);
    core.eventVerified(device, id, 0);
    expect(publicState(bench)).toEqual(after);
    bench.run(0);
    bench.give(bench.sent.at(-1)!.id, EMPTY as Answer);
    bench.pass(0);
    expect(outcome(bench).error).toBe(ErrorCode.NONE);
    expect(bench.aborts).toBe(0);
  });

  it("keeps tokens waiting that storage has refused, and lets the host sleep meanwhile", () => {
    const bench = new Bench([code(), tokens()]);
    bench.storageFails = true;
    bench.until(2);
    expect(bench.device.notSaved).toBe(1);
    bench.storageFails = false;
    bench.answers = [delivery(claims(VERIFICATION)), EMPTY];
    bench.verifyHangs = true;
    bench.core.pollEvents(bench.device);
    // SPEC, Times: they are offered again after a minute.
    bench.pass(119_000);
    expect(bench.device.callState).toBe(CallState.VERIFYING);
    expect([bench.writes, bench.device.notSaved]).toEqual([0, 1]);
    expect(bench.core.wakeIn(bench.device)).toBeGreaterThan(0);
    bench.core.eventVerified(bench.device, bench.device.requestId, 1);
    bench.pass(1000);
    expect([bench.writes, bench.device.notSaved]).toEqual([1, 0]);
  });

  it("that never comes is given up after 120 s, as a request is: the event is offered again", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED))]);
    bench.verifyHangs = true;
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    const id = bench.device.requestId;
    bench.pass(119_999);
    expect(bench.device.callState).toBe(CallState.VERIFYING);
    expect(bench.core.wakeIn(bench.device)).toBe(1);
    bench.pass(1);
    expect(bench.aborts).toBe(1);
    expect(bench.device.callState).toBe(CallState.DONE);
    expect(bench.device.callError).toBe(ErrorCode.UNREACHABLE);
    bench.core.eventVerified(bench.device, id, 1);
    bench.pass(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    // What waited for it goes on.
    bench.answers = [json(200, {})];
    expect(call(bench, LIST)).toBe(1);
    bench.pass(0);
    expect(bench.device.callError).toBe(ErrorCode.NONE);
  });

  it.each([
    ["ends the session", ACCOUNT_DISABLED],
    ["asks for a refresh", SESSIONS_REVOKED],
  ])(
    "to an event that %s comes after the user has signed out, and undoes nothing of it",
    (_, type) => {
      const bench = session([delivery(claims(type))]);
      bench.verifyHangs = true;
      bench.core.pollEvents(bench.device);
      bench.pass(0);
      bench.core.signOut(bench.device);
      bench.core.eventVerified(bench.device, bench.device.requestId, 1);
      expect(bench.device.state).toBe(State.REVOKING);
      bench.answers = [json(200, {})];
      bench.pass(1000);
      expect(bench.device.state).toBe(State.SIGNED_OUT);
      expect(bench.device.error).toBe(ErrorCode.NONE);
      expect(bench.device.callState).toBe(CallState.DONE);
    },
  );
});
