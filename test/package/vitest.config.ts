import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { patience } from "../patience.ts";

// They need the built C host: npm run host, npm run arm.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/package/**/*.spec.ts"],
    exclude: process.env.PICOGRANT_ARM ? [] : ["test/package/arm.spec.ts"],
    maxWorkers: 2,
    ...patience,
  },
});
