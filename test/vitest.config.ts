import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { checkedCore, integersAreChecked } from "./engines/checked-core.ts";
import { patience } from "./patience.ts";
import { isWhole } from "./whole.ts";

/**
 * What takes more than eight seconds on two idle cores. `npm test` leaves it out, so that people run it often;
 * the gate runs it, and `npm run test:all`.
 */
const slow = [
  "test/budgets/allocations.test.ts",
  "test/commands.test.ts",
  "test/coverage/table.test.ts",
  "test/desktop/fleet.test.ts",
  "test/desktop/kill.test.ts",
  "test/desktop/start.test.ts",
  "test/desktop/terminal.test.ts",
  "test/engines/conformance.test.ts",
  "test/engines/integers.test.ts",
  "test/engines/shipped.test.ts",
  "test/image/check.test.ts",
  "test/examples/examples.test.ts",
  "test/examples/porting.test.ts",
  "test/lives/lives.test.ts",
  "test/model/model.test.ts",
  "test/peers/page.test.ts",
  "test/platform/broken-http.test.ts",
  "test/platform/node-http.test.ts",
  "test/platform/sign-in.test.ts",
  "test/readme-example.test.ts",
  "test/service/server.test.ts",
];

/** Files whose tests change nothing but what they have made themselves: they share a process and its modules. */
const sharing = ["configuration", "core", "servers", "service"].map(
  (room) => `test/${room}/**/*.test.ts`,
);

// Their scripts: npm run test:qjs, npm run test:browser.
const exclude = ["test/quickjs/**", "test/browser/**", ...(isWhole ? [] : slow)];

export default defineConfig({
  plugins: integersAreChecked ? [checkedCore()] : [],
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    setupFiles: ["test/environment.ts", "test/seeds.ts"],
    maxWorkers: 2,
    ...patience,
    projects: [
      {
        extends: true,
        test: { name: "a process for all", include: sharing, exclude, isolate: false },
      },
      {
        extends: true,
        test: {
          name: "a process for each",
          include: ["test/**/*.test.ts"],
          exclude: [...exclude, ...sharing],
        },
      },
    ],
  },
});
