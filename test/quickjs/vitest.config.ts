import { defineConfig } from "vitest/config";

// Needs a native qjs (npm run qjs), and moments of its own: not part of npm test.
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/quickjs/**/*.test.ts"],
    testTimeout: 60_000,
    maxWorkers: 1,
  },
});
