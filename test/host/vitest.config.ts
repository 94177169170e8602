import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { patience } from "../patience.ts";

// They need the built C host: npm run host, npm run host -- --arm.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    globalSetup: ["test/programs-folder.ts"],
    include: ["test/host/**/*.spec.ts"],
    exclude: process.env.PICOGRANT_ARM ? [] : ["test/host/arm.spec.ts"],
    // More than there are cores: hosts wait for most of their time.
    maxWorkers: 4,
    ...patience,
  },
});
