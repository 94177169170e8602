// Compares sealed storage (platform/storage/sealed-storage.ts) with an independent implementation of its format: later
// versions must open old records. Random sessions test changed, moved and truncated records (session-model/slots.ts).

import nacl from "tweetnacl";
import { describe, expect, it } from "vitest";
import { SEALED_OVERHEAD_BYTES, SealedStorage } from "../../platform/storage/sealed-storage.ts";
import { MemoryStorage, SeededEntropy } from "../../platform/testing/index.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { get, put } from "./conformance-bench.ts";

const CAPACITY = 120;
const SEED = 77;
const KEYS: [string, Uint8Array, Uint8Array][] = [
  ["a key of 16 bytes", Uint8Array.from({ length: 16 }, (_, i) => 3 * i + 1), new Uint8Array()],
  [
    "a key of 32 bytes and a salt",
    Uint8Array.from({ length: 32 }, (_, i) => 255 - i),
    bytesOf("x y"),
  ],
  ["a long key and a long salt", new Uint8Array(70).fill(9, 1), new Uint8Array(50).fill(1)],
];

const uint32 = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
const joined = (...parts: Iterable<number>[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

class Format {
  readonly #key: Uint8Array;
  readonly #entropy = new SeededEntropy(SEED);

  constructor(deviceKey: Uint8Array, salt: Uint8Array) {
    const label = bytesOf("picogrant sealed storage 1");
    const input = joined(label, uint32(deviceKey.length), deviceKey, salt);
    this.#key = nacl.hash(input).slice(0, 32);
  }

  envelope(slot: number, record: Uint8Array, number: number): Uint8Array {
    const message = joined([1, slot], uint32(number), uint32(0), record);
    return this.sealed(1, message);
  }

  sealed(version: number, message: Uint8Array): Uint8Array {
    const random = new Uint8Array(24);
    this.#entropy.fill(random, 0, 24);
    const nonce = nacl.hash(joined(this.#key, random, message)).slice(0, 24);
    return joined([version], nonce, nacl.secretbox(message, nonce, this.#key));
  }
}

const LONGEST = CAPACITY - SEALED_OVERHEAD_BYTES;
const lengths = [0, 1, 2, 30, LONGEST - 1, LONGEST];
const recordOf = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => 40 + (i % 80));

describe.each(KEYS)("%s", (_, deviceKey, salt) => {
  it("records have increasing numbers", () => {
    const format = new Format(deviceKey, salt);
    const storage = new MemoryStorage({ capacity: CAPACITY });
    const entropy = new SeededEntropy(SEED);
    const made = (): SealedStorage => new SealedStorage({ storage, entropy, deviceKey, salt });
    let sealed = made();
    for (let count = 0; count < 270; count++) {
      const slot = count % 3 === 0 ? 1 : 0;
      const record = recordOf(lengths[count % lengths.length]!);
      expect(put(sealed, slot, record)).toBe(true);
      expect(storage.peek(slot)).toEqual(format.envelope(slot, record, count));
      expect(get(sealed, slot)).toBe(new TextDecoder().decode(record));
      // A restarted program continues after the highest record number in the storage.
      if (count % 50 === 49) sealed = made();
    }
  });
});

describe("an authentic record that this version would not write", () => {
  const [, deviceKey, salt] = KEYS[0]!;
  const format = new Format(deviceKey, salt);
  const head = (version: number): Uint8Array => joined([version, 0], uint32(0), uint32(0));
  const readBack = (box: Uint8Array): string | number | undefined => {
    const storage = new MemoryStorage({ capacity: CAPACITY });
    storage.poke(0, box);
    const entropy = new SeededEntropy(SEED);
    return get(new SealedStorage({ storage, entropy, deviceKey, salt }), 0);
  };

  it.each([
    ["version 1, as it says on the outside", 1, 1, "later"],
    ["version 2, which an earlier program wrote with a counter", 2, 2, -1],
    ["version 1 that says 2 on the outside", 2, 1, -1],
    ["version 2 that says 1 on the outside", 1, 2, -1],
    ["a version that does not exist yet", 3, 3, -1],
    ["version 0", 0, 0, -1],
  ])("%s", (_, outside, inside, expected) => {
    const box = format.sealed(outside, joined(head(inside), bytesOf("later")));
    expect(readBack(box)).toBe(expected);
  });

  it("version 1 with a counter instead of zeros", () => {
    const message = joined([1, 0], uint32(0), uint32(1), bytesOf("counted"));
    expect(readBack(format.sealed(1, message))).toBe(-1);
  });

  it("too short for the header, by any number of bytes", () => {
    expect(readBack(format.sealed(1, head(1)))).toBe("");
    for (let length = 0; length < 10; length++) {
      const box = format.sealed(1, head(1).slice(0, length));
      expect(readBack(box), `${length} bytes`).toBe(-1);
    }
  });

  it("sealed with a key of zeros: it cannot be opened without a key, or after dispose", () => {
    const storage = new MemoryStorage({ capacity: CAPACITY });
    const entropy = new SeededEntropy(SEED);
    const nonce = new Uint8Array(24);
    const box = nacl.secretbox(joined(head(1), bytesOf("planted")), nonce, new Uint8Array(32));
    storage.poke(0, joined([1], nonce, box));
    expect(get(new SealedStorage({ storage, entropy, deviceKey: undefined }), 0)).toBe(-1);
    const disposed = new SealedStorage({ storage, entropy, deviceKey });
    disposed.dispose();
    expect(get(disposed, 0)).toBe(-1);
  });
});

it("no two different records have the same nonce, even if the random generator repeats its output", () => {
  const storage = new MemoryStorage({ capacity: CAPACITY });
  const entropy = { fill: () => true };
  const sealed = new SealedStorage({ storage, entropy, deviceKey: KEYS[0]![1] });
  const nonces = new Set<string>();
  for (let count = 0; count < 50; count++) {
    put(sealed, count % 2, bytesOf(`record ${count % 10}`));
    const box = storage.peek(count % 2);
    nonces.add(box.slice(1, 25).join());
  }
  expect(nonces.size).toBe(50);
});

it("refuses a storage that is too small, and passes on the storage's last failure", () => {
  const make = (capacity: number): { storage: MemoryStorage; sealed: SealedStorage } => {
    const storage = new MemoryStorage({ capacity });
    const options = { storage, entropy: new SeededEntropy(1), deviceKey: undefined };
    return { storage, sealed: new SealedStorage(options) };
  };
  const problem = `sealed storage: no room in ${SEALED_OVERHEAD_BYTES} bytes`;
  expect(() => make(SEALED_OVERHEAD_BYTES)).toThrow(problem);
  const { storage, sealed } = make(CAPACITY);
  expect(sealed.lastFailure).toBe("");
  Object.assign(storage, { lastFailure: "the disk is full" });
  expect(sealed.lastFailure).toBe("the disk is full");
});
