// Replaces the APIs of Node that the simulated service uses, so that the service can run in a page.
import { Buffer as PageBuffer } from "buffer";
import type { Context } from "hono";
import nacl from "tweetnacl";
import { sha256 } from "../../../platform/text/sha256.ts";

// The package `buffer` does not have base64url.
const plainToString = PageBuffer.prototype.toString;
PageBuffer.prototype.toString = function (encoding?: BufferEncoding, from?: number, to?: number) {
  if (encoding !== "base64url") return plainToString.call(this, encoding, from, to);
  const text = plainToString.call(this, "base64", from, to);
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
const plainFrom = PageBuffer.from.bind(PageBuffer) as (...values: unknown[]) => PageBuffer;
PageBuffer.from = ((...[data, encoding, length]: unknown[]) =>
  plainFrom(
    data,
    encoding === "base64url" ? "base64" : encoding,
    length,
  )) as typeof PageBuffer.from;

export { PageBuffer as Buffer };

const waiting: (() => void)[] = [];
const channel = new MessageChannel();
channel.port1.onmessage = () => waiting.shift()?.();

/** Uses a MessageChannel, because a timer would add a delay. */
export function setImmediate(run: () => void): void {
  waiting.push(run);
  channel.port2.postMessage(0);
}

// Replaces node:crypto, because a browser's own functions are asynchronous.

const HASHES = { sha256, sha512: nacl.hash } as const;
type Data = string | Uint8Array;

class Digest {
  #bytes: Uint8Array = new Uint8Array(0);

  readonly #finish: (bytes: Uint8Array) => Uint8Array;

  constructor(finish: (bytes: Uint8Array) => Uint8Array) {
    this.#finish = finish;
  }

  /** Replaces earlier data, because the service calls `update` once for each hash. */
  update(data: Data): this {
    this.#bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    return this;
  }

  digest(): Uint8Array;
  digest(encoding: "base64url" | "base64"): string;
  digest(encoding?: "base64url" | "base64"): Uint8Array | string {
    const bytes = this.#finish(this.#bytes);
    return encoding === undefined ? bytes : PageBuffer.from(bytes).toString(encoding);
  }
}

export function createHash(algorithm: keyof typeof HASHES): Digest {
  return new Digest(HASHES[algorithm]);
}

export function createHmac(_algorithm: "sha256", key: Uint8Array): Digest {
  const block = new Uint8Array(64);
  block.set(key.length > block.length ? sha256(key) : key);
  const padded = (pad: number, bytes: Uint8Array): Uint8Array =>
    sha256(Uint8Array.from([...block.map((byte) => byte ^ pad), ...bytes]));
  return new Digest((bytes) => padded(0x5c, padded(0x36, bytes)));
}

/** The comparison need not take constant time, because only this page sends requests to the service. */
export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((byte, at) => byte === b[at]);
}

export type KeyObject = nacl.SignKeyPair;

/** An Ed25519 key in PKCS #8 ends with its seed of 32 bytes (RFC 8410 §7). */
export function createPrivateKey({ key }: { key: Uint8Array }): KeyObject {
  return nacl.sign.keyPair.fromSeed(Uint8Array.from(key.subarray(-32)));
}

/** Exports a JWK (RFC 8037 §2). */
export function createPublicKey({ publicKey }: KeyObject) {
  const x = PageBuffer.from(publicKey).toString("base64url");
  return { export: () => ({ crv: "Ed25519", kty: "OKP", x }) };
}

export function sign(_algorithm: null, data: Uint8Array, { secretKey }: KeyObject): Uint8Array {
  return nacl.sign.detached(Uint8Array.from(data), secretKey);
}

/** Replaces isIP of node:net: 4 or 6 for an address of that version, 0 for a name. */
export function isIP(text: string): number {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return 4;
  return text.includes(":") ? 6 : 0;
}

// Replaces hono/cookie. Browsers hide Set-Cookie from scripts, so cookies are in COOKIE_HEADER, which phone.ts reads.
export { getCookie } from "hono/cookie";

export const COOKIE_HEADER = "x-playground-cookie";

export function setCookie(c: Context, name: string, value: string): void {
  c.header(COOKIE_HEADER, `${name}=${value}`, { append: true });
}
