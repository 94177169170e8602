// A storage that shows the kind of each record, counts writes and erases, and can flip a bit.
import type { Bytes, Storage } from "../../../../platform/contracts.ts";

export interface SlotView {
  readonly slot: number;
  readonly bytes: number;
  /** Read from the record's first byte. The core may still reject the record. */
  readonly kind: "empty" | "code" | "token" | "access token" | "revocation" | "unknown";
  readonly sequence: number;
  readonly writes: number;
  readonly erases: number;
}

/** The first byte is the kind of the record (core/SPEC.md). The next three bytes are its sequence number. */
const KINDS: Readonly<Record<number, SlotView["kind"]>> = {
  3: "code",
  4: "access token",
  5: "token",
  6: "revocation",
  7: "revocation",
};
const HEADER_BYTES = 4;

export class MeteredStorage implements Storage {
  readonly capacity: number;
  readonly #counts = [
    { writes: 0, erases: 0 },
    { writes: 0, erases: 0 },
  ];
  #views: readonly SlotView[] | undefined;

  readonly #inner: Storage;

  constructor(inner: Storage) {
    this.#inner = inner;
    this.capacity = inner.capacity;
  }

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    this.#inner.read(slot, into, from, to, done);
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    this.#counts[slot]!.writes++;
    this.#views = undefined;
    this.#inner.write(slot, bytes, from, to, done);
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    this.#counts[slot]!.erases++;
    this.#views = undefined;
    this.#inner.erase(slot, done);
  }

  views(): readonly SlotView[] {
    this.#views ??= [0, 1].map((slot) => this.#view(slot));
    return this.#views;
  }

  /** Flips one bit of the newest record, as worn-out flash does. Returns false if there is no record. */
  flipBit(): boolean {
    const [a, b] = this.views() as [SlotView, SlotView];
    const newest = a.bytes > 0 && (b.bytes === 0 || a.sequence >= b.sequence) ? a : b;
    if (newest.bytes === 0) return false;
    const bytes = this.#bytesOf(newest.slot);
    const at = bytes.length >> 1;
    bytes[at] = bytes[at]! ^ 16;
    this.#inner.write(newest.slot, bytes, 0, bytes.length, () => {});
    this.#views = undefined;
    return true;
  }

  #bytesOf(slot: number): Uint8Array {
    const buffer = new Uint8Array(this.capacity);
    let length = 0;
    this.#inner.read(slot, buffer, 0, buffer.length, (read) => {
      length = Math.max(0, read);
    });
    return buffer.subarray(0, length);
  }

  #view(slot: number): SlotView {
    const bytes = this.#bytesOf(slot);
    const whole = bytes.length >= HEADER_BYTES;
    return {
      slot,
      bytes: bytes.length,
      kind: bytes.length === 0 ? "empty" : (KINDS[bytes[0]!] ?? "unknown"),
      sequence: whole ? numberAt(bytes, 1) : 0,
      ...this.#counts[slot]!,
    };
  }
}

function numberAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
}
