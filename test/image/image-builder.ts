// Makes signed images byte by byte after FORMAT.md, wrong ones too: the oracle of the loader's tests,
// independent of the tool that makes images for makers.

import { createHash } from "node:crypto";
import nacl from "tweetnacl";

const HEADER = 240;

/** What the devices of the tests are. */
export const PRODUCT = "test-tv";

export interface ImageParts {
  magic?: string;
  version?: number;
  headerLength?: number;
  kind?: number;
  flags?: number;
  /** The bytes behind the border. */
  reserved?: Uint8Array;
  counter?: number;
  engine?: string;
  abi?: string;
  product?: string;
  release?: string;
  border?: Uint8Array;
  payload?: Uint8Array;
  config?: Uint8Array;
  /** Lengths as they are written, where they are to be wrong. */
  imageLength?: number;
  payloadLength?: number;
  keyId?: Uint8Array;
  /** The SHA-512 as it is written, where it is to be wrong. */
  hash?: Uint8Array;
  /** Another key signs, under the id of the right one. */
  signer?: Uint8Array;
  /** The signature as it is written, where it is to be a special one. */
  sign?: (message: Uint8Array) => Uint8Array;
}

export const keys = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7));
export const strangerKeys = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(8));
/** A later key of the same maker. */
export const newerKeys = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(9));

const sha512 = (...parts: Uint8Array[]): Buffer => {
  const hash = createHash("sha512");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export const keyIdOf = (publicKey: Uint8Array): Buffer => sha512(publicKey).subarray(0, 16);

/** An image with these parts; the rest is as it should be for a C host with `abi`. */
export function makeImage(parts: ImageParts): Buffer {
  const payload = parts.payload ?? Buffer.from("payload");
  const config = parts.config ?? Buffer.alloc(0);
  const length = HEADER + payload.length + config.length + 64;
  const image = Buffer.alloc(length);
  Buffer.from(parts.magic ?? "PGIMG\r\n\x1a", "latin1").copy(image);
  image.writeUInt16BE(parts.version ?? 2, 8);
  image.writeUInt16BE(parts.headerLength ?? HEADER, 10);
  image.writeUInt16BE(parts.kind ?? 2, 12);
  image.writeUInt16BE(parts.flags ?? 0, 14);
  image.writeUInt32BE(parts.imageLength ?? length, 16);
  image.writeUInt32BE(parts.payloadLength ?? payload.length, 20);
  image.writeUInt32BE(config.length, 24);
  image.writeUInt32BE(parts.counter ?? 5, 28);
  image.write(parts.engine ?? "quickjs", 32, "latin1");
  image.write(parts.abi ?? "", 48, "latin1");
  image.write(parts.product ?? PRODUCT, 80, "latin1");
  image.write(parts.release ?? "1.0.0", 112, "latin1");
  Buffer.from(parts.border ?? []).copy(image, 144);
  Buffer.from(parts.reserved ?? []).copy(image, 152);
  Buffer.from(parts.keyId ?? keyIdOf(keys.publicKey)).copy(image, 160);
  Buffer.from(payload).copy(image, HEADER);
  Buffer.from(config).copy(image, HEADER + payload.length);
  const end = length - 64;
  const hash = parts.hash ?? sha512(image.subarray(0, 176), image.subarray(HEADER, end));
  Buffer.from(hash).copy(image, 176);
  const message = image.subarray(0, end);
  const own = (bytes: Uint8Array) => nacl.sign.detached(bytes, parts.signer ?? keys.secretKey);
  const signature = (parts.sign ?? own)(message);
  Buffer.from(signature).copy(image, end);
  return image;
}
