// The recipe "To add a server" of platform/servers/README.md, followed in a copy of this repository: nothing but what it
// names has to be touched.

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

it(
  "a new server is an entry, a recording and one command",
  () => {
    copy.replace("platform/servers/plain.ts", /\];\n$/g, PROFILE);
    copy.write("test/servers/recordings/example.http", RECORDING);
    const said = copy.generateAndTest(
      ["servers", "docs"],
      ["servers/conversations", "servers/readme", "core/dialects", "configuration", "documents"],
    );

    expect(said).toContain("passed");
    expect(copy.read("platform/servers/README.md")).toContain(
      "| `example` | RFC 8628 | yes | yes | yes | yes | yes |",
    );
    expect(copy.read("targets/docs/sizing.md")).toMatch(
      /^\| `example` \| 64 \| 64 \| \d+ \| \d+ \| 4608 \|$/m,
    );
  },
  RECIPE_MS,
);
