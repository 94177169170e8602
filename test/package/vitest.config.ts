import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { patience } from "../patience.ts";

// They are about what npm would publish, which is packed for them.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/package/**/*.spec.ts"],
    globalSetup: "test/package/install.ts",
    setupFiles: ["test/seeds.ts"],
    maxWorkers: 2,
    ...patience,
  },
});
