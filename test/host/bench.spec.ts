// Runs every row of the bench on the C host (with sanitizers, and on QuickJS) and on the example libcurl.c. The
// environment variables name a proxy, an older TLS version and a key log file. The host must ignore them.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { rows } from "../../targets/command/conform/device-rows.ts";
import { run } from "../../targets/workbench/engines/install.ts";
import { programOf } from "../../targets/workbench/host/build.ts";
import { standaloneFiles } from "../../targets/workbench/host/generate.ts";
import { bench, expectAllPass, KEYS } from "../bench-run.ts";
import { temporaryFolder } from "../listening.ts";
import { STRICT } from "./host-process.ts";

const OLD_TLS = `openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]
MinProtocol = TLSv1\nCipherString = DEFAULT@SECLEVEL=0\n`;

it.concurrent.each([
  ["sanitize", {}],
  ["quickjs", {}],
  // RFC 7636: each code has a challenge, also after a power cut.
  ["sanitize", { pkce: "S256" }],
] as const)(
  "RFC 8628, RFC 6749, RFC 7009, RFC 9112, RFC 9700; it writes no TLS secrets: %s, with %j",
  async (kind, more) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "openssl.cnf"), OLD_TLS);
    // The host sends plain http only to this machine, regardless of proxy settings.
    const env = { ...STRICT, http_proxy: "http://127.0.0.1:1" };
    const SSLKEYLOGFILE = join(folder, "tls-secrets");
    const words = Object.entries({
      ...env,
      SSLKEYLOGFILE,
      OPENSSL_CONF: join(folder, "openssl.cnf"),
    });
    const set = words.map((pair) => pair.join("=")).join(" ");
    const device = `exec env ${set} ${programOf(kind)} --page {page}`;
    // With challenges, the complete core does not fit into the default memory of 4096 bytes.
    const limits = { memoryBytes: 6144, exchangeSeconds: 8 };
    const settings = JSON.stringify({ ...more, limits });
    const left = "pkce" in more ? ["--no-pkce"] : [];
    await expectAllPass(device, ["--with", settings, ...KEYS, ...left], left.length);
    expect(existsSync(SSLKEYLOGFILE)).toBe(false);
  },
);

const SETTINGS = `const { readFileSync } = require("fs"), file = process.argv[2];
const { clientId, scope, endpoints, http } = JSON.parse(readFileSync(file));
const { deviceAuthorization: CODE, token: TOKEN, revocation: REVOKE = "", resources = [""] } = endpoints;
const all = { ID: clientId, SCOPE: scope, CODE, TOKEN, REVOKE, API: resources[0], CA: http?.certificates ?? "", SPREAD_MS: -1 };
console.log(Object.entries(all).map(([name, value]) => name + "='" + value + "'").join(" "));`;

const FLAGS = ["-std=gnu11", "-O1", "-g", "-fsanitize=address,undefined", "-Wall", "-Wextra"];

it.concurrent("targets/examples/libcurl.c: passes all rows except those that its page names", async () => {
  const left = ["https-close-cut", "retry-after-date"];
  const folder = temporaryFolder();
  for (const [file, text] of Object.entries(await standaloneFiles()))
    writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, "settings.cjs"), SETTINGS);
  const example = fileURLToPath(new URL("../../targets/examples/libcurl.c", import.meta.url));
  const files = [example, join(folder, "picogrant.c"), "-lcurl", "-o", join(folder, "device")];
  run("gcc", [...FLAGS, "-Werror", `-I${folder}`, ...files]);
  const settings = `$(node ${folder}/settings.cjs {config}) STATE=$(dirname {config})`;
  const device = `eval exec env ${settings} ${folder}/device`;
  const words = [...KEYS, "--no-pkce", "--no-json"];
  const { output } = await bench("--device", device, ...words);
  const failed = [...output.matchAll(/^ {2}(\S+) .* failed: /gm)].map(([, row]) => row);
  expect(failed.sort(), output).toEqual(left);
  const count = rows.length - 2;
  expect(output).toContain(`${count - left.length} of ${count} rows pass; 2 are not tried`);
});
