import { defineConfig } from "vitest/config";
import { checkedCore, integersAreChecked } from "./engines/checked-core.ts";

export default defineConfig({
  plugins: integersAreChecked ? [checkedCore()] : [],
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    // They need a browser: npm run test:browser.
    exclude: ["test/quickjs/**", "test/browser/**"],
    testTimeout: 30_000,
    maxWorkers: 2,
  },
});
