// The adapters on Node without the display, which programs that show the code themselves do not load.

import { randomFillSync } from "node:crypto";
import type { Bytes, Display, Entropy, Platform, Storage, Timers } from "../contracts.ts";
import { timePassed } from "../driver/elapsed-time.ts";
import { NodeHttp, type NodeHttpOptions } from "./http.ts";

export interface NodeAdapters extends Platform {
  /** The HTTP adapter. */
  readonly http: NodeHttp;
  /** Closes connections, and releases the storage. */
  dispose(): void;
}

/** The adapters with a storage of the program's own. */
export function nodePlatformOver(
  storage: Storage,
  display: Display,
  httpOptions: NodeHttpOptions | undefined,
): NodeAdapters {
  const http = new NodeHttp(httpOptions);
  const timers = nodeTimers();
  return {
    http,
    timers,
    storage,
    display,
    entropy: new NodeEntropy(),
    dispose() {
      timers.cancel();
      http.dispose();
    },
  };
}

/** The state directory cannot be used. Its message is one line: what, where, what to do. */
export class StateDirectoryError extends Error {
  constructor(message: string) {
    super(message.replace(/\s+/g, " "));
    this.name = "StateDirectoryError";
  }
}

/** Entropy of the operating system. Always available: Node waits for the system's generator at start-up. */
export class NodeEntropy implements Entropy {
  fill(into: Bytes, from: number, to: number): boolean {
    const bytes = randomFillSync(new Uint8Array(to - from));
    for (let i = from; i < to; i++) into[i] = bytes[i - from]!;
    // They may become a key: wipe them.
    bytes.fill(0);
    return true;
  }
}

// Timers on the system's clocks. The simulator has timers at other speeds.

/** The source of real time; replaced in tests. */
export interface RealTime {
  /** Milliseconds since any fixed moment, possibly fractional, never going back. */
  nowMs(): number;
  /** Calls `ring` once after about `ms` (at most 2^31-1); returns a function that cancels it. */
  wait(ms: number, ring: () => void): () => void;
}

/** The system's monotonic clock, and the wall clock's time during a suspension. */
export const systemTime: RealTime = {
  nowMs: timePassed(
    () => performance.now(),
    () => Date.now(),
  ),
  wait(ms, ring) {
    const timeout = setTimeout(ring, ms);
    return () => clearTimeout(timeout);
  },
};

/** The same; its waits do not keep the process alive. */
export const backgroundTime: RealTime = {
  ...systemTime,
  wait(ms, ring) {
    const timeout = setTimeout(ring, ms);
    timeout.unref?.();
    return () => clearTimeout(timeout);
  },
};

const WRAP_MS = 2 ** 32;
/** The longest wait of setTimeout; with a longer one it would fire at once. Longer waits are split. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * One alarm in real time. The monotonic clock may stop while the computer is suspended (it does on Linux): an alarm
 * that became due meanwhile fires when something wakes the program, or at the alarm's own time.
 */
export function nodeTimers(real: RealTime = systemTime): Timers {
  const startMs = real.nowMs();
  const elapsedMs = (): number => real.nowMs() - startMs;
  let takeBack = (): void => {};
  const ringAt = (dueMs: number, ring: () => void): void => {
    const waitMs = Math.min(Math.max(0, Math.ceil(dueMs - elapsedMs())), LONGEST_WAIT_MS);
    // Hosts may wake slightly early, and a long wait has only partly ended.
    takeBack = real.wait(waitMs, () => (elapsedMs() < dueMs ? ringAt(dueMs, ring) : ring()));
  };
  return {
    now: () => Math.floor(elapsedMs()) % WRAP_MS,
    alarm(afterMs, ring) {
      takeBack();
      // From the whole millisecond that `now` returns, so that its reader never sees too few.
      ringAt(Math.floor(elapsedMs()) + afterMs, ring);
    },
    cancel: () => takeBack(),
  };
}
