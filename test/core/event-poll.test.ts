// Security events that the device fetches by itself, and what it acknowledges. Complete build only.

import { describe, expect, it } from "vitest";
import { CallState, ErrorCode, Field, State } from "../../core/complete.ts";
import { call, code, json, LIST, outcome, type Reaction, session, tokens } from "./bench.ts";
import {
  ACCOUNT_DISABLED,
  claims,
  delivery,
  EMPTY,
  hand,
  jws,
  SESSIONS_REVOKED,
  TOKEN_REVOKED,
  VERIFICATION,
} from "./security-events.ts";

describe("RFC 8936: events by polling", () => {
  it("RFC 8936 §2.2, §2.4, §2.4.3: one at a time, acknowledged with the next request, until none is left", () => {
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

  it("RFC 8936 §2.4.4, §2.6: a failed signature is reported and changes nothing", () => {
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
    // One for each of 32 events, and one that acknowledges the last of them.
    expect(bench.sent).toHaveLength(33);
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
