// Real time that passes only when a test says so.
import type { RealTime } from "../../platform/node/index.ts";

/** Real time by hand. */
export class Handmade implements RealTime {
  ms = 0;
  /** How often somebody had to wait for it. */
  waits = 0;
  #waits: { dueMs: number; ring: () => void }[] = [];

  nowMs(): number {
    return this.ms;
  }

  wait(ms: number, ring: () => void): () => void {
    this.waits++;
    const entry = { dueMs: this.ms + ms, ring };
    this.#waits.push(entry);
    return () => {
      this.#waits = this.#waits.filter((other) => other !== entry);
    };
  }

  pass(ms: number): void {
    const targetMs = this.ms + ms;
    for (;;) {
      const due = this.#waits.filter(({ dueMs }) => dueMs <= targetMs);
      const next = due.sort((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined) break;
      this.#waits = this.#waits.filter((other) => other !== next);
      this.ms = Math.max(this.ms, next.dueMs);
      next.ring();
    }
    this.ms = targetMs;
  }
}
