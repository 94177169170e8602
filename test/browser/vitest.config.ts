import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { patience } from "../patience.ts";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/browser/**/*.test.ts"],
    // One browser at a time: they are large.
    maxWorkers: 1,
    ...patience,
  },
});
