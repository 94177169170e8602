// What a resource server may answer to a session's `fetch` over Node's client (`http.ca`, `http.agent`): it ends with an
// answer or an error, as the global `fetch` does. No answer ends the program, and none is waited for for ever.

import net from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeFetch } from "../../platform/node/fetch.ts";
import { makeTlsIdentities } from "./certificates.ts";

const packed = gzipSync(Buffer.from(Array.from({ length: 4000 }, (_, i) => `${i * 7919}`).join()));
const own = nodeFetch({ ca: makeTlsIdentities().ca });
let answer: Buffer = Buffer.alloc(0);
let port = 0;
const server = net.createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", () => {
    socket.write(answer);
    setImmediate(() => socket.end());
  });
});

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  port = (server.address() as net.AddressInfo).port;
});
afterAll(() => server.close());

/** Status and length of the body, or what failed. */
async function outcome(head: string, body = Buffer.alloc(0)): Promise<string> {
  const close = head.includes("Connection") ? "" : "\r\nConnection: close";
  answer = Buffer.concat([Buffer.from(`${head}${close}\r\n\r\n`, "latin1"), body]);
  try {
    const response = await own(`http://127.0.0.1:${port}/`, { redirect: "manual" });
    const text = await response.text();
    return `${response.status} "${response.statusText}", ${text.length}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const EMPTY = "Content-Length: 0";

describe("answers of a hostile resource server", () => {
  it.each(["999 X", "600 X", "099 X", "000 X"])(
    "status %s is none (RFC 9110 §15)",
    async (line) => {
      expect(await outcome(`HTTP/1.1 ${line}\r\n${EMPTY}`)).toBe("fetch failed");
    },
  );

  it("101: nobody asked to switch protocols (RFC 9110 §15.2.2)", async () => {
    const said = "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x";
    expect(await outcome(said)).toBe("fetch failed");
  });

  it.each(["O\x01K", "O\x7fK"])("reason phrase %j is left out (RFC 9112 §4)", async (reason) => {
    expect(await outcome(`HTTP/1.1 200 ${reason}\r\n${EMPTY}`)).toBe('200 "", 0');
  });

  it("bytes beyond ASCII in reason and headers are taken as they are", async () => {
    expect(await outcome(`HTTP/1.1 200 \xe4\r\nX-A: \xff\r\n${EMPTY}`)).toBe('200 "\xe4", 0');
  });

  it.each([
    ["by its length", `Content-Length: ${packed.length}`, ""],
    ["in a chunk", "Transfer-Encoding: chunked", `${(60).toString(16)}\r\n`],
  ])("a compressed body that is cut %s is an error", async (_, framing, before) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n${framing}`;
    const part = Buffer.concat([Buffer.from(before), packed.subarray(0, 50)]);
    expect(await outcome(head, part)).toMatch(/aborted|terminated/);
  });

  it("a compressed body that is whole is read, one that is none is an error", async () => {
    const head = (size: number) =>
      `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${size}`;
    expect(await outcome(head(packed.length), packed)).toMatch(/^200 "OK", [0-9]{5}$/);
    expect(await outcome(head(5), Buffer.from("abcde"))).toContain("incorrect header");
  });

  it("a compressed body that nobody reads to its end takes its connection along", async () => {
    answer = Buffer.concat([
      Buffer.from("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 999999\r\n\r\n"),
      packed,
    ]);
    const open = (): Promise<number> =>
      new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    const response = await own(`http://127.0.0.1:${port}/`);
    await response.body!.cancel();
    await expect.poll(open).toBe(0);
  });
});
