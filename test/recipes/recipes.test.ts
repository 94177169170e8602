// Follows the recipes of core/HOW-TO-CHANGE.md and platform/servers/README.md, one after the other, in one copy of the
// repository.

import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../listening.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const FILES = execFileSync("git", ["ls-files", "-zco", "--exclude-standard"], { cwd: ROOT })
  .toString()
  .split("\0")
  .filter(Boolean);

const RECIPE_MS = 1_800_000;

class RepositoryCopy {
  readonly #folder = temporaryFolder();

  constructor() {
    for (const file of FILES) {
      cpSync(path.join(ROOT, file), path.join(this.#folder, file), { recursive: true });
    }
    symlinkSync(path.join(ROOT, "node_modules"), path.join(this.#folder, "node_modules"));
  }

  read(file: string): string {
    return readFileSync(path.join(this.#folder, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(path.join(this.#folder, file), text);
  }

  /** Replaces each occurrence. @throws Error if there is none */
  replace(file: string, old: string | RegExp, by: string): void {
    const before = this.read(file);
    const after = before.replaceAll(old, by);
    if (after === before) throw new Error(`${file}: does not contain ${old}`);
    this.write(file, after);
  }

  /** Runs `npm run generate`, and then these tests. */
  generateAndTest(generated: readonly string[], tests: readonly string[]): string {
    this.#run("npm", "run", "-s", "generate", ...generated);
    const files = tests.map((name) => `test/${name}`);
    return this.#run("npx", "vitest", "run", "--config", "test/vitest.config.ts", ...files);
  }

  /** Uses the compiler of `npm run check`, because the `tsc` in `.bin` is slower. */
  check(): void {
    for (const project of ["core", "."])
      this.#run("node", "node_modules/@typescript/native/bin/tsc", "-p", project);
  }

  #run(command: string, ...words: string[]): string {
    try {
      return execFileSync(command, words, {
        cwd: this.#folder,
        encoding: "utf8",
        stdio: "pipe",
        env: { ...process.env, CI: "", PICOGRANT_ALL: "" },
      });
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} ${words.join(" ")}\n${stdout}\n${stderr}`);
    }
  }
}

const copy = new RepositoryCopy();

const PROFILE = `,
  {
    "name": "example",
    "title": "Example",
    "parameters": { "host": { "description": "the host", "pattern": "host" } },
    "deviceAuthorization": "https://{host}/device",
    "token": "https://{host}/token",
    "revocation": "https://{host}/revoke",
    "withSecret": "client_secret_basic",
    "scope": "openid",
    "accessTokenBytes": 64,
    "refreshTokenBytes": 64,
    "memoryBytes": 4608
  }
]
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

/** A test of a new field for `error_uri` (RFC 6749 §5.2), which a host could draw as a QR code. */
const READS = `import { expect, it } from "vitest";
import { Field } from "../../core/device/tables.ts";
import { Port } from "../environment/core-port.ts";
import { code, json } from "../environment/environment.ts";

it("is available to the host until the next response", () => {
  const error_uri = "https://example.com/why";
  const bench = new Port([code(), json(400, { error: "access_denied", error_uri })]);
  bench.until(2);
  expect(bench.text(Field.ERROR_URI)).toBe(error_uri);
  bench.responses = [code()];
  bench.core.signIn(bench.device);
  bench.until(3);
  expect(bench.text(Field.ERROR_URI)).toBe("");
});
`;

const ROW = `    {
      name: "ERROR_URI",
      description: "\`error_uri\` (RFC 6749 §5.2), if it fits.",
      responses: ["code", "tokens", "refusal"],
      capacity: "ERROR_MAX",
      lifetime: Lifetime.RESPONSE,
    },
    {
      name: "SETS",`;

const GENERATED = ["tables", "spec", "servers", "docs"];
const TESTS = [
  "core/",
  "bundle/constants",
  "bundle/record",
  "platform/driver",
  "configuration",
  "specification",
  "servers/conversations",
];

it(
  "a server's name for an error needs one entry in the table, one command, and one row of a test",
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

it("a display message's text changes in all places", () => {
  const files = FILES.filter((file) => copy.read(file).includes("Service busy"));
  for (const file of files) copy.replace(file, "Service busy", "Server busy");
});

it("a new server needs one entry and one recording", () => {
  copy.replace("platform/servers/servers.json", /\n\]\n$/g, PROFILE);
  const recordings = "test/servers/recordings.http";
  copy.write(recordings, `${copy.read(recordings)}\n[example]\n${RECORDING}`);
});

it("a new field needs one row and the code that uses it", () => {
  copy.replace("core/tables/fields.ts", '    {\n      name: "SETS",', ROW);
  copy.write("test/core/error-uri.test.ts", READS);
});

it(
  "after these changes, one command generates the rest, and the tests pass",
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
