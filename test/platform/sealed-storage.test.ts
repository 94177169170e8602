// Sealed storage: what an attacker with the flash in hand can do to it, what a device lacks, and what must
// never be seen in the clear.

import { buildSync } from "esbuild";
import fc from "fast-check";
import { getQuickJS } from "quickjs-emscripten";
import nacl from "tweetnacl";
import { describe, expect, it } from "vitest";
import { storageConformance } from "../../platform/conformance.ts";
import type { Bytes, Entropy, Storage } from "../../platform/contracts.ts";
import { ManualClock, MemoryStorage, NoEntropy, SeededEntropy } from "../../platform/fake/index.ts";
import {
  type MonotonicCounter,
  SEALED_OVERHEAD_BYTES,
  SealedStorage,
  type SealedStorageOptions,
} from "../../platform/sealed-storage.ts";
import { manualWorld, rows } from "./worlds.ts";

const DEVICE_KEY = Uint8Array.from({ length: 32 }, (_, i) => i * 5 + 1);
const NONCE = { from: 1, to: 25 };

class Counter implements MonotonicCounter {
  value = 0;
  increments = 0;
  read(): number {
    return this.value;
  }
  increment(): number {
    this.increments++;
    return ++this.value;
  }
}

let seeds = 100;
function seal(storage: Storage, more: Partial<SealedStorageOptions> = {}): SealedStorage {
  const entropy = new SeededEntropy(seeds++);
  return new SealedStorage({ storage, entropy, deviceKey: DEVICE_KEY, ...more });
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function put(storage: Storage, slot: number, record: string | Uint8Array): boolean | undefined {
  const bytes = typeof record === "string" ? bytesOf(record) : record;
  let answer: boolean | undefined;
  storage.write(slot, bytes, 0, bytes.length, (ok) => {
    answer = ok;
  });
  return answer;
}

/** The record as text, "" for an empty slot, -1 for an unreadable one. */
function get(storage: Storage, slot: number): string | number | undefined {
  const into = new Uint8Array(storage.capacity);
  let answer: string | number | undefined;
  storage.read(slot, into, 0, into.length, (length) => {
    answer = length < 0 ? length : new TextDecoder().decode(into.subarray(0, length));
    // What was not handed out must not have been written into the caller's range either.
    if (length < 0) expect(into.every((byte) => byte === 0)).toBe(true);
  });
  return answer;
}

function wipeSlot(storage: Storage, slot: number): boolean | undefined {
  let answer: boolean | undefined;
  storage.erase(slot, (ok) => {
    answer = ok;
  });
  return answer;
}

describe.each([
  ["at once", -1, false],
  ["with delay", 2, false],
  ["with delay and counter", 2, true],
])("sealed storage over memory, %s: conformance", (_, delayMs, counted) => {
  const cases = storageConformance(() => {
    const clock = new ManualClock();
    const options = { capacity: 300, ...(delayMs < 0 ? {} : { clock, delayMs }) };
    const more = counted ? { counter: new Counter() } : {};
    let inner = new MemoryStorage(options);
    const restart = (): Storage => {
      inner = inner.clone(options);
      return seal(inner, more);
    };
    return { storage: seal(inner, more), world: manualWorld(clock), restart };
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
});

describe("a device that lacks what sealing needs refuses", () => {
  it("without entropy: writing, not reading or erasing", () => {
    const inner = new MemoryStorage();
    put(seal(inner), 0, "kept");
    for (const counter of [undefined, new Counter()]) {
      const more = counter === undefined ? {} : { counter };
      const storage = seal(inner.clone(), { entropy: new NoEntropy(), ...more });
      expect([put(storage, 1, "new"), get(storage, 1)]).toEqual([false, ""]);
      expect(get(storage, 0)).toBe("kept");
      expect([wipeSlot(storage, 0), get(storage, 0)]).toEqual([true, ""]);
    }
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

  it("has no room: said when it is made", () => {
    const storage = new MemoryStorage({ capacity: SEALED_OVERHEAD_BYTES });
    expect(() => seal(storage)).toThrow(RangeError);
    expect(seal(new MemoryStorage({ capacity: SEALED_OVERHEAD_BYTES + 1 })).capacity).toBe(1);
  });
});

describe("nonce and plaintext", () => {
  const nonceOf = (storage: MemoryStorage, slot: number): string =>
    storage.peek(slot).subarray(NONCE.from, NONCE.to).join();

  it("no nonce comes twice in 1000 writes of one record", () => {
    const inner = new MemoryStorage();
    const storage = seal(inner);
    const seen = new Set<string>();
    for (let i = 0; i < 1000; i++) {
      put(storage, i % 2, "same");
      seen.add(nonceOf(inner, i % 2));
    }
    expect(seen.size).toBe(1000);
  });

  it("no two different records get one nonce, even from a generator that is stuck", () => {
    const stuck: Entropy = {
      fill(into: Bytes, from: number, to: number) {
        for (let i = from; i < to; i++) into[i] = 0x5a;
        return true;
      },
    };
    const seen = new Set<string>();
    for (let i = 0; i < 200; i++) {
      // A new device each time: what the sequence adds within one run does not help here.
      const inner = new MemoryStorage();
      put(seal(inner, { entropy: stuck }), 0, `record ${i}`);
      seen.add(nonceOf(inner, 0));
    }
    expect(seen.size).toBe(200);
  });

  it("takes 24 fresh bytes from the entropy for each write, none for a read", () => {
    const entropy = new SeededEntropy(1);
    const storage = seal(new MemoryStorage(), { entropy });
    put(storage, 0, "a");
    get(storage, 0);
    put(storage, 1, "b");
    expect(entropy.filledBytes).toBe(48);
  });

  it("the box is secretbox's own: tweetnacl's plain interface opens it", () => {
    const inner = new MemoryStorage();
    put(seal(inner), 1, "record");
    const sealed = inner.peek(1);
    const label = bytesOf("picogrant sealed storage 1");
    const key = nacl.hash(Uint8Array.of(...label, 0, 0, 0, 32, ...DEVICE_KEY)).subarray(0, 32);
    const opened = nacl.secretbox.open(sealed.subarray(25), sealed.subarray(1, 25), key);
    expect(Array.from(opened!)).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, ...bytesOf("record")]);
  });

  it("neither record nor device key is left in its buffers or reaches the storage below", () => {
    const buffers: Uint8Array[] = [];
    const Original = globalThis.Uint8Array;
    class Watched extends Original {
      constructor(...args: ConstructorParameters<typeof Uint8Array>) {
        super(...args);
        // tweetnacl's own temporaries cannot be reached to be wiped; README.md says so.
        const maker = new Error().stack?.split("\n")[2] ?? "";
        if (!maker.includes("tweetnacl")) buffers.push(this);
      }
    }
    const inner = new MemoryStorage();
    const into = new Original(300);
    let storage: SealedStorage;
    globalThis.Uint8Array = Watched as typeof Uint8Array;
    try {
      storage = seal(inner);
      const record = Original.from(bytesOf("the very secret"));
      storage.write(0, record, 0, record.length, () => {});
      storage.read(0, into, 0, into.length, () => {});
    } finally {
      globalThis.Uint8Array = Original;
    }
    expect(new TextDecoder().decode(into.subarray(0, 15))).toBe("the very secret");
    expect(buffers.length).toBeGreaterThan(5);
    const needles = [bytesOf("very secret"), DEVICE_KEY.subarray(0, 16)];
    for (const needle of needles) {
      for (const hay of [...buffers, inner.peek(0)]) {
        expect(Buffer.from(hay).includes(Buffer.from(needle))).toBe(false);
      }
    }
  });
});

describe("under QuickJS", () => {
  it("seals, opens, notices an altered byte: the same code, no Node", async () => {
    const contents = `
      import { SealedStorage } from "./sealed-storage.ts";
      const slots = [[], []];
      const inner = {
        capacity: 200,
        read(slot, into, from, to, done) {
          for (let i = 0; i < slots[slot].length; i++) into[from + i] = slots[slot][i];
          done(slots[slot].length);
        },
        write(slot, bytes, from, to, done) {
          slots[slot] = [];
          for (let i = from; i < to; i++) slots[slot].push(bytes[i]);
          done(true);
        },
        erase(slot, done) { slots[slot] = []; done(true); },
      };
      let state = 1;
      const entropy = { fill(into, from, to) {
        for (let i = from; i < to; i++) into[i] = (state = (state * 75 + 74) % 65537) & 255;
        return true;
      } };
      const deviceKey = []; for (let i = 0; i < 32; i++) deviceKey.push(i * 5 + 1);
      const make = () => new SealedStorage({ storage: inner, entropy, deviceKey });
      const log = [];
      make().write(1, [9, 1, 2, 3], 1, 4, (ok) => log.push(ok));
      const into = [0, 0, 0, 0, 0];
      make().read(1, into, 1, 5, (length) => log.push(length, into.join()));
      slots[1][40] ^= 1;
      make().read(1, into, 1, 5, (length) => log.push(length));
      globalThis.outcome = JSON.stringify(log);
      globalThis.sealed = JSON.stringify(slots[1].map((b, i) => (i === 40 ? b ^ 1 : b)));
    `;
    const resolveDir = new URL("../../platform", import.meta.url).pathname;
    const { outputFiles } = buildSync({
      stdin: { contents, resolveDir, loader: "ts" },
      bundle: true,
      write: false,
      format: "iife",
      platform: "browser",
      target: "es2020",
    });
    const context = (await getQuickJS()).newContext();
    try {
      const text = (expression: string): string => {
        return context
          .unwrapResult(context.evalCode(expression))
          .consume((h) => context.getString(h));
      };
      context.unwrapResult(context.evalCode(outputFiles[0]!.text)).dispose();
      expect(JSON.parse(text("outcome"))).toEqual([true, 3, "0,1,2,3,0", -1]);
      // What QuickJS sealed, Node opens.
      const inner = new MemoryStorage();
      inner.poke(1, Uint8Array.from(JSON.parse(text("sealed")) as number[]));
      expect(get(seal(inner), 1)).toBe("\u0001\u0002\u0003");
    } finally {
      context.dispose();
    }
  });
});
