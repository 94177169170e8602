// The kinds of random lives: how many each has in `npm test`, and in the gate.

import { type LifeReport, liveOnce } from "./life.ts";
import { sharedLifeOnce } from "./shared-life.ts";
import { slotsOnce } from "./slots.ts";

export interface Kind {
  readonly name: string;
  readonly live: (seed: number) => Promise<LifeReport>;
  readonly few: number;
  readonly all: number;
}

export const KINDS: readonly Kind[] = [
  { name: "of a program", live: liveOnce, few: 40, all: 1000 },
  {
    name: "in which an update and a fall-back take turns",
    live: (seed) => liveOnce(seed, true),
    ...{ few: 15, all: 500 },
  },
  { name: "of several programs with one session", live: sharedLifeOnce, few: 3, all: 100 },
  { name: "of two slots", live: slotsOnce, few: 40, all: 1000 },
];
