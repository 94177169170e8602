// The device's two slots under a loupe: what they hold, how often they were written, and a hand that
// flips a bit. Wraps the storage adapter; the tokens themselves are never shown.
import type { Bytes, Storage } from "../../platform/contracts.ts";

export interface SlotView {
  readonly slot: number;
  readonly bytes: number;
  /** What the record is; "damaged" where it is none. */
  readonly kind: "empty" | "code" | "token" | "revocation" | "damaged";
  readonly sequence: number;
  readonly writes: number;
  readonly erases: number;
}

const KINDS = ["damaged", "code", "token", "revocation"] as const;
const HEADER_BYTES = 16;
const CHECKSUM_BYTES = 3;

export class MeteredStorage implements Storage {
  readonly capacity: number;
  readonly #counts = [
    { writes: 0, erases: 0 },
    { writes: 0, erases: 0 },
  ];
  #views: readonly SlotView[] | undefined;

  constructor(private readonly inner: Storage) {
    this.capacity = inner.capacity;
  }

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    this.inner.read(slot, into, from, to, done);
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    this.#counts[slot]!.writes++;
    this.#views = undefined;
    this.inner.write(slot, bytes, from, to, done);
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    this.#counts[slot]!.erases++;
    this.#views = undefined;
    this.inner.erase(slot, done);
  }

  /** Both slots as they are now. */
  views(): readonly SlotView[] {
    this.#views ??= [0, 1].map((slot) => this.#view(slot));
    return this.#views;
  }

  /** Flips one bit in the middle of the newest record, as worn-out flash does; false where none is. */
  flipBit(): boolean {
    const [a, b] = this.views() as [SlotView, SlotView];
    const newest = a.bytes > 0 && (b.bytes === 0 || a.sequence >= b.sequence) ? a : b;
    if (newest.bytes === 0) return false;
    const bytes = this.#bytesOf(newest.slot);
    const at = bytes.length >> 1;
    bytes[at] = bytes[at]! ^ 16;
    this.inner.write(newest.slot, bytes, 0, bytes.length, () => {});
    this.#views = undefined;
    return true;
  }

  #bytesOf(slot: number): Uint8Array {
    const buffer = new Uint8Array(this.capacity);
    let length = 0;
    this.inner.read(slot, buffer, 0, buffer.length, (read) => {
      length = Math.max(0, read);
    });
    return buffer.subarray(0, length);
  }

  #view(slot: number): SlotView {
    const bytes = this.#bytesOf(slot);
    const whole = isWhole(bytes);
    return {
      slot,
      bytes: bytes.length,
      kind: bytes.length === 0 ? "empty" : whole ? (KINDS[bytes[3]!] ?? "damaged") : "damaged",
      sequence: whole ? numberAt(bytes, 4) : 0,
      ...this.#counts[slot]!,
    };
  }
}

/** The record's own checksum: CRC-24 of RFC 4880 §6.1 over all but its last three bytes. */
function isWhole(bytes: Uint8Array): boolean {
  if (bytes.length < HEADER_BYTES + CHECKSUM_BYTES) return false;
  let crc = 0xb704ce;
  for (const byte of bytes.subarray(0, -CHECKSUM_BYTES)) {
    crc ^= byte << 16;
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1;
      if (crc & 0x1000000) crc ^= 0x1864cfb;
    }
  }
  return crc === numberAt(bytes, bytes.length - CHECKSUM_BYTES);
}

function numberAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
}
