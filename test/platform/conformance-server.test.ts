// The server of the HTTP conformance suite, byte by byte: an adapter that fails against it must have failed itself.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import net from "node:net";
import tls from "node:tls";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HttpTestServer, ServerPlan } from "../../platform/conformance/http-bench.ts";
import { startConformanceServer } from "../../platform/node/conformance-server.ts";
import { PATIENCE_MS } from "../patience.ts";
import { makeTlsIdentities } from "./certificates.ts";

const GET = "GET / HTTP/1.1\r\n\r\n";
const NO_PLAN = "HTTP/1.1 599 No Plan\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const BODY = Uint8Array.from([0, 1, 65, 66, 255]);
const TEXT = "\x00\x01AB\xff";
const ANSWER = "HTTP/1.1 200 Planned\r\n";
const CLOSING = "Connection: close\r\n\r\n";
const KEEPING = "Connection: keep-alive\r\n\r\n";
const SOON = { interval: 2, timeout: PATIENCE_MS };
const PAUSE_MS = 100;
/** Longer than anybody waits. */
const ONE_PIECE = { kind: "raw", pieces: ["a"], pieceDelayMs: 3_600_000 } as const;

const { ca, identities } = makeTlsIdentities();

let server: HttpTestServer;
beforeEach(async () => {
  server = await startConformanceServer();
});
afterEach(async () => {
  await server.close();
  vi.restoreAllMocks();
});

/** A connection, and all that has come on it. */
class Client {
  readonly socket: net.Socket;
  heard = "";
  error = "";
  /** When the server has ended it. */
  readonly closed: Promise<void>;

  constructor(socket = net.connect(Number(new URL(server.origin).port), "127.0.0.1")) {
    this.socket = socket;
    socket.on("data", (bytes) => {
      this.heard += bytes.toString("latin1");
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      this.error = error.code ?? error.message;
    });
    this.closed = new Promise((done) => socket.on("close", () => done()));
  }

  /** Sends it, and waits until so much has come on the whole. */
  async ask(sent: string, heard: string): Promise<void> {
    this.socket.write(sent, "latin1");
    await vi.waitFor(() => expect(this.heard).toBe(heard), SOON);
  }
}

/** All that comes on a connection of its own until it is closed. */
async function answerTo(sent: string): Promise<Client> {
  const client = new Client();
  client.socket.write(sent, "latin1");
  await client.closed;
  return client;
}

const kept = (text: string): string =>
  `${ANSWER}Content-Length: ${text.length}\r\n${KEEPING}${text}`;
const keeping = (text: string): ServerPlan => ({
  ...{ kind: "answer", status: 200, body: Buffer.from(text), keepAlive: true },
});

describe("a plan", () => {
  it.each<[what: string, plan: ServerPlan, heard: string]>([
    [
      "an answer without a body",
      { kind: "answer", status: 400 },
      `HTTP/1.1 400 Planned\r\nContent-Length: 0\r\n${CLOSING}`,
    ],
    [
      "a 204, which has no length",
      { kind: "answer", status: 204 },
      `HTTP/1.1 204 Planned\r\n${CLOSING}`,
    ],
    [
      "headers and a body",
      {
        kind: "answer",
        status: 200,
        body: BODY,
        headers: [
          ["A", "b"],
          ["A", "c"],
        ],
      },
      `${ANSWER}A: b\r\nA: c\r\nContent-Length: 5\r\n${CLOSING}${TEXT}`,
    ],
    [
      "a body in pieces",
      { kind: "answer", status: 200, body: BODY, pieceBytes: 2 },
      `${ANSWER}Content-Length: 5\r\n${CLOSING}${TEXT}`,
    ],
    [
      "a body framed by the end of the connection, which nobody can keep then",
      { kind: "answer", status: 200, body: BODY, framing: "close", keepAlive: true },
      `${ANSWER}${KEEPING}${TEXT}`,
    ],
    [
      "one chunk",
      { kind: "answer", status: 200, body: new Uint8Array(17).fill(65), framing: "chunked" },
      `${ANSWER}Transfer-Encoding: chunked\r\n${CLOSING}11\r\n${"A".repeat(17)}\r\n0\r\n\r\n`,
    ],
    [
      "chunks",
      { kind: "answer", status: 200, body: BODY, framing: "chunked", pieceBytes: 2 },
      `${ANSWER}Transfer-Encoding: chunked\r\n${CLOSING}2\r\n\x00\x01\r\n2\r\nAB\r\n1\r\n\xff\r\n0\r\n\r\n`,
    ],
    [
      "chunks that are cut off within one",
      { kind: "answer", status: 200, body: BODY, framing: "chunked", pieceBytes: 2, cutAtByte: 3 },
      `${ANSWER}Transfer-Encoding: chunked\r\n${CLOSING}2\r\n\x00\x01\r\n1\r\nA\r\n`,
    ],
    [
      "a body that is cut off, whose connection nobody can keep",
      { kind: "answer", status: 200, body: BODY, cutAtByte: 4, keepAlive: true },
      `${ANSWER}Content-Length: 5\r\n${KEEPING}\x00\x01AB`,
    ],
    [
      "interim answers (RFC 9110 section 15.2)",
      { kind: "answer", status: 200, interim: true },
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n${ANSWER}Content-Length: 0\r\n${CLOSING}`,
    ],
    ["what is not HTTP", { kind: "garbage" }, "\x00\x01 this is not HTTP\r\n\r\n"],
    ["bytes as they are, without a pause where they are one piece", ONE_PIECE, "a"],
    [
      "a body of one piece, without a pause",
      { ...ONE_PIECE, kind: "answer", status: 200, body: Buffer.from("a"), framing: "close" },
      `${ANSWER}${CLOSING}a`,
    ],
    ["bytes in pieces", { kind: "raw", pieces: ["a\xff", "", "b"] }, "a\xffb"],
  ])("%s", async (_, plan, heard) => {
    server.plan(plan);
    const client = await answerTo(GET);
    expect([client.heard, client.error]).toEqual([heard, ""]);
  });

  it("that resets: the connection breaks off without an answer", async () => {
    server.plan({ kind: "reset" });
    const { heard, error } = await answerTo(GET);
    expect([heard, error]).toEqual(["", "ECONNRESET"]);
  });

  it("serves one request each, in their order; without one the answer says so", async () => {
    server.plan(keeping("one"), { kind: "raw", pieces: ["two"], keepAlive: true });
    server.plan(keeping("three"));
    const client = new Client();
    await client.ask(GET, kept("one"));
    await client.ask(GET, `${kept("one")}two`);
    await client.ask(GET, `${kept("one")}two${kept("three")}`);
    client.socket.write(GET);
    await client.closed;
    expect(client.heard).toBe(`${kept("one")}two${kept("three")}${NO_PLAN}`);
    expect(server.requests()).toHaveLength(4);
  });

  it.each<[what: string, plan: ServerPlan]>([
    [
      "an answer",
      { kind: "answer", status: 200, body: Buffer.from("ab"), framing: "close", pieceBytes: 1 },
    ],
    ["bytes as they are", { kind: "raw", pieces: [`${ANSWER}${CLOSING}a`, "b"] }],
  ])("%s goes out at once, its pieces so far apart as it says", async (_, plan) => {
    const noDelay = vi.spyOn(net.Socket.prototype, "setNoDelay");
    server.plan({ ...plan, pieceDelayMs: PAUSE_MS } as ServerPlan);
    const client = new Client();
    await client.ask(GET, `${ANSWER}${CLOSING}a`);
    // A shorter wait that began later ends earlier.
    await new Promise((done) => setTimeout(done, PAUSE_MS / 5));
    expect(client.heard).toBe(`${ANSWER}${CLOSING}a`);
    await client.closed;
    expect(client.heard).toBe(`${ANSWER}${CLOSING}ab`);
    expect(noDelay.mock.calls).toEqual([[true]]);
  });

  it("ends with its client: no more pieces are made", async () => {
    let made = 0;
    const body = new (class extends Uint8Array {
      override subarray(from?: number, to?: number): Uint8Array<ArrayBuffer> {
        made++;
        return new Uint8Array(this).subarray(from, to);
      }
    })(8);
    const raw = Array<string>(8).fill("x");
    const from = vi.spyOn(Buffer, "from");
    server.plan({ kind: "answer", status: 200, body, pieceBytes: 1, pieceDelayMs: 10 });
    server.plan({ kind: "raw", pieces: raw, pieceDelayMs: 10 });
    for (const first of ["\r\n\r\n\x00", "x"]) {
      const client = new Client();
      client.socket.write(GET);
      await vi.waitFor(() => expect(client.heard).toContain(first), SOON);
      client.socket.destroy();
      await client.closed;
    }
    await new Promise((done) => setTimeout(done, 2 * PAUSE_MS));
    expect(made).toBeLessThan(8);
    const calls = from.mock.calls as unknown[][];
    expect(calls.filter(([piece]) => piece === "x").length).toBeLessThan(8);
  });
});

describe("a request", () => {
  it.each<
    [
      what: string,
      sent: string[],
      method: string,
      target: string,
      headers: string[][],
      body: string,
    ]
  >([
    ["without headers", [GET], "GET", "/", [], ""],
    ["without anything", ["\r\n\r\n"], "", "", [], ""],
    [
      "with headers, their names in lower case",
      ["POST /a?b=c HTTP/1.1\r\nX-A:  b:c \r\ncontent-LENGTH: 3\r\nX-A: 2\r\n\r\n\x00\xffz"],
      ...["POST", "/a?b=c"],
      [
        ["x-a", "b:c"],
        ["content-length", "3"],
        ["x-a", "2"],
      ],
      "\x00\xffz",
    ],
    [
      "in pieces",
      ["PUT /", "x HTTP/1.1\r\nContent-Length: 4\r\n", "\r\n", "ab", "cd"],
      ...["PUT", "/x"],
      [["content-length", "4"]],
      "abcd",
    ],
  ] as never)("%s is noted as it came", async (_, sent, method, target, headers, body) => {
    // The server's end of the connection: each piece is to have been read before the next one goes out.
    let far: net.Socket | undefined;
    const note = (message: unknown): void => {
      far = (message as { socket: net.Socket }).socket;
    };
    subscribe("net.server.socket", note);
    const client = new Client();
    let bytes = 0;
    for (const [at, piece] of sent.entries()) {
      expect(server.requests()).toEqual([]);
      client.socket.write(piece, "latin1");
      bytes += piece.length;
      if (at < sent.length - 1) await vi.waitFor(() => expect(far?.bytesRead).toBe(bytes), SOON);
    }
    await client.closed;
    unsubscribe("net.server.socket", note);
    expect(client.heard).toBe(NO_PLAN);
    expect(server.requests()).toEqual([
      { method, target, headers, body: Uint8Array.from(Buffer.from(body, "latin1")) },
    ]);
  });

  it("on a kept connection is read from its own first byte", async () => {
    server.plan(keeping("one"));
    const client = new Client();
    const first = "POST /1 HTTP/1.1\r\nContent-Length: 2\r\n\r\n";
    await client.ask(`${first}abDELETE /2`, kept("one"));
    client.socket.write(" HTTP/1.1\r\n\r\n");
    await client.closed;
    expect(server.requests().map(({ method, target }) => `${method} ${target}`)).toEqual([
      "POST /1",
      "DELETE /2",
    ]);
  });
});

describe("connections", () => {
  it("that wait for a request are closed when it is asked for, and no others", async () => {
    const wait: [plan: ServerPlan, heard: string][] = [
      [keeping("one"), kept("one")],
      [{ kind: "raw", pieces: ["raw"], keepAlive: true }, "raw"],
    ];
    for (const [plan, heard] of wait) {
      server.plan(plan, plan, plan);
      const [fresh, idle, begun, asking] = [new Client(), new Client(), new Client(), new Client()];
      for (const client of [idle, begun, asking]) await client.ask(GET, heard);
      server.plan({ kind: "hang" });
      begun.socket.write("GET");
      asking.socket.write(GET);
      const before = server.requests().length;
      await vi.waitFor(() => expect(server.requests().length).toBe(before + 1), SOON);
      await server.closeIdle();
      await idle.closed;
      begun.socket.write(GET.slice(3));
      await begun.closed;
      expect(begun.heard).toBe(heard + NO_PLAN);
      fresh.socket.write(GET);
      await fresh.closed;
      expect([fresh.heard, asking.heard, asking.socket.destroyed]).toEqual([NO_PLAN, heard, false]);
      asking.socket.destroy();
    }
  });

  it("end with the server, and are let go of before", async () => {
    const destroy = vi.spyOn(net.Socket.prototype, "destroy");
    const clients = [await answerTo(GET), new Client()];
    server.plan({ kind: "hang" });
    clients[1]!.socket.write(GET);
    await vi.waitFor(() => expect(server.requests().length).toBe(2), SOON);
    destroy.mockClear();
    const closing = server.close();
    expect(destroy).toHaveBeenCalledTimes(1);
    await Promise.all([closing, clients[1]!.closed]);
    const late = new Client();
    await late.closed;
    expect(late.error).toBe("ECONNREFUSED");
  });

  it("that break off are nobody else's affair", async () => {
    server.plan({ kind: "hang" });
    const client = new Client();
    client.socket.write(GET);
    await vi.waitFor(() => expect(server.requests()).toHaveLength(1), SOON);
    client.socket.resetAndDestroy();
    await client.closed;
    for (let turn = 0; turn < 3; turn++) expect((await answerTo(GET)).heard).toBe(NO_PLAN);
  });

  it("are taken on 127.0.0.1 alone, and nobody is at the dead origin", async () => {
    expect(server.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect([server.deadOrigin, server.tls]).toEqual(["http://127.0.0.1:1", undefined]);
    const other = new Client(net.connect(Number(new URL(server.origin).port), "127.0.0.2"));
    await other.closed;
    expect(other.error).toBe("ECONNREFUSED");
  });

  it("that cannot be taken: the start fails", async () => {
    vi.spyOn(net.Server.prototype, "listen").mockImplementation(function (this: net.Server) {
      setImmediate(() => this.emit("error", new Error("no port is free")));
      return this;
    });
    await expect(startConformanceServer()).rejects.toThrow("no port is free");
  });
});

describe("over TLS", () => {
  const EVERYTHING = "DEFAULT@SECLEVEL=0";
  let secure: HttpTestServer;
  beforeEach(async () => {
    secure = await startConformanceServer(identities);
  });
  afterEach(() => secure.close());

  const connect = (origin: string, options: tls.ConnectionOptions = {}): tls.TLSSocket =>
    tls.connect({ host: "127.0.0.1", port: Number(new URL(origin).port), ca, ...options });
  /** "" where the handshake is done, or why it is not. */
  const verdict = async (origin: string, options?: tls.ConnectionOptions): Promise<string> => {
    const client = new Client(connect(origin, options));
    await Promise.race([
      client.closed,
      new Promise((done) => client.socket.once("secureConnect", done)),
    ]);
    client.socket.destroy();
    return client.error;
  };

  it("each twin has its identity, and nothing newer than TLS 1.1 where it is outdated", async () => {
    const { trusted, untrusted, otherName, expired, outdated } = secure.tls!;
    for (const origin of [trusted, untrusted, otherName, expired, outdated]) {
      expect(origin).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    }
    expect(await verdict(trusted)).toBe("");
    expect(await verdict(untrusted)).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    expect(await verdict(otherName)).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(await verdict(expired)).toBe("CERT_HAS_EXPIRED");
    expect(await verdict(outdated)).toMatch(/PROTOCOL_VERSION$/);
    const old = { minVersion: "TLSv1", ciphers: EVERYTHING } as const;
    for (const maxVersion of ["TLSv1", "TLSv1.1"] as const) {
      expect(await verdict(outdated, { ...old, maxVersion })).toBe("");
    }
  });

  it("plans and requests are those of all of them, and a reset breaks off", async () => {
    secure.plan({ kind: "garbage" }, { kind: "reset" });
    for (const heard of ["\x00\x01 this is not HTTP\r\n\r\n", ""]) {
      const client = new Client(connect(secure.tls!.trusted));
      client.socket.write(GET);
      await client.closed;
      expect(client.heard).toBe(heard);
    }
    expect(secure.requests()).toHaveLength(2);
  });

  it("all of them end with the server", async () => {
    const origins = Object.values(secure.tls!);
    await secure.close();
    for (const origin of origins) expect(await verdict(origin)).toBe("ECONNREFUSED");
  });
});
