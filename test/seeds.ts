// Provides the seeds of random tests: a new one for each run, or PICOGRANT_SEED to repeat a run. Also removes colour
// settings from the environment of the tests and their programs (tests of colours set them), and restores mocks and
// environment variables after each test.

import { afterEach, vi } from "vitest";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

delete process.env.NO_COLOR;
delete process.env.FORCE_COLOR;

const { PICOGRANT_SEED: given } = process.env;

if (given !== undefined) {
  // Load fast-check here only for a given seed, because most files do not need it.
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given) });
}

/** A seed from 0 to 2^32-1. The caller must print it. */
export function freshSeed(): number {
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
}
