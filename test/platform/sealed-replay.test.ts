// Sealed storage where an older record is put back, with a hardware counter and without one; and a counter that fails.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Storage } from "../../platform/contracts.ts";
import { MemoryStorage } from "../../platform/fake/index.ts";
import type { MonotonicCounter } from "../../platform/sealed-storage.ts";
import { Counter, get, put, seal, wipeSlot } from "./sealing.ts";

describe("an older record put back", () => {
  it("is noticed within one run, without a counter", () => {
    const inner = new MemoryStorage();
    const storage = seal(inner);
    put(storage, 0, "old");
    const old = inner.peek(0);
    put(storage, 0, "new");
    inner.poke(0, old);
    expect(get(storage, 0)).toBe(-1);
    wipeSlot(storage, 0);
    inner.poke(0, old);
    expect(get(storage, 0)).toBe(-1);
  });

  it("is noticed within one run once the newer one was read, without a counter", () => {
    const inner = new MemoryStorage();
    put(seal(inner), 0, "old");
    const old = inner.peek(0);
    put(seal(inner), 0, "new");
    const storage = seal(inner);
    expect(get(storage, 0)).toBe("new");
    inner.poke(0, old);
    expect(get(storage, 0)).toBe(-1);
  });

  it("goes unnoticed over a restart without a counter: nothing on the device tells", () => {
    const inner = new MemoryStorage();
    const storage = seal(inner);
    put(storage, 0, "old");
    const image = inner.clone();
    put(storage, 1, "new");
    expect(get(seal(image), 0)).toBe("old");
  });

  it("is noticed over a restart with a counter, in every slot and whatever was done since", () => {
    const action = fc.record({
      slot: fc.constantFrom(0, 1),
      what: fc.constantFrom("write", "erase"),
    });
    fc.assert(
      fc.property(
        fc.array(action, { minLength: 1, maxLength: 8 }),
        fc.array(action, { minLength: 1, maxLength: 8 }),
        (before, since) => {
          const inner = new MemoryStorage();
          const counter = new Counter();
          const storage = seal(inner, { counter });
          let count = 0;
          const act = ({ slot, what }: { slot: number; what: string }): void => {
            if (what === "write") put(storage, slot, `record ${count++}`);
            else wipeSlot(storage, slot);
          };
          before.forEach(act);
          const image = inner.clone();
          since.forEach(act);
          for (const slot of [0, 1]) {
            // The present image is good; of the older one nothing is given out.
            expect(get(seal(inner.clone(), { counter }), slot)).toBe(get(storage, slot));
            const seen = get(seal(image.clone(), { counter }), slot);
            expect(seen === -1 || (seen === "" && image.peek(slot).length === 0)).toBe(true);
          }
        },
      ),
    );
  });

  it("the newest slot alone put back, or taken away, makes the older one unreadable too", () => {
    const inner = new MemoryStorage();
    const counter = new Counter();
    const storage = seal(inner, { counter });
    put(storage, 0, "a");
    const old = inner.peek(0);
    put(storage, 1, "b");
    put(storage, 0, "c");
    const image = inner.clone();
    expect(get(seal(image, { counter }), 1)).toBe("b");
    image.poke(0, old);
    expect([get(seal(image, { counter }), 0), get(seal(image, { counter }), 1)]).toEqual([-1, -1]);
    image.poke(0, new Uint8Array(0));
    expect([get(seal(image, { counter }), 0), get(seal(image, { counter }), 1)]).toEqual(["", -1]);
  });

  it("does not count later either, because of what is written beside it", () => {
    const inner = new MemoryStorage();
    const counter = new Counter();
    const storage = seal(inner, { counter });
    put(storage, 1, "old");
    const old = inner.peek(1);
    put(storage, 1, "later");
    put(storage, 0, "newest");
    inner.poke(1, old);
    const after = seal(inner, { counter });
    expect([get(after, 0), get(after, 1)]).toEqual(["newest", -1]);
    put(after, 0, "next");
    for (const again of [after, seal(inner, { counter })]) {
      expect([get(again, 0), get(again, 1)]).toEqual(["next", -1]);
    }
  });

  it("a power cut at any byte of a write costs no readable record, with a counter too", () => {
    const base = new MemoryStorage({ capacity: 200 });
    const counter = new Counter();
    const storage = seal(base, { counter });
    put(storage, 0, "older");
    put(storage, 1, "old");
    for (let cut = 0; cut <= 80; cut++) {
      const inner = base.clone();
      const own = new Counter();
      own.value = counter.value;
      inner.cutNextWriteAt(cut);
      expect(put(seal(inner, { counter: own }), 0, "new")).toBeUndefined();
      const after = seal(inner.clone(), { counter: own });
      expect(get(after, 1), `cut at ${cut}`).toBe("old");
      expect(["older", "new", -1]).toContain(get(after, 0));
      expect(put(after, 0, "again")).toBe(true);
      expect([get(after, 0), get(after, 1)]).toEqual(["again", "old"]);
    }
  });

  it("a power cut between record and counter is made up for at the next start", () => {
    const inner = new MemoryStorage();
    const counter = new Counter();
    put(seal(inner, { counter }), 0, "old");
    const stuck: MonotonicCounter = { read: () => counter.value, increment: () => counter.value };
    put(seal(inner, { counter: stuck }), 1, "new");
    const image = inner.clone();
    expect(counter.value).toBe(1);
    const again = seal(inner, { counter });
    expect([get(again, 0), get(again, 1), counter.value]).toEqual(["old", "new", 2]);
    put(again, 1, "newest");
    expect(counter.value).toBe(3);
    expect(get(seal(image, { counter }), 1)).toBe(-1);
  });

  it("the same at the very first record", () => {
    const inner = new MemoryStorage();
    const counter = new Counter();
    const stuck: MonotonicCounter = { read: () => counter.value, increment: () => counter.value };
    put(seal(inner, { counter: stuck }), 0, "first");
    expect([get(seal(inner, { counter }), 0), counter.value]).toEqual(["first", 1]);
  });

  it("a record of a cut write, kept, counts no more beside the next one that got its stamp", () => {
    const inner = new MemoryStorage();
    const counter = new Counter();
    put(seal(inner, { counter }), 0, "old");
    const old = inner.peek(0);
    // The power goes before the counter's step. Somebody keeps that record, and puts the one before back.
    const stuck: MonotonicCounter = { read: () => counter.value, increment: () => counter.value };
    put(seal(inner, { counter: stuck }), 0, "cut");
    const kept = inner.peek(0);
    inner.poke(0, old);
    put(seal(inner, { counter }), 1, "new");
    expect(get(seal(inner.clone(), { counter }), 1)).toBe("new");
    inner.poke(0, kept);
    // Both have the counter's stamp, and neither names the other: nothing says which of them is the newest.
    expect([get(seal(inner, { counter }), 0), get(seal(inner, { counter }), 1)]).toEqual([-1, -1]);
  });

  it("the counter moves once per record written or erased, never for reading", () => {
    const counter = new Counter();
    const storage = seal(new MemoryStorage(), { counter });
    put(storage, 0, "a");
    get(storage, 0);
    get(storage, 1);
    put(storage, 1, "b");
    wipeSlot(storage, 0);
    expect([counter.increments, get(storage, 0)]).toEqual([3, ""]);
  });

  it("a counter that cannot be read: nothing is written, nothing given out", () => {
    const inner = new MemoryStorage();
    const counter = new Counter();
    put(seal(inner, { counter }), 0, "a");
    const broken: MonotonicCounter = { read: () => -1, increment: () => -1 };
    const storage = seal(inner, { counter: broken });
    expect([get(storage, 0), put(storage, 1, "b")]).toEqual([-1, false]);
  });

  it.each([
    ["over nothing", -2, undefined],
    ["over a record that was written without a counter", -1, "kept"],
  ])("a counter that cannot be read is not stepped, %s", (_, value, record) => {
    // Its step would leave every record behind.
    const inner = new MemoryStorage();
    if (record !== undefined) put(seal(inner), 0, record);
    const counter = new Counter();
    counter.value = value;
    get(seal(inner, { counter }), 0);
    expect(counter.increments).toBe(0);
    counter.value = 0;
    expect(get(seal(inner, { counter }), 0)).toBe(record ?? "");
  });
});

describe("a counter that cannot be read for a moment", () => {
  it.each([
    ["writing", (storage: Storage) => put(storage, 0, "next")],
    ["erasing", (storage: Storage) => wipeSlot(storage, 0)],
  ])("costs the record in the other slot nothing, whenever that is while %s", (_, act) => {
    const base = new MemoryStorage();
    const steady = new Counter();
    for (const slot of [0, 1]) put(seal(base, { counter: steady }), slot, `record ${slot}`);
    for (let failing = 1; failing <= 5; failing++) {
      const inner = base.clone();
      const counter = new Counter();
      counter.value = steady.value;
      let reads = 0;
      const moody: MonotonicCounter = {
        read: () => (++reads === failing ? -1 : counter.value),
        increment: () => counter.increment(),
      };
      act(seal(inner, { counter: moody }));
      expect(get(seal(inner, { counter }), 1), `read ${failing}`).toBe("record 1");
    }
  });
});
