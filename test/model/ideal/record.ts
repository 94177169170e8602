// Records by the table in core/SPEC.md, "Records": written from what the device should hold, and read
// back. Nothing of the core's own code is in it.

import { State } from "../../../core/index.ts";

/** What a record keeps. */
export interface StoredRecord {
  kind: number;
  sequence: number;
  intervalMs: number;
  codeLifeS: number;
  refreshLifeS: number;
  /** device_code, user_code, verification URI and complete URI of a code, its verifier if it has one; else one token. */
  values: (string | undefined)[];
}

const VERSION = 1;
const HEADER_BYTES = 16;
const CHECKSUM_BYTES = 3;

/** CRC-24 as RFC 4880 §6.1 prints it, from any start value. */
const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 16;
  for (let bit = 0; bit < 8; bit++) {
    crc <<= 1;
    if (crc & 0x1000000) crc ^= 0x1864cfb;
  }
  return crc;
});

export function crc24(bytes: Uint8Array, start: number): number {
  let crc = start;
  for (const byte of bytes) crc = ((crc << 8) & 0xffffff) ^ TABLE[((crc >> 16) ^ byte) & 255]!;
  return crc;
}

/** What binds a record to its owner: `client_id=...&server=...`. */
export function bindingOf(owner: string): number {
  return crc24(Buffer.from(owner, "latin1"), VERSION);
}

/** Bytes that a record of these values has. */
export function sizeOf(record: StoredRecord): number {
  let size = HEADER_BYTES + CHECKSUM_BYTES;
  for (const value of record.values) size += 2 + (value === undefined ? 0 : value.length);
  return size;
}

export function encode(record: StoredRecord, binding: number): Uint8Array {
  const bytes = Buffer.alloc(sizeOf(record));
  bytes.writeUInt32BE(record.sequence, 0);
  bytes[0] = record.kind;
  bytes.writeUInt32BE(record.intervalMs, 4);
  bytes.writeUInt32BE(record.codeLifeS, 8);
  bytes.writeUInt32BE(record.refreshLifeS, 12);
  let at = HEADER_BYTES;
  for (const value of record.values) {
    const length = value === undefined ? 0 : bytes.write(value, at + 2, "latin1");
    bytes.writeUInt16BE(value === undefined ? 0 : length + 1, at);
    at += 2 + length;
  }
  const sum = crc24(bytes.subarray(0, at), binding ^ bytes.length);
  bytes.writeUIntBE(sum, at, CHECKSUM_BYTES);
  return new Uint8Array(bytes);
}

/** The record in a slot; undefined where there is none of this client. */
export function decode(bytes: Uint8Array, binding: number): StoredRecord | undefined {
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < HEADER_BYTES) return undefined;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const sum = crc24(bytes.subarray(0, end), binding ^ bytes.length);
  if (buffer.readUIntBE(end, CHECKSUM_BYTES) !== sum) return undefined;
  const record: StoredRecord = {
    kind: bytes[0]!,
    sequence: buffer.readUIntBE(1, 3),
    intervalMs: buffer.readUInt32BE(4),
    codeLifeS: buffer.readUInt32BE(8),
    refreshLifeS: buffer.readUInt32BE(12),
    values: [],
  };
  let at = HEADER_BYTES;
  const isCode = record.kind === State.PENDING;
  for (let count = isCode ? 4 : 1; count > 0 || (isCode && at < end); count--) {
    const length = buffer.readUInt16BE(at) - 1;
    at += 2;
    record.values.push(length < 0 ? undefined : buffer.toString("latin1", at, at + length));
    at += Math.max(0, length);
  }
  return record;
}

/** Whether the sequence number is the newer one: they wrap, and it is at most half of that ahead. */
export function isNewer(sequence: number, other: number): boolean {
  const ahead = (sequence - other) & 0xffffff;
  return ahead > 0 && ahead <= 0x800000;
}
