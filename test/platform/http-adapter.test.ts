// The Node HTTP adapter, rule by rule: what it sends, what it reports of each answer, and in which words it says why an
// exchange has failed. The contract's own rules are in the conformance suite (node-http.test.ts).

import https from "node:https";
import type net from "node:net";
import { Duplex } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HttpRequest } from "../../platform/contracts.ts";
import { makeTlsIdentities } from "./certificates.ts";
import { ear, GOOD, OK, RawServer, type Told, turns } from "./raw-server.ts";

const { ca, identities } = makeTlsIdentities();
const textOf = (told: Told[]): string =>
  told.map(([event, text]) => (event === "body" ? text : "")).join("");

let server: RawServer;
beforeEach(async () => {
  server = new RawServer();
  await server.start();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

describe("what is sent", () => {
  const HEAD = "Accept: application/json\r\nAccept-Encoding: identity\r\nUser-Agent: picogrant\r\n";

  it.each<[what: string, more: Partial<HttpRequest>, start: string, headers: string, body: string]>(
    [
      ["a GET without a length", { url: "/a?b=c" }, "GET /a?b=c", "", ""],
      [
        "a form with its type and length",
        {
          ...{ method: "POST", contentType: "text/x", body: Buffer.from("##a=1##") },
          ...{ bodyFrom: 2, bodyTo: 5 },
        },
        "POST /",
        "Content-Type: text/x\r\nContent-Length: 3\r\n",
        "a=1",
      ],
      [
        "a POST without a body with the length 0",
        { method: "POST" },
        "POST /",
        "Content-Length: 0\r\n",
        "",
      ],
      ["a GET with a body", { body: [97], bodyTo: 1 }, "GET /", "Content-Length: 1\r\n", "a"],
      ["credentials", { authorization: "Bearer t" }, "GET /", "Authorization: Bearer t\r\n", ""],
      [
        "headers of the host",
        {
          headers: [
            ["X-A", "1"],
            ["X-B", "2"],
          ],
        },
        "GET /",
        "X-A: 1\r\nX-B: 2\r\n",
        "",
      ],
    ],
  )("%s", async (_, { url = "/", ...more }, start, headers, body) => {
    const told = await server.ask({ ...more, url: server.origin + url });
    expect([told, server.adapter.lastFailure]).toEqual([GOOD, ""]);
    const host = `Host: ${new URL(server.origin).host}\r\n`;
    const kept = "Connection: keep-alive\r\n";
    expect(server.asked.join("")).toBe(
      `${start} HTTP/1.1\r\n${HEAD}${headers}${host}${kept}\r\n${body}`,
    );
  });

  it("the program's own User-Agent", async () => {
    server.make({ userAgent: "own/1" });
    await server.ask();
    expect(server.asked[0]).toContain("\r\nUser-Agent: own/1\r\n");
  });

  it.each<[what: string, more: Partial<HttpRequest>]>([
    ["no address", { url: "nowhere" }],
    ["an address that is neither http nor https", { url: "ftp://127.0.0.1/" }],
    ["a header that cannot be", { headers: [["X", "a\nb"]] }],
  ])("nothing for %s", async (_, more) => {
    expect(await server.ask(more)).toEqual([["failed", "unreachable"]]);
    expect([server.adapter.lastFailure, server.connections]).toEqual([
      "the request cannot be sent",
      0,
    ]);
    expect(await server.ask()).toEqual(GOOD);
  });
});

describe("what is reported of an answer", () => {
  const answer = (status: string, ...lines: string[]): string =>
    [`HTTP/1.1 ${status}`, ...lines, "", ""].join("\r\n");

  it.each<[what: string, bytes: string, told: Told[], lastFailure?: string]>([
    ["the first status", answer("200 OK", "Content-Length: 0"), [["status", 200, -1, ""], ["end"]]],
    ["the last status", answer("599 X", "Content-Length: 0"), [["status", 599, -1, ""], ["end"]]],
    [
      "Retry-After in seconds",
      answer("503 X", "Retry-After: 7", "Content-Length: 0"),
      [["status", 503, 7, ""], ["end"]],
    ],
    [
      "Retry-After by the server's own clock",
      answer(
        ...(["503 X", "Retry-After: Tue, 15 Nov 1994 12:00:45 GMT"] as const),
        ...["Date: Tue, 15 Nov 1994 12:00:00 GMT", "Content-Length: 0"],
      ),
      [["status", 503, 45, ""], ["end"]],
    ],
    [
      "a challenge",
      answer("401 X", "WWW-Authenticate: Bearer a", "Content-Length: 0"),
      [["status", 401, -1, "Bearer a"], ["end"]],
    ],
    [
      "a switch of protocols",
      answer("101 X", "Upgrade: x"),
      [["failed", "unreachable"]],
      "HTTP 101",
    ],
    ["a status below all", answer("99 X"), [["failed", "unreachable"]], "HPE_INVALID_STATUS"],
    ["a status above all", answer("600 X"), [["failed", "unreachable"]], "HTTP 600"],
    ["what is no HTTP", "nonsense\r\n\r\n", [["failed", "unreachable"]], "HPE_INVALID_CONSTANT"],
    ["no answer", "", [["failed", "unreachable"]], "ECONNRESET"],
    [
      "half a body",
      `${answer("200 OK", "Content-Length: 5")}ab`,
      [
        ["status", 200, -1, ""],
        ["body", "ab"],
        ["failed", "unreachable"],
      ],
      "the answer was cut off",
    ],
    [
      "too long a head",
      answer("200 OK", `X: ${"a".repeat(65_536)}`),
      [["failed", "too-large"]],
      "HPE_HEADER_OVERFLOW",
    ],
    [
      "a body that is not coded as it says",
      `${answer("200 OK", "Content-Encoding: gzip")}plain`,
      [
        ["status", 200, -1, ""],
        ["failed", "unreachable"],
      ],
      "Z_DATA_ERROR",
    ],
    [
      "the end of the connection as that of the body",
      `${answer("200 OK")}ok`,
      [["status", 200, -1, ""], ["body", "ok"], ["end"]],
    ],
  ])("%s", async (_, bytes, told, lastFailure = "") => {
    server.script = (socket) => socket.end(bytes, "latin1");
    expect(await server.ask()).toEqual(told);
    await turns();
    expect(server.adapter.lastFailure).toBe(lastFailure);
  });

  it.each([
    ["gzip", gzipSync],
    ["X-GZIP", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["identity", Buffer.from],
  ] as const)(
    "RFC 9110 section 8.4: a body in %s is what it was before",
    async (coding, encode) => {
      const body = encode(Buffer.from("what it was")) as Buffer;
      const head = answer(
        "200 OK",
        `Content-Encoding: ${coding}`,
        `Content-Length: ${body.length}`,
      );
      server.script = (socket) => {
        socket.write(head);
        socket.write(body);
      };
      const told = await server.ask();
      expect([told[0], textOf(told), told.at(-1)]).toEqual([
        ["status", 200, -1, ""],
        "what it was",
        ["end"],
      ]);
      server.script = (socket) => {
        socket.write(head);
        socket.end(body.subarray(0, -1));
      };
      expect((await server.ask()).at(-1)).toEqual(["failed", "unreachable"]);
    },
  );

  const large = (framing: string, bytes: number): string =>
    `${answer("200 OK", "Connection: close", framing)}${"a".repeat(bytes)}`;
  it.each<[what: string, framing: string, limit: number | undefined]>([
    ["64 KiB, as it is promised", "Content-Length: 65536", undefined],
    ["64 KiB, as it comes", "X: 1", undefined],
    ["the limit, as it is promised", "Content-Length: 10", 10],
    ["the limit, as it comes", "X: 1", 10],
  ])("a body of %s, and one of a byte more", async (_, framing, limit) => {
    if (limit !== undefined) server.make({ sizeLimitBytes: limit });
    const bytes = limit ?? 65_536;
    server.script = (socket) => socket.end(large(framing, bytes));
    const told = await server.ask();
    expect([textOf(told).length, told.at(-1)]).toEqual([bytes, ["end"]]);
    const more = framing.replace(`${bytes}`, `${bytes + 1}`);
    server.script = (socket) => socket.end(large(more, bytes + 1));
    const refused = await server.ask();
    expect(refused.at(-1)).toEqual(["failed", "too-large"]);
    // What is promised is refused before it comes.
    expect(more !== framing && textOf(refused) !== "").toBe(false);
    expect(server.adapter.lastFailure).toBe("more than sizeLimitBytes");
  });

  it("in the words of who makes the connections, without an address", async () => {
    for (const [error, failure, words] of [
      [Object.assign(new Error("to 192.0.2.1"), { code: "ETIMEDOUT" }), "timeout", "ETIMEDOUT"],
      [new TypeError("to 192.0.2.1"), "unreachable", "TypeError"],
    ] as const) {
      const agent = new https.Agent();
      // Whatever is written to it fails.
      agent.createConnection = () =>
        new Duplex({ read: () => {}, write: (_bytes, _encoding, done) => done(error) });
      server.make({ agent });
      expect(await server.ask({ url: "https://localhost/" })).toEqual([["failed", failure]]);
      expect(server.adapter.lastFailure).toBe(words);
    }
  });
});

describe("limits of time", () => {
  it.each([
    ["no answer", ""],
    ["a body that stops", OK.slice(0, -1)],
  ])("the whole answer: %s", async (_, bytes) => {
    server.make({ timeLimitMs: 50 });
    server.script = (socket) => socket.write(bytes);
    expect((await server.ask()).at(-1)).toEqual(["failed", "timeout"]);
    expect(server.adapter.lastFailure).toBe("no whole answer in time");
  });

  it("the connection, its TLS handshake included", async () => {
    server.make({ connectLimitMs: 50 });
    server.script = () => {};
    const url = server.origin.replace("http:", "https:");
    expect(await server.ask({ url })).toEqual([["failed", "timeout"]]);
    expect(server.adapter.lastFailure).toBe("no connection in time");
  });

  it("once there is a connection, its own limit is over: plain, kept, and over TLS", async () => {
    const secure = https.createServer(identities.trusted, (_, response) => response.end("ok"));
    await new Promise<void>((done) => secure.listen(0, "127.0.0.1", done));
    const { port } = secure.address() as net.AddressInfo;
    server.make({ ca });
    const cleared = vi.spyOn(globalThis, "clearTimeout");
    for (const url of [server.origin, server.origin, `https://127.0.0.1:${port}/`]) {
      cleared.mockClear();
      let before = 0;
      const { sink, ended } = ear((event) => {
        if (event === "status") before = cleared.mock.calls.length;
      });
      server.adapter.send(server.request({ url }), sink);
      expect((await ended).at(-1)).toEqual(["end"]);
      // And that of the whole answer with it.
      expect([before, cleared.mock.calls.length]).toEqual([1, 3]);
    }
    expect(server.connections).toBe(1);
    secure.close();
  });
});
