// What is told about allocations, whoever counts them: V8's heap profiler on Node (allocation-counter.ts), the
// engine's own malloc in the playground.

/** Bytes allocated in a while: by functions of the core, and by everything else. */
export interface Allocations {
  readonly core: number;
  readonly others: number;
}

export interface AllocationMeter {
  /** The figures of the last while. */
  read(): Allocations;
  /** Does not count until the next read: counting makes everything slow. */
  pause?(): void;
}
