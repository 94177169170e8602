// Recipes of core/HOW-TO-CHANGE.md and platform/servers/README.md that add a row to a table, followed one behind the other
// in one copy of this repository: nothing but what they name has to be touched.

import { afterAll, expect, it } from "vitest";
import { RECIPE_MS, RepositoryCopy } from "./repository-copy.ts";

const copy = new RepositoryCopy();
afterAll(() => copy.dispose());

const PROFILE = `  {
    name: "example",
    title: "Example",
    parameters: { host: { description: "the host", pattern: HOST } },
    deviceAuthorization: "https://{host}/device",
    token: "https://{host}/token",
    revocation: "https://{host}/revoke",
    secret: "optional",
    withSecret: "client_secret_basic",
    scope: "openid",
    accessTokenBytes: 64,
    refreshTokenBytes: 64,
    memoryBytes: 4608,
    notes: ["An example."],
  },
];
`;
const RECORDING = `# Example: as the RFC.
source: 2026-11-22 https://login.example.com/docs code token
words: {"host":"login.example.com"}
at code: https://login.example.com/device
at token: https://login.example.com/token
at revocation: https://login.example.com/revoke
scope: openid
pending 403: {}
`;

const GENERATED = ["tables", "spec", "servers", "docs"];
/** Where the names and the words of errors are seen, and what a server brings. */
const TESTS = [
  "core/error-table",
  "core/spec",
  "core/dialects",
  "configuration",
  "desktop/error-gallery",
  "desktop/faults",
  "documents",
  "servers/conversations",
  "servers/readme",
];

it(
  "a name that a server gives an error is its place in the table, one command, and a test's row",
  () => {
    copy.replace(
      "core/tables/errors.ts",
      '"bad_refresh_token",',
      '"bad_refresh_token", "grant_spent",',
    );
    expect(() => copy.generateAndTest(["tables"], ["core/error-table"])).toThrow(/grant_spent/);
    copy.replace("test/error-rows.ts", "bad_refresh_token ", "bad_refresh_token grant_spent ");
  },
  RECIPE_MS,
);

it("the words of a display text are changed wherever they stand", () => {
  const files = copy.filesWith("Service busy", "core", "platform", "targets", "test");
  for (const file of files) copy.replace(file, "Service busy", "Server busy");
});

it("a new server is an entry and a recording", () => {
  copy.replace("platform/servers/plain.ts", /\];\n$/g, PROFILE);
  copy.write("test/servers/recordings/example.http", RECORDING);
});

it(
  "behind them one command for what is generated, and the tests pass",
  () => {
    expect(copy.generateAndTest(GENERATED, TESTS)).toContain("passed");
    const errors = copy.read("targets/docs/errors.md");
    expect(errors).toContain("`grant_spent`");
    expect(errors).toContain("Server busy");
    expect(copy.read("platform/servers/README.md")).toContain(
      "| `example` | RFC 8628 | yes | yes | yes | yes | yes |",
    );
    expect(copy.read("targets/docs/sizing.md")).toMatch(
      /^\| `example` \| 64 \| 64 \| \d+ \| \d+ \| 4608 \|$/m,
    );
  },
  RECIPE_MS,
);
