// Time limits of the test runner, the same for every suite. No test depends on the speed of the machine: on a busy core
// or a slow disk events come late, and only a missing event is a failure.

/** For one wait inside a test, ms. */
export const TIMEOUT_MS = 300_000;

/** For the `test` section of a vitest configuration. */
export const timeout = {
  testTimeout: 900_000,
  hookTimeout: 900_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: TIMEOUT_MS, interval: 20 } },
};
