// How a fake answer travels: cut into chunks, delayed, broken off. Decides nothing about what is
// answered; that is the fake HTTP adapter's part.

import type { Bytes, HttpSink } from "../contracts.ts";

/** One answer on its way. */
export interface Delivery {
  status: number;
  retryAfterSeconds: number;
  authenticate: string;
  body: Uint8Array;
  /** One size for all chunks or a list, the last one repeating; an empty list: the body in one chunk. */
  chunkBytes: number | readonly number[];
  /** Before the status; undefined: at once, within `send`. */
  delayMs: number | undefined;
  /** Before every chunk and the end; undefined: at once. */
  chunkDelayMs: number | undefined;
  sizeLimitBytes: number;
  plainArrays: boolean;
  /** Break off after so many bytes of the body; -1: not at all. */
  cutAtByte: number;
  /** At the cut hang on instead of resetting. */
  hangAtCut: boolean;
}

export type Scheduler = (afterMs: number, run: () => void) => void;

/** Chunks lie in the middle of a larger buffer, so that nobody comes to rely on `from` being 0. */
const LEAD_BYTES = 3;

/**
 * Delivers one answer to `sink`, as long as `alive` says so; `ended` runs after the sink heard `end`.
 * The chunk's buffer is overwritten after each call: who kept the range will see it.
 */
export function deliver(
  delivery: Delivery,
  sink: HttpSink,
  schedule: Scheduler,
  alive: () => boolean,
  ended: () => void,
): void {
  const cut = delivery.cutAtByte;
  const total = cut < 0 ? delivery.body.length : Math.min(cut, delivery.body.length);
  let at = 0;
  let chunk = 0;

  const later = (afterMs: number | undefined, run: () => void): void => {
    const guarded = (): void => {
      if (alive()) run();
    };
    if (afterMs === undefined) guarded();
    else schedule(afterMs, guarded);
  };
  const finish = (): void => {
    if (cut < 0) {
      sink.end();
      ended();
    } else if (!delivery.hangAtCut) {
      sink.failed("unreachable");
    }
  };
  const next = (): void => {
    // A loop where nothing is delayed: a body of 64 KiB in single bytes must not overflow the stack.
    while (alive() && at < total) {
      if (at >= delivery.sizeLimitBytes) {
        sink.failed("too-large");
        return;
      }
      const size = Math.max(1, chunkSize(delivery.chunkBytes, chunk++) || total);
      const to = Math.min(at + size, total, delivery.sizeLimitBytes);
      handOver(sink, delivery.body.subarray(at, to), delivery.plainArrays);
      at = to;
      if (delivery.chunkDelayMs !== undefined) {
        later(delivery.chunkDelayMs, next);
        return;
      }
    }
    if (alive()) finish();
  };
  later(delivery.delayMs, () => {
    sink.status(delivery.status, delivery.retryAfterSeconds, delivery.authenticate);
    later(delivery.chunkDelayMs, next);
  });
}

function chunkSize(sizes: number | readonly number[], index: number): number {
  if (typeof sizes === "number") return sizes;
  return sizes[Math.min(index, sizes.length - 1)] ?? 0;
}

function handOver(sink: HttpSink, piece: Uint8Array, plainArrays: boolean): void {
  const padded = new Uint8Array(LEAD_BYTES + piece.length + 1).fill(0x7b);
  padded.set(piece, LEAD_BYTES);
  const buffer: Bytes = plainArrays ? Array.from(padded) : padded;
  sink.body(buffer, LEAD_BYTES, LEAD_BYTES + piece.length);
  for (let i = 0; i < buffer.length; i++) buffer[i] = 0xaa;
}
