// Tests the connections of Node's HTTP adapter: one exchange at a time, how long connections stay open, who creates
// them, and which certificates they accept.

import dns from "node:dns";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, type Mock, onTestFinished, vi } from "vitest";
import { follow } from "../../platform/node/connection.ts";
import { tlsSettings } from "../../platform/node/connection-pool.ts";
import { NodeHttp, nodeFetch } from "../../platform/node/http.ts";
import { listening } from "../listening.ts";
import { OK, RawServer, recorder, turns, VALID } from "./raw-server.ts";

let server: RawServer;
beforeEach(async () => {
  server = new RawServer();
  await server.start();
});
afterEach(() => server.close());

const codedHead = ({ length }: Uint8Array): string =>
  `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${length}\r\n\r\n`;

describe("one exchange at a time", () => {
  it("starting a second one is the caller's error", () => {
    server.adapter.send(server.request(), recorder().sink);
    expect(() => server.adapter.send(server.request(), recorder().sink)).toThrow(
      "http: an exchange is under way",
    );
    server.adapter.abort();
  });

  it("after an abort within a compressed body, neither more of the body nor the end is reported", async () => {
    const body = gzipSync("coded".repeat(10_000));
    server.script = (socket) => {
      socket.write(codedHead(body));
      socket.write(body);
    };
    const next = recorder();
    const { sink, reported } = recorder((event) => {
      if (event !== "body" || next.reported.length > 0) return;
      server.adapter.abort();
      server.adapter.send(server.request(), next.sink);
    });
    server.adapter.send(server.request(), sink);
    const events = (await next.ended).map(([event]) => event);
    expect(events.length).toBeGreaterThan(3);
    expect(reported.map(([event]) => event)).toEqual(["status", "body"]);
    expect(events).toEqual(["status", ...Array(events.length - 2).fill("body"), "end"]);
  });
});

describe("connections", () => {
  it.each([
    [
      "on a slow network are established although another address refuses",
      ["127.0.0.1", "127.0.0.2"],
      10_000,
    ],
    ["are established at once although another address is silent", ["127.0.0.1", "127.0.0.3"], 1e9],
    ["are established at once although the first address refuses", ["127.0.0.2", "127.0.0.3"], 1e9],
  ] as const)("%s", async (_, addresses, connectLimitMs) => {
    // The listen queue is full. The next connection succeeds at its second attempt after a second, or never.
    const listen = `const { parentPort, workerData } = require("node:worker_threads");
      const server = require("node:net").createServer((socket) => socket.on("error", () => {}).end(workerData.OK));
      server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
        parentPort.postMessage(server.address().port);
        Atomics.wait(workerData.gate, 0, 0);
      });`;
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const slow = new Worker(listen, { eval: true, workerData: { OK, gate } });
    const [port] = (await once(slow, "message")) as [number];
    const queue = [1, 2, 3].map(() => net.connect(port, "127.0.0.1").on("error", () => {}));
    await once(queue[0]!, "connect");
    const valid = net.createServer((socket) => socket.on("data", () => socket.end(OK)));
    await once(valid.listen(port, "127.0.0.3"), "listening");
    const lookup = vi.spyOn(dns, "lookup") as unknown as Mock;
    const found = addresses.map((address) => ({ address, family: 4 }));
    lookup.mockImplementation((_name, _how, done) => done(null, found));
    server.make({ connectLimitMs });
    const url = `http://slow.example:${port}/`;
    const own = nodeFetch({ connectLimitMs });
    const requesting = [
      server.sendRequest({ url }),
      own(url).then((response) => response.text()),
    ] as const;
    const open = (): void => {
      gate[0] = 1;
      Atomics.notify(gate, 0);
    };
    if (connectLimitMs === 10_000) setTimeout(open, 600);
    expect(await Promise.all(requesting)).toEqual([VALID, "ok"]);
    for (const socket of queue) socket.destroy();
    valid.close();
    await slow.terminate();
  });

  it("stay open for the next request, four seconds by default", async () => {
    const limits = vi.spyOn(net.Socket.prototype, "setTimeout");
    server.script = (socket) => {
      socket.write(OK.slice(0, -1));
      setImmediate(() => socket.write(OK.slice(-1)));
    };
    for (let count = 0; count < 4; count++) {
      expect((await server.sendRequest()).at(-1)).toEqual(["end"]);
      await turns();
    }
    expect(server.connections).toBe(1);
    const seen = limits.mock.calls.map(([ms]) => ms);
    expect(new Set(seen.filter((ms) => ms !== 0))).toEqual(new Set([4000]));
    limits.mockClear();
    server.make({ idleLimitMs: 1234 });
    await server.sendRequest();
    expect(limits.mock.calls.map(([ms]) => ms)).toContain(1234);
  });

  it("send no request that was aborted before it was sent", async () => {
    await server.sendRequest();
    const { sink, reported } = recorder();
    server.adapter.send(server.request(), sink);
    server.adapter.abort();
    expect(await server.sendRequest({ url: `${server.origin}/next` })).toEqual(VALID);
    expect([reported, server.requested.length, server.connections]).toEqual([[], 2, 1]);
  });

  it("of fetch stay open after a body that was read to its end, and after a response without a body", async () => {
    const plain = new http.Agent({ keepAlive: true });
    vi.spyOn(http, "globalAgent", "get").mockReturnValue(plain);
    const own = nodeFetch({ agent: new https.Agent() });
    const body = gzipSync("coded");
    const empty = (status: number): string => `HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`;
    for (const [method, status] of [
      ...[["GET", 204] as const, ["GET", 205] as const, ["GET", 304] as const],
      ...[["HEAD", 200] as const, ["GET", 200] as const, ["GET", 200] as const],
    ]) {
      const isCoded = status === 200 && method === "GET";
      server.script = (socket) => {
        socket.write(isCoded ? codedHead(body) : empty(status));
        if (isCoded) socket.write(body);
      };
      const found = await own(server.origin, { method });
      expect([found.status, found.body === null]).toEqual([status, !isCoded]);
      expect(await found.text()).toBe(isCoded ? "coded" : "");
      await turns();
    }
    expect(server.connections).toBe(1);
    plain.destroy();
  });

  it.each([
    ["the adapter's own limit is over", 50, ""],
    ["the server has said that its limit is over", 60_000, "Keep-Alive: timeout=1\r\n"],
    ["the server has said that it keeps no connection", 60_000, "Keep-Alive: timeout=0\r\n"],
  ])("are closed when %s, before the server closes one", async (_, idleLimitMs, hint) => {
    server.make({ idleLimitMs });
    server.script = (socket) => socket.write(OK.replace("Content", `${hint}Content`));
    for (let count = 1; count <= 2; count++) {
      expect((await server.sendRequest()).at(-1)).toEqual(["end"]);
      expect(server.connections).toBe(count);
      await expect.poll(() => server.open()).toBe(0);
    }
  });

  it.each([
    ["Keep-Alive: timeout=75, max=9", 74_000],
    ["Keep-Alive: timeout=99999", 600_000],
    ["Keep-Alive: max=9", 4000],
  ])("stay open as long as the server says, minus a second: %s", async (line, idleMs) => {
    server.script = (socket) => socket.write(OK.replace("Content", `${line}\r\nContent`));
    await server.sendRequest();
    const limits = vi.spyOn(net.Socket.prototype, "setTimeout");
    await server.sendRequest();
    await turns();
    expect(server.connections).toBe(1);
    expect(limits.mock.lastCall).toEqual([idleMs]);
  });

  it("are shared by all adapters of a process, are limited for each server, and are closed after the last adapter", async () => {
    const adapters = Array.from({ length: 100 }, () => new NodeHttp({ idleLimitMs: 54_321 }));
    const once = vi.spyOn(net.Socket.prototype, "once");
    for (let round = 0; round < 2; round++) {
      const listeners = adapters.map((adapter) => {
        const { sink, ended } = recorder();
        adapter.send(server.request(), sink);
        return ended;
      });
      for (const reported of await Promise.all(listeners)) expect(reported).toEqual(VALID);
      await turns();
    }
    expect(server.connections).toBe(32);
    const sockets = once.mock.contexts as net.Socket[];
    expect(sockets.filter((socket) => socket.listenerCount("connect") > 0)).toEqual([]);
    for (const adapter of adapters.slice(1)) adapter.dispose();
    adapters[1]!.dispose();
    expect(await server.open()).toBe(32);
    adapters[0]!.dispose();
    await expect.poll(() => server.open()).toBe(0);
  });

  it("of the program's own agent stay open", async () => {
    const agent = new https.Agent();
    const destroyed = vi.spyOn(agent, "destroy");
    server.make({ agent });
    await server.sendRequest();
    server.adapter.dispose();
    await expect.poll(() => server.open()).toBe(0);
    expect(destroyed).not.toHaveBeenCalled();
  });

  it("for https use the proxy of Node's settings", async () => {
    const requesting = vi.spyOn(https, "request");
    const { options } = https.globalAgent as { options: { proxyEnv?: unknown } };
    const before = options.proxyEnv;
    const proxies: unknown[] = [];
    const url = "https://127.0.0.1:1/";
    for (const proxyEnv of [undefined, { HTTPS_PROXY: "http://127.0.0.1:1" }]) {
      options.proxyEnv = proxyEnv;
      server.make({ idleLimitMs: 12_345 });
      server.adapter.send(server.request({ url }), recorder().sink);
      await turns();
      options.proxyEnv = before;
      const { agent } = requesting.mock.calls.at(-1)![1] as { agent: https.Agent };
      expect(agent.options).toMatchObject({ keepAlive: true, timeout: 12_345 });
      proxies.push((agent.options as { proxyEnv?: unknown }).proxyEnv);
    }
    if (before === undefined) delete options.proxyEnv;
    expect(proxies).toEqual([undefined, { HTTPS_PROXY: "http://127.0.0.1:1" }]);
  });

  it("of fetch over plain http use no proxy of Node's settings", async () => {
    const proxyEnv = { HTTP_PROXY: "http://127.0.0.1:1" };
    const plain = Object.assign(new http.Agent(), { options: { proxyEnv } });
    vi.spyOn(http, "globalAgent", "get").mockReturnValue(plain);
    const requesting = vi.spyOn(http, "request");
    await (await nodeFetch()(server.origin)).text();
    const { agent } = requesting.mock.calls[0]![1] as { agent: http.Agent };
    expect(agent).not.toHaveProperty("options.proxyEnv");
  });
});

describe("certificates of authorities", () => {
  it("are checked regardless of global settings, and the program's own replace Node's", () => {
    const always = {
      ...{ connectLimitMs: 10_000, autoSelectFamilyAttemptTimeout: 2500, maxHeaderSize: 65_536 },
      ...{ rejectUnauthorized: true, minVersion: "TLSv1.2" },
      checkServerIdentity: expect.any(Function),
    };
    expect(tlsSettings({})).toEqual({ ...always, agent: https.globalAgent });
    const agent = new http.Agent();
    expect(tlsSettings({ agent, ca: "pem" })).toEqual({ ...always, agent, ca: ["pem"] });
    expect(tlsSettings({ agent, ca: ["a", "b"] })).toEqual({ ...always, agent, ca: ["a", "b"] });
    const authorities = ["a"];
    const { ca } = tlsSettings({ ca: authorities });
    authorities.push("b");
    expect(ca).toEqual(["a"]);
    const strict = new https.Agent({ rejectUnauthorized: true, minVersion: "TLSv1.3" });
    expect(tlsSettings({ agent: strict })).toMatchObject({ rejectUnauthorized: true });
  });

  it.each<https.AgentOptions>([
    { rejectUnauthorized: false },
    { servername: "a.example" },
    { minVersion: "TLSv1" },
    { maxVersion: "TLSv1.1" },
    { secureProtocol: "TLSv1_method" },
    { checkServerIdentity: () => undefined },
  ])("refuses an agent that disables checks: %j", (options) => {
    const agent = new https.Agent(options);
    expect(() => new NodeHttp({ agent })).toThrow(
      `http.agent must check what picogrant checks: leave out its ${Object.keys(options)[0]}`,
    );
  });
});

it("a shared agent still gives the program complete responses, and accumulates no listeners", async () => {
  const long = "x".repeat(3_000_000);
  const server = http.createServer((_, response) => response.end(long));
  const port = await listening(server);
  const agent = new http.Agent({ keepAlive: true });
  const ports = new Set<number | undefined>();
  const sendRequest = async (isOurs: boolean): Promise<number> => {
    const client = http.get({ port, agent, host: "127.0.0.1" });
    if (isOurs) follow(client, agent);
    const [response] = (await once(client, "response")) as [http.IncomingMessage];
    ports.add(response.socket.localPort);
    let bytes = 0;
    for await (const piece of response) bytes += (piece as Buffer).length;
    await turns();
    return bytes;
  };
  onTestFinished(() => agent.destroy());
  for (const isOurs of [true, false, true, false, false, true])
    expect(await sendRequest(isOurs)).toBe(long.length);
  expect(ports.size).toBe(1);
  const [socket] = Object.values(agent.freeSockets).flat();
  expect(socket!.listenerCount("data")).toBe(1);
});
