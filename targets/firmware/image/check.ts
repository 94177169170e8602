// The checks of a signed image, in FORMAT.md's order: nothing of payload or configuration is looked at
// before the signature holds. Runs in the loader on the device and in the tool on the maker's machine.

import nacl from "tweetnacl";
import {
  At,
  FORMAT_VERSION,
  HEADER_BYTES,
  IMAGE_BYTES_MAX,
  KEY_ID_BYTES,
  kindOf,
  MAGIC,
  PayloadKind,
  type Refusal,
  SIGNATURE_BYTES,
  type Target,
  Width,
} from "./format.ts";

/** What a loader holds an image against. */
export interface Requirements {
  /** Ed25519 public keys of 32 bytes that may have signed. */
  readonly keys: readonly Uint8Array[];
  /** The pairs that this loader runs. */
  readonly targets: readonly Target[];
  /** The device's security counter. */
  readonly counterMin: number;
  /** Longest image taken, in bytes; the format's own limit where absent. */
  readonly limit?: number;
}

/** A header's content, as it is written. */
export interface Header extends Target {
  readonly kind: number;
  readonly imageLength: number;
  readonly payloadLength: number;
  readonly configurationLength: number;
  readonly counter: number;
  readonly product: string;
}

/** An image that passed: `payload` and `configuration` are views into the bytes that were checked. */
export interface Image extends Header {
  readonly payload: Uint8Array;
  readonly configuration: Uint8Array;
}

/**
 * Checks an image.
 * @param bytes the whole file; views into it are handed back, so it must not change afterwards
 * @returns the image, or the first refusal that applies
 */
export function checkImage(bytes: Uint8Array, requirements: Requirements): Image | Refusal {
  const limit = Math.min(requirements.limit ?? IMAGE_BYTES_MAX, IMAGE_BYTES_MAX);
  const refusal =
    checkLengths(bytes, limit) ??
    checkSeal(bytes, requirements.keys) ??
    checkTarget(bytes, requirements.targets);
  if (refusal !== undefined) return refusal;
  const header = readHeader(bytes);
  if (header.counter < requirements.counterMin) return "rollback";
  const end = HEADER_BYTES + header.payloadLength;
  return {
    ...header,
    payload: bytes.subarray(HEADER_BYTES, end),
    configuration: bytes.subarray(end, end + header.configurationLength),
  };
}

/** Reads a header's fields, right or wrong, for people; `bytes` has at least a header. */
export function readHeader(bytes: Uint8Array): Header {
  return {
    kind: u16(bytes, At.kind),
    imageLength: u32(bytes, At.imageLength),
    payloadLength: u32(bytes, At.payloadLength),
    configurationLength: u32(bytes, At.configurationLength),
    counter: u32(bytes, At.counter),
    engine: textAt(bytes, At.engine, Width.engine) ?? "",
    abi: textAt(bytes, At.abi, Width.abi) ?? "",
    product: textAt(bytes, At.product, Width.product) ?? "",
  };
}

/** The first bytes of SHA-512 of a public key, by which an image names it. */
export function keyIdOf(publicKey: Uint8Array): Uint8Array {
  return nacl.hash(publicKey).subarray(0, KEY_ID_BYTES);
}

/** What the header's SHA-512 is over: the fields before it, and all between header and signature. */
export function hashOf(bytes: Uint8Array): Uint8Array {
  const body = bytes.subarray(HEADER_BYTES, bytes.length - SIGNATURE_BYTES);
  const content = new Uint8Array(At.hash + body.length);
  content.set(bytes.subarray(0, At.hash));
  content.set(body, At.hash);
  return nacl.hash(content);
}

function checkLengths(bytes: Uint8Array, limit: number): Refusal | undefined {
  if (bytes.length < HEADER_BYTES + SIGNATURE_BYTES) return "truncated";
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) return "not-an-image";
  if (u16(bytes, At.version) !== FORMAT_VERSION) return "format-unknown";
  const { imageLength, payloadLength, configurationLength } = readHeader(bytes);
  // Three lengths of 32 bits cannot overflow a number's 53.
  const sum = HEADER_BYTES + payloadLength + configurationLength + SIGNATURE_BYTES;
  const headerLength = u16(bytes, At.headerLength);
  if (headerLength !== HEADER_BYTES || payloadLength === 0 || sum !== imageLength || sum > limit) {
    return "length-wrong";
  }
  if (bytes.length < imageLength) return "truncated";
  return bytes.length > imageLength ? "length-wrong" : undefined;
}

function checkSeal(bytes: Uint8Array, keys: readonly Uint8Array[]): Refusal | undefined {
  if (!holds(bytes, At.hash, hashOf(bytes))) return "damaged";
  const key = keys.find((candidate) => holds(bytes, At.keyId, keyIdOf(candidate)));
  if (key === undefined) return "foreign-key";
  const end = bytes.length - SIGNATURE_BYTES;
  const right = nacl.sign.detached.verify(bytes.subarray(0, end), bytes.subarray(end), key);
  return right ? undefined : "signature-wrong";
}

function checkTarget(bytes: Uint8Array, targets: readonly Target[]): Refusal | undefined {
  const kind = u16(bytes, At.kind);
  const known: readonly number[] = Object.values(PayloadKind);
  const engine = textAt(bytes, At.engine, Width.engine);
  const abi = textAt(bytes, At.abi, Width.abi);
  const product = textAt(bytes, At.product, Width.product);
  if (u16(bytes, At.reserved) !== 0 || !known.includes(kind)) return "malformed";
  if (engine === undefined || abi === undefined || product === undefined) return "malformed";
  const itsKind = kindOf({ engine, abi });
  if (itsKind !== undefined && itsKind !== kind) return "malformed";
  const sameEngine = targets.filter((target) => target.engine === engine);
  if (sameEngine.length === 0) return "wrong-engine";
  return sameEngine.some((target) => target.abi === abi) ? undefined : "wrong-abi";
}

function holds(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  return expected.every((byte, index) => bytes[at + index] === byte);
}

/** The text of a field; undefined where it breaks FORMAT.md's rule. */
function textAt(bytes: Uint8Array, at: number, width: number): string | undefined {
  let text = "";
  let index = at;
  while (index < at + width && bytes[index]! > 32 && bytes[index]! < 127) {
    text += String.fromCharCode(bytes[index++]!);
  }
  const padded = bytes.subarray(index, at + width).every((byte) => byte === 0);
  return padded && text !== "" ? text : undefined;
}

function u16(bytes: Uint8Array, at: number): number {
  return bytes[at]! * 256 + bytes[at + 1]!;
}

export function u32(bytes: Uint8Array, at: number): number {
  return u16(bytes, at) * 65_536 + u16(bytes, at + 2);
}
