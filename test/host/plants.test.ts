// Every bound that a harness of the fuzzers and of the proofs states has a planted fault behind it, which the harness must
// find by that bound (`npm run tool -- fuzz-c --planted`, `npm run tool -- prove-c`); no plant is for a bound that none states.

import { describe, expect, it } from "vitest";
import { surfaces } from "../../targets/workbench/host/fuzz-surfaces.ts";
import { boundsOf } from "../../targets/workbench/host/fuzzers.ts";
import { MEMORY, type Plant } from "../../targets/workbench/host/plant.ts";
import * as proofs from "../../targets/workbench/host/proofs.ts";

/** The bounds that plants are for, each once. */
function planted(plants: readonly Plant[]): string[] {
  return [...new Set(plants.map(({ bound }) => bound))].filter((bound) => bound !== MEMORY).sort();
}

describe("every bound has a fault behind it", () => {
  it.each(surfaces.map((surface) => ({ name: surface.name, surface })))(
    "that the fuzzer of $name must find",
    ({ surface }) => {
      const stated = [...boundsOf(surface)].sort();
      expect(stated.length).toBeGreaterThan(3);
      expect(planted(surface.plants)).toEqual(stated);
    },
  );

  it.each(proofs.proofs.map((proof) => ({ name: proof.name, proof })))(
    "that the proof of $name must find",
    ({ proof }) => {
      expect(planted(proof.plants)).toEqual([...proofs.boundsOf(proof)].sort());
      expect(proof.plants.length).toBeGreaterThan(1);
    },
  );
});
