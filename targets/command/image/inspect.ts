// Looks at finished images: their header for people, and the checks that a device makes.

import { UsageError } from "../../desktop/usage-error.ts";
import { borderDigest } from "../../image/border.ts";
import { checkImage, type Header, readHeader } from "../../image/check.ts";
import {
  At,
  describeRefusal,
  Flag,
  HEADER_BYTES,
  MAGIC,
  NO_BORDER,
  PayloadKind,
} from "../../image/format.ts";
import { readInput } from "./files.ts";
import { readPublicKey } from "./keys.ts";
import type { Options } from "./options.ts";
import type { Payloads } from "./payload-kinds.ts";

/** One line about an image. */
export function summary(path: string, header: Header): string {
  const { imageLength, engine, abi, product, release, counter, flags } = header;
  const retires = flags & Flag.retireOlderKeys ? ", retires older keys" : "";
  return (
    `${path}: ${imageLength} bytes for ${product}, ${engine} ${abi}, ` +
    `release ${release}, security counter ${counter}${retires}`
  );
}

/**
 * Checks an image as a device does that trusts `--public-key` and has the counter `--counter-min`. Where
 * `--target` or `--product` is not given, the device is taken to be the one that the image names.
 * @returns a line
 * @throws UsageError with the refusal's name
 */
export function verifyImage(path: string, options: Options, payloads: Payloads): string {
  const key = readPublicKey(options.publicKey ?? "");
  const bytes = readInput(path);
  const { target: name, abi, counterMin } = options;
  const header = bytes.length >= HEADER_BYTES ? readHeader(bytes) : undefined;
  const target = name === undefined ? header : payloads.targetOf(name, abi);
  const image = checkImage(bytes, {
    keys: [key],
    product: options.product ?? header?.product ?? "",
    targets: target ? [target] : [],
    border: name === undefined || name === "board" ? (header?.border ?? NO_BORDER) : borderDigest(),
    counterMin,
  });
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
  const { kind, counter, flags, payloadLength, configurationLength } = header;
  const kinds = Object.entries(PayloadKind).find(([, number]) => number === kind);
  const rows: [string, string | number][] = [
    ["format", bytes[At.version]! * 256 + bytes[At.version + 1]!],
    ["engine", header.engine],
    ["abi", header.abi],
    ["product", header.product],
    ["release", header.release],
    ["border", header.border.some((byte) => byte !== 0) ? hex(header.border) : "its own"],
    ["counter", counter],
    ["older keys", flags & Flag.retireOlderKeys ? "retired once this image is good" : "stay"],
    ["payload", `${payloadLength} bytes, ${kinds?.[0] ?? `unknown kind ${kind}`}`],
    ["configuration", `${configurationLength} bytes`],
    ["image", `${header.imageLength} bytes; the file has ${bytes.length}`],
    ["key id", hex(header.keyId)],
    ["sha-512", hex(header.hash)],
  ];
  const lines = rows.map(([name, value]) => `${name.padEnd(14)}${value}`);
  return [...lines, "not verified: --verify does that"].join("\n");
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
