// What every loader says to which image: one table for the maker's tool in JavaScript and the loaders in C.

import { REFUSALS, type Refusal } from "../../targets/image/format.ts";
import {
  type ImageParts,
  keyIdOf,
  keys,
  newerKeys,
  PRODUCT,
  strangerKeys,
} from "./image-builder.ts";
import { SIGNATURES } from "./signature-cases.ts";

/** The device's security counter in these cases. */
export const COUNTER = 5;

export interface ImageCase {
  name: string;
  parts: ImageParts;
  expected: Refusal | "ok";
  /** The keys that the device trusts, oldest first; the maker's one where absent. */
  keys?: readonly Uint8Array[];
  /** The oldest key that counts to the device; all do where absent. */
  oldestKey?: Uint8Array;
  /** What comes behind the image in its file. */
  behind?: number;
}

/** Version of an engine that no loader of ours is. */
const OLD_ABI = "2024-01-13-le64";

const wrong = (name: string, parts: ImageParts, expected: Refusal): ImageCase => {
  return { name, parts, expected };
};

/** Faults that no good image has; the loader's own pair of engine and ABI is in the rest of the parts. */
export const FAULTS: readonly ImageCase[] = [
  { name: "a good one", parts: {}, expected: "ok" },
  { name: "the device's own counter", parts: { counter: COUNTER }, expected: "ok" },
  { name: "a higher counter", parts: { counter: 0xffffffff }, expected: "ok" },
  { name: "the longest texts", parts: { release: "v".repeat(32) }, expected: "ok" },
  wrong("an image length beyond the file", { imageLength: 8192, payloadLength: 7888 }, "truncated"),
  wrong("another magic", { magic: "PGIMG\n\n\x1a" }, "not-an-image"),
  wrong("a later format", { version: 3 }, "format-unknown"),
  wrong("the format before this one", { version: 1 }, "format-unknown"),
  wrong("another header", { headerLength: 192 }, "length-wrong"),
  wrong("no payload", { payload: Buffer.alloc(0) }, "length-wrong"),
  wrong("a length beyond the limit", { payloadLength: 0xffffffff }, "length-wrong"),
  wrong(
    "lengths that overflow 32 bits",
    { payloadLength: 0xffffff00, imageLength: 7 },
    "length-wrong",
  ),
  wrong("an image length of its own", { imageLength: 257 }, "length-wrong"),
  { ...wrong("bytes behind the image", {}, "length-wrong"), behind: 1 },
  wrong("another hash", { hash: Buffer.alloc(64) }, "damaged"),
  wrong("a stranger's key", { keyId: keyIdOf(strangerKeys.publicKey) }, "foreign-key"),
  wrong(
    "a stranger's signature under our id",
    { signer: strangerKeys.secretKey },
    "signature-wrong",
  ),
  ...SIGNATURES.map(({ name, publicKey, sign, isRight }): ImageCase => {
    const expected = isRight ? "ok" : "signature-wrong";
    return { name, parts: { keyId: keyIdOf(publicKey), sign }, keys: [publicKey], expected };
  }),
  {
    name: "the older of two keys",
    parts: {},
    keys: [keys.publicKey, newerKeys.publicKey],
    expected: "ok",
  },
  {
    name: "the newer of two keys",
    parts: {},
    keys: [strangerKeys.publicKey, keys.publicKey],
    expected: "ok",
  },
  {
    name: "a key that was retired",
    parts: {},
    keys: [keys.publicKey, newerKeys.publicKey],
    oldestKey: newerKeys.publicKey,
    expected: "retired-key",
  },
  {
    name: "the key that retired others",
    parts: { flags: 1 },
    keys: [strangerKeys.publicKey, keys.publicKey],
    oldestKey: keys.publicKey,
    expected: "ok",
  },
  {
    name: "an oldest key that the device does not have",
    parts: {},
    keys: [keys.publicKey, newerKeys.publicKey],
    oldestKey: strangerKeys.publicKey,
    expected: "ok",
  },
  wrong("unknown flags", { flags: 2 }, "malformed"),
  wrong("reserved bytes", { reserved: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1) }, "malformed"),
  wrong("no kind", { kind: 0 }, "malformed"),
  wrong("an unknown kind", { kind: 4 }, "malformed"),
  wrong(
    "machine code for bytecode's ABI",
    { engine: "quickjs", abi: OLD_ABI, kind: 3 },
    "malformed",
  ),
  wrong("bytecode for a board", { engine: "firmware", abi: "board-1-a", kind: 2 }, "malformed"),
  wrong("a board's firmware", { engine: "firmware", abi: "board-1-a", kind: 3 }, "wrong-engine"),
  wrong("an empty product", { product: "" }, "malformed"),
  wrong("an empty release", { release: "" }, "malformed"),
  wrong("a text with a space", { release: "1 0" }, "malformed"),
  wrong("a text with DEL", { release: "1\x7f" }, "malformed"),
  wrong("bytes behind a text's end", { release: "1\x000" }, "malformed"),
  wrong("an empty engine", { engine: "" }, "malformed"),
  wrong("source for bytecode's ABI", { engine: "quickjs", abi: OLD_ABI, kind: 1 }, "malformed"),
  wrong("bytecode for es5", { engine: "any", abi: "es5", kind: 2 }, "malformed"),
  wrong("another product", { product: "test-radio" }, "wrong-product"),
  wrong("a product that ours begins with", { product: PRODUCT.slice(0, -1) }, "wrong-product"),
  wrong("a product that begins with ours", { product: `${PRODUCT}2` }, "wrong-product"),
  wrong("another engine", { engine: "duktape", abi: "es5", kind: 1 }, "wrong-engine"),
  wrong("the core's bundle", { engine: "any", abi: "es5", kind: 1 }, "wrong-engine"),
  wrong("an engine that ours begins with", { engine: "quickj", abi: OLD_ABI }, "wrong-engine"),
  wrong("an old engine", { engine: "quickjs", abi: OLD_ABI, kind: 2 }, "wrong-abi"),
  wrong("a border of other numbers", { border: Buffer.from("12345678") }, "wrong-border"),
  wrong("an older counter", { counter: COUNTER - 1 }, "rollback"),
  wrong("no counter", { counter: 0 }, "rollback"),
];

/** Names, expectations and cases, for a table of tests. */
export function rowsOf(cases: readonly ImageCase[]): [string, string, ImageCase][] {
  return cases.map((one) => [one.name, one.expected, one]);
}

/** One fault of each kind with one of every other: FORMAT.md's first check decides. */
export function pairsOfFaults(): ImageCase[] {
  const faults = REFUSALS.flatMap((refusal) => {
    const own = FAULTS.filter((fault) => fault.expected === refusal && !interferes(fault));
    return own.slice(0, 1);
  });
  return faults.flatMap((first, index) =>
    faults.slice(index + 1).map((second) => ({
      name: `${first.name}, and ${second.name}`,
      parts: { ...second.parts, ...first.parts },
      expected: first.expected,
      behind: (first.behind ?? 0) + (second.behind ?? 0),
    })),
  );
}

/** Cases about lengths: check 4 has two halves with check 1 between. */
function interferes({ parts, expected, keys: own }: ImageCase): boolean {
  return expected === "truncated" || "payload" in parts || "imageLength" in parts || !!own;
}

/** What is said to a good image of `length` bytes whose byte at `at` was changed. */
export function refusalsOfFlip(at: number, length: number): readonly Refusal[] {
  if (at < 8) return ["not-an-image"];
  if (at < 10) return ["format-unknown"];
  if (at < 12) return ["length-wrong"];
  // A length that is too long all by itself contradicts the others first.
  if (at >= 16 && at < 28) return ["length-wrong"];
  // The key's id is covered by the hash, the hash itself is what differs from it.
  return at < length - 64 ? ["damaged"] : ["signature-wrong"];
}
