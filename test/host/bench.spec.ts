// The C host as a server sees it: every row of the bench, under the sanitizers and on each engine, with an environment that
// would send it elsewhere, have it take an older TLS, or write down what TLS hides. And the example out of two files.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { rows } from "../../targets/command/conform/device-rows.ts";
import { run } from "../../targets/workbench/engines/install.ts";
import { programOf } from "../../targets/workbench/host/build.ts";
import { standaloneFiles } from "../../targets/workbench/host/generate.ts";
import { bench, KEYS } from "../bench-run.ts";
import { STRICT } from "./host-process.ts";

const OLD_TLS = `openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]
MinProtocol = TLSv1\nCipherString = DEFAULT@SECLEVEL=0\n`;

it.concurrent.each([
  ["sanitize", {}],
  ["quickjs", {}],
  // RFC 7636: each code is proved, over a loss of power as well.
  ["duktape", { pkce: "S256" }],
] as const)(
  "RFC 8628, RFC 6749, RFC 7009, RFC 9112, RFC 9700; it writes no TLS secrets: %s, with %j",
  async (kind, more) => {
    const folder = mkdtempSync(join(tmpdir(), "picogrant-bench-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "openssl.cnf"), OLD_TLS);
    // RFC 8628 §5.2: plain http goes to this machine itself, whatever proxy is named.
    const env = { ...STRICT, http_proxy: "http://127.0.0.1:1" };
    const SSLKEYLOGFILE = join(folder, "tls-secrets");
    const words = Object.entries({
      ...env,
      SSLKEYLOGFILE,
      OPENSSL_CONF: join(folder, "openssl.cnf"),
    });
    const set = words.map((pair) => pair.join("=")).join(" ");
    const device = `exec env ${set} ${programOf(kind)} --page {page}`;
    // The default of 4096 bytes has no room for challenges in the complete core.
    const limits = { memoryBytes: 6144, exchangeSeconds: 8 };
    const settings = JSON.stringify({ ...more, limits });
    const left = "pkce" in more ? ["--no-pkce"] : [];
    const { status, output } = await bench(
      "--device",
      device,
      "--with",
      settings,
      ...KEYS,
      ...left,
    );
    const count = rows.length - left.length;
    const all = `${count} of ${count} rows pass; ${left.length} are not tried`;
    expect([output.split("\n").at(-2), status], output).toEqual([all, 0]);
    expect(existsSync(SSLKEYLOGFILE)).toBe(false);
  },
);

/** A device.json as the example's settings. */
const SETTINGS = `const { readFileSync } = require("fs"), file = process.argv[2];
const { clientId, scope, endpoints, http } = JSON.parse(readFileSync(file));
const { deviceAuthorization: CODE, token: TOKEN, revocation: REVOKE = "", resources = [""] } = endpoints;
const all = { ID: clientId, SCOPE: scope, CODE, TOKEN, REVOKE, API: resources[0], CA: http?.certificates ?? "" };
console.log(Object.entries(all).map(([name, value]) => name + "='" + value + "'").join(" "));`;

it.concurrent("targets/examples/libcurl.c passes all but four rows, each for what the page says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "picogrant-libcurl-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(await standaloneFiles())) {
    writeFileSync(join(folder, name), text);
  }
  writeFileSync(join(folder, "settings.cjs"), SETTINGS);
  const example = fileURLToPath(new URL("../../targets/examples/libcurl.c", import.meta.url));
  const flags = [
    "-std=gnu11",
    "-O1",
    "-g",
    "-fsanitize=address,undefined",
    "-Wall",
    "-Wextra",
    "-Werror",
  ];
  const files = [example, join(folder, "picogrant.c"), "-lcurl", "-o", join(folder, "device")];
  run("gcc", [...flags, `-I${folder}`, ...files]);
  const settings = `$(node ${folder}/settings.cjs {config}) STATE=$(dirname {config})`;
  const device = `eval exec env ${settings} ${folder}/device`;
  const left = ["--no-pkce", "--no-json"];
  const { output } = await bench("--device", device, ...KEYS, ...left);
  const failed = [...output.matchAll(/^ {2}(\S+) .* failed: /gm)].map(([, name]) => name);
  expect(failed.sort(), output).toEqual(["https-close-cut", "retry-after-date"]);
  expect(output).toContain(`${rows.length - 4} of ${rows.length - 2} rows pass; 2 are not tried`);
});
