// What the tests and the programs they start find in their environment: nothing of what a person, or the machine of a
// gate, has said about colours (tests of colours set these themselves). And where random tests get their seeds: a fresh one
// each time, so that every run looks somewhere else, or PICOGRANT_SEED for a run that is to be the same every time: to
// replay one, or to judge a change by it.

delete process.env.NO_COLOR;
delete process.env.FORCE_COLOR;

const { PICOGRANT_SEED: given } = process.env;

if (given !== undefined) {
  // Loaded here, since most files do without it.
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given) });
}

/** A seed, 0 to 2^32-1. Who takes one prints it. */
export function freshSeed(): number {
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
}
