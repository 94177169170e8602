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
import { Field } from "../../core/device/memory.ts";
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

const GENERATED = ["tables", "spec", "servers", "docs"];
/** Where names and words of errors are seen, what a server brings, and where numbers of fields, regions, literals count. */
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

/** Counts on every number of 21 and more that an enum gives its members: regions and literals behind the field. */
function renumber(file: string): void {
  const text = copy.read(file);
  const counted = text.replaceAll(
    /^( {2}[A-Z_]+ = )(\d+),$/gm,
    (row, name: string, number: string) =>
      Number(number) > 20 ? `${name}${Number(number) + 1},` : row,
  );
  copy.write(file, counted);
}

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

it("a new field is a number, its members, its region, and who reads it", () => {
  for (const file of ["device/memory", "requests/literals", "documents/literals"]) {
    renumber(`core/${file}.ts`);
  }
  copy.replace(
    "core/device/memory.ts",
    "  ACCOUNT_DISABLED = 20,\n",
    "  ACCOUNT_DISABLED = 20,\n  /** `error_uri` (RFC 6749 §5.2). */\n  ERROR_URI = 21,\n",
  );
  copy.replace(
    "core/tables/members.ts",
    '    place(Field.INTERVAL, ["interval"]),\n',
    '    place(Field.INTERVAL, ["interval"]),\n    place(Field.ERROR_URI, ["error_uri"]),\n',
  );
  copy.replace(
    "core/loop/create.ts",
    "  takeRegion(device, Field.INTERVAL, Limit.NUMBER_MAX);\n",
    "  takeRegion(device, Field.INTERVAL, Limit.NUMBER_MAX);\n  takeRegion(device, Field.ERROR_URI, 64);\n",
  );
  copy.replace(
    "core/device/regions.ts",
    '    life(Field.INTERVAL, "interval, as text", answer, ""),\n',
    '    life(Field.INTERVAL, "interval, as text", answer, ""),\n    life(Field.ERROR_URI, "error_uri, if it fits", answer, ""),\n',
  );
  for (const answer of ["token-response", "device-authorization"]) {
    copy.replace(
      `core/grant/${answer}.ts`,
      "(1 << Field.ERROR)",
      "(1 << Field.ERROR) | (1 << Field.ERROR_URI)",
    );
  }
  copy.write("test/core/error-uri.test.ts", READS);
});

it(
  "behind them one command for what is generated, and the tests pass",
  () => {
    copy.check();
    expect(copy.generateAndTest(GENERATED, TESTS)).toContain("passed");
    expect(copy.read("core/SPEC.md")).toContain("error_uri, if it fits");
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
