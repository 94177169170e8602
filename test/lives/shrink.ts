// Makes a failing life simpler: takes out faults and deeds as long as the same invariant still breaks.

import type { LivesCore } from "./core-of.ts";
import type { StrikeId } from "./dice.ts";
import { type LifeResult, runLife } from "./life.ts";

/** Lives that one shrinking may cost. */
const ATTEMPTS_MAX = 2000;

/**
 * The smallest set of strikes found (delta debugging) with which the seed still breaks the same
 * invariant. Taking out a fault leaves all others as they are: each is drawn on its own.
 */
export function shrink(failure: LifeResult, core: LivesCore, sealedShare?: number): StrikeId[] {
  const invariant = failure.violation?.invariant;
  let attempts = 0;
  const fails = (ids: readonly StrikeId[]): boolean => {
    attempts++;
    const result = runLife(failure.seed, {
      core,
      coverage: new Map(),
      only: new Set(ids),
      ...(sealedShare === undefined ? {} : { sealedShare }),
    });
    return result.violation?.invariant === invariant;
  };
  let kept = [...failure.struck];
  let size = kept.length;
  while (size >= 1 && attempts < ATTEMPTS_MAX) {
    let reduced = false;
    for (let at = 0; at < kept.length && attempts < ATTEMPTS_MAX; ) {
      const without = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (fails(without)) {
        kept = without;
        reduced = true;
      } else at += size;
    }
    if (size === 1 && !reduced) break;
    size = size === 1 ? 1 : size >> 1;
  }
  return kept;
}
