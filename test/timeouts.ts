// Default time limits of the test runner. Tests must not depend on the machine's speed. On a busy machine, events come
// late. Only an event that never comes is a failure.

/** The limit of one wait inside a test, in ms. */
export const TIMEOUT_MS = 300_000;

/** Options for the `test` section of a vitest configuration. */
export const timeout = {
  testTimeout: 900_000,
  hookTimeout: 900_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: TIMEOUT_MS, interval: 20 } },
};
