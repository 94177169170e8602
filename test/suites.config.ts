// Suites that build or install something first. The comment on each suite names its command. To run one suite: vitest run
// --config test/suites.config.ts --project host

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { ProjectConfig } from "vitest/node";
import { machine } from "../targets/workbench/board/machines.ts";
import { timeout } from "./timeouts.ts";

const suites: Record<string, ProjectConfig> = {
  /** The board's firmware in an emulator: npm run board -- --test. */
  board: {
    globalSetup: ["test/programs-folder.ts"],
    include: ["test/board/**/*.spec.ts"],
    exclude: machine.name === "mps2" ? [] : ["**/certificates.spec.ts", "**/interactive.spec.ts"],
    // Emulated boards mostly wait, so run more of them than there are cores.
    maxWorkers: 4,
    // A test may boot the board thirty times. Each wait has its own limit (targets/workbench/board/emulator.ts).
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
  },
  /** Pages in Chromium: npm run tool -- test-browser. */
  browser: {
    globalSetup: ["test/programs-folder.ts"],
    include: ["test/browser/**/*.test.ts"],
    maxWorkers: 1,
  },
  /** The built C host: npm run host, npm run host -- --arm. */
  host: {
    globalSetup: ["test/programs-folder.ts"],
    include: ["test/host/**/*.spec.ts"],
    exclude: process.env.PICOGRANT_ARM ? [] : ["test/host/arm.spec.ts"],
    // Hosts mostly wait, so run more of them than there are cores.
    maxWorkers: 4,
  },
  /** The packed npm packages: npm run tool -- test-package. */
  package: {
    include: ["test/package/**/*.spec.ts"],
    globalSetup: ["test/programs-folder.ts", "test/package/install.ts"],
    setupFiles: ["test/seeds.ts"],
    maxWorkers: 2,
  },
  /** Stock QuickJS (npm run engines -- --qjs): npm run tool -- test-qjs. */
  quickjs: {
    globalSetup: ["test/programs-folder.ts"],
    include: ["test/quickjs/**/*.test.ts"],
    maxWorkers: 1,
  },
};

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    ...timeout,
    projects: Object.entries(suites).map(([name, suite]) => ({
      extends: true,
      test: { ...suite, name },
    })),
  },
});
