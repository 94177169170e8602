// What is read out of a security event that the device fetches: a compact serialization, in base64url. Complete build
// only.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ErrorCode, Field, Region, State } from "../../core/complete.ts";
import { anyCharacter } from "../any-character.ts";
import { type Bench, json, tokens } from "./bench.ts";
import {
  claims,
  delivery,
  EMPTY,
  jws,
  SESSIONS_REVOKED,
  TOKEN_REVOKED,
  tokenSubject,
} from "./security-events.ts";
import { outcome, session } from "./session.ts";

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
