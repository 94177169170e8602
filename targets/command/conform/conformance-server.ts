// The test server of the HTTP conformance suite, on real sockets. It sends any planned response, also an invalid one. It
// uses sockets directly, because an HTTP library cannot send invalid responses.

import net from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import tls from "node:tls";
import type {
  HttpTestServer,
  RawPlan,
  RequestOnServer,
  ResponsePlan,
  ServerPlan,
} from "../../../platform/conformance/http-bench.ts";

/** The certificate and key of one TLS server, as PEM texts. */
export interface TlsIdentity {
  key: string;
  cert: string;
}

/** Identities for the TLS cases. All but `otherName` are for the name of the server under test. */
export interface TlsIdentities {
  /** An identity signed by the authority that the adapter trusts. */
  trusted: TlsIdentity;
  /** An identity signed by another authority. */
  untrusted: TlsIdentity;
  otherName: TlsIdentity;
  expired: TlsIdentity;
}

/** Settings for TLS 1.0 and 1.1, which current OpenSSL versions allow only at security level 0. */
export const OUTDATED = {
  minVersion: "TLSv1",
  maxVersion: "TLSv1.1",
  ciphers: "DEFAULT@SECLEVEL=0",
} as const;

/** TLS options of a server that requires a client certificate. */
export const DEMANDING = { requestCert: true, rejectUnauthorized: true } as const;

/** The options of TLS servers for both suites (adapters and devices), by the names of `HttpTestServer.tls`. */
export const tlsServers = (identities: TlsIdentities) => ({
  ...identities,
  outdated: { ...identities.trusted, ...OUTDATED },
  demanding: { ...identities.trusted, ...DEMANDING },
});

/** Starts a server on 127.0.0.1, and TLS servers if identities are given. */
export async function startConformanceServer(identities?: TlsIdentities): Promise<HttpTestServer> {
  const desk = new Desk();
  const plain = await listen(net.createServer((socket) => desk.welcome(socket)));
  const open = [plain];
  const secure = async (options: tls.TlsOptions): Promise<string> => {
    const server = tls.createServer(options, (socket) => desk.welcome(socket));
    server.on("tlsClientError", () => {});
    open.push(await listen(server));
    return `https://127.0.0.1:${portOf(open[open.length - 1]!)}`;
  };
  const server: HttpTestServer = {
    origin: `http://127.0.0.1:${portOf(plain)}`,
    // Hardly any machine uses port 1 (tcpmux), so connections fail.
    deadOrigin: "http://127.0.0.1:1",
    plan: (...plans) => desk.plans.push(...plans),
    requests: () => desk.requests,
    closeIdle: () => desk.closeIdle(),
    async close() {
      desk.destroyAll();
      await Promise.all(open.map((one) => new Promise((done) => one.close(done))));
    },
  };
  if (identities !== undefined) {
    const names = Object.entries(tlsServers(identities));
    const origins = names.map(async ([name, options]) => [name, await secure(options)]);
    server.tls = Object.fromEntries(await Promise.all(origins));
  }
  return server;
}

interface Connection {
  socket: net.Socket;
  received: Buffer;
  /** Whether the last response is complete and no further request has started. */
  idle: boolean;
}

/** The plans, the requests seen and the connections of one test server. */
class Desk {
  readonly plans: ServerPlan[] = [];
  readonly requests: RequestOnServer[] = [];
  readonly #connections = new Set<Connection>();

  welcome(socket: net.Socket): void {
    const connection: Connection = { socket, received: Buffer.alloc(0), idle: false };
    this.#connections.add(connection);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => this.#connections.delete(connection));
    socket.on("data", (chunk) => {
      connection.received = Buffer.concat([connection.received, chunk]);
      connection.idle = false;
      this.#parse(connection);
    });
  }

  closeIdle(): void {
    for (const { socket, idle } of this.#connections) if (idle) socket.destroy();
  }

  destroyAll(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  #parse(connection: Connection): void {
    const text = connection.received.toString("latin1");
    const headEnd = text.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const [first, ...lines] = text.slice(0, headEnd).split("\r\n");
    const headers = lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    });
    const length = Number(headers.find(([name]) => name === "content-length")?.[1] ?? 0);
    const bodyEnd = headEnd + 4 + length;
    if (connection.received.length < bodyEnd) return;
    const [method, target = ""] = first!.split(" ");
    const body = Uint8Array.from(connection.received.subarray(headEnd + 4, bodyEnd));
    connection.received = connection.received.subarray(bodyEnd);
    this.requests.push({ method: method!, target, headers, body });
    void this.#carryOut(connection, this.plans.shift());
  }

  async #carryOut(connection: Connection, plan: ServerPlan | undefined): Promise<void> {
    const { socket } = connection;
    switch (plan?.kind) {
      case "hang":
        return;
      case "reset":
        breakOff(socket);
        return;
      case "raw":
        await sendRaw(socket, plan);
        connection.idle = true;
        return;
      case "response":
        await sendResponse(socket, plan);
        connection.idle = true;
        return;
      default:
        socket.end("HTTP/1.1 599 No Plan\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
  }
}

async function sendResponse(socket: net.Socket, plan: ResponsePlan): Promise<void> {
  const body = plan.body ?? new Uint8Array(0);
  const until = plan.cutAtByte ?? body.length;
  socket.write(headOf(plan, body.length));
  const piece = Math.max(1, plan.pieceBytes ?? body.length);
  for (let at = 0; at < until && !socket.destroyed; at += piece) {
    if (at > 0) await pause(plan.pieceDelayMs);
    const bytes = body.subarray(at, Math.min(at + piece, until));
    await write(socket, plan.framing === "chunked" ? chunkOf(bytes) : bytes);
  }
  if (plan.cutAtByte !== undefined) {
    // End the connection without a reset. After a reset, the client could lose the bytes before the cut.
    socket.end();
    return;
  }
  if (plan.framing === "chunked") await write(socket, Buffer.from("0\r\n\r\n"));
  if (plan.keepAlive !== true || plan.framing === "close") socket.end();
}

async function sendRaw(socket: net.Socket, plan: RawPlan): Promise<void> {
  for (const [at, piece] of plan.pieces.entries()) {
    if (at > 0) await pause(plan.pieceDelayMs);
    if (socket.destroyed) return;
    await write(socket, Buffer.from(piece, "latin1"));
  }
  if (plan.keepAlive !== true) socket.end();
}

function headOf(plan: ResponsePlan, length: number): string {
  const lines = [`HTTP/1.1 ${plan.status} Planned`];
  for (const [name, value] of plan.headers ?? []) lines.push(`${name}: ${value}`);
  if (plan.framing === "chunked") lines.push("Transfer-Encoding: chunked");
  // A 204 has no body and no length.
  else if (plan.framing !== "close" && plan.status !== 204) lines.push(`Content-Length: ${length}`);
  lines.push(`Connection: ${plan.keepAlive === true ? "keep-alive" : "close"}`, "", "");
  return lines.join("\r\n");
}

function chunkOf(bytes: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
}

function write(socket: net.Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((done) => {
    socket.write(bytes, () => done());
  });
}

function breakOff(socket: net.Socket): void {
  if (socket instanceof tls.TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

function listen<S extends net.Server>(server: S): Promise<S> {
  return new Promise((done, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => done(server));
  });
}

function portOf(server: net.Server): number {
  return (server.address() as net.AddressInfo).port;
}
