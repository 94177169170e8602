// The settings page (page.h) of a host with files: it signs in with it, a bad one is refused with the reason on the
// display, and the last good one goes on.

import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makePage } from "../../targets/command/page-format.ts";
import { programOf } from "../../targets/workbench/host/build.ts";
import { opened, type RealEnvironment } from "../environment/real-environment.ts";
import { HostProcess, STRICT } from "./host-process.ts";

const MADE = 1_700_000_000;
const BROKEN = /\|Settings broken +\|\n\|Tell the maker +\|/;

function page(environment: RealEnvironment, name: string, madeAt = MADE, columns = 20): string {
  const config = JSON.parse(readFileSync(environment.configure(), "utf8"));
  const changes = { display: { columns, rows: 4 }, limits: { startSpreadMs: 0 } };
  const { deviceKeyFile: _, ...storage } = config.storage;
  const text = JSON.stringify({ ...config, ...changes, storage });
  const authorities = [readFileSync(join(environment.folder, "ca.pem"), "utf8")];
  const file = join(environment.folder, name);
  writeFileSync(file, makePage(text, { authorities, madeAt }), { mode: 0o600 });
  return file;
}

const host = (...pages: readonly string[]): HostProcess => {
  const words = pages.flatMap((file) => ["--page", file]);
  return new HostProcess([programOf("sanitize"), "--heap-limit", "262144", ...words], STRICT);
};

it("names server, client and authority: the device signs in over TLS", async () => {
  const environment = await opened("https");
  const device = host(page(environment, "a"));
  await device.state("PENDING");
  expect(environment.service.approve(environment.pendingCode, "ada")).toBe("granted");
  await device.state("SIGNED_IN");
  expect(await device.quit()).toBe(0);
});

it("trusts its own authorities alone", async () => {
  const environment = await opened("https");
  await environment.close();
  await environment.open("untrusted");
  const device = host(page(environment, "a"));
  await device.showsReason("unknownAuthority");
  expect(environment.responses("/device/code")).toEqual([]);
  expect(await device.quit()).toBe(0);
});

it("of two the later good one counts; a damaged one is said, and the one before goes on", async () => {
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
    await device.description(`${later}: is damaged`);
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
  ["for everybody to read", (file) => chmodSync(file, 0o604), "run chmod 640 on it"],
])(
  "one that is %s, alone: exit code 2, with the reason on the display",
  async (_, corrupt, why) => {
    const file = page(await opened("https"), "a");
    corrupt(file);
    const device = host(file);
    expect(await device.exit()).toBe(2);
    expect(device.messages).toMatch(/^picogrant-host: [^\n]+\n$/);
    expect(device.messages).toContain(why);
    expect(device.display).toMatch(BROKEN);
  },
);
