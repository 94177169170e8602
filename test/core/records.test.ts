// Records over the border (SPEC.md, Records): what is taken for a record and what is not.

import { describe, expect, it } from "vitest";
import { State } from "../../core/index.ts";
import { Bench, code, config, tokens } from "./bench.ts";
import { EMPTY, found } from "./made-records.ts";
import { crc24, fieldsOf, Kind, recordOf } from "./record-bytes.ts";
import { scarce } from "./subject.ts";

/** The slots of a device with a pending code, or with tokens. */
function slotsWith(kind: "code" | "tokens"): Uint8Array[] {
  const bench = new Bench(kind === "code" ? [code()] : [code(), tokens()]);
  bench.until(kind === "code" ? 1 : 2);
  bench.pass(0);
  return bench.slots;
}

function newest(slots: readonly Uint8Array[]): number {
  const sequence = (slot: Uint8Array): number => (slot.length ? slot[3]! : -1);
  return sequence(slots[0]!) > sequence(slots[1]!) ? 0 : 1;
}

function stateFrom(slots: Uint8Array[], memoryBytes = 8192): State {
  const bench = new Bench([], { slots, autoStart: 0, memoryBytes });
  bench.pass(0);
  return bench.device.state;
}

describe("SPEC Records", () => {
  it("a code, a refresh token and an access token lie in the bytes that the table says", () => {
    const [first] = slotsWith("code") as [Uint8Array, Uint8Array];
    const url = "https://example.com/device";
    const common = { interval: 5000, refreshLife: 100000000, rest: 3 };
    const values = ["dc", "ABCD-EFGH", url, undefined];
    expect(fieldsOf(first)).toEqual({ ...common, state: 3, sequence: 0, values, codeLife: 1800 });
    const ofToken = { ...common, sequence: 1, codeLife: expect.any(Number) };
    const slots = slotsWith("tokens");
    const token = slots[newest(slots)]!;
    expect(fieldsOf(token)).toEqual({ ...ofToken, state: 5, values: ["refresh"] });
    const only = { refresh_token: undefined };
    const bench = new Bench([code(), tokens(only)]);
    bench.until(2);
    bench.pass(0);
    const access = bench.slots[newest(bench.slots)]!;
    expect(fieldsOf(access)).toEqual({ ...ofToken, state: 4, values: ["access"] });
  });

  it.each([
    { answer: tokens(), found: 7, value: "refresh" },
    { answer: tokens({ refresh_token: undefined }), found: 6, value: "access" },
  ])("a revocation is kept with the token that it is of: $value", (row) => {
    const bench = new Bench([code(), row.answer]);
    bench.until(2);
    bench.pass(0);
    bench.core.signOut(bench.device);
    bench.pass(0);
    const record = bench.slots[newest(bench.slots)]!;
    expect(fieldsOf(record)).toMatchObject({ state: row.found, values: [row.value] });
    const after = new Bench([], { slots: bench.slots, autoStart: 0 });
    after.pass(0);
    expect(after.device.state).toBe(State.REVOKING);
  });

  it("a token too long for a smaller memory is not replaced by the older code", () => {
    const memoryBytes = 8192;
    const long = "t".repeat(200);
    const bench = new Bench([code(), tokens({ refresh_token: long })], { memoryBytes });
    bench.until(2);
    bench.pass(0);
    const [first, second] = bench.slots as [Uint8Array, Uint8Array];
    for (const slots of [
      [first, second],
      [second, first],
    ]) {
      expect(stateFrom([...slots], memoryBytes)).toBe(State.REFRESHING);
      expect(stateFrom([...slots], scarce(2673))).toBe(State.SIGNED_OUT);
    }
  });

  it("the checksum is RFC 4880's CRC-24, started from that of client and server", () => {
    expect(crc24(new TextEncoder().encode("123456789"), 0xb704ce)).toBe(0x21cf02);
    const version = 1;
    const start = crc24(
      new TextEncoder().encode(`client_id=${config.clientId}&server=${config.server}`),
      version,
    );
    for (const record of [slotsWith("code")[0]!, slotsWith("tokens")[1]!]) {
      const end = record.length - 3;
      const kept = (record[end]! << 16) | (record[end + 1]! << 8) | record[end + 2]!;
      const body = record.subarray(0, end);
      expect(kept).toBe(crc24(body, start ^ record.length));
    }
  });

  it("life of a code and of a refresh token come back with the record", () => {
    const pending = new Bench([], { slots: slotsWith("code"), autoStart: 0 });
    expect(pending.device.codeLifeS).toBe(1800);
    const before = new Bench([code(), tokens({ refresh_token_expires_in: 86400 })]);
    before.until(2);
    before.pass(0);
    const after = new Bench([], { slots: before.slots, autoStart: 0 });
    expect(after.device.refreshLifeS).toBe(86400);
  });

  it.each([
    { kind: "code", found: State.PENDING },
    { kind: "tokens", found: State.REFRESHING },
  ] as const)("a record of $kind ends where it says: one byte more or less is none", (row) => {
    const slots = slotsWith(row.kind);
    const at = newest(slots);
    const whole = slots[at]!;
    expect(stateFrom([whole, new Uint8Array()])).toBe(row.found);
    for (const count of [1, 2, 3, 17]) {
      const longer = new Uint8Array(whole.length + count);
      longer.set(whole);
      expect(stateFrom([longer, new Uint8Array()])).toBe(State.SIGNED_OUT);
      const shorter = whole.slice(0, whole.length - count);
      expect(stateFrom([shorter, new Uint8Array()])).toBe(State.SIGNED_OUT);
    }
  });

  it.each(["code", "tokens"] as const)(
    "every flipped bit of a record of %s makes it none",
    (kind) => {
      const slots = slotsWith(kind);
      const whole = slots[newest(slots)]!;
      for (let bit = 0; bit < whole.length * 8; bit++) {
        const flipped = whole.slice();
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        expect(stateFrom([flipped, new Uint8Array()])).toBe(State.SIGNED_OUT);
      }
    },
  );

  it.each([
    { intervalMs: 0 },
    { intervalMs: 999 },
    { intervalMs: 100_000_001 },
    { intervalMs: 0xffff_ffff },
    { codeLifeS: 100_000_001 },
    { codeLifeS: 0xffff_ffff },
    { refreshLifeS: 100_000_001 },
    { refreshLifeS: 0xffff_ffff },
  ])(
    "a time that no device has kept makes the record none, and what is older with it: %j",
    (times) => {
      const kind = Kind.REFRESH_TOKEN;
      const bench = found([
        recordOf({ kind, sequence: 2, values: ["newer"], ...times }),
        recordOf({ kind, sequence: 1, values: ["older"] }),
      ]);
      bench.pass(100_000);
      expect(bench.device.state).toBe(State.SIGNED_OUT);
      expect(bench.sent).toEqual([]);
      // The very ends are times.
      const ends = { intervalMs: 1000, codeLifeS: 0, refreshLifeS: 100_000_000 };
      const least = found([recordOf({ kind, ...ends }), EMPTY]);
      least.pass(0);
      expect(least.device.state).toBe(State.REFRESHING);
    },
  );

  it("a record of another version is none", () => {
    const [record] = slotsWith("code") as [Uint8Array, Uint8Array];
    const end = record.length - 3;
    for (const version of [0, 1, 2, 16]) {
      const start = crc24(
        new TextEncoder().encode(`client_id=${config.clientId}&server=${config.server}`),
        version,
      );
      const sum = crc24(record.subarray(0, end), start ^ record.length);
      record.set([sum >> 16, sum >> 8, sum], end);
      const found = version === 1 ? State.PENDING : State.SIGNED_OUT;
      expect(stateFrom([record, new Uint8Array()])).toBe(found);
    }
  });

  it("a damaged newer record leaves the older to go on from", () => {
    const bench = new Bench([
      code(),
      tokens({ expires_in: 60 }),
      tokens({ refresh_token: "next" }),
    ]);
    bench.until(3);
    bench.pass(0);
    const { slots } = bench;
    const at = newest(slots);
    slots[at]![5]! ^= 1;
    expect(stateFrom(slots)).toBe(State.REFRESHING);
  });
});
