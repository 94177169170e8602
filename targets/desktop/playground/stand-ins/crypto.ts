// What the simulated service takes from node:crypto, for a page: hashes and message authentication codes that
// answer at once, which a browser's own do not.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { Buffer } from "./globals.ts";

const HASHES = { sha256, sha512 } as const;
type Data = string | Uint8Array;

class Digest {
  #bytes: Uint8Array = new Uint8Array(0);

  constructor(private readonly finish: (bytes: Uint8Array) => Uint8Array) {}

  /** The service gives all of it at once. */
  update(data: Data): this {
    this.#bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    return this;
  }

  digest(): Uint8Array;
  digest(encoding: "base64url" | "base64"): string;
  digest(encoding?: "base64url" | "base64"): Uint8Array | string {
    const bytes = this.finish(this.#bytes);
    return encoding === undefined ? bytes : Buffer.from(bytes).toString(encoding);
  }
}

export function createHash(algorithm: keyof typeof HASHES): Digest {
  return new Digest(HASHES[algorithm]);
}

export function createHmac(algorithm: keyof typeof HASHES, key: Uint8Array): Digest {
  return new Digest((bytes) => hmac(HASHES[algorithm], key, bytes));
}

/** Page and service are one: there is nobody whom the time could tell anything. */
export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((byte, at) => byte === b[at]);
}
