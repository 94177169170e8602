// The HTTP adapter on Node's own client. It opens connections and reports what came; what an answer
// means, and whether to ask again, is decided elsewhere.

import http from "node:http";
import https from "node:https";
import type { LookupFunction, Socket } from "node:net";
import type { Readable, Transform } from "node:stream";
import { setImmediate } from "node:timers";
import { checkServerIdentity as checkIdentity, type PeerCertificate } from "node:tls";
import { createBrotliDecompress, createGunzip, createInflate, type Zlib } from "node:zlib";
import type { Bytes, Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import {
  CUT_OFF,
  HEAD_TOO_LONG,
  NOT_HTTP,
  TOO_LONG,
  UNKNOWN_CODING,
} from "../display/response-reasons.ts";
import { EXCHANGE_LIMITS, finalStatus, IDLE_MAX_MS, keepAliveMs } from "../exchange/limits.ts";
import { retryAfterSeconds } from "../exchange/retry-after.ts";

/** Limits and certificates of the HTTP adapter. */
export interface NodeHttpOptions {
  /** For the whole exchange, from `send` to the last byte; default 30 s. */
  timeLimitMs?: number;
  /** For name, connection and TLS handshake together; default 10 s. */
  connectLimitMs?: number;
  /** Longest body in bytes; default 64 KiB. */
  sizeLimitBytes?: number;
  /** The text of PEM certificates to trust instead of Node's own list. */
  ca?: string | Buffer | readonly (string | Buffer)[];
  /**
   * Makes the connections for https in place of Node's own client: one that goes through a proxy, say, since
   * HTTPS_PROXY and the like are not looked at. It must check certificates; what it trusts is its own affair.
   */
  agent?: http.Agent;
  /** `User-Agent`; default "picogrant". */
  userAgent?: string;
  /**
   * How long a connection is kept for the next request at most; default: as long as the server says (`Keep-Alive`) less
   * a second, ten minutes at most, and 4 s where it says nothing. Servers commonly close theirs from 5 s on, and a POST
   * that meets a closing connection may have been acted on or not: that poll's tokens would be lost.
   */
  idleLimitMs?: number;
}

/** What an agent has of its own counts before what is asked for here: so none of these, which switch off what is checked. */
const WEAK =
  /^(rejectUnauthorized: false|(checkServerIdentity|servername|secureProtocol): (?!undefined)|(min|max)Version: TLSv1(\.1)?$)/;

/** What a request is made with; its connection is the agent's. What is of TLS has no effect on plain http. */
export interface TlsSettings extends https.RequestOptions {
  agent: http.Agent;
  connectLimitMs: number;
}

/**
 * How a connection for https is made, and whom it trusts.
 * @throws TypeError where the agent switches off what is checked
 */
export function tlsSettings({ ca, agent, ...limits }: NodeHttpOptions): TlsSettings {
  const { options: own = {} } = (agent ?? {}) as { options?: object };
  const weak = Object.entries(own).find(([name, value]) => WEAK.test(`${name}: ${value}`));
  if (weak !== undefined) {
    throw new TypeError(`http.agent must check what picogrant checks: leave out its ${weak[0]}`);
  }
  const { connectLimitMs = EXCHANGE_LIMITS.connectLimitMs } = limits;
  return {
    connectLimitMs,
    // Node gives up one address of several after 250 ms, which a slow line takes to connect.
    ...{ autoSelectFamilyAttemptTimeout: Math.ceil(connectLimitMs / 4) },
    maxHeaderSize: EXCHANGE_LIMITS.headLimitBytes,
    // Said outright, so that no setting of the environment can switch the checks off.
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    checkServerIdentity,
    agent: agent ?? https.globalAgent,
    ...(ca !== undefined && { ca: [ca].flat() }),
  };
}

/**
 * As Node's own check, but by RFC 9525 (§2, §6.3): the common name never counts, and a wildcard stands for the whole
 * first label. Names that are written with quotes have characters in them that no host's name has: a certificate
 * with such a one is read by nobody in the same way, and refused.
 */
function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const { subjectaltname = "" } = certificate;
  const isPlain = (name: string): boolean => !name.includes("*") || /^DNS:\*\.[^*]+$/.test(name);
  const names = subjectaltname.includes('"') ? [] : subjectaltname.split(", ").filter(isPlain);
  const subject = {} as PeerCertificate["subject"];
  return checkIdentity(host, { ...certificate, subject, subjectaltname: names.join(", ") });
}

/**
 * Starts a request and watches its connection. A fresh one has to stand within its own limit, its TLS handshake included.
 * @param plain makes connections for plain http
 * @param late called where the limit has passed
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
  // With a proxy of the environment the name is the proxy's, and its port another.
  const { proxyEnv } = ((agent as { options?: object }).options ?? {}) as { proxyEnv?: unknown };
  const lookup: LookupFunction = async (...asked) =>
    (await import("./addresses.ts")).look(portOf(url), settings.connectLimitMs, ...asked);
  const all = { ...options, ...settings, ...(!proxyEnv && { lookup }), agent };
  const client = (secure ? https : http).request(url, all);
  follow(client, agent);
  const connectLimit = setTimeout(late, settings.connectLimitMs);
  const stands = (): void => clearTimeout(connectLimit);
  client.on("socket", (socket) => {
    const { connecting, secureConnecting } = socket as Socket & { secureConnecting?: boolean };
    if (connecting || secureConnecting) socket.once(secure ? "secureConnect" : "connect", stands);
    // It was another request's.
    else stands();
  });
  return { client, connectLimit };
}

interface Exchange {
  sink: HttpSink;
  client: http.ClientRequest | undefined;
  timeLimit: NodeJS.Timeout;
  connectLimit: NodeJS.Timeout | undefined;
  bodyBytes: number;
}

/** HTTP and HTTPS over kept connections. `dispose` closes what is left open. */
export class NodeHttp implements Http {
  readonly #timeLimitMs: number;
  readonly #sizeLimitBytes: number;
  readonly #userAgent: string;
  readonly #idleLimitMs: number | undefined;
  readonly #pool: Pool;
  readonly #tls: TlsSettings;
  #isDisposed = false;
  #current: Exchange | undefined;
  /** What went wrong last: Node's or OpenSSL's name for it, or a sentence; "" where nothing did. */
  lastFailure = "";

  constructor(options: NodeHttpOptions = {}) {
    this.#timeLimitMs = options.timeLimitMs ?? EXCHANGE_LIMITS.timeLimitMs;
    this.#sizeLimitBytes = options.sizeLimitBytes ?? EXCHANGE_LIMITS.sizeLimitBytes;
    this.#userAgent = options.userAgent ?? "picogrant";
    this.#idleLimitMs = options.idleLimitMs;
    const settings = tlsSettings(options);
    this.#pool = poolOf(this.#idleLimitMs);
    this.#tls = { ...settings, agent: options.agent ?? this.#pool.secure };
  }

  send(request: HttpRequest, sink: HttpSink): void {
    if (this.#current !== undefined) throw new Error("http: an exchange is under way");
    const exchange: Exchange = {
      sink,
      client: undefined,
      timeLimit: setTimeout(
        () => this.#fail(exchange, "timeout", "no whole answer in time"),
        this.#timeLimitMs,
      ),
      connectLimit: undefined,
      bodyBytes: 0,
    };
    this.#current = exchange;
    // What waits on a kept connection is read first: it is not the answer to what is asked now.
    setImmediate(() => this.#current === exchange && this.#start(exchange, request));
  }

  abort(): void {
    if (this.#current !== undefined) this.#finish(this.#current);
  }

  /** Ends what is under way, and closes kept connections where no other adapter of the process is left. */
  dispose(): void {
    this.abort();
    if (!this.#isDisposed) leave(this.#pool, this.#idleLimitMs);
    this.#isDisposed = true;
  }

  #start(exchange: Exchange, request: HttpRequest): void {
    try {
      this.#open(exchange, request);
    } catch {
      // An address or a header value that cannot be sent.
      this.#fail(exchange, "unreachable", "the request cannot be sent");
    }
  }

  #open(exchange: Exchange, request: HttpRequest): void {
    const url = new URL(request.url);
    const body = copyRange(request.body, request.bodyFrom, request.bodyTo);
    const headers = this.#headers(request, body.length);
    const { client, connectLimit } = openRequest(
      url,
      { method: request.method, headers },
      this.#tls,
      this.#pool.plain,
      () => this.#fail(exchange, "timeout", "no connection in time"),
    );
    exchange.client = client;
    exchange.connectLimit = connectLimit;
    let answer: http.IncomingMessage | undefined;
    client.on("response", (response) => {
      answer = response;
      this.#receive(exchange, response);
    });
    // Node never repeats a request: an error here, on a kept connection too, ends the exchange. Behind a whole answer
    // neither an error nor the end of the connection says anything: its body may still be on the way to the sink.
    const isWhole = (): boolean => answer?.complete === true;
    client.on("error", (error) => {
      const [failure, why] = failureOf(error);
      if (!isWhole()) this.#fail(exchange, failure, placeOf(error, url) + why);
    });
    client.on("close", () => {
      if (!isWhole()) this.#fail(exchange, "unreachable", CUT_OFF);
    });
    client.end(body);
  }

  #headers(request: HttpRequest, bodyBytes: number): http.OutgoingHttpHeaders {
    const headers: http.OutgoingHttpHeaders = {
      Accept: "application/json",
      // RFC 9110 §12.5.3: without it a server may encode as it likes.
      "Accept-Encoding": "identity",
      "User-Agent": this.#userAgent,
    };
    if (request.contentType !== "") headers["Content-Type"] = request.contentType;
    if (request.authorization !== "") headers.Authorization = request.authorization;
    if (bodyBytes > 0 || request.method === "POST") headers["Content-Length"] = bodyBytes;
    for (const [name, value] of request.headers ?? []) headers[name] = value;
    return headers;
  }

  #receive(exchange: Exchange, response: http.IncomingMessage): void {
    const body = decoded(response);
    body.on("error", (error) => this.#fail(exchange, ...failureOf(error)));
    const { "content-encoding": encoding = "identity" } = response.headers;
    body.on("data", (chunk: Buffer) => {
      if (/^(identity)?$/i.test(encoding) || DECODERS.has(encoding.toLowerCase()))
        this.#take(exchange, chunk);
      else this.#fail(exchange, "unreachable", UNKNOWN_CODING);
    });
    body.on("end", () => this.#end(exchange));
    const { "retry-after": retryAfter, date, "content-length": promised } = response.headers;
    const { "transfer-encoding": coding = "chunked" } = response.headers;
    // Of the interim ones Node passes on 101 only, and no switch of protocols was asked for.
    const status = finalStatus(response.statusCode);
    // RFC 9110 §15.5.8: only a proxy says so, and behind TLS it is no answer of the server's.
    if (status === 407) {
      this.#fail(exchange, "unreachable", PROXY_REFUSES);
      return;
    }
    if (status === 0 || coding.toLowerCase() !== "chunked") {
      this.#fail(exchange, "unreachable", status === 0 ? NOT_HTTP : UNKNOWN_CODING);
      return;
    }
    const { "www-authenticate": authenticate = "" } = response.headers;
    const waitS = retryAfterSeconds(retryAfter, date, Date.now());
    exchange.sink.status(status, waitS, authenticate);
    // `#fail` does nothing where the sink has aborted meanwhile.
    if (Number(promised) > this.#sizeLimitBytes) this.#fail(exchange, "too-large", TOO_LONG);
  }

  #take(exchange: Exchange, chunk: Buffer): void {
    if (this.#current !== exchange) return;
    exchange.bodyBytes += chunk.length;
    if (exchange.bodyBytes > this.#sizeLimitBytes) this.#fail(exchange, "too-large", TOO_LONG);
    else exchange.sink.body(chunk, 0, chunk.length);
  }

  #end(exchange: Exchange): void {
    if (this.#current !== exchange) return;
    this.#release(exchange);
    exchange.sink.end();
  }

  #fail(exchange: Exchange, failure: TransportFailure, why: string): void {
    if (this.#current !== exchange) return;
    this.lastFailure = why;
    this.#finish(exchange);
    exchange.sink.failed(failure);
  }

  /** Over without a complete answer: the connection is of no use any more. */
  #finish(exchange: Exchange): void {
    this.#release(exchange);
    exchange.client?.destroy();
  }

  #release(exchange: Exchange): void {
    clearTimeout(exchange.timeLimit);
    clearTimeout(exchange.connectLimit);
    this.#current = undefined;
  }
}

/** By the coding that each reverses. */
export const DECODERS = new Map<string, () => Transform & Zlib>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** The body as it was before somebody on the way compressed it all the same (RFC 9110 §8.4.1). */
export function decoded(response: http.IncomingMessage): Readable {
  const decoder = DECODERS.get(`${response.headers["content-encoding"]}`.toLowerCase());
  return decoder ? response.pipe(unlessEmpty(decoder())) : response;
}

/** No body at all is none that was cut off, whatever its head says of a coding. */
function unlessEmpty<D extends Transform & Zlib>(decoder: D): D {
  const flush = decoder._flush.bind(decoder);
  decoder._flush = (done) => (decoder.bytesWritten === 0 ? done() : flush(done));
  return decoder;
}

/** With `ECONNREFUSED`, `CERT_HAS_EXPIRED` and the like, or a sentence. The message would name addresses. */
function failureOf(error: Error): [TransportFailure, why: string] {
  const { code = error.name } = error as NodeJS.ErrnoException;
  if (code === "ETIMEDOUT") return ["timeout", code];
  if (code === "HPE_HEADER_OVERFLOW") return ["too-large", HEAD_TOO_LONG];
  if (code === "ECONNRESET" || code === "EPIPE") return ["unreachable", CUT_OFF];
  // A handshake that fails while the request is written has OpenSSL's reason in its message alone.
  const [, reason] =
    /SSL routines:[^:]*:([^:]+)/.exec(code === "EPROTO" ? error.message : "") ?? [];
  if (reason) return ["unreachable", `ERR_SSL_${reason.toUpperCase().replaceAll(" ", "_")}`];
  return ["unreachable", code.startsWith("HPE_") ? NOT_HTTP : code];
}

/** Whose the failure is: nobody but an agent connects to another name or port than the server's. */
function placeOf(error: Error, url: URL): string {
  const { hostname = url.hostname, port = portOf(url) } = error as {
    hostname?: string;
    port?: number;
  };
  return hostname === url.hostname && port === portOf(url) ? "" : "the proxy: ";
}

const portOf = ({ port, protocol }: URL): number =>
  Number(port || (protocol === "https:" ? 443 : 80));

const PROXY_REFUSES = "the proxy wants a name and a password";

const copyRange = (bytes: Bytes, from: number, to: number): Buffer =>
  Buffer.from(Array.prototype.slice.call(bytes, from, to));

// Connections that are kept for the next request. What comes on one that nobody has asked anything would be taken for
// the answer to the next request (RFC 9112 §9.3: answers come in the order of requests): it is closed instead.

/** Whose each connection is: another request of the program may be given it, too. */
const agents = new WeakMap<Socket, http.Agent>();
/** How long to keep a connection, as the server has said. */
const reportedMs = new WeakMap<Socket, number | undefined>();

/**
 * Watches the connection that a request has got, from the end of its answer until the next request takes it.
 * @param agent whose the connection is
 */
export function follow(client: http.ClientRequest, agent: http.Agent): void {
  client.on("socket", (socket) => {
    socket.off("data", closeIfUnasked);
    agents.set(socket, agent);
  });
  client.on("response", (answer) => {
    const { socket, headers } = answer;
    reportedMs.set(socket, keepAliveMs(headers["keep-alive"] as string | undefined));
    answer.on("end", () => socket.on("data", closeIfUnasked));
  });
}

function closeIfUnasked(this: Socket): void {
  // Agents of other makes need not tell.
  const { freeSockets = {} } = agents.get(this)!;
  if (Object.values(freeSockets).flat().includes(this)) this.destroy();
}

/** The connections of all sessions of this process. */
interface Pool {
  readonly plain: http.Agent;
  readonly secure: https.Agent;
  users: number;
}

/** By how long a connection is kept at most; undefined: as the server says. */
const pools = new Map<number | undefined, Pool>();
/** To one server; those who come later wait for one of them. */
const CONNECTIONS_MAX = 32;
const IDLE_MS = 4000;

function poolOf(idleLimitMs: number | undefined): Pool {
  let pool = pools.get(idleLimitMs);
  if (pool === undefined) {
    const bounds = { maxSockets: CONNECTIONS_MAX, maxFreeSockets: CONNECTIONS_MAX };
    const how = { ...bounds, keepAlive: true, timeout: idleLimitMs ?? IDLE_MS };
    const plain = new http.Agent(how);
    // Where Node has been told to ask the environment for a proxy (NODE_USE_ENV_PROXY=1, --use-env-proxy; Node 22.21 and
    // newer), its own agent says so. Plain http, which is for this machine, goes through none.
    const { proxyEnv } = https.globalAgent.options as { proxyEnv?: unknown };
    const secure = new https.Agent({ ...how, proxyEnv } as https.AgentOptions);
    for (const agent of [plain, secure]) limitKeepAlive(agent, idleLimitMs);
    pool = { plain, secure, users: 0 };
    pools.set(idleLimitMs, pool);
  }
  pool.users++;
  return pool;
}

/** The last one closes what is kept. */
function leave(pool: Pool, idleLimitMs: number | undefined): void {
  if (--pool.users > 0) return;
  pools.delete(idleLimitMs);
  for (const agent of [pool.plain, pool.secure]) agent.destroy();
}

/**
 * Node's own agent takes the server's word where that is less than its own limit, and in early versions to the last
 * moment: a POST on a connection that is being closed may have been acted on or not.
 */
function limitKeepAlive(agent: http.Agent, idleLimitMs: number | undefined): void {
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => {
    const [most, otherwise] = [idleLimitMs ?? IDLE_MAX_MS, idleLimitMs ?? IDLE_MS];
    const idleMs = Math.min(reportedMs.get(socket as Socket) ?? otherwise, most);
    if (idleMs === 0) return false;
    keep(socket);
    (socket as Socket).setTimeout(idleMs);
    return true;
  };
}

// `fetch` for a session on Node, over the same client as the adapter: the global one takes neither certificates nor an
// agent, and gives up slow lines (see above).

/** @throws TypeError where the agent does not check certificates */
export function nodeFetch(options: NodeHttpOptions = {}): typeof fetch {
  const settings = tlsSettings(options);
  return async (input, init) => (await import("./agent-fetch.ts")).send(settings, input, init);
}
