// Ports of one's own: the C templates build without a warning as they are and fail in a way that is told, and the
// example of a device in C, on the same build, signs in, reads its API's pages, and hears of the session's end.

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPort, hostFolder } from "../../targets/workbench/host/build.ts";
import { startService } from "../peers/running-service.ts";
import { TV } from "../service/harness.ts";
import { HostProcess } from "./host-process.ts";

const targets = fileURLToPath(new URL("../../targets/", import.meta.url));

it("the templates build as they are, and so does a port that brings nothing of its own", async () => {
  const out = `${hostFolder}port-template`;
  await buildPort(`${targets}host/ports/template`, out);
  // Without a network and a clock it waits for ever: it is only to be seen that it starts.
  const device = new HostProcess([`${out}/device`]);
  await new Promise((resolve) => setTimeout(resolve, 200));
  device.kill("SIGKILL");
  expect(device.messages).toBe("");
});

it("a device in C: signs in, reads two pages, has a refused token renewed, and ends with the session", async () => {
  const out = `${hostFolder}port-example`;
  await buildPort(`${targets}examples/c-device`, out);
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-port-"));
  const running = await startService();
  const asked: string[] = [];
  const refused = new Set<string>();
  const api = createServer((request, response) => {
    const token = request.headers.authorization ?? "";
    if (refused.size === 0) refused.add(token);
    const status = refused.has(token) ? 401 : 200;
    asked.push(`${request.url} ${status}`);
    const isFirst = request.url === "/items?page=";
    const page = isFirst ? '{"items":["a"],"next":"2"}' : '{"items":["b"]}';
    response.writeHead(status, { "content-type": "application/json" });
    response.end(status === 200 ? page : "{}");
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  const start = (): HostProcess =>
    new HostProcess([`${out}/device`], {
      SERVER: running.url,
      CLIENT_ID: TV.client_id,
      CLIENT_SECRET: TV.client_secret,
      API: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
      RECORDS: path.join(folder, "records"),
    });
  const device = start();
  try {
    await expect.poll(() => device.display).toMatch(/[A-Z]{4}-[A-Z]{4}/);
    running.service.approve(running.service.pending()[0]!.userCode, "ada");
    await expect.poll(() => device.display).toContain("that is all");
    expect(device.display).toMatch(/the token has \d\d+ bytes, the first is visible/);
    expect(asked).toEqual(["/items?page= 401", "/items?page= 200", "/items?page=2 200"]);
    await device.kill("SIGKILL");

    const again = start();
    try {
      await expect.poll(() => again.display).toContain("that is all");
      expect(again.display).not.toMatch(/[A-Z]{4}-[A-Z]{4}/);
      running.service.revokeAllFor("ada");
      refused.clear();
      again.press("a");
      await expect.poll(() => again.messages).toContain("the session is over: SESSION_ENDED");
    } finally {
      await again.kill("SIGKILL");
    }
  } finally {
    await device.kill("SIGKILL");
    api.close();
    await running.server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

it("RFC 6750 section 5.3: a program that puts the token into an address asks nobody", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-port-"));
  const out = `${hostFolder}port-leaky`;
  cpSync(`${targets}examples/c-device`, folder, { recursive: true });
  const main = readFileSync(path.join(folder, "main.c"), "utf8");
  const leak = `
    snprintf(target, sizeof target, "/items?page=%.*s", pg_length(PG_FIELD_ACCESS_TOKEN),
             (const char *)memory + pg_start(PG_FIELD_ACCESS_TOKEN));
    wants_call = 1;`;
  expect(main).toContain("  want_page(number);");
  expect(main).toContain("target[64]");
  const leaky = main.replace("  want_page(number);", leak).replace("target[64]", "target[1024]");
  writeFileSync(path.join(folder, "main.c"), leaky);
  await buildPort(folder, out);
  const running = await startService();
  const asked: string[] = [];
  const api = createServer((request, response) => {
    asked.push(`${request.url}`);
    response.end('{"next":"2"}');
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  const device = new HostProcess([`${out}/device`], {
    SERVER: running.url,
    CLIENT_ID: TV.client_id,
    CLIENT_SECRET: TV.client_secret,
    API: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    RECORDS: path.join(folder, "records"),
  });
  try {
    await expect.poll(() => device.display).toMatch(/[A-Z]{4}-[A-Z]{4}/);
    running.service.approve(running.service.pending()[0]!.userCode, "ada");
    await expect.poll(() => device.messages).toContain("the API answered 0");
    expect(asked).toEqual(["/items?page="]);
  } finally {
    await device.kill("SIGKILL");
    api.close();
    await running.server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

describe("check.c says of each file of a port what it does wrong", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-check-"));
  const out = `${hostFolder}port-check`;
  let server: Awaited<ReturnType<typeof startService>>;
  beforeAll(async () => {
    server = await startService();
  });
  afterAll(async () => {
    await server.server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The example with a fault in one file: what the check says that is not ok, and how it ends. */
  async function tried(file?: string, right = "", wrong = ""): Promise<[string[], number | null]> {
    const port = path.join(folder, "port");
    cpSync(`${targets}examples/c-device`, port, { recursive: true });
    if (file !== undefined) {
      const text = readFileSync(path.join(port, file), "utf8");
      expect(text).toContain(right);
      writeFileSync(path.join(port, file), text.replace(right, wrong));
    }
    await buildPort(port, out, "check", `CHECK_FLAGS=-DCHECK_SERVER='"${server.url}/"'`);
    rmSync(port, { recursive: true });
    const program = spawn(`${out}/check`, { env: { RECORDS: path.join(folder, "records") } });
    let said = "";
    program.stderr.on("data", (text) => {
      said += text;
    });
    const code = await new Promise<number | null>((resolve) => program.on("close", resolve));
    expect(said).toMatch(code === 0 ? /# all passed\n$/ : /# failed: [^\n]*\n$/);
    return [said.split("\n").filter((line) => line.startsWith("not ok")), code];
  }

  it("nothing of the example", async () => {
    expect(await tried()).toEqual([[], 0]);
  });

  it.each([
    [
      "clock.c",
      "return (uint32_t)((uint64_t)now.tv_sec",
      "return 1 + 0 * (uint32_t)((uint64_t)now.tv_sec",
      "clock: pg_clock_ms stands still",
    ],
    [
      "clock.c",
      "return (uint32_t)time(NULL)",
      "return 86400",
      "clock: pg_clock_wall_s is before 2020",
    ],
    [
      "clock.c",
      "return getrandom(",
      "for (size_t i = 0; i < size; i++) bytes[i] = 7;\n  return 1 || getrandom(",
      "random: two fills are alike",
    ],
    [
      "clock.c",
      "return getrandom(",
      "bytes[size] = 1;\n  return getrandom(",
      "random: bytes behind the range",
    ],
    [
      "medium.c",
      "(off_t)slot * SLOT_BYTES + at",
      "(off_t)(slot * 64u) + at",
      "medium: programming slot 0 changed slot 1",
    ],
    [
      "medium.c",
      "memset(erased, 0xff,",
      "memset(erased, 0,",
      "medium: an erased slot does not read 0xff",
    ],
    [
      "medium.c",
      "bytes, size, place_of(slot, at))",
      "bytes, size, place_of(slot, at & ~1u))",
      "medium: what was programmed, in pieces",
    ],
    [
      "connection.c",
      "return PG_CONNECTION_ENDED;",
      "return PG_CONNECTION_BROKEN;",
      "connection: the server closed in order",
    ],
    [
      "connection.c",
      "if (size == 0) return PG_CONNECTION_ENDED;",
      "",
      "connection: the server closed in order",
    ],
    [
      "connection.c",
      "connection.state = error ? PG_CONNECTION_FAILED : PG_CONNECTION_OPEN;",
      "connection.state = PG_CONNECTION_OPEN; (void)error;",
      "connection: where nobody listens",
    ],
    [
      "connection.c",
      "poll(&waiting, 1, 0) <= 0) return connection.state;",
      "poll(NULL, 0, 300) < 0 || poll(&waiting, 1, 0) <= 0) return connection.state;",
      "connection: a call took 250 ms",
    ],
  ])("%s: %s", async (file, right, wrong, line) => {
    const [lines, code] = await tried(file, right, wrong);
    expect(lines.join("\n")).toContain(`not ok ${line}`);
    expect(code).toBe(1);
  });
});

it("a port that is built after another, with older files, is built of its own files", async () => {
  const out = `${hostFolder}port-two`;
  const older = mkdtempSync(path.join(tmpdir(), "picogrant-port-older-"));
  try {
    await buildPort(`${targets}host/ports/template`, out);
    cpSync(`${targets}examples/c-device`, older, { recursive: true });
    for (const name of ["main", "connection", "medium", "display", "clock"]) {
      utimesSync(path.join(older, `${name}.c`), 1e9, 1e9);
    }
    await buildPort(older, out);
    const program = readFileSync(`${out}/device`, "latin1");
    expect(program).toContain("the token has");
  } finally {
    rmSync(older, { recursive: true, force: true });
  }
});

it("a file that the folder lacks is the template's", async () => {
  const empty = mkdtempSync(path.join(tmpdir(), "picogrant-port-empty-"));
  try {
    await buildPort(empty, `${hostFolder}port-empty`);
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
});
