// Security events that the device fetches by itself, and what it acknowledges. Complete build only.

import { describe, expect, it } from "vitest";
import { ErrandState, ErrorCode, Field, State } from "../../core/complete.ts";
import { json, tokens } from "./bench.ts";
import {
  ACCOUNT_DISABLED,
  claims,
  delivery,
  EMPTY,
  jws,
  SESSIONS_REVOKED,
  VERIFICATION,
} from "./security-events.ts";
import { outcome, session } from "./session.ts";

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
    expect(bench.sent.every(({ endpoint, bearer }) => endpoint === 6 && bearer === "")).toBe(true);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
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

  it("RFC 8936 §2.4: the same event again is acknowledged again and applied once", () => {
    const event = claims(SESSIONS_REVOKED);
    const refreshed = tokens({ access_token: "second" });
    const bench = session([delivery(event), delivery(event), EMPTY, refreshed]);
    bench.core.pollEvents(bench.device);
    bench.pass(5000);
    const polls = bench.sent.filter(({ endpoint }) => endpoint === 6);
    expect(polls.map(({ body }) => JSON.parse(body).ack)).toEqual([
      undefined,
      [event.jti],
      [event.jti],
    ]);
    expect(bench.sent.filter(({ endpoint }) => endpoint === 1)).toHaveLength(1);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("second");
  });

  it("device doc §6 row account-disabled: fetched by polling, it ends the session and the poll", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED))]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
    expect(bench.device.errandState).toBe(ErrandState.DONE);
    expect(bench.sent).toHaveLength(1);
  });

  it("RFC 8936 §2.4: a server that always has the same event does not keep the device for ever", () => {
    const bench = session(Array(1000).fill(delivery(claims(VERIFICATION, {}))));
    bench.core.pollEvents(bench.device);
    for (let i = 0; i < 40; i++) bench.pass(1);
    expect(bench.sent.length).toBeLessThan(50);
    expect(bench.device.errandState).toBe(ErrandState.DONE);
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
  });
});
