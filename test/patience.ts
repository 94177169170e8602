// How long the test runner waits, the same for every suite. No test is about how fast a machine is: what is
// waited for comes late on a busy core or a slow disk, and only what never comes is a failure.

/** For one wait inside a test, ms. */
export const PATIENCE_MS = 300_000;

/** For the `test` section of a vitest configuration. */
export const patience = {
  testTimeout: 900_000,
  hookTimeout: 900_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: PATIENCE_MS, interval: 20 } },
};
