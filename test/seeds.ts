// Removes colour settings of the user or of CI from the environment of the tests and their programs; tests of colours
// set them. Also the source of random tests' seeds: a fresh one for each run, or PICOGRANT_SEED, to replay a run or to
// compare a change.

delete process.env.NO_COLOR;
delete process.env.FORCE_COLOR;

const { PICOGRANT_SEED: given } = process.env;

if (given !== undefined) {
  // Loaded here, because most files do not need it.
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given) });
}

/** A seed, 0 to 2^32-1. The caller prints it. */
export function freshSeed(): number {
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
}
