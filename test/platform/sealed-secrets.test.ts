// Sealed storage: nonces, what is left in memory, the format of the box, and the same code under QuickJS.

import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { getQuickJS } from "quickjs-emscripten";
import nacl from "tweetnacl";
import { describe, expect, it } from "vitest";
import type { Bytes, Entropy } from "../../platform/contracts.ts";
import { MemoryStorage, SeededEntropy } from "../../platform/fake/index.ts";
import type { SealedStorage } from "../../platform/sealed-storage.ts";
import { bytesOf, DEVICE_KEY, get, put, seal } from "./sealing.ts";

/** Where the nonce stands in a sealed record. */
const NONCE = { from: 1, to: 25 };

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
    const resolveDir = fileURLToPath(new URL("../../platform", import.meta.url));
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
