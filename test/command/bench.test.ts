// Runs `picogrant conform --device` with `signIn` and with faulty devices.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { expect, it } from "vitest";
import { rows } from "../../targets/command/conform/device-rows.ts";
import { bench, expectAllPass, KEYS } from "../bench-run.ts";
import { isFullRun } from "../full-run.ts";
import { temporaryFolder } from "../listening.ts";

const folder = temporaryFolder();

const ALL = rows.map(({ name }) => name);
const FEW = ["pending", "forms-refused", "rotation", "https-untrusted"];

it.concurrent("signIn passes every row", async () => {
  const names = isFullRun ? ALL : FEW;
  const outfile = join(folder, "device.cjs");
  const source = new URL("../../targets/workbench/peers/device.ts", import.meta.url);
  const entryPoints = [fileURLToPath(source)];
  buildSync({ entryPoints, outfile, bundle: true, platform: "node", logLevel: "error" });
  const device = `exec ${process.execPath} ${outfile} picogrant {config}`;
  // Omit the row of a missing close_notify (the end of TLS), because Node does not report that.
  const options = [...KEYS, "--no-closure", "--only", names.join()];
  const left = names.includes("https-close-cut") ? 1 : 0;
  await expectAllPass(device, options, left, names.length);
});

const REQUESTER = `
const c = JSON.parse(require("fs").readFileSync(process.argv[2]));
const { deviceAuthorization, token } = c.endpoints;
const ask = async (url, more) => (await fetch(url, { method: "POST", body: new URLSearchParams({
  client_id: c.clientId, scope: c.scope, ...more }) })).json();
const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
setInterval(() => {}, 1000);`;
const CODE = `${REQUESTER} const code = ask(deviceAuthorization); const poll = async () => ask(token,
  { grant_type, device_code: (await code).device_code });`;
const STAYS = CODE.replace('"POST"', '"POST", redirect: "manual"');
const SENDS = "require('net').connect(new URL(token).port, '127.0.0.1')";

it.concurrent.each<[what: string, program: string, output: RegExp]>([
  ["never comes", REQUESTER, /^picogrant conform: no connection came in 2 s\n$/],
  ["ends", "throw 'no'", /^picogrant conform: no connection came in 2 s; its last output: .*\n/],
  ["hangs", `${CODE} code`, /pending .* no poll came in 2 s\n/],
  ["polls wildly", `${CODE} setInterval(poll, 10)`, /pending .* too early\n/],
  [
    "polls another code",
    `${REQUESTER} ask(token, { grant_type, device_code: "x" })`,
    /another device_/,
  ],
  [
    "speaks no HTTP",
    `${REQUESTER} ${SENDS}.write("SSH-2.0\\n")`,
    /no HTTP: it begins with "SSH-2\.0/,
  ],
  ["says nothing", `${REQUESTER} ${SENDS}`, /no request came in 2 s/],
  [
    "sends other requests",
    `${REQUESTER} fetch(new URL("/", token), { method: "HEAD" })`,
    /no request came/,
  ],
  [
    "sends no request",
    `${REQUESTER} ${SENDS}.write("POST // HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")`,
    /POST \/\/ is no configured endpoint/,
  ],
  ["never ends", `${REQUESTER} ask(token, { x: "x".repeat(2e6) })`, /more than 1000000 bytes/],
])("a device that %s: a line, exit code 1", async (what, program, line) => {
  const file = join(folder, `${what.replaceAll(" ", "-")}.cjs`);
  writeFileSync(file, program);
  const device = `exec ${process.execPath} ${file} {config}`;
  const { status, output } = await bench("--device", device, "--timeout", "2", "--only", "pending");
  expect(output).toMatch(line);
  expect(status).toBe(1);
});

it.concurrent("a row ends within its limit even if the device polls for ever", async () => {
  const file = join(folder, "polls-for-ever.cjs");
  // A row ends 3 s after the last request, or at its limit. This device polls every 1.5 s, so the limit ends the row.
  writeFileSync(file, `${STAYS} setInterval(() => poll().catch(() => {}), 1500)`);
  const device = `exec ${process.execPath} ${file} {config}`;
  const row = ["--timeout", "2", "--only", "poll-redirect-302"];
  const { status, output } = await bench("--device", device, ...row);
  expect(output).toMatch(/poll-redirect-302 .* passed\n1 of 1 rows pass/);
  expect(status).toBe(0);
});

it.concurrent.each([
  [["--only", "pending,slow-dwn"], 'there is no row "slow-dwn"; did you mean slow-down?'],
  [["--with", "{"], "--with: it is no JSON object"],
  [["--with", "[]"], "--with: it is no JSON object"],
  [["--https", "--no-tls"], "--https and --no-tls exclude each other"],
  [["--host", "256.1.1.1"], "--host 256.1.1.1: "],
  [["--at-once", "0"], "--at-once"],
])("%j: one line, exit code 2", async (args, line) => {
  const { status, output } = await bench("--device", "true", ...args);
  expect(output).toMatch(/^picogrant conform: [^\n]+\n$/);
  expect(output).toContain(line);
  expect(status).toBe(2);
});

it.concurrent("after a signal it removes its files", async () => {
  const file = join(folder, "directory");
  // The bench starts the device in a shell, so the shell's parent is the bench.
  const device = `echo {directory} > ${file}; kill -INT $PPID; exec sleep 1000`;
  expect((await bench("--device", device, "--only", "pending")).status).toBe(130);
  expect(existsSync(readFileSync(file, "utf8").trim())).toBe(false);
});

it.concurrent("rows that need a missing hook are skipped, and --json reports that", async () => {
  const { status, output } = await bench("--device", "true", "--json", "--only", "call");
  expect(JSON.parse(output)).toMatchObject({ passed: null, why: "there is no --call" });
  expect(status).toBe(0);
});
