import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { checkedCore, integersAreChecked } from "./engines/checked-core.ts";
import { isFullRun } from "./full-run.ts";
import { patience } from "./patience.ts";

/** Servers and clients of other makes: loading them takes longer than most tests. */
const peers = readdirSync(new URL("peers", import.meta.url))
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/peers/${name}`);

/**
 * What takes long, or needs a process of its own: random lives, servers and clients of other makes, bundles, processes
 * that are started and killed. `npm test` leaves it out, so that people run it often; the gate runs it, and
 * `npm run test:all`.
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
  "test/desktop/fleet.test.ts",
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

// Their own commands: npm run tool -- test-qjs, test-browser. Who names a long file or its folder gets it.
const isNamed = (file: string): boolean =>
  process.argv.some((word) => word !== "" && file.startsWith(word));
const long = slow.filter((file) => isFullRun || isNamed(file));
const exclude = ["test/quickjs/**", "test/browser/**", ...slow];

export default defineConfig({
  plugins: integersAreChecked ? [checkedCore()] : [],
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    globalSetup: ["test/programs-folder.ts"],
    setupFiles: ["test/seeds.ts"],
    // More than the two cores that this is for: many tests wait, for a second to pass or for another process. The long
    // ones keep a core busy each.
    maxWorkers: isFullRun ? 3 : 4,
    // What was transformed once is kept in node_modules until its source changes.
    experimental: { fsModuleCache: true },
    ...patience,
    projects: [
      {
        extends: true,
        // A few processes share the modules in them: what a test changes beyond its own things it puts back.
        test: {
          name: "a process for all",
          include: ["test/**/*.test.ts"],
          exclude,
          isolate: false,
        },
      },
      // The long ones lose little by it. Some count what the whole process allocates, or leave something else in the place
      // of a module or a function, as servers of others leave their Response in the place of Node's.
      ...(long.length > 0
        ? [{ extends: true as const, test: { name: "a process for each", include: long } }]
        : []),
    ],
  },
});
