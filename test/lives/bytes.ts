// Bytes of a device as text, a character for each.

import type { Bytes } from "../../platform/contracts.ts";

/** The same bytes. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

export function latin1(bytes: Bytes, from: number, to: number): string {
  if (ArrayBuffer.isView(bytes)) return bufferOf(bytes as Uint8Array).toString("latin1", from, to);
  // A memory that is watched is a proxy, and has to be asked for each byte.
  let all = "";
  for (let at = from; at < to; at++) all += String.fromCharCode(bytes[at]!);
  return all;
}
