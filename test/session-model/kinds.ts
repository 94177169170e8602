// The kinds of random lives: how many each has in `npm test`, and in the gate.

import { type RunReport, runOnce } from "./session-run.ts";
import { sharedRunOnce } from "./shared-run.ts";
import { slotsOnce } from "./slots.ts";

export interface Kind {
  readonly name: string;
  readonly live: (seed: number) => Promise<RunReport>;
  readonly few: number;
  readonly all: number;
}

export const KINDS: readonly Kind[] = [
  { name: "of a program", live: runOnce, few: 40, all: 1000 },
  {
    name: "in which an update and a fall-back take turns",
    live: (seed) => runOnce(seed, true),
    ...{ few: 15, all: 500 },
  },
  { name: "of several programs with one session", live: sharedRunOnce, few: 3, all: 100 },
  { name: "of two slots", live: slotsOnce, few: 40, all: 1000 },
];
