// The server of one row. It parses requests with Node's HTTP server, but writes responses as bytes to the socket,
// because an HTTP library cannot send invalid responses.

import http from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { UsageError } from "../../desktop/command-line.ts";
import { dated, type HttpResponse, type Kind } from "./device-rows.ts";

export interface Arrival {
  /** The time at which the request was complete, in milliseconds. */
  readonly at: number;
  /** The earliest possible time of arrival, which is long before `at` if this program was busy. */
  readonly since: number;
  readonly kind: Kind;
  readonly method: string;
  readonly target: string;
  readonly headers: http.IncomingHttpHeaders;
  /** The parameters of the query and of the body (a form or a JSON object). */
  readonly parameters: ReadonlyMap<string, string>;
}

export interface Listeners {
  request(arrival: Arrival, reply: (response: HttpResponse) => Promise<number>): void;
  connection?(): void;
  /** Reports bytes that are not HTTP, or a request that is too long. */
  noise?(what: string): void;
}

export interface BenchServer {
  readonly origin: string;
  close(): Promise<void>;
}

/** The last two times at which the event loop ran. They show how long an arrival may have waited for this program. */
let ticks: [number, number] = [0, 0];
setInterval(() => {
  ticks = [ticks[1], performance.now()];
}, 10).unref();

const LONGEST_BYTES = 1_000_000;

export async function startServer(
  host: string,
  tls: TlsOptions | undefined,
  listeners: Listeners,
): Promise<BenchServer> {
  const sockets = new Set<Socket>();
  const receive = (request: http.IncomingMessage): void => {
    const pieces: Buffer[] = [];
    let length = 0;
    request.on("error", () => {});
    request.on("data", (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length <= LONGEST_BYTES) return;
      request.destroy();
      listeners.noise?.(`a request came with more than ${LONGEST_BYTES} bytes`);
    });
    request.on("end", () => {
      const arrival = arrivalOf(request, Buffer.concat(pieces).toString());
      // A device without a clock first sends a HEAD request, to read the Date of the response.
      const isForDate = request.method === "HEAD" && arrival.target === "/" && length === 0;
      if (isForDate && !request.headers.authorization) void write(request.socket, dated());
      else listeners.request(arrival, (response) => write(request.socket, response));
    });
  };
  const server = tls ? https.createServer(tls, receive) : http.createServer(receive);
  server.on("connection", (socket: Socket) => {
    listeners.connection?.();
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("clientError", (error: Error & { rawPacket?: Buffer }, socket) => {
    socket.destroy();
    const start = error.rawPacket?.toString("latin1", 0, 24);
    if (start) listeners.noise?.(`what came is no HTTP: it begins with ${JSON.stringify(start)}`);
  });
  await new Promise<void>((done, fail) => {
    server.once("error", ({ message }) => fail(new UsageError(`--host ${host}: ${message}`)));
    server.listen(0, host, done);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls ? "https" : "http"}://${host}:${port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** @returns the time at which the write started */
async function write(socket: Socket, response: HttpResponse): Promise<number> {
  if (response.afterMs > 0) {
    await new Promise((done) => {
      setTimeout(done, response.afterMs);
      // Do not wait longer if the device closes the connection.
      socket.once("close", done);
    });
  }
  const began = performance.now();
  if (socket.destroyed) return began;
  await new Promise((done) => socket.write(response.bytes, "latin1", done));
  if (response.outcome === "end") socket.end();
  if (response.outcome === "reset") socket.destroy();
  return began;
}

function arrivalOf(request: http.IncomingMessage, text: string): Arrival {
  const [path = "", query] = (request.url ?? "").split(/\?(.*)/s);
  const isJson = /^application\/json/i.test(request.headers["content-type"] ?? "");
  const parameters = new Map<string, string>(new URLSearchParams(query));
  for (const [name, value] of isJson ? membersOf(text) : new URLSearchParams(text)) {
    parameters.set(name, value);
  }
  return {
    at: performance.now(),
    since: ticks[0],
    kind: kindOf(path, parameters.get("grant_type")),
    method: request.method ?? "",
    target: request.url ?? "",
    headers: request.headers,
    parameters,
  };
}

function membersOf(text: string): [string, string][] {
  try {
    return Object.entries(JSON.parse(text) as object).map(([name, value]) => [name, `${value}`]);
  } catch {
    return [];
  }
}

function kindOf(path: string, grant: string | undefined): Kind {
  if (path === "/device") return "code";
  if (path === "/token") return grant === "refresh_token" ? "refresh" : "poll";
  if (path === "/revoke") return "revoke";
  return path.startsWith("/api") ? "api" : "other";
}
