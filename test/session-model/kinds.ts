// The kinds of random runs, and how many of each `npm test` and the gate make.

import { type RunReport, runOnce } from "./session-run.ts";
import { sharedRunOnce } from "./shared-run.ts";
import { slotsOnce } from "./slots.ts";

export interface Kind {
  readonly name: string;
  readonly run: (seed: number) => Promise<RunReport>;
  readonly few: number;
  readonly all: number;
  /** Seeds with situations that few other runs have. */
  readonly rare?: readonly number[];
}

export const KINDS: readonly Kind[] = [
  // An aborted request whose signature comes late; a request that is repeated with another nonce after 20 redirects.
  { name: "of a program", run: runOnce, few: 40, all: 1000, rare: [24, 103_228] },
  {
    name: "with upgrades and downgrades",
    run: (seed) => runOnce(seed, true),
    ...{ few: 15, all: 500 },
  },
  {
    name: "of several programs with one session",
    run: sharedRunOnce,
    ...{ few: 3, all: 100 },
    // In this run, a session that ends finds that another program has changed the records.
    rare: [44],
  },
  // In this run, an earlier sealed record is put back after its slot was erased.
  { name: "of two slots", run: slotsOnce, few: 40, all: 1000, rare: [2437] },
];
