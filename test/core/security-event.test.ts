// Security events that the application hands in, row by row. Complete build only.

import { describe, expect, it } from "vitest";
import { ErrorCode, Field, Region, State } from "../../core/complete.ts";
import { Bench, call, code, error, json, LIST, publicState, session, tokens } from "./bench.ts";
import {
  ACCOUNT_DISABLED,
  claims,
  hand,
  SESSIONS_REVOKED,
  SUBJECT,
  TOKEN_REVOKED,
  TYPES,
  tokenSubject,
  VERIFICATION,
  wiped,
} from "./security-events.ts";

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

  it("of an event that came again is remembered as the newest", () => {
    const bench = session(["hang"]);
    const see = (number: number): number => hand(bench, claims(VERIFICATION, {}, `${number}`));
    [1, 2, 3, 4, 5, 6, 7, 8, 1, 9].map(see);
    expect(hand(bench, claims(ACCOUNT_DISABLED, {}, "1"))).toBe(1);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(hand(bench, claims(ACCOUNT_DISABLED, {}, "2"))).toBe(1);
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
  });

  it("is forgotten with the device's life: create begins anew", () => {
    const bench = session();
    const event = claims(VERIFICATION, {}, "before");
    hand(bench, event);
    const again = session();
    again.memory.set(bench.memory);
    hand(again, { ...event, events: { [ACCOUNT_DISABLED]: {} } });
    expect(again.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
  });
});

describe("device doc §6: the type of an event is what counts", () => {
  const held = ["{}", `"${"x".repeat(3000)}"`, "7", "null", "[]", '["x"]', "true"];
  it.each(held)("whatever it holds: %s", (value) => {
    const bench = session(["hang"]);
    const { capacity } = bench.device;
    expect(hand(bench, `{"jti":"holds","events":{"${SESSIONS_REVOKED}":${value}}}`)).toBe(1);
    expect(bench.device.state).toBe(State.REFRESHING);
    // What is only a name has no room to be copied to.
    for (const field of [Field.SESSIONS_REVOKED, Field.TOKEN_REVOKED, Field.ACCOUNT_DISABLED]) {
      expect(capacity[field]).toBeLessThan(0);
    }
  });
});

describe("an event that the application hands in at a bad moment is refused, not lost", () => {
  const event = claims(ACCOUNT_DISABLED);
  const refused = (bench: Bench): void => {
    const before = publicState(bench);
    expect(hand(bench, event)).toBe(0);
    expect(publicState(bench)).toEqual(before);
  };

  it("while a request is under way", () => {
    const bench = session(["hang"]);
    call(bench, LIST);
    bench.pass(0);
    refused(bench);
    bench.give(bench.sent[0]!.id, json(200, {}));
    bench.run(0);
    expect(hand(bench, event)).toBe(1);
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
  });

  it("while a record is being written", () => {
    const bench = new Bench([code(), tokens()]);
    bench.until(1);
    bench.storageHangs = true;
    bench.until(2);
    bench.run(0);
    refused(bench);
    bench.core.storageDone(bench.device, 1);
    bench.run(0);
    expect(hand(bench, event)).toBe(1);
  });

  it("without a session", () => {
    const bench = new Bench([], { autoStart: 0 });
    refused(bench);
    bench.answers = [code()];
    bench.core.signIn(bench.device);
    bench.pass(1000);
    expect(bench.device.state).toBe(State.PENDING);
    refused(bench);
  });
});
