// Signatures that libraries judge differently, made with plain arithmetic (RFC 8032 §5.1): each is right
// by the equation that a library checks, or next to it. What a strict reader of §5.1.7 says is written
// beside each, and every loader has to say the same.

import { createHash } from "node:crypto";
import nacl from "tweetnacl";

interface SignatureCase {
  name: string;
  publicKey: Uint8Array;
  sign: (message: Uint8Array) => Uint8Array;
  isRight: boolean;
}

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const PRIME = 2n ** 255n - 19n;

const keys = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7));

const fromBytes = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);

const toBytes = (number: bigint): Uint8Array =>
  new Uint8Array(Buffer.from(number.toString(16).padStart(64, "0"), "hex").reverse());

const hashed = (...parts: Uint8Array[]): Uint8Array => {
  const hash = createHash("sha512");
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
};

/** A signature whose S is changed. */
function withS(change: (s: bigint) => bigint): SignatureCase["sign"] {
  return (message) => {
    const signature = nacl.sign.detached(message, keys.secretKey);
    signature.set(toBytes(change(fromBytes(signature.subarray(32)))), 32);
    return signature;
  };
}

/** A scalar and its multiple of the base point: what tweetnacl makes of a seed. */
function multiple(seed: Uint8Array): { scalar: bigint; point: Uint8Array } {
  const half = hashed(seed).subarray(0, 32);
  half[0]! &= 248;
  half[31] = (half[31]! & 127) | 64;
  return { scalar: fromBytes(half), point: nacl.sign.keyPair.fromSeed(seed).publicKey };
}

/**
 * Without knowing a secret: under a key A of order 1, 2, 4 or 8, R = [S]B is right as soon as the hash
 * is a multiple of 8.
 */
function forged(publicKey: Uint8Array): SignatureCase["sign"] {
  return (message) => {
    for (let attempt = 0; ; attempt++) {
      const seed = hashed(Buffer.from(`attempt ${attempt}`)).subarray(0, 32);
      const { scalar, point } = multiple(seed);
      const challenge = fromBytes(hashed(point, publicKey, message)) % ORDER;
      if (challenge % 8n !== 0n) continue;
      return Buffer.concat([point, toBytes(scalar % ORDER)]);
    }
  };
}

const SMALL_ORDER: [string, string][] = [
  ["1", `01${"00".repeat(31)}`],
  ["2", `ec${"ff".repeat(30)}7f`],
  ["4", "00".repeat(32)],
  ["4, with the other sign", `${"00".repeat(31)}80`],
  ["8", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"],
  ["8, with the other sign", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"],
  ["8, the other two", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"],
  [
    "8, the other two, with the other sign",
    `c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa`,
  ],
];

/** Points whose y is not reduced. */
const NOT_CANONICAL: [string, Uint8Array][] = [
  ["y = p", toBytes(PRIME)],
  ["y = p + 1", toBytes(PRIME + 1n)],
  ["y = p + 18", toBytes(PRIME + 18n)],
];

export const SIGNATURES: readonly SignatureCase[] = [
  {
    name: "S as it was made",
    publicKey: keys.publicKey,
    sign: withS((s) => s),
    isRight: true,
  },
  ...[1n, 2n, 7n].map((times) => ({
    name: `S + ${times} L, which is congruent`,
    publicKey: keys.publicKey,
    sign: withS((s) => s + times * ORDER),
    isRight: false,
  })),
  { name: "S = L", publicKey: keys.publicKey, sign: withS(() => ORDER), isRight: false },
  { name: "S = 0", publicKey: keys.publicKey, sign: withS(() => 0n), isRight: false },
  ...SMALL_ORDER.map(([order, hex]) => {
    const publicKey = new Uint8Array(Buffer.from(hex, "hex"));
    const name = `a forged signature under a key of order ${order}`;
    return { name, publicKey, sign: forged(publicKey), isRight: false };
  }),
  ...NOT_CANONICAL.map(([what, publicKey]) => ({
    name: `a forged signature under a key with ${what}`,
    publicKey,
    sign: forged(publicKey),
    isRight: false,
  })),
  {
    name: "R of order 1, with the S that goes with it",
    publicKey: keys.publicKey,
    sign: (message) => {
      const point = Uint8Array.of(1, ...new Uint8Array(31));
      const { scalar } = multiple(new Uint8Array(32).fill(7));
      const challenge = fromBytes(hashed(point, keys.publicKey, message)) % ORDER;
      return Buffer.concat([point, toBytes((challenge * scalar) % ORDER)]);
    },
    isRight: false,
  },
];
