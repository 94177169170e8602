// The checks of a signed image, in FORMAT.md's order: nothing of payload or configuration is looked at
// before the signature holds. Runs in the loader on the device and in the tool on the maker's machine.

import nacl from "tweetnacl";
import { verifyEd25519 } from "./ed25519.ts";
import {
  At,
  BORDER_BYTES,
  Flag,
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
interface Requirements {
  /** Ed25519 public keys of 32 bytes that may have signed, oldest first. */
  readonly keys: readonly Uint8Array[];
  /** Id of the oldest of them that still counts; all do where absent or none of theirs. */
  readonly oldestKey?: Uint8Array;
  /** The product that this device is. */
  readonly product: string;
  /** The pairs that this loader runs. */
  readonly targets: readonly Target[];
  /** Digest of the numbers at the host's border; NO_BORDER for programs that bring their own core. */
  readonly border: Uint8Array;
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
  readonly flags: number;
  /** The product, or kind of hardware, that it is for. */
  readonly product: string;
  /** The product's version, for people. */
  readonly release: string;
  readonly border: Uint8Array;
  readonly keyId: Uint8Array;
  /** SHA-512 of everything but itself and the signature: tells images apart. */
  readonly hash: Uint8Array;
}

/** An image that passed: `payload` and `configuration` are views into the bytes that were checked. */
interface Image extends Header {
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
    checkSeal(bytes, requirements) ??
    checkForm(bytes) ??
    checkPurpose(bytes, requirements);
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
    flags: u16(bytes, At.flags),
    engine: textAt(bytes, At.engine, Width.engine) ?? "",
    abi: textAt(bytes, At.abi, Width.abi) ?? "",
    product: textAt(bytes, At.product, Width.product) ?? "",
    release: textAt(bytes, At.release, Width.release) ?? "",
    border: bytes.slice(At.border, At.border + BORDER_BYTES),
    keyId: bytes.slice(At.keyId, At.keyId + KEY_ID_BYTES),
    hash: bytes.slice(At.hash, HEADER_BYTES),
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

function checkSeal(bytes: Uint8Array, requirements: Requirements): Refusal | undefined {
  if (!holds(bytes, At.hash, hashOf(bytes))) return "damaged";
  const { keys, oldestKey } = requirements;
  const index = keys.findIndex((key) => holds(bytes, At.keyId, keyIdOf(key)));
  if (index < 0) return "foreign-key";
  if (oldestKey !== undefined && index < orderOf(keys, oldestKey)) return "retired-key";
  const end = bytes.length - SIGNATURE_BYTES;
  const right = verifyEd25519(bytes.subarray(0, end), bytes.subarray(end), keys[index]!);
  return right ? undefined : "signature-wrong";
}

/** Where in the list the key of this id is; 0 where it is none of them: nothing is retired then. */
function orderOf(keys: readonly Uint8Array[], keyId: Uint8Array): number {
  return Math.max(
    0,
    keys.findIndex((key) => holds(keyIdOf(key), 0, keyId)),
  );
}

/** Whether the header keeps to the format: checked once it is known to be the maker's. */
function checkForm(bytes: Uint8Array): Refusal | undefined {
  const kind = u16(bytes, At.kind);
  const known: readonly number[] = Object.values(PayloadKind);
  if ((u16(bytes, At.flags) & ~Flag.retireOlderKeys) !== 0 || !known.includes(kind)) {
    return "malformed";
  }
  if (bytes.subarray(At.reserved, At.keyId).some((byte) => byte !== 0)) return "malformed";
  for (const name of ["engine", "abi", "product", "release"] as const) {
    if (textAt(bytes, At[name], Width[name]) === undefined) return "malformed";
  }
  const itsKind = kindOf(readHeader(bytes));
  return itsKind !== undefined && itsKind !== kind ? "malformed" : undefined;
}

/** Whether it is for this product, engine and border. */
function checkPurpose(bytes: Uint8Array, requirements: Requirements): Refusal | undefined {
  const { product, engine, abi } = readHeader(bytes);
  if (product !== requirements.product) return "wrong-product";
  const sameEngine = requirements.targets.filter((target) => target.engine === engine);
  if (sameEngine.length === 0) return "wrong-engine";
  if (!sameEngine.some((target) => target.abi === abi)) return "wrong-abi";
  return holds(bytes, At.border, requirements.border) ? undefined : "wrong-border";
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
