// The boot record: 48 bytes, kept twice, that say which slot runs (FORMAT.md). Only its bytes; what it
// means for a start or an installation is in slots.ts.

import nacl from "tweetnacl";
import { u32 } from "./check.ts";
import { KEY_ID_BYTES } from "./format.ts";

/** Slot A is 0, slot B is 1. */
export type Slot = 0 | 1;

/** In place of a slot. */
export const NO_SLOT = 255;
/** Starts that an image gets until it is confirmed. */
export const TRIES = 3;
export const RECORD_BYTES = 48;

const At = { good: 6, counter: 12, sequence: 16, oldestKey: 24, checksum: 40 } as const;
/** `PGBR`, version 2. */
const PREFIX = [0x50, 0x47, 0x42, 0x52, 0, 2];

export interface BootRecord {
  /** Slot to go back to: that of the last confirmed image. */
  good: Slot | typeof NO_SLOT;
  /** Slot of an image that waits for its confirmation. */
  trial: Slot | typeof NO_SLOT;
  /** Starts left for the trial. */
  tries: number;
  /** The highest of all confirmed images. */
  counter: number;
  /** How often the record was written: high and low word. */
  sequence: [high: number, low: number];
  /** Id of the oldest key that still counts; zeros: all do. */
  oldestKey: Uint8Array;
}

export function newRecord(): BootRecord {
  return {
    ...{ good: NO_SLOT, trial: NO_SLOT, tries: 0, counter: 0, sequence: [0, 0] },
    oldestKey: new Uint8Array(KEY_ID_BYTES),
  };
}

/** The record's bytes, its sequence as it is. */
export function encodeRecord(record: BootRecord): Uint8Array {
  const bytes = new Uint8Array(RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(PREFIX);
  bytes.set([record.good, record.trial, record.tries], At.good);
  view.setUint32(At.counter, record.counter);
  view.setUint32(At.sequence, record.sequence[0]);
  view.setUint32(At.sequence + 4, record.sequence[1]);
  bytes.set(record.oldestKey, At.oldestKey);
  bytes.set(checksumOf(bytes), At.checksum);
  return bytes;
}

/** The record in these bytes; undefined where they are none, or damaged. */
export function decodeRecord(bytes: Uint8Array): BootRecord | undefined {
  if (bytes.length !== RECORD_BYTES) return undefined;
  if (PREFIX.some((byte, at) => bytes[at] !== byte)) return undefined;
  if (checksumOf(bytes).some((byte, at) => bytes[At.checksum + at] !== byte)) return undefined;
  const [good, trial, tries] = [bytes[6]!, bytes[7]!, bytes[8]!];
  if (!isSlot(good) || !isSlot(trial) || tries > TRIES) return undefined;
  return {
    good,
    trial,
    tries,
    counter: u32(bytes, At.counter),
    sequence: [u32(bytes, At.sequence), u32(bytes, At.sequence + 4)],
    oldestKey: bytes.slice(At.oldestKey, At.checksum),
  };
}

/** Whether the first of two records was written later. */
export function isNewer(one: BootRecord, other: BootRecord): boolean {
  const [high, low] = one.sequence;
  return high !== other.sequence[0] ? high > other.sequence[0] : low > other.sequence[1];
}

/** The sequence after this one. */
export function nextSequence([high, low]: [number, number]): [number, number] {
  const next = (low + 1) >>> 0;
  return [next === 0 ? (high + 1) >>> 0 : high, next];
}

function checksumOf(bytes: Uint8Array): Uint8Array {
  return nacl.hash(bytes.subarray(0, At.checksum)).subarray(0, RECORD_BYTES - At.checksum);
}

function isSlot(value: number): value is Slot | typeof NO_SLOT {
  return value === 0 || value === 1 || value === NO_SLOT;
}
