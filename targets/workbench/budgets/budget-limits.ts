import type { Variant } from "../../bundle/bundled-core.ts";

/** The limits of a build, in bytes, except the number of instructions. */
export interface Figures {
  /** Size of the minified file. */
  readonly file: number;
  /** The size of QuickJS's stripped bytecode, which is stored in flash. */
  readonly bytecode?: number;
  /** The heap of core and device in QuickJS on 32-bit ARM, from bytecode, after the function `create` is freed. */
  readonly heap: number;
  /** The peak of that heap during `create`. */
  readonly peak: number;
  /** The stack of a complete run on 32-bit ARM, including the engine's. */
  readonly stack?: number;
  /** Instructions of a pending poll in QuickJS and the C host, compiled for the machine that measures, not for ARM. A
   * poll has five ticks a second apart, a request and a response. */
  readonly poll?: number;
}

/** core/DESIGN.md, Sizes, has the reasons. The limits leave space for small changes. */
export const limits: Readonly<Record<Variant, Figures>> = {
  complete: { file: 30_000, heap: 10_240, peak: 18_432, stack: 6144, poll: 2_036_000 },
  api: { file: 26_800, heap: 9216, peak: 17_408, stack: 6144 },
  grant: { file: 23_000, heap: 8192, peak: 16_384, stack: 6144 },
};

/** The limit for the instructions of a pending poll with the core as C, counted like `poll` above. */
export const pollInstructionsOfCMax = 47_000;

/** The limits of the core as C in bytes: code for a Cortex-M3 with -Os, RAM without the device memory, and stack. */
export const limitsOfC = {
  complete: { code: 20_000, ram: 1300, stack: 1024 },
  api: { code: 18_000, ram: 1300, stack: 1024 },
  grant: { code: 16_000, ram: 1100, stack: 1024 },
} as const;
