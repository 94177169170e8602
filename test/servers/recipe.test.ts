// The recipe "To add a server" of platform/servers/README.md, followed in a copy of this repository: nothing but what it
// names has to be touched.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const copy = mkdtempSync(path.join(tmpdir(), "picogrant-recipe-"));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

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
pending 403: {}
`;

const run = (command: string, ...words: string[]): string =>
  execFileSync(command, words, {
    cwd: copy,
    encoding: "utf8",
    stdio: "pipe",
    // The short tests: this one is not among them.
    env: { ...process.env, CI: "", PICOGRANT_ALL: "" },
  });

it("a new server is an entry, a recording and one command", () => {
  const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter(Boolean)) {
    cpSync(path.join(ROOT, file), path.join(copy, file), { recursive: true });
  }
  for (const folder of ["", ...manifest.workspaces]) {
    symlinkSync(path.join(ROOT, folder, "node_modules"), path.join(copy, folder, "node_modules"));
  }

  const plain = path.join(copy, "platform/servers/plain.ts");
  writeFileSync(plain, readFileSync(plain, "utf8").replace(/\];\n$/, PROFILE));
  writeFileSync(path.join(copy, "test/servers/recordings/example.http"), RECORDING);
  run("npm", "run", "-s", "generate", "servers", "docs");

  const page = readFileSync(path.join(copy, "platform/servers/README.md"), "utf8");
  expect(page).toContain("| `example` | RFC 8628 | yes | yes | yes | yes | yes |");
  const sizing = readFileSync(path.join(copy, "targets/docs/sizing.md"), "utf8");
  expect(sizing).toMatch(/^\| `example` \| 64 \| 64 \| \d+ \| \d+ \| 4608 \|$/m);
  const touched = [
    "servers/conversations",
    "servers/readme",
    "core/dialects",
    "configuration",
    "documents",
  ];
  const tests = touched.map((name) => `test/${name}`);
  const said = run("npx", "vitest", "run", "--config", "test/vitest.config.ts", ...tests);
  expect(said).toContain("passed");
}, 300_000);
