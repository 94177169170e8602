import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { checkedCore, integersAreChecked } from "./engines/checked-core.ts";
import { patience } from "./patience.ts";

export default defineConfig({
  plugins: integersAreChecked ? [checkedCore()] : [],
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/**/*.test.ts"],
    // Their scripts: npm run test:qjs, npm run test:browser.
    exclude: ["test/quickjs/**", "test/browser/**"],
    setupFiles: ["test/environment.ts", "test/seeds.ts"],
    maxWorkers: 2,
    ...patience,
  },
});
