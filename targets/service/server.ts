// Serves a service over HTTP or HTTPS, with limits against slow and large requests.

import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { createAdaptorServer } from "@hono/node-server";
import type { Service } from "./service.ts";
import { hasLength, mayHaveBody } from "./wire.ts";

export interface ServeSettings {
  /** The name or address to listen on. Default: 127.0.0.1, which other machines cannot reach. */
  host?: string | undefined;
  /** The port. With 0, the default, the system chooses one. */
  port?: number | undefined;
  /** The time limit for a request to arrive, in milliseconds. A slower request gets 408. */
  requestTimeoutMs?: number | undefined;
  /** A private key and its certificate as PEM. If both are set, the server uses HTTPS. */
  key?: string | undefined;
  cert?: string | undefined;
  /** Receives errors of the listening socket after the start. The service continues. */
  onError?: ((error: Error) => void) | undefined;
}

export interface RunningServer {
  /** The service's address, without a slash at the end. */
  url: string;
  port: number;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

// A request that takes longer to arrive probably comes from an attacker or a broken client.
const REQUEST_TIMEOUT_MS = 15_000;
const HEADER_BYTES_MAX = 16_384;
/** How long idle connections stay open. Devices close them sooner, so no request arrives while the server closes. */
const IDLE_MS = 30_000;

/**
 * Starts the server. Without the option baseUrl, the service gets the address of the socket. Rejects with the system's
 * error (EADDRINUSE, EACCES ...) if it cannot listen.
 */
export async function serve(
  service: Service,
  settings: ServeSettings = {},
): Promise<RunningServer> {
  const server = await listen((request, env) => service.fetch(request, env), settings);
  if (service.options.baseUrl === null) service.setOptions({ baseUrl: server.url });
  return server;
}

/** Listens on a socket. `response` handles each request. Rejects as `serve` does. */
export async function listen(
  response: (request: Request, env: unknown) => Promise<Response>,
  settings: ServeSettings = {},
): Promise<RunningServer> {
  const { host = "127.0.0.1", port = 0, key, cert } = settings;
  const limits = limitsOf(settings.requestTimeoutMs ?? REQUEST_TIMEOUT_MS);
  const secure = key !== undefined && cert !== undefined;
  const common = {
    fetch: (request: Request, env: unknown) => response(genuine(request), env),
    // The host name for an HTTP/1.0 request, which needs no Host header (RFC 9112 §3.2).
    hostname: "localhost",
    // Do not replace the global Request and Response, because programs under test may use them.
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
  // All open connections. `closeAllConnections` does not close connections without a finished TLS handshake.
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
  // Without a listener, an error of the socket, such as too many open files, would end the process.
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
 * For a body without Content-Length, `bodyLimit` needs a real Request, not the adapter's imitation. A real one takes
 * longer to create than the response, so other requests keep the imitation. A real Request does not support TRACE.
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
    // Node looks for slow requests at this interval.
    connectionsCheckingInterval: Math.min(requestTimeoutMs, 5000),
    maxHeaderSize: HEADER_BYTES_MAX,
  };
}

/** The name under which devices reach the service. For 0.0.0.0 and ::, this is the first external IPv4 address. */
export function reachableName(host: string): string {
  if (host !== "0.0.0.0" && host !== "::") return host;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outside = addresses.find((address) => !address.internal && address.family === "IPv4");
  return outside?.address ?? "127.0.0.1";
}

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
