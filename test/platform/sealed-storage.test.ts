// Sealed storage: what an attacker with the flash in hand can do to it, and what a device lacks.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { storageConformance } from "../../platform/conformance.ts";
import type { Storage } from "../../platform/contracts.ts";
import { ManualClock, MemoryStorage, NoEntropy } from "../../platform/fake/index.ts";
import { SEALED_OVERHEAD_BYTES } from "../../platform/sealed-storage.ts";
import { bytesOf, DEVICE_KEY, get, put, seal, wipeSlot } from "./sealing.ts";
import { manualWorld, rows } from "./worlds.ts";

/** A storage whose answers get lost: while `isLost`, it does what it is asked for and says that it failed. */
class LosesAnswers implements Storage {
  readonly capacity: number;
  isLost = false;
  readonly #inner: Storage;

  constructor(inner: Storage) {
    this.#inner = inner;
    this.capacity = inner.capacity;
  }

  read(...args: Parameters<Storage["read"]>): void {
    this.#inner.read(...args);
  }

  write(...[slot, bytes, from, to, done]: Parameters<Storage["write"]>): void {
    this.#inner.write(slot, bytes, from, to, (ok) => done(ok && !this.isLost));
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    this.#inner.erase(slot, (ok) => done(ok && !this.isLost));
  }
}

describe.each([
  ["at once", -1],
  ["with delay", 2],
])("sealed storage over memory, %s: conformance", (_, delayMs) => {
  const cases = storageConformance(() => {
    const clock = new ManualClock();
    const options = { capacity: 300, ...(delayMs < 0 ? {} : { clock, delayMs }) };
    let inner = new MemoryStorage(options);
    const restart = (): Storage => {
      inner = inner.clone(options);
      return seal(inner);
    };
    return { storage: seal(inner), world: manualWorld(clock), restart };
  });
  it.each(rows(cases))("%s", (_, one) => one.run());
});

describe("a record altered, moved or foreign reads as -1", () => {
  it("every byte of it altered, every single bit of it flipped", () => {
    const inner = new MemoryStorage();
    put(seal(inner), 0, "refresh token 1//0abc");
    const sealed = inner.peek(0);
    for (let at = 0; at < sealed.length; at++) {
      for (const flip of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
        const altered = sealed.slice();
        altered[at]! ^= flip;
        inner.poke(0, altered);
        expect(get(seal(inner), 0), `byte ${at} ^ ${flip}`).toBe(-1);
      }
    }
    inner.poke(0, sealed);
    expect(get(seal(inner), 0)).toBe("refresh token 1//0abc");
  });

  it("cut short or made longer, to any length", () => {
    const inner = new MemoryStorage();
    put(seal(inner), 0, "record");
    const sealed = inner.peek(0);
    for (let length = 1; length < sealed.length + 40; length++) {
      if (length === sealed.length) continue;
      const changed = new Uint8Array(length);
      changed.set(sealed.subarray(0, length));
      inner.poke(0, changed);
      expect(get(seal(inner), 0), `length ${length}`).toBe(-1);
    }
  });

  it("copied or swapped between the slots", () => {
    const inner = new MemoryStorage();
    const storage = seal(inner);
    put(storage, 0, "zero");
    put(storage, 1, "one");
    const swapped = inner.clone();
    swapped.poke(0, inner.peek(1));
    swapped.poke(1, inner.peek(0));
    expect([get(seal(swapped), 0), get(seal(swapped), 1)]).toEqual([-1, -1]);
  });

  it("of another device, or sealed under another salt", () => {
    const inner = new MemoryStorage();
    put(seal(inner), 0, "mine");
    const other = DEVICE_KEY.slice();
    other[31]! ^= 1;
    expect(get(seal(inner, { deviceKey: other }), 0)).toBe(-1);
    expect(get(seal(inner, { salt: [1] }), 0)).toBe(-1);
    expect(get(seal(inner, { salt: [] }), 0)).toBe("mine");
  });

  it("key and salt are kept apart: bytes moved from one to the other give another key", () => {
    const inner = new MemoryStorage();
    put(seal(inner, { deviceKey: DEVICE_KEY, salt: [7] }), 0, "mine");
    const joined = Uint8Array.of(...DEVICE_KEY, 7);
    expect(get(seal(inner, { deviceKey: joined }), 0)).toBe(-1);
  });

  it("random bytes in its place, and what an unsealed device left", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 120 }), (bytes) => {
        const inner = new MemoryStorage();
        inner.poke(1, bytes);
        expect(get(seal(inner), 1)).toBe(-1);
      }),
    );
  });
});

describe("a device that lacks what sealing needs refuses", () => {
  it("without entropy: writing, not reading or erasing", () => {
    const inner = new MemoryStorage();
    put(seal(inner), 0, "kept");
    const storage = seal(inner.clone(), { entropy: new NoEntropy() });
    expect([put(storage, 1, "new"), get(storage, 1)]).toEqual([false, ""]);
    expect(get(storage, 0)).toBe("kept");
    expect([wipeSlot(storage, 0), get(storage, 0)]).toEqual([true, ""]);
  });

  it.each([
    ["none", undefined],
    ["15 bytes", DEVICE_KEY.subarray(0, 15)],
    ["empty", new Uint8Array(0)],
    ["fuses never burnt, 0x00", new Uint8Array(32)],
    ["fuses never burnt, 0xff", new Uint8Array(32).fill(0xff)],
  ])("with a device key that is %s: nothing is written, nothing read", (_, deviceKey) => {
    const inner = new MemoryStorage();
    put(seal(inner), 0, "kept");
    const storage = seal(inner, { deviceKey });
    expect([put(storage, 1, "new"), get(storage, 0), get(storage, 1)]).toEqual([false, -1, ""]);
    expect(inner.counts.writes).toBe(1);
    expect([wipeSlot(storage, 0), get(storage, 0)]).toEqual([true, ""]);
  });

  it("after dispose", () => {
    const inner = new MemoryStorage();
    const storage = seal(inner);
    put(storage, 0, "kept");
    storage.dispose();
    expect([put(storage, 1, "new"), get(storage, 0)]).toEqual([false, -1]);
  });

  it("passes on that the storage below fails, and recovers", () => {
    const inner = new MemoryStorage();
    const storage = seal(inner);
    put(storage, 0, "a");
    inner.failWhen = () => true;
    expect([put(storage, 0, "b"), get(storage, 0), wipeSlot(storage, 0)]).toEqual([
      false,
      -1,
      false,
    ]);
    inner.failWhen = () => false;
    expect(get(storage, 0)).toBe("a");
    expect([put(storage, 0, "c"), get(storage, 0)]).toEqual([true, "c"]);
  });

  it("a write that failed changes nothing", () => {
    const inner = new MemoryStorage();
    const storage = seal(inner);
    put(storage, 0, "a");
    inner.failWhen = () => true;
    expect(put(storage, 0, "b")).toBe(false);
    inner.failWhen = () => false;
    expect(get(storage, 0)).toBe("a");
  });

  it("a write that is said to have failed, and has not, is read", () => {
    const inner = new MemoryStorage();
    const below = new LosesAnswers(inner);
    const storage = seal(below);
    put(storage, 0, "a");
    put(storage, 1, "x");
    below.isLost = true;
    expect(put(storage, 0, "b")).toBe(false);
    below.isLost = false;
    expect(get(storage, 0)).toBe("b");
    expect([get(seal(inner), 0), get(seal(inner), 1)]).toEqual(["b", "x"]);
  });

  it("has no room: said when it is made", () => {
    const storage = new MemoryStorage({ capacity: SEALED_OVERHEAD_BYTES });
    expect(() => seal(storage)).toThrow(RangeError);
    expect(seal(new MemoryStorage({ capacity: SEALED_OVERHEAD_BYTES + 1 })).capacity).toBe(1);
  });
});

describe("flash is read no more often than needed", () => {
  it("both slots once, then only the one that is asked for", () => {
    const inner = new MemoryStorage();
    const reads = (storage: Storage, act: (storage: Storage) => void): number => {
      const before = inner.counts.reads;
      act(storage);
      return inner.counts.reads - before;
    };
    const storage = seal(inner);
    expect(reads(storage, (it) => put(it, 0, "a"))).toBe(2);
    expect(reads(storage, (it) => put(it, 0, "b"))).toBe(0);
    expect(reads(storage, (it) => get(it, 1))).toBe(1);
    expect(reads(storage, (it) => put(it, 1, "c"))).toBe(0);
    expect(reads(storage, (it) => wipeSlot(it, 0))).toBe(0);
    expect(reads(storage, (it) => get(it, 0))).toBe(1);
    put(storage, 0, "d");
    const again = seal(inner);
    expect(reads(again, (it) => get(it, 0))).toBe(1);
    expect(reads(again, (it) => get(it, 1))).toBe(1);
    expect(reads(again, (it) => put(it, 0, "e"))).toBe(0);
  });

  it("without a key, which opens neither slot, only the one that is asked for", () => {
    const inner = new MemoryStorage();
    get(seal(inner, { deviceKey: undefined }), 0);
    expect(inner.reads).toEqual([1, 0]);
  });

  it("contracts.ts: of the bytes to write only those of the range are read", () => {
    const storage = seal(new MemoryStorage());
    const bytes = bytesOf("not this, this, nor this");
    const read: number[] = [];
    const watched = new Proxy(bytes, {
      get: (target, name) => {
        if (name !== "length") read.push(Number(name));
        return target[name as never];
      },
    });
    storage.write(0, watched, 10, 14, () => {});
    expect(read).toEqual([10, 11, 12, 13]);
    expect(get(storage, 0)).toBe("this");
  });
});

describe("erasing erases", () => {
  it.each([
    ["with a device key", {}],
    ["without one", { deviceKey: undefined }],
  ])("%s nothing is written in the record's place", (_, more) => {
    const inner = new MemoryStorage({ capacity: 200 });
    expect(put(seal(inner), 0, "token")).toBe(true);
    expect(wipeSlot(seal(inner, more), 0)).toBe(true);
    expect(inner.peek(0)).toHaveLength(0);
  });
});

describe("an older record put back", () => {
  it("is noticed within one run", () => {
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

  it("is noticed within one run once the newer one was read", () => {
    const inner = new MemoryStorage();
    put(seal(inner), 0, "old");
    const old = inner.peek(0);
    put(seal(inner), 0, "new");
    const storage = seal(inner);
    expect(get(storage, 0)).toBe("new");
    inner.poke(0, old);
    expect(get(storage, 0)).toBe(-1);
  });
});
