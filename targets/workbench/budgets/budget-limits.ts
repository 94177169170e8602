// The budgets of the builds, for the scripts and tests that enforce them.

import type { Variant } from "../../bundle/bundled-core.ts";

/** Limits of a build: bytes, except the instructions. */
export interface Figures {
  /** Size of the minified file. Below this ceiling, plain code is better than short code. */
  readonly file: number;
  /** Size of QuickJS's stripped bytecode, which is in flash. */
  readonly bytecode?: number;
  /**
   * Engine heap of the core and its device in QuickJS on 32-bit ARM, from bytecode, after `create` has been released.
   */
  readonly heap: number;
  /** The peak of that heap until the device has been created. */
  readonly peak: number;
  /** Processor stack during a complete run on 32-bit ARM, including the engine. */
  readonly stack?: number;
  /**
   * Instructions of a pending poll in QuickJS on this machine, including those of the C host: five ticks a second
   * apart, request and response.
   */
  readonly poll?: number;
}

/** core/DESIGN.md, Sizes, explains the limits. They leave space for ordinary work, and catch accidents. */
export const limits: Readonly<Record<Variant, Figures>> = {
  complete: { file: 30_000, heap: 10_240, peak: 18_432, stack: 6144, poll: 2_036_000 },
  api: { file: 26_800, heap: 9216, peak: 17_408, stack: 6144 },
  grant: { file: 23_000, heap: 8192, peak: 16_384, stack: 6144 },
};

/** The same for the core as C: a fiftieth of the instructions that QuickJS needed at first. */
export const pollInstructionsOfCMax = 47_000;

/** The core as C, in bytes: code for a Cortex-M3 with -Os, its struct beside the device's memory, and stack. */
export const limitsOfC = {
  complete: { code: 20_000, ram: 1300, stack: 1024 },
  api: { code: 18_000, ram: 1300, stack: 1024 },
  grant: { code: 16_000, ram: 1100, stack: 1024 },
} as const;
