// Security events: as a server makes them, handed in (device doc §6), and fetched by polling (RFC 8936).

import { describe, expect, it } from "vitest";
import { CallState, ErrorCode, Field, Region, State } from "../../core/complete.ts";
import {
  type Bench,
  bytesOf,
  error,
  json,
  outcome,
  type Reaction,
  session,
  tokens,
} from "./bench.ts";

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

/** Hands a verified event in; what applySecurityEvent says. */
function hand(bench: Bench, event: unknown): number {
  const bytes = bytesOf(typeof event === "string" ? event : JSON.stringify(event));
  const said = bench.core.applySecurityEvent(bench.device, bytes, 0, bytes.length);
  bench.run(0);
  return said;
}
const wiped = (bench: Bench): boolean => bench.slots.every((slot) => slot.length === 0);

const jws = (payload: unknown): string =>
  ["eyJhbGciOiJSUzI1NiJ9", Buffer.from(JSON.stringify(payload)).toString("base64url"), "c2ln"].join(
    ".",
  );
const delivery = (payload: { jti: string }): Reaction =>
  json(200, { sets: { [payload.jti]: jws(payload) }, moreAvailable: false });
const EMPTY = json(200, { sets: {}, moreAvailable: false });

// Security events that the application hands in, row by row. Complete build only.

describe("device doc §6: security events", () => {
  it("device doc §6 row sessions-revoked: the access token is dropped and the refresh tried", () => {
    const bench = session(["hang"]);
    expect(hand(bench, claims(SESSIONS_REVOKED))).toBe(1);
    expect(bench.device.length[Field.ACCESS_TOKEN]).toBe(-1);
    expect(bench.sent[0]!.body).toContain("refresh_token=refresh");
  });

  it("device doc §6 row sessions-revoked: a refresh that works keeps the session", () => {
    const bench = session([tokens({ access_token: "second" })]);
    hand(bench, claims(SESSIONS_REVOKED));
    bench.pass(1000);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("second");
  });

  it("device doc §6 row sessions-revoked: a refresh that is refused ends it", () => {
    const bench = session([error(400, "invalid_grant")]);
    hand(bench, claims(SESSIONS_REVOKED));
    bench.pass(1000);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
    expect(wiped(bench)).toBe(true);
  });

  it("device doc §6 row token-revoked: without an identifier it means this session's", () => {
    const bench = session();
    hand(bench, claims(TOKEN_REVOKED));
    expect(bench.device.error).toBe(ErrorCode.TOKEN_REVOKED);
    expect(wiped(bench)).toBe(true);
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
    "device doc §6 row token-revoked: the prefix %j of another token changes nothing",
    (prefix) => {
      const bench = session([], { refresh_token: "1/refresh-token" });
      expect(hand(bench, claims(TOKEN_REVOKED, tokenSubject(prefix)))).toBe(1);
      bench.pass(1000);
      expect(bench.device.state).toBe(State.SIGNED_IN);
      expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
      expect(bench.sent).toHaveLength(0);
    },
  );

  it.each(["hash_base64_sha512_sha512", "something_new"])(
    "device doc §6 row token-revoked: %s cannot be compared here; the refresh tells",
    (alg) => {
      const event = claims(TOKEN_REVOKED, tokenSubject("c29tZSBoYXNo", alg));
      const dead = session([error(400, "invalid_grant")]);
      hand(dead, event);
      dead.pass(1000);
      expect(dead.device.error).toBe(ErrorCode.SESSION_ENDED);
      const alive = session([tokens({ access_token: "second" })]);
      hand(alive, event);
      alive.pass(1000);
      expect(alive.text(Field.ACCESS_TOKEN)).toBe("second");
    },
  );

  it.each(["hijacking", "bulk-account", undefined])(
    "device doc §6 row account-disabled: reason %s ends the session, an administrator can help",
    (reason) => {
      const bench = session();
      hand(bench, claims(ACCOUNT_DISABLED, { subject: SUBJECT, reason }));
      expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
      expect(bench.frame().join(" ")).toContain("Account disabled");
      expect(wiped(bench)).toBe(true);
    },
  );

  it.each([VERIFICATION, `${TYPES}risc/event-type/account-enabled`, "https://new.example/type"])(
    "device doc §6: the further type %s changes nothing",
    (type) => {
      const bench = session();
      expect(hand(bench, claims(type, { state: "abc" }))).toBe(1);
      bench.pass(1000);
      expect(bench.device.state).toBe(State.SIGNED_IN);
      expect(bench.sent).toHaveLength(0);
    },
  );

  it("device doc §6: a duplicate by its jti is applied once", () => {
    const event = claims(SESSIONS_REVOKED, { subject: SUBJECT }, "the-same");
    const bench = session([tokens({ access_token: "second" })]);
    hand(bench, event);
    bench.pass(1000);
    expect(hand(bench, event)).toBe(1);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(1);
    expect(hand(bench, { ...event, jti: "another" })).toBe(1);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(2);
  });

  it.each(["", "{", "[]", "<html>", '{"events":{}}', '{"jti":[],"events":{}}', '{"jti":""}'])(
    "device doc §6: %j is no event and changes nothing",
    (text) => {
      const bench = session();
      expect(hand(bench, text)).toBe(0);
      expect(bench.device.state).toBe(State.SIGNED_IN);
    },
  );

  it("device doc §6: a type's name elsewhere in the claims is no event", () => {
    const bench = session();
    hand(bench, { jti: "elsewhere", aud: ACCOUNT_DISABLED, note: [ACCOUNT_DISABLED], events: {} });
    hand(bench, { jti: "a claim", [ACCOUNT_DISABLED]: {}, [TOKEN_REVOKED]: {}, events: {} });
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §6 row token-revoked: a claim named token is no subject's", () => {
    const bench = session();
    hand(bench, { ...claims(TOKEN_REVOKED), token: "x", token_identifier_alg: "prefix" });
    expect(bench.device.error).toBe(ErrorCode.TOKEN_REVOKED);
  });

  it("device doc §6: of two types in one event the second counts where the first is not about us", () => {
    const bench = session(["hang"]);
    const event = claims(TOKEN_REVOKED, tokenSubject("another"));
    expect(hand(bench, { ...event, events: { ...event.events, [SESSIONS_REVOKED]: {} } })).toBe(1);
    expect(bench.device.state).toBe(State.REFRESHING);
  });
});

describe("device doc §6: which token a prefix means", () => {
  it.each([
    ["r", "its first character alone"],
    ["refresh", "all of it"],
    ["a", "the access token's first character"],
    ["access", "all of the access token"],
  ])("device doc §6 row token-revoked: %j is %s", (prefix) => {
    const bench = session();
    hand(bench, claims(TOKEN_REVOKED, tokenSubject(prefix)));
    expect(bench.device.error).toBe(ErrorCode.TOKEN_REVOKED);
  });

  it("device doc §6 row token-revoked: a token that was longer once is not meant by what it lost", () => {
    const bench = session([tokens({ access_token: "access" })], { access_token: "access-long" });
    bench.until(1);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
    hand(bench, claims(TOKEN_REVOKED, tokenSubject("access-lo")));
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §6 row token-revoked: one too long to be compared is not taken for its beginning", () => {
    const { device } = session();
    const quarter = ((device.capacity[Region.OUTPUT]! + 1) >> 2) + 1;
    // As long as the token has room, which is less than the prefix would need.
    const refresh_token = "r".repeat(device.capacity[Field.RECEIVED_REFRESH_TOKEN]!);
    const bench = session(["hang"], { refresh_token });
    hand(bench, claims(TOKEN_REVOKED, tokenSubject(`${"r".repeat(quarter)}another`)));
    expect(bench.device.state).toBe(State.REFRESHING);
  });

  it("device doc §6 row token-revoked: several at once are one event", () => {
    const bench = session();
    hand(bench, claims(`${TYPES}oauth/event-type/tokens-revoked`));
    expect(bench.device.error).toBe(ErrorCode.TOKEN_REVOKED);
  });
});

describe("RFC 8417 §2.2: the identifier", () => {
  it.each(['a"b', "a\\b", "\\", "a b", "é", "\u0000"])("may be any string: %j", (jti) => {
    const bench = session();
    expect(hand(bench, claims(ACCOUNT_DISABLED, {}, jti))).toBe(1);
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
  });

  it.each([
    [1, "hqziea"],
    [2, "aaqpql"],
  ])("is new where none came before, also one of the checksum %i", (_, jti) => {
    const bench = session(["hang"]);
    expect(hand(bench, claims(SESSIONS_REVOKED, {}, jti))).toBe(1);
    expect(bench.device.state).toBe(State.REFRESHING);
  });

  it("RFC 9493 §3.2.6: is the token's own, not one that its subject has", () => {
    const sub_id = { format: "jwt_id", iss: "https://issuer.example", jti: "a token's" };
    const event = claims(SESSIONS_REVOKED, { subject: sub_id }, "first");
    for (const { jti, ...rest } of [event, { ...event, jti: "second" }]) {
      for (const ordered of [
        { jti, sub_id, ...rest },
        { sub_id, ...rest, jti },
      ]) {
        const bench = session(["hang"]);
        hand(bench, claims(VERIFICATION, {}, "a token's"));
        expect(hand(bench, ordered)).toBe(1);
        expect(bench.device.state).toBe(State.REFRESHING);
      }
    }
    const nothing = session();
    expect(hand(nothing, { sub_id, events: { [ACCOUNT_DISABLED]: {} } })).toBe(0);
    expect(nothing.device.state).toBe(State.SIGNED_IN);
  });

  it("may have half of OUTPUT where the application hands it in; a longer one is refused, not cut", () => {
    const bench = session(["hang"]);
    const most = bench.device.capacity[Region.OUTPUT]! >> 1;
    const subject = { subject: SUBJECT };
    expect(hand(bench, claims(SESSIONS_REVOKED, subject, "x".repeat(most + 1)))).toBe(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(hand(bench, claims(SESSIONS_REVOKED, subject, "x".repeat(most)))).toBe(1);
    expect(bench.device.state).toBe(State.REFRESHING);
  });

  it("the last eight are remembered, no more and no fewer", () => {
    const bench = session(Array(40).fill(tokens()));
    let applied = 0;
    const isApplied = (number: number): boolean => {
      hand(bench, claims(SESSIONS_REVOKED, { subject: SUBJECT }, `number-${number}`));
      bench.pass(0);
      const isNew = bench.sent.length > applied;
      applied = bench.sent.length;
      return isNew;
    };
    const eight = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(eight.map(isApplied)).toEqual(Array(8).fill(true));
    expect(eight.map(isApplied)).toEqual(Array(8).fill(false));
    expect(isApplied(9)).toBe(true);
    expect([2, 3, 4, 5, 6, 7, 8, 9].map(isApplied)).toEqual(Array(8).fill(false));
    expect(isApplied(1)).toBe(true);
    expect([3, 4, 5, 6, 7, 8, 9].map(isApplied)).toEqual(Array(7).fill(false));
    expect(isApplied(2)).toBe(true);
  });
});

// Security events that the device fetches by itself, and what it acknowledges. Complete build only.

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

  it.each([..."+/:=@[`{"])("RFC 7515 §2: a payload with %s in it is cut there", (character) => {
    const event = claims(ACCOUNT_DISABLED);
    const text = JSON.stringify(event);
    const [head, payload, signature] = jws(event).split(".") as [string, string, string];
    // In the middle of a value, which may be any text.
    const at = Math.ceil(((text.indexOf("printer") + 3) * 4) / 3);
    const cut = `${head}.${payload.slice(0, at)}${character}${payload.slice(at + 1)}.${signature}`;
    const bench = session([json(200, { sets: { [event.jti]: cut }, moreAvailable: false }), EMPTY]);
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
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

  it("RFC 8936 §2.4: a server that always has the same event does not keep the device for ever", () => {
    const bench = session(Array(1000).fill(delivery(claims(VERIFICATION, {}))));
    bench.core.pollEvents(bench.device);
    for (let i = 0; i < 40; i++) bench.pass(1);
    // One for each of 32 events, and one that acknowledges the last of them.
    expect(bench.sent).toHaveLength(33);
    expect(bench.device.callState).toBe(CallState.DONE);
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
