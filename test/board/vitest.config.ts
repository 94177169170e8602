import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { machine } from "../../targets/workbench/board/machines.ts";
import { patience } from "../patience.ts";

// They need the board's firmwares: npm run board -- --test builds them and runs these.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    globalSetup: ["test/programs-folder.ts"],
    include: ["test/board/**/*.spec.ts"],
    // What no machine is asked for.
    exclude: machine.name === "mps2" ? [] : ["**/certificates.spec.ts", "**/interactive.spec.ts"],
    // Each board is a process that emulates another processor, and waits for most of its time.
    maxWorkers: 4,
    ...patience,
    // A test boots the board up to thirty times. Each wait has a limit of its own
    // (targets/workbench/board/emulator.ts).
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
  },
});
