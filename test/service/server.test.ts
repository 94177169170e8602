// Tests the service on real sockets and as a command.

import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { makeTlsIdentities } from "../../targets/service/certificates.ts";
import {
  createService,
  nodeEnvironment,
  type RunningServer,
  type ServiceEvent,
  serve,
} from "../../targets/service/index.ts";
import { listening, responseTo, temporaryFolder } from "../listening.ts";
import { bundledProgram, Running } from "../program.ts";
import { TIMEOUT_MS } from "../timeouts.ts";
import { FIXTURE, TV } from "./harness.ts";

const create = () => createService({ ...nodeEnvironment(), fixture: FIXTURE });

describe("server", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await serve(create());
  });
  afterAll(async () => {
    await server.close();
  });

  const CODE = new URLSearchParams({ client_id: TV.client_id, scope: "email" });
  const post = (path: string, body: BodyInit) => fetch(server.url + path, { method: "POST", body });

  test.each([
    ["no HTTP at all", "hello\r\n\r\n"],
    ["a broken request line", "POST\r\n\r\n"],
    ["headers without end", `GET / HTTP/1.1\r\nX: ${"a".repeat(20_000)}\r\n\r\n`],
    ["a false length", "POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n"],
    [
      "two lengths",
      "POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ],
    [
      "a broken chunk",
      "POST /token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ["a bad host", "GET /device HTTP/1.1\r\nHost: a b/\\\r\nConnection: close\r\n\r\n"],
  ])("%s gets 4xx or a closed connection, and the service continues", async (_, text) => {
    const response = await responseTo(text, server.port);
    if (response !== "") expect(response).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect((await post("/device/code", CODE)).status).toBe(200);
  });

  test("a request that never ends is aborted", async () => {
    const hasty = await serve(create(), { requestTimeoutMs: 200 });
    for (const text of [
      "POST /token HTTP/1.1\r\nHost: x\r\n",
      "POST /token HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
    ])
      expect(await responseTo(text, hasty.port)).toMatch(/^(HTTP\/1\.1 408 |$)/);
    await hasty.close();
  });

  test("a server that listens on all addresses publishes an address that other machines can open", async () => {
    const open = await serve(create(), { host: "0.0.0.0" });
    expect(open.url).not.toContain("0.0.0.0");
    expect((await fetch(`${open.url}/device`)).status).toBe(200);
    await open.close();
  });

  test("serves HTTPS with key and certificate", async () => {
    const { ca, identities } = makeTlsIdentities();
    const secure = await serve(create(), identities.trusted);
    expect(secure.url).toMatch(/^https:/);
    const status = await new Promise((resolve, reject) => {
      const request = httpsRequest(`${secure.url}/device`, { ca }, (response) => {
        response.resume();
        resolve([response.statusCode, response.headers["set-cookie"]?.[0]?.includes("Secure")]);
      });
      request.on("error", reject).end();
    });
    expect(status).toEqual([200, true]);
    await secure.close();
  });
});

test("closing also closes a connection before its handshake", async () => {
  const server = await serve(create(), makeTlsIdentities().identities.trusted);
  // The client's socket is open before the server has accepted the connection.
  const ports: (number | undefined)[] = [];
  const note = (message: unknown): void => {
    ports.push((message as { socket: Socket }).socket.remotePort);
  };
  subscribe("net.server.socket", note);
  const socket = connect(server.port, "127.0.0.1");
  onTestFinished(() => void unsubscribe("net.server.socket", note));
  await expect
    .poll(() => socket.localPort !== undefined && ports.includes(socket.localPort))
    .toBe(true);
  const closed = new Promise((done) => socket.once("close", () => done("closed")));
  await server.close();
  expect(await closed).toBe("closed");
});

test.each(["/token", "/device"])(
  "a client that disconnects during a post to %s is reported once, and not as an internal fault",
  async (path) => {
    const service = create();
    const seen: ServiceEvent[] = [];
    service.observe((event) => seen.push(event));
    const server = await serve(service);
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    const type = "Content-Type: application/x-www-form-urlencoded";
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${type}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
    );
    // This response shows that the server has received the head of the request.
    const [response] = (await once(socket, "data")) as [Buffer];
    expect(response.toString("latin1")).toMatch(/^HTTP\/1\.1 100 /);
    socket.write("abc");
    socket.destroy();
    await vi.waitFor(() => expect(seen).not.toEqual([]), TIMEOUT_MS);
    await server.close();
    expect(seen).toMatchObject([{ type: "gone", method: "POST", path }]);
  },
);

test("an error of the listening socket is reported, and the service continues", async () => {
  let listening: Server | undefined;
  const listen = Server.prototype.listen;
  vi.spyOn(Server.prototype, "listen").mockImplementation(function (
    this: Server,
    ...args: unknown[]
  ) {
    listening = this;
    return listen.apply(this, args as Parameters<typeof listen>);
  } as typeof listen);
  const reported: string[] = [];
  const service = create();
  const server = await serve(service, { onError: ({ message }) => reported.push(message) });
  vi.restoreAllMocks();
  // Node reports this error if no file descriptor is left for a connection.
  listening!.emit("error", new Error("accept EMFILE"));
  expect(reported).toEqual(["accept EMFILE"]);
  expect((await fetch(`${server.url}/device`)).status).toBe(200);
  await server.close();
});

test("RFC 8935 §2: an event reaches its receiver over real HTTP, and a redirect is not followed", async () => {
  const received: { path: string | undefined; type: string | undefined; body: string }[] = [];
  const receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => {
      body += data;
    });
    request.on("end", () => {
      received.push({ path: request.url, type: request.headers["content-type"], body });
      if (request.url === "/moved") response.writeHead(307, { location: "/elsewhere" }).end();
      else response.writeHead(202).end();
    });
  });
  const port = await listening(receiver);
  const service = create();
  const statuses: number[] = [];
  service.observe((event) => {
    if (event.type === "push") statuses.push(event.status);
  });
  const authorization = "Bearer tv-backend-token";
  const headers = { authorization, "content-type": "application/json" };
  const send = (path: string, body: object) => {
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return service.fetch(new Request(`${service.baseUrl}/events/v1/${path}`, init));
  };
  for (const path of ["/events", "/moved"]) {
    const url = `http://127.0.0.1:${port}${path}`;
    const delivery = { delivery_method: "urn:ietf:rfc:8935", url };
    const before = statuses.length;
    expect((await send("stream:update", { delivery })).status).toBe(200);
    expect((await send("stream:verify", { state: path })).status).toBe(200);
    await expect.poll(() => statuses.length).toBe(before + 1);
  }
  expect(statuses).toEqual([202, 307]);
  expect(received.map(({ path }) => path)).toEqual(["/events", "/moved"]);
  expect(received[0]!.type).toBe("application/secevent+jwt");
  expect(received[0]!.body).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
});

const MAIN = await bundledProgram("targets/service/main.ts");

describe("command line", () => {
  const folder = temporaryFolder();

  const start = (args: string[]) => new Running(spawn(process.execPath, [MAIN, ...args]));

  function file(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  test("serves, logs no secrets, and exits with 0 on a signal", async () => {
    const address = "http://sign-in.a-longer-name.example:65535";
    const running = start(["--port", "0", "--public-url", address]);
    const [, url] = await running.until(/listening on (\S+),/);
    await running.until(/65535\/device is longer than the 40 characters/);
    const fields = {
      ...TV,
      device_code: "secret-code",
      grant_type: "refresh_token",
      refresh_token: "secret-token",
    };
    await fetch(`${url}/token`, { method: "POST", body: new URLSearchParams(fields) });
    await running.until(/POST \/token 400 client=living-room-tv invalid_grant/);
    // The start message contains the built-in fixture's secrets, which are public.
    const [, log] = running.stdout.split(/^Try: .*$/m);
    expect(log).not.toMatch(/tv-secret|secret-code|secret-token/);
    running.child.kill("SIGTERM");
    expect(await running.end).toMatchObject({ code: 0, stderr: "" });
  });

  test("for a mistake prints one line on stderr and exits with 2", async () => {
    const busy = await serve(create());
    const { trusted } = makeTlsIdentities().identities;
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const foreign = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const cases: [string[], RegExp][] = [
      [["--port", String(busy.port)], /in use; choose another with --port/],
      [["--port", "abc"], /0 to 65535/],
      [["--port", "70000"], /0 to 65535/],
      [["--nonsense"], /unknown option/],
      [["--host", "203.0.113.7"], /not an address of this machine/],
      [["--fixture", join(folder, "none.json")], /cannot read the fixture .*none\.json/],
      [["--fixture", file("broken.json", "{")], /is not JSON/],
      [["--fixture", file("wrong.json", '{"clients":[{}]}')], /fixture: clients\[0\]/],
      [["--options", file("options.json", '{"interval":-1}')], /option interval/],
      [["--options", file("unknown.json", '{"intervall":5}')], /unknown\.json: .*"intervall"/],
      [["--options", file("list.json", "[]")], /list\.json: holds no JSON object/],
      [["--public-url", "tv.example"], /--public-url <url>' argument 'tv\.example' is invalid/],
      [["--public-url", "http://tv.example/?a=b"], /http or https address without/],
      [["--public-url", "http://tv.example/base"], /an address without a path/],
      [["--public-url", "http://a:b@tv.example"], /http or https address without/],
      [["--key", file("key.pem", "x")], /--key and --cert go together/],
      [
        ["--key", file("key.pem", "x"), "--cert", file("cert.pem", "x")],
        /cert\.pem are no PEM key/,
      ],
      [
        ["--key", file("other.pem", foreign), "--cert", file("trusted.pem", trusted.cert)],
        /trusted\.pem are no PEM key and its certificate \(they do not belong together\)/,
      ],
    ];
    const outcomes = await Promise.all(cases.map(([args]) => start(args).end));
    for (const [at, { code, stderr }] of outcomes.entries()) {
      expect(stderr).toMatch(cases[at]![1]);
      expect(stderr).toMatch(/^service: [^\n]*\n$/);
      expect(code).toBe(2);
    }
    await busy.close();
  });
});
