import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { checkedCore, integersAreChecked } from "./engines/checked-core.ts";
import { isFullRun } from "./full-run.ts";
import { timeout } from "./timeouts.ts";

/** Tests with servers and clients of others. Loading these takes longer than most tests. */
const peers = readdirSync(new URL("peers", import.meta.url))
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/peers/${name}`);

/**
 * Long tests, and tests that need processes: random runs, other servers and clients, bundles, processes that are
 * started and killed. `npm test` omits them. CI and `npm run test:all` run them.
 */
export const slow = [
  ...peers,
  "test/budgets/allocations.test.ts",
  "test/command/bench.test.ts",
  "test/command/page.test.ts",
  "test/command/login.test.ts",
  "test/commands.test.ts",
  "test/bundle/record.test.ts",
  "test/coverage/coverage.test.ts",
  "test/desktop/clocks.test.ts",
  "test/desktop/playground.test.ts",
  "test/desktop/readme.test.ts",
  "test/desktop/start.test.ts",
  "test/desktop/terminal.test.ts",
  "test/engines/conformance.test.ts",
  "test/engines/integers.test.ts",
  "test/engines/shipped.test.ts",
  "test/examples/examples.test.ts",
  "test/host/toolchain.test.ts",
  "test/integer-owners.test.ts",
  "test/platform/certificate-verdicts.test.ts",
  "test/platform/node-http.test.ts",
  "test/platform/proxy.test.ts",
  "test/platform/shared-session.test.ts",
  "test/platform/sign-in.test.ts",
  "test/platform/value-storage.test.ts",
  "test/recipes/recipes.test.ts",
  "test/service/server.test.ts",
];

// A long file also runs if an argument names the file or its folder.
const isNamed = (file: string): boolean =>
  process.argv.some((word) => word !== "" && file.startsWith(word));
const long = slow.filter((file) => isFullRun || isNamed(file));
// test/quickjs and test/browser have their own commands: npm run tool -- test-qjs, test-browser.
const exclude = ["test/quickjs/**", "test/browser/**", ...slow];

export default defineConfig({
  plugins: integersAreChecked ? [checkedCore()] : [],
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    globalSetup: ["test/programs-folder.ts"],
    setupFiles: ["test/seeds.ts"],
    // Quick tests mostly wait, so use more workers than cores (typically two). Each long test keeps a core busy.
    maxWorkers: isFullRun ? 3 : 4,
    // Caches transformed modules in node_modules until their source changes.
    experimental: { fsModuleCache: true },
    ...timeout,
    projects: [
      {
        extends: true,
        // Test files share processes and modules, so a test restores all that it changes outside its own objects.
        test: {
          name: "a process for all",
          include: ["test/**/*.test.ts"],
          exclude,
          isolate: false,
        },
      },
      // Each long file gets its own process, which takes a small part of its time. Some count the allocations of the
      // whole process, or replace a module or a global, such as Node's Response.
      ...(long.length > 0
        ? [{ extends: true as const, test: { name: "a process for each", include: long } }]
        : []),
    ],
  },
});
