// Which of two records counts: records made by hand, after SPEC.md's table.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Region, State } from "../../core/complete.ts";
import { Bench, code, config, error, json, tokens } from "./bench.ts";
import { EMPTY, found, present, token } from "./made-records.ts";
import { Kind, recordOf } from "./record-bytes.ts";

/** What a slot has that could be read before. */
const bytesAgain = (what: string): Uint8Array =>
  what === "noise" ? new Uint8Array(30).fill(7) : EMPTY;
const sequenceOf = (record: Uint8Array): number =>
  (record[1]! << 16) | (record[2]! << 8) | record[3]!;

describe("SPEC Records: the newer counts, and sequences wrap at 2^24", () => {
  it.each([
    [1, 2, "second"],
    [2, 1, "first"],
    [0, 1, "second"],
    [255, 256, "second"],
    [65_535, 65_536, "second"],
    [0xffffff, 0, "second"],
    [0, 0xffffff, "first"],
    [0xfffffe, 1, "second"],
    [1, 0xfffffe, "first"],
    [0, 0x7fffff, "second"],
    [0x7fffff, 0, "first"],
    [1, 0x800000, "second"],
    [0x800000, 1, "first"],
    [0x900000, 0x100001, "first"],
    [0, 0x800000, "second"],
    [0x800000, 0, "second"],
  ])("%i in the one slot, %i in the other: the %s", (first, second, newer) => {
    const bench = found([token("first", first), token("second", second)]);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(present(bench)).toBe(newer);
  });

  it.each(["nothing", "noise", "an error"])(
    "the newer, of a session signed out, is %s when it is read again: the older does not come back",
    (what) => {
      const memory: number[] = Array(4096).fill(0);
      const device = core.create(memory, { ...config, autoStart: 0 })!;
      const revoked = recordOf({
        kind: Kind.REVOCATION,
        sequence: 7,
        values: ["first"],
      });
      const slots = [revoked, token("first", 6)];
      const next = (): number => core.tick(device, device.waitMs);
      for (let reads = 0; next() === core.Command.LOAD && reads < 9; reads++) {
        const bytes = reads < 2 ? slots[device.slot]! : bytesAgain(what);
        bytes.forEach((byte, i) => {
          memory[device.data + i] = byte;
        });
        core.storageDone(device, reads > 1 && what === "an error" ? -1 : bytes.length);
      }
      expect(device.state).toBe(State.SIGNED_OUT);
      expect(device.length[Region.REFRESH_TOKEN]).toBe(-1);
    },
  );

  /** Starts with these slots, of which the first cannot be read from its `readable`th reading on. */
  function halfRead(slots: Uint8Array[], readable: number): Bench {
    const bench = new Bench([], { slots: [...slots], autoStart: 0, storageHangs: true });
    for (let reads = 0; bench.device.state === State.STARTING && reads < 12; reads++) {
      const { device, memory } = bench;
      bench.pass(device.waitMs);
      const bytes = slots[device.slot]!;
      const isReadable = device.slot === 1 || readable-- > 0;
      if (isReadable) memory.set(bytes, device.data);
      bench.core.storageDone(device, isReadable ? bytes.length : -1);
      bench.run(0);
    }
    bench.storageHangs = false;
    // On to a whole second, which is what the tests count in.
    bench.pass((1_000_000 - bench.nowMs) % 1000);
    return bench;
  }

  it("RFC 9700 §4.14.2: the older token, which may be used up, is not sent while the newer may yet be read", () => {
    const slots = [token("second", 7), token("first", 6)];
    const bench = new Bench([tokens()], { slots, autoStart: 0, storageHangs: true });
    const { device, memory } = bench;
    const waits: number[] = [];
    for (let failures = 0; failures < 6; failures++) {
      expect(device.slot).toBe(0);
      bench.core.storageDone(device, -1);
      expect(bench.core.tick(device, 0)).toBe(core.Command.NONE);
      waits.push(bench.core.wakeIn(device));
      expect(bench.core.tick(device, device.waitMs - 1)).toBe(core.Command.NONE);
      expect(bench.core.tick(device, 1)).toBe(core.Command.LOAD);
    }
    expect(waits).toEqual([100, 200, 400, 800, 1600, 3200]);
    for (const slot of [0, 1, 0]) {
      expect(device.slot).toBe(slot);
      memory.set(slots[slot]!, device.data);
      bench.core.storageDone(device, slots[slot]!.length);
      bench.run(0);
    }
    bench.storageHangs = false;
    bench.until(1);
    expect(bench.sent[0]!.body).toContain("refresh_token=second");
  });

  it("nothing is sent while a slot is to be read again, neither a call", () => {
    const bench = new Bench([json(200, {})], { autoStart: 0, storageHangs: true });
    const { core, device } = bench;
    core.storageDone(device, -1);
    const issuer = new TextEncoder().encode("https://a.example");
    expect(core.discover(device, issuer, 0, issuer.length)).toBe(1);
    bench.run(0);
    expect(device.state).toBe(State.STARTING);
    expect(core.wakeIn(device)).toBe(100);
    expect(bench.sent).toHaveLength(0);
    bench.storageHangs = false;
    bench.pass(1000);
    expect(device.state).toBe(State.SIGNED_OUT);
    expect(bench.sent).toHaveLength(1);
  });

  it("the newer cannot be read again: behind the next code the older is erased with its token", () => {
    const bench = halfRead([token("second", 7), token("first", 6)], 1);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    // It may be readable at the next start: nothing is erased as long as nobody signs in.
    expect(bench.slots.map(sequenceOf)).toEqual([7, 6]);
    bench.answers = [code()];
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.slots[0]![0]).toBe(Kind.CODE);
    expect(bench.slots[1]).toEqual(EMPTY);
  });

  it("the older slot stays where a refresh brings no other token", () => {
    const members = { expires_in: 60 };
    const bench = new Bench([code(), tokens(members)]);
    bench.answers.push(tokens({ ...members, refresh_token: "second" }));
    bench.answers.push(tokens({ ...members, refresh_token: undefined }));
    bench.until(3);
    bench.run(0);
    const { erases, slots } = bench;
    const stored = slots.map((slot) => slot.slice());
    expect(stored.map((slot) => slot.length > 0)).toEqual([true, true]);
    bench.until(4);
    bench.run(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.erases).toBe(erases);
    expect(slots).toEqual(stored);
  });

  it("one slot cannot be read: the session of the other goes on, and its next record stands alone", () => {
    const bench = halfRead([token("second", 7), token("first", 6)], 0);
    expect(bench.device.state).toBe(State.REFRESHING);
    bench.answers = [tokens({ refresh_token: "third" }), tokens({ refresh_token: "fourth" })];
    bench.until(1);
    expect(bench.slots.map(sequenceOf)).toEqual([7, 0]);
    expect(present(found(bench.slots))).toBe("third");
    // Everything is known again: the older stays, as it does in any session.
    bench.core.accessTokenRefused(bench.device);
    bench.until(2);
    expect(bench.slots.map(sequenceOf)).toEqual([7, 8]);
  });

  /** A new token is written behind a slot that could not be read, and the older one cannot be erased. */
  function unerased(answers: object = {}): Bench {
    const bench = halfRead([token("second", 7), token("first", 6)], 0);
    bench.erasesFail = true;
    bench.answers = [tokens({ refresh_token: "third", ...answers })];
    bench.until(1);
    bench.run(0);
    return bench;
  }

  it("storage refuses to erase the older record: the newer counts as saved, and only the erasing is tried again", () => {
    const bench = unerased();
    expect(bench.slots.map(sequenceOf)).toEqual([7, 6]);
    const { device, writes } = bench;
    expect(bench.erases).toBe(3);
    expect([device.notSaved, device.notErased]).toEqual([0, 1]);
    expect(bench.frame().join("")).not.toContain("Not saved");
    bench.pass(120_000);
    expect(bench.erases).toBe(9);
    bench.erasesFail = false;
    bench.pass(60_000);
    expect(bench.erases).toBe(10);
    expect(bench.writes).toBe(writes);
    expect([device.notSaved, device.notErased]).toEqual([0, 0]);
    expect(bench.slots[1]).toEqual(EMPTY);
    expect(present(found(bench.slots))).toBe("third");
  });

  it("the same where refreshes come more often than once a minute", () => {
    const bench = unerased({ expires_in: 50 });
    const { writes } = bench;
    bench.erasesFail = false;
    bench.answers = Array.from({ length: 5 }, () =>
      tokens({ refresh_token: "third", expires_in: 50 }),
    );
    bench.until(2);
    bench.run(0);
    expect(bench.device.waitMs).toBe(60_000);
    expect(bench.writes).toBe(writes);
    expect(bench.device.notErased).toBe(0);
    expect(bench.slots[1]).toEqual(EMPTY);
  });

  it("the same with an access token alone: its record stays", () => {
    const bench = halfRead([EMPTY, EMPTY], 0);
    bench.erasesFail = true;
    bench.answers = [code(), tokens({ refresh_token: undefined })];
    bench.core.signIn(bench.device);
    bench.until(2);
    bench.run(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect([bench.device.notSaved, bench.device.notErased]).toEqual([0, 1]);
    bench.erasesFail = false;
    bench.pass(60_000);
    expect(bench.device.notErased).toBe(0);
    expect(found(bench.slots).device.state).toBe(State.SIGNED_IN);
  });

  it("tokens that outlive a refusal keep their record when what lies behind it is erased after all", () => {
    const bench = unerased();
    bench.answers = [error(400, "invalid_client"), tokens({ refresh_token: "third" })];
    bench.core.accessTokenRefused(bench.device);
    bench.until(2);
    expect(bench.device.state).toBe(State.REFRESHING);
    bench.erasesFail = false;
    bench.until(3);
    bench.run(0);
    expect(bench.device.notErased).toBe(0);
    expect(bench.slots[1]).toEqual(EMPTY);
    expect(present(found(bench.slots))).toBe("third");
  });

  it("tokens that outlive a refusal and were never saved are not given up with what could not be erased", () => {
    const bench = unerased();
    bench.storageFails = true;
    bench.answers = [tokens({ refresh_token: "fourth" }), error(400, "invalid_client")];
    bench.core.accessTokenRefused(bench.device);
    bench.until(2);
    bench.run(0);
    expect([bench.device.notSaved, bench.device.notErased]).toEqual([1, 1]);
    bench.core.accessTokenRefused(bench.device);
    bench.until(3);
    bench.storageFails = bench.erasesFail = false;
    const before = bench.slots.map((slot) => slot.slice());
    bench.answers = Array(20).fill(error(400, "invalid_client"));
    bench.pass(300_000);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(bench.slots).toEqual(before);
    bench.answers = [tokens({ refresh_token: "fourth" })];
    bench.core.signIn(bench.device);
    bench.pass(0);
    expect([bench.device.notSaved, bench.device.notErased]).toEqual([0, 0]);
    expect(present(found(bench.slots))).toBe("fourth");
  });

  it("a code that a start finds stands alone, whatever lies behind it", () => {
    const record = recordOf({
      kind: Kind.CODE,
      sequence: 7,
      values: ["dc", "AB", "https://x.test", undefined],
    });
    const bench = found([token("first", 6), record]);
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.slots).toEqual([EMPTY, record]);
  });

  it("a token that could not be erased goes behind the next code", () => {
    const bench = new Bench([code(), tokens(), json(200, {})]);
    bench.until(2);
    bench.storageFails = true;
    bench.core.signOut(bench.device);
    bench.until(3);
    expect(bench.device.notErased).toBe(1);
    // There is nothing left that could be saved.
    expect(bench.device.notSaved).toBe(0);
    // A code that cannot be written either changes nothing about it.
    bench.answers = [code(), code()];
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.device.notSaved).toBe(1);
    expect(bench.device.notErased).toBe(1);
    bench.storageFails = false;
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.slots.map((slot) => slot[0]).sort()).toEqual([Kind.CODE, undefined]);
    expect(bench.device.notErased).toBe(0);
  });

  it.each([
    [0xffffff, 0, 0],
    [0xfffffe, 0xffffff, 0],
    [5, 6, 0],
    [6, 5, 1],
  ])("after %i and %i the next goes over the older, and counts from then on", (...row) => {
    const [first, second, slot] = row;
    const bench = found([token("first", first), token("second", second)]);
    const newest = bench.slots[1 - slot]!;
    bench.answers = [tokens({ refresh_token: "third" })];
    bench.until(1);
    const next = (sequenceOf(newest) + 1) % 2 ** 24;
    expect(sequenceOf(bench.slots[slot]!)).toBe(next);
    // Behind the first number the other slot is erased: see record-keeping.ts.
    expect(bench.slots[1 - slot]).toEqual(next < 1 ? EMPTY : newest);
    expect(present(found(bench.slots))).toBe("third");
  });

  it("a chain of rotations over the wrap never loses the newest", () => {
    let slots = [token("t0", 0xfffffd), token("t1", 0xfffffe)];
    for (let round = 2; round < 9; round++) {
      const bench = found(slots);
      expect(present(bench)).toBe(`t${round - 1}`);
      bench.answers = [tokens({ refresh_token: `t${round}` })];
      bench.until(1);
      slots = bench.slots;
    }
    expect(slots.map(sequenceOf).sort((a, b) => a - b)).toEqual([4, 5]);
  });

  it.each([
    ["the token before", [recordOf({ kind: Kind.CODE, sequence: 1 }), token("new", 2)]],
    ["nothing", [EMPTY, token("new", 2)]],
    ["an older token", [token("new", 2), token("old", 1)]],
  ])("beside %s", (_, slots) => {
    const bench = found(slots);
    expect(present(bench)).toBe("new");
    expect(bench.device.state).toBe(State.REFRESHING);
  });
});
