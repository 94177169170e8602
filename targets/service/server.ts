// Real HTTP or HTTPS in front of a service: sockets, limits against slow and large requests, and the
// service's own address. Everything else is the service's.

import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { createAdaptorServer } from "@hono/node-server";
import type { Service } from "./service.ts";
import { hasLength, mayHaveBody } from "./wire.ts";

export interface ServeSettings {
  /** Name or address to listen on; default 127.0.0.1: nobody else on the network gets in. */
  host?: string | undefined;
  /** 0 (the default) lets the system choose. */
  port?: number | undefined;
  /** A request that takes longer than this to arrive is answered 408 and cut off. */
  requestTimeoutMs?: number | undefined;
  /** PEM texts; with both, HTTPS is spoken. */
  key?: string | undefined;
  cert?: string | undefined;
  /** Told of what goes wrong with the listening socket later on; the service goes on. */
  onError?: ((error: Error) => void) | undefined;
}

export interface RunningServer {
  /** Where it can be reached, without a slash at the end. */
  url: string;
  port: number;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

// A request that takes longer to arrive is an attack or a broken client, not a device.
const REQUEST_TIMEOUT_MS = 15_000;
const HEADER_BYTES_MAX = 16_384;
/**
 * Far longer than a device keeps an idle connection: where both are in one process and it was busy for a while, the
 * connection must not be closed while the next request is on its way.
 */
const IDLE_MS = 30_000;

/**
 * Listens and answers with the service. If the service has no baseUrl option it becomes the address
 * listened on. Rejects with the system's error (EADDRINUSE, EACCES ...) when it cannot listen.
 */
export async function serve(
  service: Service,
  settings: ServeSettings = {},
): Promise<RunningServer> {
  const server = await listen((request, env) => service.fetch(request, env), settings);
  if (service.options.baseUrl === null) service.setOptions({ baseUrl: server.url });
  return server;
}

/** Listens and answers with `answer`, which gets Node's own Request. Rejects as `serve` does. */
export async function listen(
  answer: (request: Request, env: unknown) => Promise<Response>,
  settings: ServeSettings = {},
): Promise<RunningServer> {
  const { host = "127.0.0.1", port = 0, key, cert } = settings;
  const limits = limitsOf(settings.requestTimeoutMs ?? REQUEST_TIMEOUT_MS);
  const secure = key !== undefined && cert !== undefined;
  const common = {
    fetch: (request: Request, env: unknown) => answer(genuine(request), env),
    // Programs are tested with this service: their Request and Response stay Node's.
    overrideGlobalObjects: false,
  };
  const server = (
    secure
      ? createAdaptorServer({
          ...common,
          createServer: createHttpsServer,
          serverOptions: { ...limits, key, cert },
        })
      : createAdaptorServer({ ...common, createServer: createHttpServer, serverOptions: limits })
  ) as NetServer;
  // Those of before a TLS handshake, too, which `closeAllConnections` leaves.
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  // Without a listener a fault of the socket, such as too many open files, would end the process.
  server.on("error", (error) => settings.onError?.(error));
  const address = server.address() as AddressInfo;
  const reachable = reachableName(host);
  const name = reachable.includes(":") ? `[${reachable}]` : reachable;
  return {
    url: `${secure ? "https" : "http"}://${name}:${address.port}`,
    port: address.port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        for (const socket of open) socket.destroy();
      }),
  };
}

/**
 * The adaptor's request only resembles Node's: whoever makes another from it, as the limit of a body without a length
 * does, is refused. Making Node's own costs more than the whole answer, so only what comes without a length gets it. A
 * method that Node's Request does not know (TRACE) has no body either.
 */
function genuine(request: Request): Request {
  const { url, method, headers } = request;
  if (method === "TRACE" || !mayHaveBody(method) || hasLength(headers)) return request;
  const { body, signal } = request;
  return new Request(url, { method, headers, body, signal, duplex: "half" } as RequestInit);
}

function limitsOf(requestTimeoutMs: number) {
  return {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    keepAliveTimeout: IDLE_MS,
    // How often Node looks for requests that took too long.
    connectionsCheckingInterval: Math.min(requestTimeoutMs, 5000),
    maxHeaderSize: HEADER_BYTES_MAX,
  };
}

/** Listening on every address, the service gives out one that a phone on the same network can open. */
export function reachableName(host: string): string {
  if (host !== "0.0.0.0" && host !== "::") return host;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outside = addresses.find((address) => !address.internal && address.family === "IPv4");
  return outside?.address ?? "127.0.0.1";
}

/** One line about `error`, which listening on `host` and `port` brought. */
export function describeListenError(
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `port ${port} on ${host} is in use; choose another with --port, or 0 for any`;
    case "EACCES":
      return `port ${port} needs privileges; choose one above 1023 with --port`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine; choose another with --host`;
    default:
      return `cannot listen on ${host}:${port}: ${error.message}`;
  }
}
