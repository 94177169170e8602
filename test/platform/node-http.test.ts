// The Node HTTP adapter under the conformance suite on real sockets, and what the suite leaves to it.

import net from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Ear } from "../../platform/conformance/http-bench.ts";
import { httpConformance } from "../../platform/conformance.ts";
import type { HttpRequest } from "../../platform/contracts.ts";
import { startConformanceServer } from "../../platform/node/conformance-server.ts";
import { NodeHttp } from "../../platform/node/http.ts";
import { parseHttpDate, retryAfterSeconds } from "../../platform/retry-after.ts";
import { makeTlsIdentities } from "./certificates.ts";
import { realWorld, rows } from "./worlds.ts";

const { ca, identities } = makeTlsIdentities();

const cases = httpConformance(
  (limits) => {
    const http = new NodeHttp({ ...limits, ca });
    return { http, dispose: () => http.dispose() };
  },
  { wire: true, tls: true, world: realWorld, start: () => startConformanceServer(identities) },
);

describe("Node HTTP adapter: conformance", () => {
  it.each(rows(cases))("%s", (_, one) => one.run());
});

describe("Node HTTP adapter: raw answers", () => {
  let server: net.Server;
  let script: (socket: net.Socket) => void;
  let origin = "";
  let http: NodeHttp;

  beforeEach(async () => {
    server = net.createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => script(socket));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    origin = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
    http = new NodeHttp({ timeLimitMs: 60_000 });
  });
  afterEach(async () => {
    http.dispose();
    await new Promise((done) => server.close(done));
  });

  const get = (url: string): HttpRequest => ({
    method: "GET",
    url,
    contentType: "",
    authorization: "",
    body: [],
    bodyFrom: 0,
    bodyTo: 0,
  });
  const ask = async (): Promise<Ear> => {
    const ear = new Ear();
    http.send(get(origin), ear);
    while (!ear.over) await realWorld.wait(2);
    await realWorld.wait(10);
    expect(ear.problem).toBe("");
    return ear;
  };

  const textOf = ({ bytes }: Ear): string => Buffer.from(bytes).toString();

  it.each([0, 20])(
    "RFC 9112 section 9.3: what came before a request is not its answer (%i ms before)",
    async (beforeMs) => {
      const answer = (text: string): string =>
        `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
      let connection: net.Socket | undefined;
      const connections = new Set<net.Socket>();
      script = (socket) => {
        connection = socket;
        connections.add(socket);
        socket.write(answer("asked"));
        socket.on("data", () => socket.write(answer("late")));
      };
      const answers: string[] = [];
      for (let round = 0; round < 20; round++) {
        const ear = new Ear();
        http.send(get(origin), ear);
        while (!ear.over) await realWorld.wait(1);
        answers.push(textOf(ear));
        await realWorld.wait(2);
        connection!.write(answer("unasked"));
        if (beforeMs > 0) await realWorld.wait(beforeMs);
      }
      expect([...new Set(answers)]).toEqual(["asked"]);
      expect(connections.size).toBe(20);
    },
  );

  it.each([
    ["gzip", gzipSync],
    ["X-GZIP", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)(
    "RFC 9110 §8.4: a body that is %s although nobody asked for it",
    async (coding, encode) => {
      const body = encode(JSON.stringify({ device_code: "d".repeat(3000) }));
      const head = `HTTP/1.1 200 OK\r\nCONTENT-ENCODING: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`;
      script = (socket) => {
        socket.write(head);
        socket.end(body);
      };
      const ear = await ask();
      expect(ear.failure).toBeUndefined();
      expect(textOf(ear)).toBe(JSON.stringify({ device_code: "d".repeat(3000) }));
      // Cut off, and more than may come: what it becomes counts.
      script = (socket) => {
        socket.write(head.replace(`${body.length}`, "9"));
        socket.end(body.subarray(0, 9));
      };
      expect((await ask()).failure).toBe("unreachable");
      http.dispose();
      http = new NodeHttp({ sizeLimitBytes: 2000 });
      script = (socket) => {
        socket.write(head);
        socket.end(body);
      };
      expect((await ask()).failure).toBe("too-large");
    },
  );

  it("RFC 9110 §12.5.3: asks for no coding", async () => {
    let asked = "";
    const heard = new Promise<void>((done) => {
      server.once("connection", (socket) => {
        socket.once("data", (bytes) => {
          asked = bytes.toString();
          done();
        });
      });
    });
    script = (socket) => socket.end("HTTP/1.0 200 OK\r\n\r\n{}");
    expect(textOf(await ask())).toBe("{}");
    await heard;
    expect(asked).toMatch(/^Accept-Encoding: identity\r$/m);
  });

  it.each([
    ["nothing at all", "", "unreachable"],
    ["half a status line", "HTTP/1.1 20", "unreachable"],
    ["headers without an end", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", "unreachable"],
    ["two different lengths", answerWith("Content-Length: 2\r\nContent-Length: 3"), "unreachable"],
    ["a length that is no number", answerWith("Content-Length: two"), "unreachable"],
    [
      "a length and chunks at once",
      answerWith("Content-Length: 2\r\nTransfer-Encoding: chunked"),
      "unreachable",
    ],
    [
      "a chunk size that is no number",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "unreachable",
    ],
    ["a line break inside a header", answerWith("X: a\n b\r\nContent-Length: 0"), "unreachable"],
    ["a switch of protocols", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", "unreachable"],
    ["only an interim answer", "HTTP/1.1 100 Continue\r\n\r\n", "unreachable"],
    ["a status out of range", "HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n", "unreachable"],
    ["64 KiB of headers", answerWith(`X: ${"a".repeat(65_536)}`), "too-large"],
    ["a length beyond the limit", answerWith("Content-Length: 999999999"), "too-large"],
  ])("%s: failed once, nothing thrown", async (_, bytes, failure) => {
    script = (socket) => socket.end(bytes, "latin1");
    const ear = await ask();
    expect(ear.failure).toBe(failure);
    expect(ear.ended).toBe(false);
  });

  it("random bytes never throw and always end in one report", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 60 }),
          fc
            .array(
              fc.constantFrom(
                "HTTP/1.1 200 OK\r\n",
                "Content-Length: 3\r\n",
                "Transfer-Encoding: chunked\r\n",
                "Connection: close\r\n",
                "\r\n",
                "3\r\nabc\r\n",
                "0\r\n\r\n",
                "abc",
              ),
              { maxLength: 8 },
            )
            .map((parts) => Buffer.from(parts.join(""))),
        ),
        async (bytes) => {
          script = (socket) => socket.end(bytes);
          const ear = await ask();
          expect(ear.ended !== (ear.failure !== undefined)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ["the adapter's own limit is over", 50, ""],
    ["the server has said that its limit is over", 60_000, "Keep-Alive: timeout=1\r\n"],
  ])("a connection is not kept when %s: nobody may close it under a POST", async (_, ms, hint) => {
    http.dispose();
    http = new NodeHttp({ timeLimitMs: 60_000, idleLimitMs: ms });
    let connections = 0;
    server.on("connection", () => connections++);
    script = (socket) => {
      const reply = () => socket.write(`HTTP/1.1 200 OK\r\n${hint}Content-Length: 2\r\n\r\nok`);
      socket.on("data", reply);
      reply();
    };
    for (let count = 1; count <= 2; count++) {
      expect((await ask()).ended).toBe(true);
      expect(connections).toBe(count);
      await expect.poll(() => openConnections(server)).toBe(0);
    }
  });
});

function openConnections(server: net.Server): Promise<number> {
  return new Promise((done, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : done(count)));
  });
}

function answerWith(headers: string): string {
  return `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`;
}

describe("Retry-After, RFC 9110 §10.2.3", () => {
  it("reads back every date in all three formats of §5.6.7", () => {
    const day = ["Sun", "Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur"];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_155_759_999 }), (seconds) => {
        const date = new Date(seconds * 1000);
        const imf = date.toUTCString();
        const [, dd, mon, yyyy, time] = imf.split(" ") as [string, string, string, string, string];
        const rfc850 = `${day[date.getUTCDay()]}day, ${dd}-${mon}-${yyyy.slice(2)} ${time} GMT`;
        const dayOfMonth = String(date.getUTCDate()).padStart(2);
        const asctime = `${imf.slice(0, 3)} ${mon} ${dayOfMonth} ${time} ${yyyy}`;
        expect(parseHttpDate(imf)).toBe(seconds * 1000);
        expect(parseHttpDate(rfc850)).toBe(seconds * 1000);
        expect(parseHttpDate(asctime)).toBe(seconds * 1000);
      }),
    );
  });

  it.each([
    ["10", undefined, undefined, 10],
    ["10", "nonsense", undefined, 10],
    ["Tue, 15 Nov 1994 12:00:45 GMT", undefined, undefined, -1],
    ["Tue, 15 Nov 1994 12:00:45 GMT", undefined, Date.UTC(1994, 10, 15, 12, 0, 0), 45],
    ["Tue, 15 Nov 1994 12:00:45 GMT", "nonsense", undefined, -1],
    ["Tue, 15 Nox 1994 12:00:45 GMT", "Tue, 15 Nov 1994 12:00:00 GMT", undefined, -1],
    ["Tue, 15 Nov 1994 25:00:45 GMT", "Tue, 15 Nov 1994 12:00:00 GMT", undefined, -1],
    ["1.5", undefined, undefined, -1],
    ["0x10", undefined, undefined, -1],
    ["134217728", undefined, undefined, 134_217_727],
  ])("%s with Date %s and clock %s", (value, date, clock, seconds) => {
    expect(retryAfterSeconds(value, date, clock)).toBe(seconds);
  });
});
