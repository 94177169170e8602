// Tests requests over Node's HTTP client and the result of each response: for the core (platform/node/http.ts), and as
// `fetch` with certificates or an agent (platform/node/connection.ts). node-http.test.ts runs the conformance suite,
// http-connections.test.ts tests connections.

import { randomBytes } from "node:crypto";
import { EventEmitter, getEventListeners } from "node:events";
import http from "node:http";
import https from "node:https";
import { Duplex, Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HttpRequest } from "../../platform/contracts.ts";
import {
  CUT_OFF,
  HEAD_TOO_LONG,
  NOT_HTTP,
  TOO_LONG,
  UNKNOWN_CODING,
} from "../../platform/exchange/limits.ts";
import { nodeFetch } from "../../platform/node/http.ts";
import { makeTlsIdentities } from "../../targets/service/certificates.ts";
import { listening } from "../listening.ts";
import { BODY_MAX, REFUSED } from "../refused-responses.ts";
import { type ErrorText, OK, RawServer, recorder, turns, VALID } from "./raw-server.ts";

const { ca, identities } = makeTlsIdentities();
const textOf = (reported: ErrorText[]): string =>
  reported.map(([event, text]) => (event === "body" ? text : "")).join("");

let server: RawServer;
let agent: https.Agent;
/** A `fetch` with the program's agent, which it uses only for https. */
let own: typeof fetch;
beforeEach(async () => {
  server = new RawServer();
  await server.start();
  agent = new https.Agent();
  own = nodeFetch({ agent });
});
afterEach(async () => {
  agent.destroy();
  http.globalAgent.destroy();
  await server.close();
});

const response = (status: string, ...lines: string[]): string =>
  [`HTTP/1.1 ${status}`, ...lines, "", ""].join("\r\n");
const CLOSE = "Connection: close";
const EMPTY = "Content-Length: 0";
const thrown = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.unreachable("it must not succeed"),
    (error: Error) => error,
  );

describe("requests of the core", () => {
  const HEAD = "Accept: application/json\r\nAccept-Encoding: identity\r\nUser-Agent: picogrant\r\n";
  const FORM_HEAD = "Content-Type: text/x\r\nContent-Length: 3\r\nX-A: 1\r\nX-B: 2\r\n";
  const headers = Object.entries({ "X-A": "1", "X-B": "2" });
  const form: Partial<HttpRequest> = {
    ...{ method: "POST", contentType: "text/x", headers },
    ...{ body: Buffer.from("##a=1##"), bodyFrom: 2, bodyTo: 5 },
  };

  it.each<[what: string, more: Partial<HttpRequest>, start: string, headers: string, body: string]>(
    [
      ["a GET without a length", { url: "/a?b=c" }, "GET /a?b=c", "", ""],
      ["a form with its type, length and headers", form, "POST /", FORM_HEAD, "a=1"],
      ["a GET with a body", { body: [97], bodyTo: 1 }, "GET /", "Content-Length: 1\r\n", "a"],
    ],
  )("%s", async (_, { url = "/", ...more }, start, headers, body) => {
    const reported = await server.sendRequest({ ...more, url: server.origin + url });
    expect([reported, server.adapter.lastFailure]).toEqual([VALID, ""]);
    const host = `Host: ${new URL(server.origin).host}\r\n`;
    const stored = "Connection: keep-alive\r\n";
    expect(server.requested.join("")).toBe(
      `${start} HTTP/1.1\r\n${HEAD}${headers}${host}${stored}\r\n${body}`,
    );
  });
});

describe("requests of fetch", () => {
  const HEAD = "accept-encoding: gzip, x-gzip, deflate, br\r\n";
  const length = (bytes: number): string => `content-length: ${bytes}\r\n`;
  const put = { method: "PUT", body: new Uint8Array([97, 255]), headers: { "X-A": "1" } };
  const identity = { headers: { "Accept-Encoding": "identity" } };

  it.each<[what: string, init: RequestInit, start: string, headers: string, body: string]>([
    ["a GET without a length", {}, "GET /", HEAD, ""],
    ["a HEAD without one", { method: "HEAD" }, "HEAD /", HEAD, ""],
    ["a POST without a body", { method: "POST" }, "POST /", `${length(0)}${HEAD}`, ""],
    ["a body and headers", put, "PUT /", `x-a: 1\r\n${length(2)}${HEAD}`, "a\xff"],
    ["the codings that it takes", identity, "GET /", "accept-encoding: identity\r\n", ""],
  ])("%s", async (_, init, start, headers, body) => {
    server.script = (socket) => socket.end(response("200 OK", CLOSE, EMPTY));
    expect((await own(server.origin, init)).status).toBe(200);
    await expect.poll(() => server.requested.join("").endsWith(body)).toBe(true);
    const host = `Host: ${new URL(server.origin).host}\r\n`;
    expect(server.requested.join("").replace(/Connection: .*\r\n/, "")).toBe(
      `${start} HTTP/1.1\r\n${headers}${host}\r\n${body}`,
    );
  });

  it("send a stream unchanged until it fails, and a Request's own body with its length", async () => {
    let requested = "";
    server.script = (socket) => {
      requested = server.requested.join("");
      if (requested.endsWith("0\r\n\r\n")) socket.end(response("200 OK", CLOSE, EMPTY));
    };
    const init = (body: ReadableStream): RequestInit =>
      ({ method: "POST", body, duplex: "half" }) as RequestInit;
    const stream = new Blob(["streamed"]).stream() as ReadableStream;
    expect((await own(server.origin, init(stream))).status).toBe(200);
    expect(requested.toLowerCase()).toContain("transfer-encoding: chunked");
    expect(requested).toMatch(/\r\n8\r\nstreamed\r\n0\r\n\r\n$/);
    const cause = new Error("no more");
    const failing = new ReadableStream({ pull: (controller) => controller.error(cause) });
    const failure = { name: "TypeError", message: "fetch failed", cause };
    expect(await thrown(own(server.origin, init(failing)))).toMatchObject(failure);
    server.script = (socket) => socket.write(OK);
    const request = new Request(server.origin, { method: "POST", body: "text" });
    expect(await (await own(request)).text()).toBe("ok");
    expect(server.requested.join("")).toMatch(/content-length: 4\r\n[\s\S]*\r\n\r\ntext$/);
  });
});

/** The expected result of a response: for the core, with the adapter's reason, and for `fetch`. */
type Row = [
  what: string,
  bytes: string,
  reported: ErrorText[],
  lastFailure: string,
  fetched: string,
];

const failed: ErrorText[] = [["failed", "unreachable"]];
const PLAIN: ErrorText = ["status", 200, -1, ""];
const begun = [PLAIN, ...failed];
const valid = (what: string, bytes: string, head: ErrorText, program: string): Row => [
  what,
  bytes,
  [head, ["end"]],
  "",
  program,
];
const of = (...lines: string[]): string => response("200 OK", ...lines);
const long = (bytes: number): string => of(`X: ${"a".repeat(bytes)}`, EMPTY);
const CODED = "Content-Encoding: gzip";
const UNKNOWN = "Content-Encoding: gzip, br";
const UPGRADE = response("101 X", "Connection: upgrade", "Upgrade: x");
const WRONG = "Z_DATA_ERROR";
const TOO_LARGE: ErrorText[] = [["failed", "too-large"]];

const ROWS: Row[] = [
  valid("a head of 60 KiB", long(61_440), PLAIN, '200 "OK" '),
  valid("any bytes", response("200 A\t\xe4", EMPTY), ["status", 200, -1, ""], '200 "A\t\xe4" '),
  // RFC 9112 §4: a reason phrase must not contain these bytes.
  valid("other words", response("200 O\x01K", EMPTY), ["status", 200, -1, ""], '200 "" '),
  // RFC 9110 §15.2.2: the client did not request another protocol.
  ["a switch of protocols", UPGRADE, failed, CUT_OFF, "fetch failed, HTTP 101"],
  ["one without a connection", response("101 X"), failed, NOT_HTTP, "fetch failed, RangeError"],
  ["a status of nothing", response("000 X"), failed, NOT_HTTP, "fetch failed, RangeError"],
  ["no coding of ours", `${of(UNKNOWN)}a`, begun, UNKNOWN_CODING, '200 "OK" a'],
  ["too long a head", long(65_536), TOO_LARGE, HEAD_TOO_LONG, "fetch failed, HPE_HEADER_OVERFLOW"],
  ["another coding", `${of(CODED)}plain`, begun, WRONG, `incorrect header check, ${WRONG}`],
];

async function fetched(): Promise<string> {
  try {
    const found = await own(server.origin, { redirect: "manual" });
    return `${found.status} "${found.statusText}" ${await found.text()}`;
  } catch (error) {
    const { message, cause = error } = error as Error & { cause: NodeJS.ErrnoException };
    const { code, name, message: why } = cause as NodeJS.ErrnoException;
    return `${message}, ${code ?? (name === "Error" ? why : name)}`;
  }
}

describe("the result of a response", () => {
  it.each(ROWS)("%s", async (_, bytes, reported, lastFailure, program) => {
    server.script = (socket) => socket.end(bytes, "latin1");
    expect(await server.sendRequest()).toEqual(reported);
    await turns();
    expect(server.adapter.lastFailure).toBe(lastFailure);
    expect(await fetched()).toBe(program);
    await expect.poll(() => server.open()).toBe(0);
  });

  it.each(REFUSED)("RFC 9112 %s: all hosts report this reason", async (_, bytes, reason) => {
    server.make({ sizeLimitBytes: BODY_MAX });
    server.script = (socket) => socket.end(bytes, "latin1");
    const failure = [TOO_LONG, HEAD_TOO_LONG].includes(reason.sentence)
      ? "too-large"
      : "unreachable";
    expect((await server.sendRequest()).at(-1)).toEqual(["failed", failure]);
    expect(server.adapter.lastFailure).toBe(reason.sentence);
  });

  it("the reason for a connection's error contains no address", async () => {
    for (const [error, failure, words] of [
      [Object.assign(new Error("to 192.0.2.1"), { code: "ETIMEDOUT" }), "timeout", "ETIMEDOUT"],
      [new TypeError("to 192.0.2.1"), "unreachable", "TypeError"],
    ] as const) {
      agent.createConnection = () =>
        new Duplex({ read: () => {}, write: (_bytes, _encoding, done) => done(error) });
      server.make({ agent });
      expect(await server.sendRequest({ url: "https://localhost/" })).toEqual([
        ["failed", failure],
      ]);
      expect(server.adapter.lastFailure).toBe(words);
    }
  });
});

// Node reports the ends of response, request and connection in a fixed order. Mocks of it (nock, msw) use other orders.
const CODINGS: Record<string, (text: string) => Buffer> = {
  identity: Buffer.from,
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};
type Step = "complete" | "end" | "close" | "error";
const WHOLE: Step[][] = [
  ["complete", "end", "close"],
  ["complete", "close", "end"],
  ["complete", "error", "close", "end"],
  ["complete", "close", "error", "end"],
  ["complete", "end", "error", "close"],
];
const CUT_OFF_ONES: Step[][] = [["close"], ["error", "close"], ["close", "error"]];
const rows = Object.keys(CODINGS).flatMap((coding) =>
  ["", "what it was"].flatMap((text) =>
    [...WHOLE, ...CUT_OFF_ONES].map((steps) => [coding, text, steps] as const),
  ),
);

it.each(rows)("order of events: %s, %j: %j", async (coding, text, steps) => {
  const client = Object.assign(new EventEmitter(), { end: () => {}, destroy: () => {} });
  vi.spyOn(http, "request").mockReturnValue(client as unknown as http.ClientRequest);
  const bytes = text === "" ? Buffer.alloc(0) : CODINGS[coding]!(text);
  const headers = { "content-encoding": coding };
  const parts = { headers, statusCode: 200, complete: false, socket: new EventEmitter() };
  const response = Object.assign(new Readable({ read: () => {} }), parts);
  const { sink, reported, ended } = recorder();
  server.adapter.send(server.request(), sink);
  await turns();
  client.emit("response", response);
  if (text !== "") response.push(bytes);
  for (const step of steps) {
    if (step === "complete") response.complete = true;
    else if (step === "end") response.push(null);
    else client.emit(step, Object.assign(new Error("over"), { code: "ECONNRESET" }));
    await turns();
  }
  await ended;
  await turns();
  const isWhole = steps.includes("end");
  expect(reported.at(-1)).toEqual(isWhole ? ["end"] : ["failed", "unreachable"]);
  expect(reported.filter(([event]) => event === "end" || event === "failed")).toHaveLength(1);
  if (isWhole) expect(textOf(reported)).toBe(text);
});

describe("the result of a response to fetch", () => {
  it("with one unusual header", async () => {
    const lines = [CLOSE, "Set-Cookie: a", "Set-Cookie: b", "X: 1"];
    server.script = (socket) => socket.end(response("299 X", ...lines));
    expect([...(await own(server.origin)).headers]).toEqual([
      ["connection", "close"],
      ["set-cookie", "a"],
      ["set-cookie", "b"],
      ["x", "1"],
    ]);
  });

  it.each<[coding: string, body: Buffer]>([
    ["gzip", gzipSync("start").subarray(0, 15)],
    ["identity", Buffer.from("start")],
    ...[50_000, 60_000, 70_000].map((length): [string, Buffer] => [
      "gzip",
      gzipSync(randomBytes(length)),
    ]),
  ])("a body in %s that nobody reads does not block the connection: %#", async (coding, body) => {
    const length = Math.max(9999, body.length);
    let isSent = false;
    server.script = async (socket) => {
      socket.write(response("200 OK", `Content-Encoding: ${coding}`, `Content-Length: ${length}`));
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
  });

  it("rejects with the signal's reason if it is aborted before or during the request", async () => {
    const reason = new Error("enough");
    const before = own(server.origin, { signal: AbortSignal.abort(reason) });
    expect(await thrown(before)).toBe(reason);
    const controller = new AbortController();
    server.script = () => controller.abort(reason);
    expect(await thrown(own(server.origin, { signal: controller.signal }))).toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });
});

it("the limit for connecting includes the TLS handshake, and ends with the request", async () => {
  server.make({ connectLimitMs: 50 });
  server.script = () => {};
  const url = server.origin.replace("http:", "https:");
  expect(await server.sendRequest({ url })).toEqual([["failed", "timeout"]]);
  expect(server.adapter.lastFailure).toBe("no connection in time");
  // A proxy's agent may have no socket yet. After an abort, the limit's timer must not keep the process alive.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  agent.createConnection = () => undefined as never;
  server.make({ agent });
  server.adapter.send(server.request({ url }), recorder().sink);
  await turns();
  const begun = vi.getTimerCount();
  server.adapter.abort();
  const left = vi.getTimerCount();
  vi.useRealTimers();
  expect([begun, left]).toEqual([2, 0]);
});

describe("the client behind fetch", () => {
  it("https accepts only certificates of http.ca, and NODE_TLS_REJECT_UNAUTHORIZED=0 is refused", async () => {
    const secure = https.createServer(identities.trusted, (_, response) => response.end("ok"));
    const url = `https://localhost:${await listening(secure)}/`;
    expect(await (await nodeFetch({ ca })(url)).text()).toBe("ok");
    expect(await (await nodeFetch({ ca, agent })(url)).text()).toBe("ok");
    expect((await thrown(nodeFetch()(url))).message).toBe("fetch failed");
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    expect((await thrown(nodeFetch({ agent })(url))).message).toBe("fetch failed");
    expect((await thrown(nodeFetch()(url))).message).toBe("fetch failed");
  });

  it("the agent with these settings is only used for https", async () => {
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
