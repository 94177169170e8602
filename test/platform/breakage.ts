// For showing that the conformance suite can fail: adapters broken in one way each, and the cases that
// must notice.

import { describe, expect, it } from "vitest";
import type { ConformanceCase } from "../../platform/conformance.ts";

export interface Breakage {
  /** What is wrong with the adapter. */
  name: string;
  /** Beginnings of the names (without the contract's) of all cases that must reject it. */
  caughtBy: readonly string[];
  /** The suite over the broken adapter. */
  cases: readonly ConformanceCase[];
}

/** Declares the tests: each breakage is caught by its cases, and no case is left without a breakage. */
export function describeBreakages(
  contract: string,
  suite: readonly ConformanceCase[],
  breakages: readonly Breakage[],
): void {
  const isCaughtBy = (breakage: Breakage, name: string): boolean =>
    breakage.caughtBy.some((start) => name.startsWith(`${contract}: ${start}`));
  describe(`the ${contract} suite rejects an adapter that`, () => {
    it.each(breakages.map((breakage) => [breakage.name, breakage] as const))(
      "%s",
      async (_, breakage) => {
        const chosen = breakage.cases.filter(({ name }) => isCaughtBy(breakage, name));
        expect(chosen.length).toBeGreaterThanOrEqual(breakage.caughtBy.length);
        for (const one of chosen) {
          const outcome = await one.run().then(
            () => "passed",
            () => "rejected",
          );
          expect(outcome, one.name).toBe("rejected");
        }
      },
    );
  });
  it(`every case of the ${contract} suite rejects some broken adapter`, () => {
    const idle = suite
      .map(({ name }) => name)
      .filter((name) => !breakages.some((breakage) => isCaughtBy(breakage, name)));
    expect(idle).toEqual([]);
  });
}
