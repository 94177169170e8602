// What is told about allocations, whoever counts them: V8's heap profiler on Node (allocation-counter.ts), the
// engine's own malloc in the playground. Bytes a second, always.

/** Bytes allocated in the last second: by functions of the core, and by everything else. */
export interface Allocations {
  readonly core: number;
  readonly others: number;
  /** Beside these, where the core runs on an engine of its own. */
  readonly engine?: EngineFigures;
}

export interface EngineFigures {
  /** Calls of the core since the device was made. */
  readonly calls: number;
  /** What malloc was asked for during them. */
  readonly takenBytes: number;
  /** What the whole engine has in use: the bundle, the device, its memory. */
  readonly heapBytes: number;
}

export interface AllocationMeter {
  /** The figures of the last while. */
  read(): Allocations;
  /** Does not count until the next read: counting makes everything slow. */
  pause?(): void;
}
