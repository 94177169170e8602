import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { patience } from "../patience.ts";

// Needs a native qjs (npm run tool -- qjs), and moments of its own: not part of npm test.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    globalSetup: ["test/programs-folder.ts"],
    include: ["test/quickjs/**/*.test.ts"],
    maxWorkers: 1,
    ...patience,
  },
});
