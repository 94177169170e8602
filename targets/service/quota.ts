// Counts requests by key in fixed windows of time, for the device code quota (device spec §8) and the limit of wrong
// user codes (RFC 8628 §5.1). Finished windows are deleted, so that memory stays bounded.
import type { Quota } from "./options.ts";

interface Window {
  count: number;
  endsAtMs: number;
}

// With fewer windows than this, a sweep is not worthwhile.
const SWEEP_AT_LEAST = 1024;

export class QuotaCounter {
  readonly #windows = new Map<string, Window>();
  #sweepAbove = SWEEP_AT_LEAST;

  /** Counts one use. Returns false if the quota of the current window is used up. */
  take(key: string, quota: Quota, nowMs: number): boolean {
    const window = this.#windowOf(key, quota, nowMs);
    if (window.count >= quota.requests) return false;
    window.count++;
    return true;
  }

  /** The wait in whole seconds until the quota allows a use; 0: the quota allows it now. */
  waitSeconds(key: string, quota: Quota, nowMs: number): number {
    const window = this.#windows.get(key);
    const open = window !== undefined && nowMs < window.endsAtMs;
    return open && window.count >= quota.requests ? Math.ceil((window.endsAtMs - nowMs) / 1000) : 0;
  }

  clear(): void {
    this.#windows.clear();
  }

  #windowOf(key: string, quota: Quota, nowMs: number): Window {
    const found = this.#windows.get(key);
    if (found && nowMs < found.endsAtMs) return found;
    if (this.#windows.size >= this.#sweepAbove) this.#sweep(nowMs);
    const window = { count: 0, endsAtMs: nowMs + quota.windowSeconds * 1000 };
    this.#windows.set(key, window);
    return window;
  }

  #sweep(nowMs: number): void {
    for (const [key, window] of this.#windows)
      if (nowMs >= window.endsAtMs) this.#windows.delete(key);
    // Without a higher threshold, many unfinished windows would cause a sweep for each new key.
    this.#sweepAbove = Math.max(SWEEP_AT_LEAST, 2 * this.#windows.size);
  }
}
