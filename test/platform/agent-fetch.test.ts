// `fetch` over Node's client, for certificates and agents of the program's own: what is sent, and what comes of each answer,
// as the Fetch standard has it.

import { randomBytes } from "node:crypto";
import { getEventListeners } from "node:events";
import http from "node:http";
import https from "node:https";
import type net from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { nodeFetch } from "../../platform/node/fetch.ts";
import { RawServer, turns } from "./raw-server.ts";

const CLOSE = "Connection: close\r\n";

let server: RawServer;
let agent: https.Agent;
/** Plain http goes through no agent of the program's. */
let own: typeof fetch;
beforeEach(async () => {
  server = new RawServer();
  await server.start();
  agent = new https.Agent();
  own = nodeFetch({ agent });
});
afterEach(async () => {
  vi.restoreAllMocks();
  http.globalAgent.destroy();
  await server.close();
});

const answer = (lines: string, body = ""): string => `HTTP/1.1 ${lines}\r\n\r\n${body}`;
/** What is thrown: the error that a program sees, and the one that it was made of. */
const thrown = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.unreachable("it must not succeed"),
    (error: Error) => error,
  );

describe("what is sent", () => {
  const HEAD = "accept-encoding: gzip, deflate, br\r\n";

  it.each<[what: string, init: RequestInit, head: string, body: string]>([
    ["a GET without a length", {}, `GET / HTTP/1.1\r\n${HEAD}`, ""],
    ["a HEAD without one", { method: "HEAD" }, `HEAD / HTTP/1.1\r\n${HEAD}`, ""],
    [
      "a POST without a body, with the length 0",
      { method: "POST" },
      `POST / HTTP/1.1\r\ncontent-length: 0\r\n${HEAD}`,
      "",
    ],
    [
      "a body with its length, and headers",
      { method: "PUT", body: new Uint8Array([97, 255]), headers: { "X-A": "1" } },
      `PUT / HTTP/1.1\r\nx-a: 1\r\ncontent-length: 2\r\n${HEAD}`,
      "a\xff",
    ],
    [
      "the codings that the program takes",
      { headers: { "Accept-Encoding": "identity" } },
      "GET / HTTP/1.1\r\naccept-encoding: identity\r\n",
      "",
    ],
  ])("%s", async (_, init, head, body) => {
    server.script = (socket) => socket.end(answer(`200 OK\r\n${CLOSE}Content-Length: 0`));
    expect((await own(server.origin, init)).status).toBe(200);
    await expect.poll(() => server.asked.join("").endsWith(body)).toBe(true);
    const host = `Host: ${new URL(server.origin).host}\r\n`;
    expect(server.asked.join("").replace(/Connection: .*\r\n/, "")).toBe(
      `${head}${host}\r\n${body}`,
    );
  });

  it("a stream as it comes, and nothing more once it fails", async () => {
    let asked = "";
    const end = answer(`200 OK\r\n${CLOSE}Content-Length: 0`);
    server.script = (socket) => {
      asked = server.asked.join("");
      if (asked.endsWith("0\r\n\r\n")) socket.end(end);
    };
    const init = (body: ReadableStream): RequestInit =>
      ({ method: "POST", body, duplex: "half" }) as RequestInit;
    const stream = new Blob(["streamed"]).stream() as ReadableStream;
    expect((await own(server.origin, init(stream))).status).toBe(200);
    expect(asked.toLowerCase()).toContain("transfer-encoding: chunked");
    expect(asked).toMatch(/\r\n8\r\nstreamed\r\n0\r\n\r\n$/);
    const cause = new Error("no more");
    const failing = new ReadableStream({
      pull: (controller) => controller.error(cause),
    });
    expect(await thrown(own(server.origin, init(failing)))).toMatchObject({
      ...{ name: "TypeError", message: "fetch failed", cause },
    });
  });

  it("a Request's own body with its length", async () => {
    const request = new Request(server.origin, { method: "POST", body: "text" });
    const answered = await own(request);
    expect(await answered.text()).toBe("ok");
    expect(server.asked.join("")).toMatch(/content-length: 4\r\n[\s\S]*\r\n\r\ntext$/);
  });
});

describe("what comes of an answer", () => {
  it("its status, its words, its headers one by one, its body", async () => {
    server.script = (socket) =>
      socket.end(
        answer(`299 All\tright\xe4\r\n${CLOSE}Set-Cookie: a\r\nSet-Cookie: b\r\nX: 1`, "body"),
        "latin1",
      );
    const found = await own(server.origin);
    expect([found.status, found.statusText]).toEqual([299, "All\tright\xe4"]);
    expect([...found.headers]).toEqual([
      ["connection", "close"],
      ["set-cookie", "a"],
      ["set-cookie", "b"],
      ["x", "1"],
    ]);
    expect(await found.text()).toBe("body");
  });

  it.each([
    ["GET", 204],
    ["GET", 205],
    ["GET", 304],
    ["HEAD", 200],
  ])("none for %s and %i, whose connection is kept", async (method, status) => {
    server.script = (socket) => socket.write(answer(`${status} X\r\nContent-Length: 0`));
    http.globalAgent.destroy();
    const plain = new http.Agent({ keepAlive: true });
    vi.spyOn(http, "globalAgent", "get").mockReturnValue(plain);
    for (let count = 0; count < 2; count++) {
      const found = await own(server.origin, { method });
      expect([found.status, found.body]).toEqual([status, null]);
      await turns();
    }
    expect(server.connections).toBe(1);
    plain.destroy();
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)("in %s: what it was, or an error where it is cut off", async (coding, encode) => {
    const body = encode("what it was");
    const head = answer(
      `200 OK\r\n${CLOSE}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}`,
    );
    server.script = (socket) => {
      socket.write(head);
      socket.end(body);
    };
    expect(await (await own(server.origin)).text()).toBe("what it was");
    server.script = (socket) => {
      socket.write(head);
      socket.end(body.subarray(0, -2));
    };
    const cut = await own(server.origin);
    expect(await thrown(cut.text())).toMatchObject({ code: "ECONNRESET" });
  });

  it.each(["gzip", "identity"])(
    "a body in %s that nobody reads is not fetched to its end",
    async (coding) => {
      let closed = false;
      server.script = (socket) => {
        socket.on("close", () => {
          closed = true;
        });
        socket.write(answer(`200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: 9999`));
        socket.write(gzipSync("start").subarray(0, 15));
      };
      const found = await own(server.origin);
      await found.body!.cancel();
      await expect.poll(() => closed).toBe(true);
    },
  );

  // So large that the last of it has come, and waits for what nobody reads to be decoded.
  it.each([50_000, 60_000, 70_000])(
    "a coded body of %i bytes that nobody reads holds no connection",
    async (length) => {
      const body = gzipSync(randomBytes(length));
      let isSent = false;
      server.script = async (socket) => {
        socket.write(answer(`200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}`));
        for (let from = 0; from < body.length; from += 4000) {
          await turns();
          socket.write(body.subarray(from, from + 4000));
        }
        await turns();
        isSent = true;
      };
      const found = await own(server.origin);
      await expect.poll(() => isSent).toBe(true);
      await found.body!.cancel();
      await expect.poll(() => server.open()).toBe(0);
    },
  );

  it.each<[what: string, bytes: string, cause: object]>([
    ["a status that Fetch has not", answer("999 X"), { name: "RangeError" }],
    [
      "a switch of protocols",
      answer("101 X\r\nConnection: upgrade\r\nUpgrade: x"),
      { message: "HTTP 101" },
    ],
    ["what is no HTTP", "nonsense\r\n\r\n", { code: "HPE_INVALID_CONSTANT" }],
    ["no answer", "", { code: "ECONNRESET" }],
  ])("%s: an error, and the connection is closed", async (_, bytes, cause) => {
    let closed = false;
    server.script = (socket) => {
      socket.on("close", () => {
        closed = true;
      });
      if (bytes === "") socket.end();
      else socket.write(bytes);
    };
    const error = await thrown(own(server.origin));
    expect(error).toMatchObject({ name: "TypeError", message: "fetch failed" });
    expect(error.cause).toMatchObject(cause);
    await expect.poll(() => closed).toBe(true);
  });

  it("words that have no place in a reason phrase are left out (RFC 9112 section 4)", async () => {
    const real = http.request;
    vi.spyOn(http, "request").mockImplementation(((url: string, options: http.RequestOptions) => {
      const client = real(url, options);
      client.prependListener("response", (found) => {
        found.statusMessage = "a\nb";
      });
      return client;
    }) as never);
    const found = await own(server.origin);
    expect([found.status, found.statusText]).toEqual([200, ""]);
  });

  it("given up, before and while it is waited for: the signal's reason", async () => {
    const reason = new Error("enough");
    const before = own(server.origin, { signal: AbortSignal.abort(reason) });
    expect(await thrown(before)).toBe(reason);
    const controller = new AbortController();
    server.script = () => controller.abort(reason);
    expect(await thrown(own(server.origin, { signal: controller.signal }))).toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });
});

describe("which client it is", () => {
  it("the global fetch, unless there are certificates or an agent", async () => {
    const seen: unknown[][] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation((...args) => {
      seen.push(args);
      return Promise.resolve(new Response("global"));
    });
    const init = { method: "POST" };
    expect(await (await nodeFetch()(server.origin, init)).text()).toBe("global");
    expect(await (await nodeFetch({ timeLimitMs: 1 })("https://a.example/")).text()).toBe("global");
    expect(seen).toEqual([
      [server.origin, init],
      ["https://a.example/", undefined],
    ]);
    expect(await (await nodeFetch({ ca: "" })(server.origin)).text()).toBe("ok");
    expect(await (await own(server.origin)).text()).toBe("ok");
    expect(seen).toHaveLength(2);
  });

  it("Node's switch that turns the checks off is refused over https alone", async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(() => Promise.resolve(new Response("global")));
    const checked = nodeFetch();
    for (const value of ["1", "0"]) {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = value;
      try {
        expect(await (await checked(new URL(server.origin))).text()).toBe("global");
        const secure = checked("https://a.example/http:");
        if (value === "1") expect(await (await secure).text()).toBe("global");
        else {
          const error = await thrown(secure);
          expect(error).toBeInstanceOf(TypeError);
          expect(error.message).toBe(
            "fetch: NODE_TLS_REJECT_UNAUTHORIZED=0 switches the checks of certificates off: " +
              "leave it out, and give a CA of one's own as http.ca",
          );
        }
      } finally {
        delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      }
    }
  });

  it("over https goes the agent with its settings, over http neither", async () => {
    const made: unknown[] = [];
    agent.createConnection = (options) => {
      made.push(options);
      throw new Error("made here");
    };
    await thrown(own("https://127.0.0.1:1/"));
    expect(made).toMatchObject([{ rejectUnauthorized: true, minVersion: "TLSv1.2" }]);
    await own(server.origin);
    expect(made).toHaveLength(1);
  });
});

it("a coded body that is read to its end leaves its connection for the next request", async () => {
  const plain = new http.Agent({ keepAlive: true });
  vi.spyOn(http, "globalAgent", "get").mockReturnValue(plain);
  const body = gzipSync("coded");
  server.script = (socket) => {
    socket.write(answer(`200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}`));
    socket.write(body);
  };
  for (let count = 0; count < 3; count++) {
    expect(await (await own(server.origin)).text()).toBe("coded");
    await turns();
  }
  expect(server.connections).toBe(1);
  plain.destroy();
});

it("RFC 9112 section 9.3: what comes unasked on a kept connection is not the next answer", async () => {
  const plain = new http.Agent({ keepAlive: true });
  vi.spyOn(http, "globalAgent", "get").mockReturnValue(plain);
  let last: net.Socket | undefined;
  server.script = (socket) => {
    last = socket;
    socket.write(answer("200 OK\r\nContent-Length: 2", "ok"));
  };
  const texts: string[] = [];
  for (let round = 0; round < 5; round++) {
    texts.push(await (await own(server.origin)).text());
    await turns();
    last!.write(answer("200 OK\r\nContent-Length: 2", "no"));
  }
  expect([texts, server.connections]).toEqual([Array(5).fill("ok"), 5]);
  plain.destroy();
});
