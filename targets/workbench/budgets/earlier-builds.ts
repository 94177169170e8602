// The builds before the last two steps of the build, for `npm run tool -- builds`: figures of commit a50448c, measured
// once. Its own `npm run build` made the two files; who wanted what api is now had to take the complete one. Heap, peak
// and instructions by engine are what on-engines.ts says of these files, with the names of that border. On 32-bit ARM its
// own C host was built with today's test/host/c/allocations.c, which prints the peak, too; its instructions are those of
// its `release` host in valgrind, counted as in instructions.ts.

import type { Variant } from "../../bundle/bundled-core.ts";
import type { HostedEngine } from "../engines/install.ts";

/** On 32-bit ARM from bytecode, or on an engine of this machine from source. */
export type MeasuredOn = "arm" | HostedEngine;

/** Bytes, and instructions of a pending poll. */
export interface Figures {
  readonly file: number;
  readonly bytecode?: number;
  readonly heap?: number;
  readonly peak?: number;
  readonly instructions?: number;
}

type OfBuild = Readonly<Record<MeasuredOn, Figures>>;

const complete: OfBuild = {
  arm: { file: 25_994, bytecode: 25_254, heap: 32_384, peak: 31_076, instructions: 2_364_834 },
  quickjs: { file: 25_994, heap: 98_656, peak: 111_840, instructions: 3_112_911 },
  duktape: { file: 25_994, heap: 107_824, peak: 117_880, instructions: 7_707_774 },
  mujs: { file: 25_994, heap: 188_680, peak: 690_560, instructions: 8_327_601 },
  xs: { file: 25_994, heap: 82_808, peak: 429_864, instructions: 7_228_249 },
};

export const before: Readonly<Record<Variant, OfBuild>> = {
  complete,
  api: complete,
  grant: {
    arm: { file: 17_989, bytecode: 17_762, heap: 23_428, peak: 26_192 },
    quickjs: { file: 17_989, heap: 67_888, peak: 79_312, instructions: 3_043_308 },
    duktape: { file: 17_989, heap: 72_600, peak: 81_288, instructions: 7_040_485 },
    mujs: { file: 17_989, heap: 114_936, peak: 457_040, instructions: 7_961_837 },
    xs: { file: 17_989, heap: 55_784, peak: 295_720, instructions: 7_046_943 },
  },
};
