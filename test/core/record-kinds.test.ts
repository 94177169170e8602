// What a device makes of each kind of record, made by hand after SPEC.md's table.

import { describe, expect, it } from "vitest";
import { Field, State } from "../../core/complete.ts";
import { Bench, error, json, tokens } from "./bench.ts";
import { EMPTY, found, token } from "./made-records.ts";
import { Kind, recordOf } from "./record-bytes.ts";

describe("SPEC Records: what each kind leads to", () => {
  it("a code: it is polled with, its own interval and five seconds later", () => {
    const values = ["the code", "WXYZ", "https://x.example/device", "https://x.example/c"];
    const record = recordOf({ kind: Kind.CODE, values, codeLifeS: 777, intervalMs: 12_000 });
    const bench = found([record, EMPTY]);
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.device.codeLifeS).toBe(777);
    const fields = [
      Field.DEVICE_CODE,
      Field.USER_CODE,
      Field.VERIFICATION_URI,
      Field.VERIFICATION_URI_COMPLETE,
    ];
    expect(fields.map((field) => bench.text(field))).toEqual(values);
    bench.until(3);
    expect(bench.sent[0]!.body).toContain("device_code=the+code");
    expect(bench.sent[0]!.atMs).toBeGreaterThanOrEqual(17_000);
    expect(bench.sent[0]!.atMs).toBeLessThan(22_000);
    expect(bench.sent[1]!.atMs - bench.sent[0]!.atMs).toBe(17_000);
  });

  it("a refresh token: it is renewed first, its lifetime goes on", () => {
    const record = recordOf({ kind: Kind.REFRESH_TOKEN, values: ["kept"], refreshLifeS: 86_400 });
    const bench = found([EMPTY, record]);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(bench.device.refreshLifeS).toBe(86_400);
    bench.answers = [tokens({ refresh_token: undefined })];
    bench.until(1);
    expect(bench.sent[0]!.atMs).toBeLessThanOrEqual(5000);
    expect(bench.sent[0]!.body).toContain("refresh_token=kept");
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("an access token alone: it is used until it is refused", () => {
    const bench = found([recordOf({ kind: Kind.ACCESS_TOKEN, values: ["only"] }), EMPTY]);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("only");
    bench.pass(600_000);
    expect(bench.sent).toHaveLength(0);
  });

  it("an access token of an older record is not the newer one's session's", () => {
    const older = recordOf({ kind: Kind.ACCESS_TOKEN, sequence: 1, values: ["old access"] });
    for (const slots of [
      [older, token("newer", 2)],
      [token("newer", 2), older],
    ]) {
      const bench = found(slots);
      expect(bench.device.state).toBe(State.REFRESHING);
      expect(bench.device.length[Field.ACCESS_TOKEN]).toBe(-1);
      expect(bench.frame().join("")).toContain("Connecting");
    }
  });

  it("a revocation: it is gone on with, and the record behind it is erased first", () => {
    const record = recordOf({ kind: Kind.REVOCATION, values: ["doomed"], sequence: 2 });
    const slots = [token("doomed", 1), record];
    const bench = new Bench([json(200, {})], { slots, autoStart: 0 });
    expect(bench.device.state).toBe(State.REVOKING);
    expect(bench.slots).toEqual([EMPTY, record]);
    bench.until(1);
    expect(bench.sent[0]!.target).toBe("?token=doomed");
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.slots).toEqual([EMPTY, EMPTY]);
  });

  it("a revocation of an access token is gone on with, too", () => {
    const record = recordOf({ kind: Kind.REVOCATION_OF_ACCESS_TOKEN, values: ["only"] });
    const bench = new Bench([error(503, "x"), json(200, {})], { slots: [record, EMPTY] });
    expect(bench.device.state).toBe(State.REVOKING);
    bench.until(2);
    expect(bench.sent[0]!.target).toBe("?token=only");
    expect(bench.sent[1]!.target).toBe("?token=only");
    expect(bench.slots).toEqual([EMPTY, EMPTY]);
  });

  it.each([0, 2, 255])("version %i is another one's: nothing is taken from it", (version) => {
    const bench = found([recordOf({ kind: Kind.REFRESH_TOKEN, version }), EMPTY]);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
  });

  it("another client's is nobody's: its token must not go to this one's server", () => {
    const record = recordOf({ kind: Kind.REFRESH_TOKEN, clientId: "other" });
    expect(found([record, EMPTY]).device.state).toBe(State.SIGNED_OUT);
    expect(found([record, EMPTY], { clientId: "other" }).device.state).toBe(State.REFRESHING);
  });
});
