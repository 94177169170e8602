// Tests security events that the application passes to the core (device doc §6), and events that the device polls (RFC
// 8936).

import { describe, expect, it } from "vitest";
import { ErrorCode, Field, State } from "../../core/complete.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { outcome, type Port, type Reaction, session } from "../environment/core-port.ts";
import { json, tokens } from "../environment/environment.ts";

const TYPES = "https://schemas.openid.net/secevent/";
const SESSIONS_REVOKED = `${TYPES}risc/event-type/sessions-revoked`;
const TOKEN_REVOKED = `${TYPES}oauth/event-type/token-revoked`;
const ACCOUNT_DISABLED = `${TYPES}risc/event-type/account-disabled`;
const VERIFICATION = `${TYPES}risc/event-type/verification`;
const SUBJECT = { subject_type: "iss-sub", iss: "https://issuer.example", sub: "123" };
let count = 0;

const claims = (type: string, event: object = { subject: SUBJECT }, jti = `event-${count++}`) => ({
  iss: "https://issuer.example",
  aud: "printer",
  iat: 1508184845,
  jti,
  events: { [type]: event },
});
const tokenSubject = (token: string, alg = "prefix") => ({
  subject: {
    subject_type: "oauth_token",
    token_type: "refresh_token",
    token_identifier_alg: alg,
    token,
  },
});

function hand(bench: Port, event: unknown): number {
  const bytes = bytesOf(typeof event === "string" ? event : JSON.stringify(event));
  const output = bench.core.applySecurityEvent(bench.device, bytes, 0, bytes.length);
  bench.run();
  return output;
}
const wiped = (bench: Port): boolean => bench.stored === "";

const jws = (payload: unknown): string =>
  ["eyJhbGciOiJSUzI1NiJ9", Buffer.from(JSON.stringify(payload)).toString("base64url"), "c2ln"].join(
    ".",
  );
const delivery = (payload: { jti: string }): Reaction =>
  json(200, { sets: { [payload.jti]: jws(payload) }, moreAvailable: false });
const EMPTY = json(200, { sets: {}, moreAvailable: false });

describe("device doc §6: security events", () => {
  it("device doc §6 row sessions-revoked: the access token is discarded, and the device refreshes", () => {
    const bench = session(["hang"]);
    expect(hand(bench, claims(SESSIONS_REVOKED))).toBe(1);
    expect(bench.device.length[Field.ACCESS_TOKEN]).toBe(-1);
    expect(bench.sent[0]!.text).toContain("refresh_token=refresh");
  });

  it.each([
    ["the refresh token", "1/refresh-tok"],
    ["the access token", "1/access-toke"],
  ])("device doc §6 row token-revoked: the prefix of %s ends the session", (_, prefix) => {
    const bench = session([], { refresh_token: "1/refresh-token", access_token: "1/access-token" });
    hand(bench, claims(TOKEN_REVOKED, tokenSubject(prefix)));
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.TOKEN_REVOKED);
    expect(wiped(bench)).toBe(true);
  });

  it.each(["1/another-token", "1/refresh-token-and-more", ""])(
    "device doc §6 row token-revoked: the prefix %j of another token has no effect",
    (prefix) => {
      const bench = session([], { refresh_token: "1/refresh-token" });
      expect(hand(bench, claims(TOKEN_REVOKED, tokenSubject(prefix)))).toBe(1);
      bench.pass(1000);
      expect(bench.device.state).toBe(State.SIGNED_IN);
      expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
      expect(bench.sent).toHaveLength(0);
    },
  );

  it.each(["hijacking", "bulk-account", undefined])(
    "device doc §6 row account-disabled: reason %s ends the session, and the administrator can help",
    (reason) => {
      const bench = session();
      hand(bench, claims(ACCOUNT_DISABLED, { subject: SUBJECT, reason }));
      expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
      expect(bench.frame().join(" ")).toContain("Account disabled");
      expect(wiped(bench)).toBe(true);
    },
  );
});

it("RFC 8417 §2.2: the identifier of an event: the last eight are remembered, no more and no fewer", () => {
  const bench = session(Array(40).fill(tokens()));
  const isApplied = (number: number): boolean => {
    const before = bench.sent.length;
    hand(bench, claims(SESSIONS_REVOKED, { subject: SUBJECT }, `number-${number}`));
    bench.pass(0);
    return bench.sent.length > before;
  };
  const eight = [1, 2, 3, 4, 5, 6, 7, 8];
  expect(eight.map(isApplied)).toEqual(Array(8).fill(true));
  expect(eight.map(isApplied)).toEqual(Array(8).fill(false));
  expect([9, 2, 1].map(isApplied)).toEqual([true, false, true]);
});

describe("RFC 8936: events by polling", () => {
  it("RFC 8936 §2.2, §2.3, §2.4, §2.4.1, §2.4.3: one at a time, acknowledged with the next request, until there are none", () => {
    const first = claims(VERIFICATION, { state: "x" });
    const second = claims(VERIFICATION, { state: "y" });
    const bench = session([delivery(first), delivery(second), EMPTY]);
    expect(bench.core.pollEvents(bench.device)).toBe(1);
    bench.pass(0);
    expect(bench.verified).toEqual([jws(first), jws(second)]);
    const poll = { maxEvents: 1, returnImmediately: true };
    expect(bench.sent.map(({ text }) => JSON.parse(text))).toEqual([
      poll,
      { ...poll, ack: [first.jti] },
      { ...poll, ack: [second.jti] },
    ]);
    expect(
      bench.sent.every(({ endpoint, authorization }) => endpoint === 4 && authorization === ""),
    ).toBe(true);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it("RFC 8936 §2.4.4, §2.6: an invalid signature is reported to the server and has no effect", () => {
    const event = claims(ACCOUNT_DISABLED);
    const bench = session([delivery(event), EMPTY]);
    bench.genuine = false;
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(JSON.parse(bench.sent[1]!.text).setErrs).toEqual({
      [event.jti]: { err: "authentication_failed" },
    });
    expect(JSON.parse(bench.sent[1]!.text)).not.toHaveProperty("ack");
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it.each([
    ["no JWS", "abc"],
    ["a payload that is no JSON", "a.YWJj.c"],
    ["a payload that is no base64url", "a.*.c"],
    ["without jti", jws({ events: { [ACCOUNT_DISABLED]: {} } })],
  ])("RFC 8417 §2: %s ends the poll with an error and has no effect", (_, set) => {
    const bench = session([json(200, { sets: { x: set } })]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(outcome(bench).error).toBe(ErrorCode.MALFORMED_RESPONSE);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.device.length[Field.VALUE_A]).toBe(-1);
  });
});
