// Looks at finished images: their header for people, and the checks that a device makes.

import { UsageError } from "../../targets/desktop/usage-error.ts";
import { checkImage, type Header, readHeader } from "../../targets/firmware/image/check.ts";
import {
  At,
  describeRefusal,
  HEADER_BYTES,
  KEY_ID_BYTES,
  MAGIC,
  PayloadKind,
} from "../../targets/firmware/image/format.ts";
import { readInput } from "./files.ts";
import { readPublicKey } from "./keys.ts";
import type { Options } from "./options.ts";
import { targetOf } from "./payload.ts";

/** One line about an image. */
export function summary(path: string, header: Header): string {
  const { imageLength, engine, abi, product, counter } = header;
  return (
    `${path}: ${imageLength} bytes for ${engine} ${abi}, ` +
    `product ${product}, security counter ${counter}`
  );
}

/**
 * Checks an image as a device does that trusts `--public-key` and has the counter `--counter-min`. Without
 * `--target` it is taken to be for the engine that it names.
 * @returns a line
 * @throws UsageError with the refusal's name
 */
export function verifyImage(path: string, options: Options): string {
  const key = readPublicKey(options.publicKey ?? "");
  const bytes = readInput(path);
  const { target, abi, counterMin } = options;
  const own = bytes.length >= HEADER_BYTES ? [readHeader(bytes)] : [];
  const targets = target === undefined ? own : [targetOf(target, abi)];
  const image = checkImage(bytes, { keys: [key], targets, counterMin });
  if (typeof image === "string") throw new UsageError(`${path}: ${describeRefusal(image)}`);
  return `${summary(path, image)}: signed by this key, whole, and not too old`;
}

/**
 * The header of an image, whatever its signature is worth.
 * @throws UsageError where there is no header
 */
export function inspectImage(path: string): string {
  const bytes = readInput(path);
  if (bytes.length < HEADER_BYTES) throw new UsageError(`${path}: ${describeRefusal("truncated")}`);
  if (MAGIC.some((byte, at) => bytes[at] !== byte)) {
    throw new UsageError(`${path}: ${describeRefusal("not-an-image")}`);
  }
  const header = readHeader(bytes);
  const { kind, counter, payloadLength, configurationLength } = header;
  const kinds = Object.entries(PayloadKind).find(([, number]) => number === kind);
  const rows: [string, string | number][] = [
    ["format", bytes[At.version]! * 256 + bytes[At.version + 1]!],
    ["engine", header.engine],
    ["abi", header.abi],
    ["product", header.product],
    ["counter", counter],
    ["payload", `${payloadLength} bytes, ${kinds?.[0] ?? `unknown kind ${kind}`}`],
    ["configuration", `${configurationLength} bytes`],
    ["image", `${header.imageLength} bytes; the file has ${bytes.length}`],
    ["key id", hex(bytes.subarray(At.keyId, At.keyId + KEY_ID_BYTES))],
    ["sha-512", hex(bytes.subarray(At.hash, HEADER_BYTES))],
  ];
  const lines = rows.map(([name, value]) => `${name.padEnd(14)}${value}`);
  return [...lines, "not verified: --verify does that"].join("\n");
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
