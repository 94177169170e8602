// The fake device: all five adapters on one manual clock, ready for a driver.

import type { Entropy, Platform } from "../contracts.ts";
import { ManualClock, type ManualTimers } from "./clock.ts";
import { RecordedDisplay } from "./display.ts";
import { SeededEntropy } from "./entropy.ts";
import { FakeHttp, type FakeHttpOptions } from "./http.ts";
import { MemoryStorage } from "./storage.ts";

export { ManualClock, type ManualTimers } from "./clock.ts";
export { RecordedDisplay } from "./display.ts";
export { SeededEntropy } from "./entropy.ts";
export * from "./http.ts";
export { MemoryStorage, type MemoryStorageOptions } from "./storage.ts";

/** What the fakes are made with. */
export interface FakePlatformOptions {
  /** Answers and faults; see FakeHttp. Its clock is the platform's. */
  http?: Omit<FakeHttpOptions, "clock">;
  /** Shared with other devices where given. */
  clock?: ManualClock;
  /** Columns of the display, 16..80. */
  columns?: number;
  /** Rows of the display, 2..8. */
  rows?: number;
  /** A storage that survived an earlier device (see `MemoryStorage.clone`). */
  storage?: MemoryStorage;
  /** Callbacks of a new storage come so many milliseconds later; default 3. */
  storageDelayMs?: number;
  /** HTTP and storage call back before the call returns, but where a delay is given: a test that is about that. */
  isAtOnce?: boolean;
  /** Seed of the entropy; or an adapter of its own. */
  entropy?: number | Entropy;
}

/** A Platform whose parts can be looked into. */
export interface FakePlatform extends Platform {
  /** The clock of all of them. */
  readonly clock: ManualClock;
  /** The fake network. */
  readonly http: FakeHttp;
  /** Time by hand. */
  readonly timers: ManualTimers;
  /** Slots in memory. */
  readonly storage: MemoryStorage;
  /** Every frame that was shown. */
  readonly display: RecordedDisplay;
}

/** As a quick network and a flash memory take. */
const LATENCY_MS = 40;
const STORAGE_DELAY_MS = 3;

/** Puts a fake device together. As on a real one, HTTP and storage answer later, on the clock. */
export function fakePlatform(options: FakePlatformOptions = {}): FakePlatform {
  const clock = options.clock ?? new ManualClock();
  const late = options.isAtOnce ? {} : { latencyMs: LATENCY_MS };
  const delayMs = options.storageDelayMs ?? (options.isAtOnce ? undefined : STORAGE_DELAY_MS);
  const entropy = options.entropy ?? 1;
  return {
    clock,
    http: new FakeHttp({ ...late, ...options.http, clock }),
    timers: clock.timers(),
    storage: options.storage ?? new MemoryStorage(delayMs === undefined ? {} : { clock, delayMs }),
    display: new RecordedDisplay(options.columns ?? 20, options.rows ?? 4),
    entropy: typeof entropy === "number" ? new SeededEntropy(entropy) : entropy,
  };
}
