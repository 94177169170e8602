// Makes a signed image. Who holds the secret key, and where the payload comes from, is not known here.

import nacl from "tweetnacl";
import { hashOf, keyIdOf } from "./check.ts";
import {
  At,
  BORDER_BYTES,
  COUNTER_MAX,
  Flag,
  FORMAT_VERSION,
  HEADER_BYTES,
  IMAGE_BYTES_MAX,
  isFieldText,
  kindOf,
  MAGIC,
  PayloadKind,
  SIGNATURE_BYTES,
  type Target,
  Width,
} from "./format.ts";

interface ImageContent extends Target {
  /** The product, or kind of hardware, that it is for: 1 to 32 printable characters without space. */
  readonly product: string;
  /** The product's version, for people; the same rule. */
  readonly release: string;
  /** Digest of the numbers at the border of the core; NO_BORDER where the payload brings its own host. */
  readonly border: Uint8Array;
  /** Once this image is good, keys that stand before its own in a device's list count no longer. */
  readonly retireOlderKeys?: boolean;
  /** 0 to 4294967295; older images are refused once one with a higher counter has run. */
  readonly counter: number;
  /** Source in UTF-8, or bytecode: what belongs to engine and ABI. */
  readonly payload: Uint8Array;
  /** A checked device.json; empty for none. */
  readonly configuration: Uint8Array;
}

/**
 * @param secretKey 64 bytes, as tweetnacl has them: seed, then public key
 * @returns the file's bytes
 * @throws RangeError with one line where the content does not fit into an image
 */
export function makeImage(content: ImageContent, secretKey: Uint8Array): Uint8Array {
  const { payload, configuration } = content;
  const length = HEADER_BYTES + payload.length + configuration.length + SIGNATURE_BYTES;
  refuseUnfit(content, length);
  const image = new Uint8Array(length);
  const view = new DataView(image.buffer);
  image.set(MAGIC);
  view.setUint16(At.version, FORMAT_VERSION);
  view.setUint16(At.headerLength, HEADER_BYTES);
  view.setUint16(At.kind, kindOf(content) ?? PayloadKind.source);
  view.setUint16(At.flags, content.retireOlderKeys ? Flag.retireOlderKeys : 0);
  view.setUint32(At.imageLength, length);
  view.setUint32(At.payloadLength, payload.length);
  view.setUint32(At.configurationLength, configuration.length);
  view.setUint32(At.counter, content.counter);
  setText(image, At.engine, content.engine);
  setText(image, At.abi, content.abi);
  setText(image, At.product, content.product);
  setText(image, At.release, content.release);
  image.set(content.border, At.border);
  image.set(keyIdOf(secretKey.subarray(32)), At.keyId);
  image.set(payload, HEADER_BYTES);
  image.set(configuration, HEADER_BYTES + payload.length);
  image.set(hashOf(image), At.hash);
  const end = length - SIGNATURE_BYTES;
  image.set(nacl.sign.detached(image.subarray(0, end), secretKey), end);
  return image;
}

function refuseUnfit(content: ImageContent, length: number): void {
  const { counter, payload, border } = content;
  for (const name of ["engine", "abi", "product", "release"] as const) {
    const width = Width[name];
    if (isFieldText(content[name], width)) continue;
    throw new RangeError(`${name} must be 1 to ${width} printable characters without space`);
  }
  if (!Number.isInteger(counter) || counter < 0 || counter > COUNTER_MAX) {
    throw new RangeError(`the security counter must be an integer from 0 to ${COUNTER_MAX}`);
  }
  if (border.length !== BORDER_BYTES) throw new RangeError(`the border has ${BORDER_BYTES} bytes`);
  if (payload.length === 0) throw new RangeError("the payload is empty");
  if (length > IMAGE_BYTES_MAX) {
    throw new RangeError(`the image would have ${length} bytes; ${IMAGE_BYTES_MAX} is the most`);
  }
}

function setText(image: Uint8Array, at: number, text: string): void {
  for (let index = 0; index < text.length; index++) image[at + index] = text.charCodeAt(index);
}
