import { defineConfig } from "vitest/config";

// Tests that run the core's sources; those of the bundle would not meet the mutants.
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: [
      "test/core/**/*.test.ts",
      "test/lives/found.test.ts",
      "test/lives/storage-jobs.test.ts",
      "test/mutation/*.test.ts",
    ],
    testTimeout: 60_000,
  },
});
