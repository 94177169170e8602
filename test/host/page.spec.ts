// Configures a host with a settings page in a file (page.h). If a page is damaged, the display shows a reason, and the
// last valid page stays in use.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { configure } from "../../targets/command/configure.ts";
import { runPart } from "../../targets/command/option-parser.ts";
import { programOf } from "../../targets/workbench/host/build.ts";
import { opened, type RealEnvironment } from "../environment/real-environment.ts";
import { HostProcess, STRICT } from "./host-process.ts";

const MADE = 1_700_000_000;
const BROKEN = /\|Settings broken +\|\n\|Contact support +\|/;

function page(environment: RealEnvironment, name: string, madeAt = MADE, columns = 20): string {
  const changes = { display: { columns, rows: 4 }, limits: { startSpreadMs: 0 } };
  return environment.page(changes, name, madeAt);
}

const host = (...pages: readonly string[]): HostProcess => {
  const words = pages.flatMap((file) => ["--page", file]);
  return new HostProcess([programOf("sanitize"), "--heap-limit", "262144", ...words], STRICT);
};

it("with server, client and authority, the device signs in over TLS", async () => {
  const environment = await opened("https");
  const device = host(page(environment, "a"));
  await device.state("PENDING");
  expect(environment.service.approve(environment.pendingCode, "ada")).toBe("granted");
  await device.state("SIGNED_IN");
  expect(await device.quit()).toBe(0);
});

it("a page without authorities allows http to the device itself", async () => {
  const environment = await opened();
  const readme = readFileSync(new URL("../../targets/quickjs/README.md", import.meta.url), "utf8");
  const [json, file] = ["device.json", "device.page"].map((name) => join(environment.folder, name));
  const own = /```json\n(.*?)```/s.exec(readme)![1]!;
  const here = own
    .replaceAll(":8080", `:${environment.port}`)
    .replaceAll("/tmp/picogrant", environment.folder);
  writeFileSync(json!, here);
  expect(await runPart(configure, [json!, "--page", "--out", file!])).toBe(0);
  const device = host(file!);
  await device.state("PENDING");
  expect(device.frame).toHaveLength(4);
  expect(environment.service.approve(environment.pendingCode, "ada")).toBe("granted");
  await device.state("SIGNED_IN");
  expect(await device.quit()).toBe(0);
});

it("the device trusts only the page's authorities", async () => {
  const environment = await opened("https");
  await environment.close();
  await environment.open("untrusted");
  const device = host(page(environment, "a"));
  await device.showsReason("unknownAuthority");
  expect(environment.responses("/device/code")).toEqual([]);
  expect(await device.quit()).toBe(0);
});

it("the latest valid page is used; a damaged one is reported, and the previous one stays in use", async () => {
  const environment = await opened("https");
  const [older, later] = [page(environment, "a"), page(environment, "b", MADE + 1, 24)];
  const both = host(older, later);
  await both.state("PENDING");
  expect(both.frame[0]).toHaveLength(24);
  expect(await both.quit()).toBe(0);
  const bytes = readFileSync(later);
  for (const invalid of [bytes.subarray(0, -1), Buffer.from(bytes).fill(1, 40, 44)]) {
    writeFileSync(later, invalid);
    const device = host(older, later);
    await device.printed(`${later}: is damaged`);
    await device.until("the reason", () => BROKEN.test(device.display));
    await device.state("PENDING");
    expect(device.frame[0]).toHaveLength(20);
    expect(await device.quit()).toBe(0);
  }
});

it.each<[string, (file: string) => void, string]>([
  ["damaged", (file) => writeFileSync(file, readFileSync(file).fill(7, 20)), "is damaged"],
  ["erased", (file) => writeFileSync(file, Buffer.alloc(64, 0xff)), "is not programmed"],
  ["empty", (file) => writeFileSync(file, ""), "or is empty"],
  ["too long", (file) => writeFileSync(file, Buffer.alloc(16_385)), "or too long"],
  ["a pipe", (file) => void execFileSync("mkfifo", [file]), "is no file"],
  ["a directory", (file) => mkdirSync(file), "is no file"],
  ["for everybody to read", (file) => chmodSync(file, 0o604), "run chmod 640 on it"],
])(
  "a single page that is %s: exit code 2, with the reason on the display",
  async (kind, corrupt, why) => {
    const file = page(await opened("https"), "a");
    if (/^a /.test(kind)) rmSync(file);
    corrupt(file);
    const device = host(file);
    expect(await device.exit()).toBe(2);
    expect(device.messages).toMatch(/^picogrant-host: [^\n]+\n$/);
    expect(device.messages).toContain(why);
    expect(device.display).toMatch(BROKEN);
  },
);
