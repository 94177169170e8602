// A request's connection: its start, address and failures, and the decoding of responses. Loaded with the first request.

import dns, { type LookupAddress } from "node:dns";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net, { type LookupFunction, type Socket } from "node:net";
import { Readable, type Transform } from "node:stream";
import { setImmediate } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import { createBrotliDecompress, createGunzip, createInflate, type Zlib } from "node:zlib";
import type { TransportFailure } from "../contracts.ts";
import {
  CUT_OFF,
  EXCHANGE_LIMITS,
  finalStatus,
  HEAD_TOO_LONG,
  keepAliveMs,
  NOT_HTTP,
} from "../exchange/limits.ts";
import { reportedMs, type TlsSettings, tlsSettings } from "./connection-pool.ts";
import type { NodeHttpOptions } from "./http-options.ts";

/**
 * Starts a request and watches its connection. A new one must be established within its own limit, including TLS.
 * @param plain creates connections for plain http
 * @param late called after the limit
 */
export function openRequest(
  url: URL,
  options: http.RequestOptions,
  settings: TlsSettings,
  plain: http.Agent,
  late: () => void,
): { readonly client: http.ClientRequest; readonly connectLimit: NodeJS.Timeout } {
  const secure = url.protocol === "https:";
  const agent = secure ? settings.agent : plain;
  // With a proxy of the environment, name and port are the proxy's.
  const { proxyEnv } = ((agent as { options?: object }).options ?? {}) as { proxyEnv?: unknown };
  const lookup: LookupFunction = (...query) => look(portOf(url), settings.connectLimitMs, ...query);
  const all = { ...options, ...settings, ...(!proxyEnv && { lookup }), agent };
  const client = (secure ? https : http).request(url, all);
  follow(client, agent);
  const connectLimit = setTimeout(late, settings.connectLimitMs);
  const stands = (): void => clearTimeout(connectLimit);
  client.on("socket", (socket) => {
    const { connecting, secureConnecting } = socket as Socket & { secureConnecting?: boolean };
    if (connecting || secureConnecting) socket.once(secure ? "secureConnect" : "connect", stands);
    // It is a reused connection.
    else stands();
  });
  return { client, connectLimit };
}

// Which address of a name to connect to. Node tries one after the other, so that a silent one costs the limit of an attempt.
// Here attempts run side by side (RFC 8305), and the address that accepts a connection first goes ahead of the others.

/** RFC 8305 §5: between two attempts. */
const ATTEMPT_DELAY_MS = 250;
/** How long a choice counts for all connections of the process. */
const CHOICE_MS = 60_000;

/** By name and port. */
const choices = new Map<string, Promise<string>>();

/** Looks a name up for a connection to this port. @param limitMs when attempts are given up */
function look(
  port: number,
  limitMs: number,
  ...[name, options, done]: Parameters<LookupFunction>
): void {
  dns.lookup(name, { ...options, all: true }, async (error, found = []) => {
    const key = `${name}:${port}`;
    if (found.length > 1 && !choices.has(key)) {
      choices.set(key, fastestOf(found, port, limitMs));
      setTimeout(() => choices.delete(key), CHOICE_MS).unref();
    }
    const chosen = await choices.get(key);
    const sorted = [...found].sort((a, b) => +(b.address === chosen) - +(a.address === chosen));
    if (error || options.all) done(error, sorted);
    else done(null, sorted[0]!.address, sorted[0]!.family);
  });
}

/** The address that accepts a connection first; "" if none does. */
async function fastestOf(found: LookupAddress[], port: number, limitMs: number): Promise<string> {
  const end = new AbortController();
  const { signal } = end;
  setTimeout(() => end.abort(), limitMs).unref();
  const rank = (one: LookupAddress): number =>
    found.filter(({ family }) => family === one.family).indexOf(one);
  // RFC 8305 §4: the families take turns.
  const attempts = [...found]
    .sort((a, b) => rank(a) - rank(b))
    .map(async ({ address }, at) => {
      await pause(at * ATTEMPT_DELAY_MS, undefined, { signal });
      const socket = net.connect({ host: address, port, signal }).on("error", () => {});
      await once(socket, "connect");
      return address;
    });
  const fastest = await Promise.any(attempts).catch(() => "");
  end.abort();
  return fastest;
}

/** By the coding that each reverses. */
export const DECODERS = new Map<string, () => Transform & Zlib>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** The body, decoded if somebody on the way has compressed it all the same (RFC 9110 §8.4.1). */
export function decoded(response: http.IncomingMessage): Readable {
  const decoder = DECODERS.get(`${response.headers["content-encoding"]}`.toLowerCase());
  return decoder ? response.pipe(unlessEmpty(decoder())) : response;
}

/** An empty body is not cut off, whatever coding its head names. */
function unlessEmpty<D extends Transform & Zlib>(decoder: D): D {
  const flush = decoder._flush.bind(decoder);
  decoder._flush = (done) => (decoder.bytesWritten === 0 ? done() : flush(done));
  return decoder;
}

/** With `ECONNREFUSED`, `CERT_HAS_EXPIRED` and the like, or a sentence. The message would contain addresses. */
export function failureOf(error: Error): [TransportFailure, why: string] {
  const { code = error.name } = error as NodeJS.ErrnoException;
  if (code === "ETIMEDOUT") return ["timeout", code];
  if (code === "HPE_HEADER_OVERFLOW") return ["too-large", HEAD_TOO_LONG];
  if (code === "ECONNRESET" || code === "EPIPE") return ["unreachable", CUT_OFF];
  // If a handshake fails while the request is being written, only the message has OpenSSL's reason.
  const [, reason] =
    /SSL routines:[^:]*:([^:]+)/.exec(code === "EPROTO" ? error.message : "") ?? [];
  if (reason) return ["unreachable", `ERR_SSL_${reason.toUpperCase().replaceAll(" ", "_")}`];
  return ["unreachable", code.startsWith("HPE_") ? NOT_HTTP : code];
}

/** Which side has failed: only an agent connects to another name or port than the server's. */
export function placeOf(error: Error, url: URL): string {
  const { hostname = url.hostname, port = portOf(url) } = error as {
    hostname?: string;
    port?: number;
  };
  return hostname === url.hostname && port === portOf(url) ? "" : "the proxy: ";
}

const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === "https:" ? 443 : 80));

/** The agent of each connection: another request of the program may get it, too. */
const agents = new WeakMap<Socket, http.Agent>();

/** Watches a request's connection from the end of its response until the next request takes it. */
export function follow(client: http.ClientRequest, agent: http.Agent): void {
  client.on("socket", (socket) => {
    socket.off("data", closeIfUnexpected);
    agents.set(socket, agent);
  });
  client.on("response", (message) => {
    const { socket, headers } = message;
    reportedMs.set(socket, keepAliveMs(headers["keep-alive"] as string | undefined));
    message.on("end", () => socket.on("data", closeIfUnexpected));
  });
}

function closeIfUnexpected(this: Socket): void {
  // Agents of other libraries need not have the property.
  const { freeSockets = {} } = agents.get(this)!;
  if (Object.values(freeSockets).flat().includes(this)) this.destroy();
}

// One request of `fetch` with Node's client.

/** The same streams, as Node's own types have them. */
type NodeStream = Parameters<typeof Readable.fromWeb>[0];

export async function send(
  options: NodeHttpOptions,
  ...[input, init]: Parameters<typeof fetch>
): Promise<Response> {
  const request = new Request(input, init);
  // Reads unexpected data on an idle connection first: it is not the response to this request.
  await new Promise((done) => setImmediate(done));
  const { url, method, signal } = request;
  const headers: http.OutgoingHttpHeaders = Object.fromEntries(request.headers);
  const isStream = init?.body instanceof ReadableStream;
  const bytes = request.body && !isStream ? Buffer.from(await request.arrayBuffer()) : undefined;
  const length = bytes?.length ?? (request.body || /^(GET|HEAD)$/.test(method) ? undefined : 0);
  if (length !== undefined) headers["content-length"] = length;
  headers["accept-encoding"] ??= [...DECODERS.keys()].join(", ");
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(signal.aborted ? signal.reason : new TypeError("fetch failed", { cause }));
    const giveUp = (): unknown => client.destroy(new Error("no connection in time"));
    const { client, connectLimit } = openRequest(
      new URL(url),
      { method, headers, signal },
      tlsSettings(options),
      http.globalAgent,
      giveUp,
    );
    client.on("close", () => clearTimeout(connectLimit));
    client.setTimeout(EXCHANGE_LIMITS.silenceLimitMs, () =>
      client.destroy(new Error("no response in time")),
    );
    client.on("response", (response) => {
      // Values that Response or Headers reject must not end the program.
      try {
        resolve(Object.defineProperty(responseOf(response, method), "url", { value: url }));
      } catch (error) {
        response.destroy();
        fail(error as Error);
      }
    });
    client.on("upgrade", (_, socket) => {
      socket.destroy();
      fail(new Error("HTTP 101"));
    });
    client.on("error", fail);
    if (bytes === undefined && request.body) {
      Readable.fromWeb(request.body as NodeStream)
        .on("error", fail)
        .pipe(client);
    } else client.end(bytes);
  });
}

function responseOf(response: http.IncomingMessage, method: string): Response {
  const { rawHeaders } = response;
  const status = finalStatus(response.statusCode);
  // RFC 9112 §4: anything else has no place in a reason phrase, and Response refuses it.
  const statusText = /^[\t -~\x80-\xff]*$/.exec(`${response.statusMessage}`)?.[0] ?? "";
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  // Fetch standard: these have no body.
  const isEmpty = method === "HEAD" || [204, 205, 304].includes(status);
  if (isEmpty) response.resume();
  const body = isEmpty ? null : (Readable.toWeb(decodedWhole(response)) as ReadableStream);
  return new Response(body, { status, statusText, headers });
}

/** A pipe alone reports neither that the response was cut off, nor that its reader has stopped. */
function decodedWhole(response: http.IncomingMessage): Readable {
  const body = decoded(response);
  response.on("error", (error) => body.destroy(error));
  body.on("close", () => response.destroy());
  return body;
}
