// Tests what the simulation releases at its end, and which pages may control it.
import { readdirSync } from "node:fs";
import { request } from "node:http";
import path from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { NodeHttp } from "../../platform/node/index.ts";
import { readOptions } from "../../targets/desktop/options.ts";
import { createEnvironment } from "../../targets/desktop/simulator/environment/environment.ts";
import { temporaryFolder } from "../listening.ts";
import { startSimulator } from "./bench.ts";

let state: string;
beforeEach(() => {
  state = temporaryFolder();
});

const locks = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.startsWith("lock"));

const options = () => readOptions(["--port", "0", "--state", state]);

test("if one part fails to close, the others are still closed, and the failure is reported", async () => {
  const environment = await createEnvironment(options(), {}, () => {});
  expect((await fetch(`${environment.url}/device`)).status).toBe(200);
  expect(locks(state)).toHaveLength(1);
  vi.spyOn(NodeHttp.prototype, "dispose").mockImplementation(() => {
    throw new Error("cannot be closed");
  });
  await expect(environment.close()).rejects.toThrow("cannot be closed");
  await expect(fetch(`${environment.url}/device`)).rejects.toThrow();
  expect(locks(state)).toEqual([]);
  expect(locks(path.join(state, "device"))).toEqual([]);
});

test("RFC 9112 section 9.5: an idle connection stays open long enough for a busy process to poll", async () => {
  const environment = await createEnvironment(options(), {}, () => {});
  // The device closes an idle connection after 4 s. On a busy machine, Node's default of 5 s for servers may end first.
  const response = await fetch(`${environment.url}/device`, {
    headers: { connection: "keep-alive" },
  });
  const [, seconds] = /timeout=(\d+)/.exec(response.headers.get("keep-alive") ?? "") ?? [];
  expect(Number(seconds)).toBeGreaterThanOrEqual(30);
  await environment.close();
});

test("pages of other sites, other host names and unknown commands are rejected", async () => {
  const { simulation, url, close } = await startSimulator();
  const panelUrl = `${url}/panel`;
  const send = async (headers: Record<string, string>, command: string): Promise<number> => {
    const body = JSON.stringify({ command });
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
    return (await fetch(`${panelUrl}/command`, { ...init, body })).status;
  };
  const own = { "x-picogrant-panel": "1" };
  expect([await send({}, "power"), await send(own, "advance 9h")]).toEqual([403, 400]);
  expect(simulation.isOn).toBe(true);
  expect(await send(own, "power")).toBe(204);
  expect(simulation.isOn).toBe(false);
  const status = await new Promise((resolve) => {
    const headers = { host: "rebound.example:80" };
    request(panelUrl, { headers }, (response) => resolve(response.statusCode)).end();
  });
  expect(status).toBe(403);
  await close();
});
