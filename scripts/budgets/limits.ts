// The budgets of the bundle, for the scripts and tests that hold it to them. Each has its goal and what has been
// reached: where the goal is missed, losing anything of what was reached is a fault all the same.

export interface Budget {
  readonly goal: number;
  /** Rounded up a little: a line more must not need a change here. */
  readonly reached: number;
}

/**
 * Minified bytes: ceilings, not goals. Below them plain code wins over short code. core/DESIGN.md says by what
 * they are exceeded: the heap, which counts four times, is below its goal for it.
 */
export const sizeCeilings = {
  complete: { goal: 18_000, reached: 25_800 },
  grant: { goal: 14_000, reached: 17_900 },
} as const satisfies Record<string, Budget>;

/** Engine heap of the flashed core in QuickJS on 32-bit ARM, from stripped bytecode. */
export const heapLimits = {
  complete: { goal: 32 * 1024, reached: 32 * 1024 },
  grant: { goal: 24 * 1024, reached: 24 * 1024 },
} as const satisfies Record<string, Budget>;
