// Ports of one's own: the C templates build without a warning as they are and fail in a way that is told, and the
// example of a device in C, on the same build, signs in, reads its API's pages, and hears of the session's end.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { buildPort, hostFolder } from "../../scripts/host/build.ts";
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
