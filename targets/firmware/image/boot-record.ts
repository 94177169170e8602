// The boot record: 32 bytes that say which slot runs (FORMAT.md). Only its bytes; what it means for a
// start or an installation is in slots.ts.

import nacl from "tweetnacl";
import { u32 } from "./check.ts";

/** Slot A is 0, slot B is 1. */
export type Slot = 0 | 1;

/** In place of a slot. */
export const NO_SLOT = 255;
/** Starts that an image gets to reach its first tick. */
export const TRIES = 3;
export const RECORD_BYTES = 32;

const CHECKED_BYTES = 24;
const CHECKSUM_BYTES = 8;
/** `PGBR`, version 1. */
const PREFIX = [0x50, 0x47, 0x42, 0x52, 0, 1];

export interface BootRecord {
  /** Slot of the last image that reached its first tick. */
  good: Slot | typeof NO_SLOT;
  /** Slot of an image that has not reached it yet. */
  trial: Slot | typeof NO_SLOT;
  /** Starts left for the trial. */
  tries: number;
  /** Of the newest image that reached its first tick. */
  counter: number;
  /** How often the record was written: high and low word. */
  sequence: [high: number, low: number];
}

export function newRecord(): BootRecord {
  return { good: NO_SLOT, trial: NO_SLOT, tries: 0, counter: 0, sequence: [0, 0] };
}

/** The record's bytes, its sequence as it is. */
export function encodeRecord(record: BootRecord): Uint8Array {
  const bytes = new Uint8Array(RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(PREFIX);
  bytes.set([record.good, record.trial, record.tries], PREFIX.length);
  view.setUint32(12, record.counter);
  view.setUint32(16, record.sequence[0]);
  view.setUint32(20, record.sequence[1]);
  bytes.set(checksumOf(bytes), CHECKED_BYTES);
  return bytes;
}

/** The record in these bytes; undefined where they are none, or damaged. */
export function decodeRecord(bytes: Uint8Array): BootRecord | undefined {
  if (bytes.length !== RECORD_BYTES) return undefined;
  if (PREFIX.some((byte, at) => bytes[at] !== byte)) return undefined;
  if (checksumOf(bytes).some((byte, at) => bytes[CHECKED_BYTES + at] !== byte)) return undefined;
  const [good, trial, tries] = [bytes[6]!, bytes[7]!, bytes[8]!];
  if (!isSlot(good) || !isSlot(trial) || tries > TRIES) return undefined;
  return {
    good,
    trial,
    tries,
    counter: u32(bytes, 12),
    sequence: [u32(bytes, 16), u32(bytes, 20)],
  };
}

/** The sequence after this one. */
export function nextSequence([high, low]: [number, number]): [number, number] {
  const next = (low + 1) >>> 0;
  return [next === 0 ? (high + 1) >>> 0 : high, next];
}

function checksumOf(bytes: Uint8Array): Uint8Array {
  return nacl.hash(bytes.subarray(0, CHECKED_BYTES)).subarray(0, CHECKSUM_BYTES);
}

function isSlot(value: number): value is Slot | typeof NO_SLOT {
  return value === 0 || value === 1 || value === NO_SLOT;
}
