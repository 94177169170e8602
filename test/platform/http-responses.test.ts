// Sends random valid and broken responses to Node's adapter and to a session's `fetch`, on reused connections. Each
// exchange must end with one report of limited length and no uncaught exception. A valid response must arrive
// unchanged (a status above 599 as 500), unless the adapter refuses it (`isRefused`). In a full run: 10,000 responses.

import http from "node:http";
import type net from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { finalStatus } from "../../platform/exchange/limits.ts";
import { nodeFetch } from "../../platform/node/http.ts";
import { isFullRun } from "../full-run.ts";
import { RawServer, turns } from "./raw-server.ts";

const RUNS = isFullRun ? 10_000 : 500;
const BODY_MAX = 2000;
const RETRY_MAX_S = 134_217_727;

const CODINGS: Record<string, (text: string) => Buffer> = {
  identity: Buffer.from,
  gzip: gzipSync,
  "X-GZIP": gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};
const HUGE = "9".repeat(30);
const number = fc.constantFrom("0", "1", "2", "75", "9999999", HUGE, "-1", "1.5", "", "x");
const date = fc.constantFrom("Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 27 Nov 2026 00:00:09 GMT", "?");
const latin1 = fc.string({ unit: fc.constantFrom(...' aB,;="\t\x80\xff'), maxLength: 6 });
const headers: Record<string, fc.Arbitrary<string>> = {
  "Keep-Alive": number.map((seconds) => `timeout=${seconds}, max=${seconds}`),
  "keep-alive": number.map((seconds) => `timeout=${seconds}`),
  "Retry-After": fc.oneof(number, date),
  Date: date,
  Connection: fc.constantFrom("keep-alive", "close", "x"),
  Location: latin1,
  "WWW-Authenticate": latin1,
  "Set-Cookie": latin1,
  X: latin1,
};
const lines = Object.entries(headers).map(([name, value]) =>
  value.map((text) => `${name}: ${text}`),
);

const response = fc.record({
  interim: fc.constantFrom("", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 X\r\nX: y\r\n\r\n"),
  version: fc.constantFrom("1.1", "1.1", "1.0"),
  status: fc.oneof(
    fc.constantFrom(200, 204, 304, 401, 407, 429, 503, 599, 600, 999),
    fc.integer({ min: 0, max: 1000 }),
  ),
  reason: latin1,
  lines: fc.array(fc.oneof(...lines), { maxLength: 4 }),
  framing: fc.constantFrom("length", "chunked", "close"),
  coding: fc.constantFrom(...Object.keys(CODINGS), "zstd"),
  bodyBytes: fc.oneof(fc.constantFrom(0, 1, BODY_MAX, BODY_MAX + 1), fc.nat(BODY_MAX)),
  /** A byte at this position is replaced by other bytes. */
  change: fc.option(
    fc.record({ at: fc.nat(), by: fc.constantFrom("", "\0", "\r", "\n", ":", "9", "\xff", "aa") }),
    { freq: 1, nil: undefined },
  ),
  /** The server sends only the bytes before this position. */
  cutAt: fc.option(fc.nat(), { freq: 1, nil: undefined }),
  pieces: fc.array(fc.nat(), { maxLength: 3 }),
  outcome: fc.constantFrom("keep", "keep", "end", "reset"),
  /** Additional bytes that the server sends after the response, without a request. */
  more: fc.constantFrom("", "", "", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!", "?"),
});
type Response = typeof response extends fc.Arbitrary<infer One> ? One : never;

/** The bytes that the server sends, and the report that the test expects for them. */
interface Sent {
  readonly bytes: Buffer;
  readonly isValid: boolean;
  /** Whether the adapter refuses the response although it is valid. */
  readonly isRefused: boolean;
  readonly status: number;
  readonly text: string;
}

let count = 0;
function sent(one: Response): Sent {
  const isEmpty = one.status === 204 || one.status === 304;
  const text =
    isEmpty || one.status === 205 ? "" : `${count++} `.repeat(BODY_MAX).slice(0, one.bodyBytes);
  const encode = CODINGS[one.coding] ?? Buffer.from;
  const body = isEmpty || text === "" ? Buffer.alloc(0) : encode(text);
  const chunk =
    body.length > 0 ? `${body.length.toString(16)};x=y\r\n${body.toString("latin1")}\r\n` : "";
  const isChunked = one.framing === "chunked" && !isEmpty;
  const head = [
    `HTTP/${one.version} ${String(one.status).padStart(3, "0")} ${one.reason}`,
    ...one.lines,
    ...(one.coding === "identity" ? [] : [`CONTENT-ENCODING: ${one.coding}`]),
    ...(one.framing === "length" && !isEmpty ? [`Content-Length: ${body.length}`] : []),
    ...(isChunked ? ["Transfer-Encoding: chunked"] : []),
    ...["", ""],
  ].join("\r\n");
  const content = isChunked ? `${chunk}0\r\nTrailer: 1\r\n\r\n` : body.toString("latin1");
  const more = one.framing === "close" ? "" : one.more;
  let bytes = Buffer.from(`${one.interim}${head}${content}${more}`, "latin1");
  const { change, cutAt } = one;
  if (change) {
    const at = change.at % bytes.length;
    const rest = bytes.subarray(at + 1);
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(change.by, "latin1"), rest]);
  }
  if (cutAt !== undefined) bytes = bytes.subarray(0, cutAt % bytes.length);
  const isWhole = change === undefined && cutAt === undefined;
  const isRead = one.outcome !== "reset";
  const isHttp1 = one.version === "1.1" || !isChunked;
  const isValid = isWhole && isRead && isHttp1 && one.status > 199 && one.status < 1000;
  const isRefused =
    one.status === 407 || (one.coding === "zstd" && text !== "") || text.length > BODY_MAX;
  return { bytes, isValid, isRefused, status: finalStatus(one.status), text };
}

/** Uncaught exceptions. Each one fails the test case during which it happens. */
const uncaught: unknown[] = [];
const note = (error: unknown): unknown => uncaught.push(error);
const EVENTS = ["uncaughtException", "unhandledRejection"] as const;
let server: RawServer;
beforeAll(() => EVENTS.forEach((event) => void process.on(event, note)));
afterAll(() => EVENTS.forEach((event) => void process.off(event, note)));
beforeEach(async () => {
  server = new RawServer();
  await server.start();
  server.make({ sizeLimitBytes: BODY_MAX });
});
afterEach(async () => {
  http.globalAgent.destroy();
  await server.close();
});

/** Sends the response in pieces. Closes the connection if the client waits for more. */
function responding(one: Response, { bytes }: Sent, isOver: () => boolean) {
  return async (socket: net.Socket): Promise<void> => {
    const cuts = one.pieces.map((at) => at % bytes.length).sort((a, b) => a - b);
    // Bytes without a request must arrive together with the last byte of the response.
    const whole = [0, ...(one.more === "" ? cuts : []), bytes.length];
    for (const [index, from] of whole.slice(0, -1).entries()) {
      socket.write(bytes.subarray(from, whole[index + 1]));
      await turns();
    }
    if (one.outcome === "reset") socket.resetAndDestroy();
    else if (one.outcome === "end" || !isOver()) socket.end();
  };
}

async function check(sendRequest: (expected: Sent) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(response, async (one) => {
    const expected = sent(one);
    let isOver = false;
    server.script = responding(one, expected, () => isOver);
    await sendRequest(expected);
    isOver = true;
    await turns();
    expect(uncaught.splice(0)).toEqual([]);
  });
  await fc.assert(property, { numRuns: RUNS });
}

it("the adapter reports each response once and within limits, a valid one unchanged", async () => {
  await check(async ({ isValid, isRefused, status, text }) => {
    const reported = await server.sendRequest();
    const [first, last] = [reported[0]!, reported.at(-1)!];
    const [, received, waitS] = first as [string, number, number];
    const isFailed = last[0] === "failed";
    expect(reported.map(([event]) => event).join(" ")).toMatch(/^(status( body)* )?(end|failed)$/);
    if (first[0] === "status") {
      expect(received >= 200 && received <= 599).toBe(true);
      expect(Number.isInteger(waitS) && waitS >= -1 && waitS <= RETRY_MAX_S).toBe(true);
    }
    const body = reported.flatMap(([event, piece]) => (event === "body" ? [piece] : [])).join("");
    expect(body.length).toBeLessThanOrEqual(BODY_MAX);
    if (!isValid) return;
    expect(isFailed).toBe(isRefused);
    if (!isFailed) expect([received, body]).toEqual([status, text]);
  });
});

it("fetch resolves or rejects, and returns a valid response unchanged", async () => {
  const own = nodeFetch();
  await check(async ({ isValid, status, text }) => {
    try {
      const found = await own(server.origin, { redirect: "manual" });
      expect(found.status >= 200 && found.status <= 599).toBe(true);
      const body = await found.text();
      if (isValid) expect([found.status, body]).toEqual([status, text]);
    } catch (error) {
      if (isValid) throw error;
      expect(error).toBeInstanceOf(Error);
    }
  });
});
