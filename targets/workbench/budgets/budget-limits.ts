// The budgets of the builds, for the scripts and tests that hold them to these.

import type { Variant } from "../../bundle/bundled-core.ts";

/** What is measured of a build; bytes, but for the instructions. */
export interface Figures {
  /** What is flashed, minified. A ceiling, not a goal: below it plain code wins over short code. */
  readonly file: number;
  /** Of QuickJS, stripped: what lies in flash. */
  readonly bytecode?: number;
  /** Engine heap of the core and its device in QuickJS on 32-bit ARM, from bytecode, `create` given back. */
  readonly heap: number;
  /** The most of it at any moment until the device is made. */
  readonly peak: number;
  /** The processor's stack that a whole life takes there, engine included. */
  readonly stack?: number;
  /**
   * Instructions of a pending poll in QuickJS on this machine, whatever the host in C does for it counted in: five ticks a
   * second apart, request and answer.
   */
  readonly poll?: number;
}

/** core/DESIGN.md, Sizes, says what they are for. There is room for ordinary work in them: they are there against accidents. */
export const limits: Readonly<Record<Variant, Figures>> = {
  complete: { file: 30_000, heap: 10_240, peak: 18_432, stack: 6144, poll: 2_036_000 },
  api: { file: 26_800, heap: 9216, peak: 17_408, stack: 6144 },
  grant: { file: 23_000, heap: 8192, peak: 16_384, stack: 6144 },
};

/** The same with the core as C: a fiftieth of what QuickJS needed for the first release that could be measured so. */
export const pollInstructionsOfCMax = 47_000;

/** The core as C: bytes of code for a Cortex-M3 with -Os, of its struct beside the device's memory, and of stack. */
export const limitsOfC = {
  complete: { code: 20_000, ram: 1300, stack: 1024 },
  api: { code: 18_000, ram: 1300, stack: 1024 },
  grant: { code: 16_000, ram: 1100, stack: 1024 },
} as const;
