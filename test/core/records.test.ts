// Records over the border (SPEC.md, Records): what is taken for a record and what is not.

import { describe, expect, it } from "vitest";
import { State } from "../../core/index.ts";
import { Bench, code, tokens } from "./bench.ts";

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

function stateFrom(slots: Uint8Array[]): State {
  const bench = new Bench([], { slots, autoStart: 0 });
  bench.pass(0);
  return bench.device.state;
}

describe("SPEC Records", () => {
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

  it("a damaged newer record leaves the older to go on from", () => {
    const slots = slotsWith("tokens");
    const at = newest(slots);
    slots[at]![5]! ^= 1;
    expect(stateFrom(slots)).toBe(State.PENDING);
  });
});
