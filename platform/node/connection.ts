// Opens connections for requests, chooses addresses, describes failures, decodes responses, and sends requests of `fetch`.

import dns, { type LookupAddress } from "node:dns";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net, { type LookupFunction, type Socket } from "node:net";
import { Readable, type Transform } from "node:stream";
import { setImmediate } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import type { Zlib } from "node:zlib";
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

/** Starts a request. @param plain the agent for plain http @param late called if a new connection takes too long */
export function openRequest(
  url: URL,
  options: http.RequestOptions,
  settings: TlsSettings,
  plain: http.Agent,
  late: () => void,
): { readonly client: http.ClientRequest; readonly connectLimit: NodeJS.Timeout } {
  const secure = url.protocol === "https:";
  const own = secure ? settings.agent : plain;
  // If the environment sets a proxy, leave `lookup` out, because it would get the proxy's name, but the server's port.
  const { proxyEnv } = ((own as { options?: object }).options ?? {}) as { proxyEnv?: unknown };
  // Plain http uses no proxy, because it usually goes to this machine. Node's own agent may have a proxy.
  const agent = proxyEnv && !secure ? new http.Agent() : own;
  const lookup: LookupFunction = (...query) => look(portOf(url), settings.connectLimitMs, ...query);
  const all = { ...options, ...settings, ...(!(proxyEnv && secure) && { lookup }), agent };
  const client = (secure ? https : http).request(url, all);
  follow(client, agent);
  const connectLimit = setTimeout(late, settings.connectLimitMs);
  const stands = (): void => clearTimeout(connectLimit);
  client.on("close", stands);
  client.on("socket", (socket) => {
    const { connecting, secureConnecting } = socket as Socket & { secureConnecting?: boolean };
    if (connecting || secureConnecting) socket.once(secure ? "secureConnect" : "connect", stands);
    else stands();
  });
  return { client, connectLimit };
}

/** The delay between two connection attempts (RFC 8305 §5). */
const ATTEMPT_DELAY_MS = 250;
/** How long a chosen address applies to all connections of the process to the same name and port. */
const CHOICE_MS = 60_000;

const choices = new Map<string, Promise<string>>();

/**
 * Looks up a name, and sorts its addresses. Node tries one address after the other, so each that does not respond costs
 * the time limit of an attempt. Here, attempts run in parallel (RFC 8305), and the fastest address is put first.
 */
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

/** Returns the address that accepts a connection first; "" if no address does. */
async function fastestOf(found: LookupAddress[], port: number, limitMs: number): Promise<string> {
  const end = new AbortController();
  const { signal } = end;
  setTimeout(() => end.abort(), limitMs).unref();
  const rank = (one: LookupAddress): number =>
    found.filter(({ family }) => family === one.family).indexOf(one);
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

const zlib = (): typeof import("node:zlib") => process.getBuiltinModule("node:zlib");

export const DECODERS = new Map<string, () => Transform & Zlib>([
  ["gzip", () => zlib().createGunzip()],
  ["x-gzip", () => zlib().createGunzip()],
  ["deflate", () => zlib().createInflate()],
  ["br", () => zlib().createBrotliDecompress()],
]);

/** Returns the body, decoded if an intermediary or the server has compressed it (RFC 9110 §8.4.1). */
export function decoded(response: http.IncomingMessage): Readable {
  const decoder = DECODERS.get(`${response.headers["content-encoding"]}`.toLowerCase());
  return decoder ? response.pipe(unlessEmpty(decoder())) : response;
}

/** Accepts an empty body: it is complete, whichever coding the response's head names. */
function unlessEmpty<D extends Transform & Zlib>(decoder: D): D {
  const flush = decoder._flush.bind(decoder);
  decoder._flush = (done) => (decoder.bytesWritten === 0 ? done() : flush(done));
  return decoder;
}

/** Describes an error by its code (`ECONNREFUSED`) or a sentence, because its message may contain addresses. */
export function failureOf(error: Error): [TransportFailure, why: string] {
  const { code = error.name } = error as NodeJS.ErrnoException;
  if (code === "ETIMEDOUT") return ["timeout", code];
  if (code === "HPE_HEADER_OVERFLOW") return ["too-large", HEAD_TOO_LONG];
  if (code === "ECONNRESET" || code === "EPIPE") return ["unreachable", CUT_OFF];
  // If a handshake fails while the request is written, only the message contains OpenSSL's reason.
  const [, reason] =
    /SSL routines:[^:]*:([^:]+)/.exec(code === "EPROTO" ? error.message : "") ?? [];
  if (reason) return ["unreachable", `ERR_SSL_${reason.toUpperCase().replaceAll(" ", "_")}`];
  return ["unreachable", code.startsWith("HPE_") ? NOT_HTTP : code];
}

/** Names the proxy if it has failed. Only a proxy agent connects to another name or port than the server's. */
export function placeOf(error: Error & Partial<Pick<URL, "hostname">>, url: URL): string {
  const { hostname = url.hostname, port = portOf(url) } = error as {
    hostname?: string;
    port?: number;
  };
  return hostname === url.hostname && port === portOf(url) ? "" : "the proxy: ";
}

const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === "https:" ? 443 : 80));

/** The agent of each connection, which may give the connection to other requests of the program too. */
const agents = new WeakMap<Socket, http.Agent>();

/** Closes a connection if data arrives while it is idle: from the end of a response until the next request. */
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
  const { freeSockets = {} } = agents.get(this)!;
  if (Object.values(freeSockets).flat().includes(this)) this.destroy();
}

/** The type of a web stream in Node's own types. It differs from the global type. */
type NodeStream = Parameters<typeof Readable.fromWeb>[0];

/** Sends one request of `fetch` with Node's client. */
export async function send(
  options: NodeHttpOptions,
  ...[input, init]: Parameters<typeof fetch>
): Promise<Response> {
  const request = new Request(input, init);
  // Let Node read unexpected data on an idle connection first, because that data is not the response to this request.
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
    const giveUp = (why: string): unknown => client.destroy(new Error(why));
    const { client } = openRequest(
      new URL(url),
      { method, headers, signal },
      tlsSettings(options),
      http.globalAgent,
      () => giveUp("no connection in time"),
    );
    client.setTimeout(EXCHANGE_LIMITS.silenceLimitMs, () => giveUp("no response in time"));
    client.on("response", (response) => {
      // Response and Headers throw for some values. Such a response must not end the program.
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
        .on("error", (error) => {
          fail(error);
          client.destroy();
        })
        .pipe(client);
    } else client.end(bytes);
  });
}

function responseOf(response: http.IncomingMessage, method: string): Response {
  const { rawHeaders } = response;
  const status = finalStatus(response.statusCode);
  // A reason phrase has only these characters (RFC 9112 §4), and Response rejects all others.
  const statusText = /^[\t -~\x80-\xff]*$/.exec(`${response.statusMessage}`)?.[0] ?? "";
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const isEmpty = method === "HEAD" || [204, 205, 304].includes(status);
  if (isEmpty) response.resume();
  const body = isEmpty ? null : (Readable.toWeb(decodedWhole(response)) as ReadableStream);
  return new Response(body, { status, statusText, headers });
}

/** Decodes the body, and passes on two events that a pipe does not: a truncated response, and a reader that stops. */
function decodedWhole(response: http.IncomingMessage): Readable {
  const body = decoded(response);
  response.on("error", (error) => body.destroy(error));
  body.on("close", () => response.destroy());
  return body;
}
