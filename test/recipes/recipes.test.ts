// Recipes of core/HOW-TO-CHANGE.md and platform/servers/README.md, followed one behind the other in one copy of this
// repository: nothing but what they name has to be touched.

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

/** A field for `error_uri` (RFC 6749 section 5.2), for a host that draws it as a QR code. */
const READS = `import { expect, it } from "vitest";
import { Field } from "../../core/device/tables.ts";
import { Bench, code, json } from "./bench.ts";

it("is there for the host, and ends with the next answer", () => {
  const error_uri = "https://example.com/why";
  const bench = new Bench([code(), json(400, { error: "access_denied", error_uri })]);
  bench.until(2);
  expect(bench.text(Field.ERROR_URI)).toBe(error_uri);
  bench.answers = [code()];
  bench.core.signIn(bench.device);
  bench.until(3);
  expect(bench.text(Field.ERROR_URI)).toBe("");
});
`;

const ROW = `    {
      name: "ERROR_URI",
      says: "\`error_uri\` (RFC 6749 §5.2), if it fits.",
      wire: ["error_uri"],
      answers: [Answer.CODE, Answer.TOKENS, Answer.REFUSAL],
      room: "ERROR_MAX",
      life: Life.ANSWER,
    },
    {
      name: "SETS",`;

const GENERATED = ["tables", "spec", "servers", "docs"];
/** Where names and words of errors are seen, what a server brings, and where fields and regions count. */
const TESTS = [
  "core/",
  "bundle/constants",
  "bundle/record",
  "platform/driver",
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
    expect(() => copy.generateAndTest(["tables"], ["core/tables"])).toThrow(/grant_spent/);
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
  const recordings = "test/servers/recordings.http";
  copy.write(recordings, `${copy.read(recordings)}\n[example]\n${RECORDING}`);
});

it("a new field is a row, and who reads it", () => {
  copy.replace("core/tables/fields.ts", '    {\n      name: "SETS",', ROW);
  copy.write("test/core/error-uri.test.ts", READS);
});

it(
  "behind them one command for what is generated, and the tests pass",
  () => {
    expect(copy.generateAndTest(GENERATED, TESTS)).toContain("passed");
    copy.check();
    expect(copy.read("core/SPEC.md")).toContain("`error_uri` (RFC 6749 §5.2), if it fits.");
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
