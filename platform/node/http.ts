// The HTTP adapter on Node's own client. It opens connections and reports what came; what an answer
// means, and whether to ask again, is decided elsewhere.

import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { checkServerIdentity as checkIdentity, type PeerCertificate } from "node:tls";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Bytes, Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { CUT_OFF, NOT_HTTP, TOO_LONG, UNKNOWN_CODING } from "../display/reasons.ts";
import { EXCHANGE_LIMITS } from "../exchange/limits.ts";
import { retryAfterSeconds } from "../exchange/retry-after.ts";

/** Limits and certificates of the HTTP adapter. */
export interface NodeHttpOptions {
  /** For the whole exchange, from `send` to the last byte; default 30 s. */
  timeLimitMs?: number;
  /** For name, connection and TLS handshake together; default 10 s. */
  connectLimitMs?: number;
  /** Longest body in bytes; default 64 KiB. */
  sizeLimitBytes?: number;
  /** PEM certificates to trust instead of Node's own list. */
  ca?: string | readonly string[];
  /**
   * Makes the connections for https in place of Node's own client: one that goes through a proxy, say, since
   * HTTPS_PROXY and the like are not looked at. It must check certificates; what it trusts is its own affair.
   */
  agent?: http.Agent;
  /** `User-Agent`; default "picogrant". */
  userAgent?: string;
  /**
   * How long a connection is kept for the next request; default 4 s. Servers commonly close theirs from
   * 5 s on, and a POST that meets a closing connection may have been acted on or not: that poll's tokens
   * would be lost. Better a new handshake than such a race.
   */
  idleLimitMs?: number;
}

/**
 * Where Node has been told to ask the environment for a proxy (NODE_USE_ENV_PROXY=1, --use-env-proxy; Node 22.21 and
 * newer), its own agent says so; ours does the same. Plain http, which is for this machine, goes through none.
 */
function proxySettings(): https.AgentOptions {
  const { proxyEnv } = https.globalAgent.options as { proxyEnv?: unknown };
  return proxyEnv === undefined ? {} : ({ proxyEnv } as https.AgentOptions);
}

/** What a request for https is made with; its connection is the agent's. */
export interface TlsSettings extends https.RequestOptions {
  agent: http.Agent;
}

/**
 * How a connection for https is made, and whom it trusts.
 * @throws TypeError where the agent does not check certificates
 */
export function tlsSettings({ ca, agent }: NodeHttpOptions): TlsSettings {
  const { options: own } = (agent ?? {}) as { options?: https.AgentOptions };
  // An agent's own settings count before those of a request.
  if (own?.rejectUnauthorized === false) {
    throw new TypeError("http.agent must check certificates: it has rejectUnauthorized: false");
  }
  return {
    // Said outright, so that no setting of the environment can switch the checks off.
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    checkServerIdentity,
    agent: agent ?? https.globalAgent,
    ...(ca !== undefined && { ca: typeof ca === "string" ? ca : [...ca] }),
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

interface Exchange {
  sink: HttpSink;
  client: http.ClientRequest | undefined;
  timeLimit: NodeJS.Timeout;
  connectLimit: NodeJS.Timeout | undefined;
  bodyBytes: number;
  /** The last byte has come; it may still have to be decoded. */
  isWhole: boolean;
}

/** HTTP and HTTPS over kept connections. `dispose` closes what is left open. */
export class NodeHttp implements Http {
  readonly #timeLimitMs: number;
  readonly #connectLimitMs: number;
  readonly #sizeLimitBytes: number;
  readonly #userAgent: string;
  readonly #plainAgent: http.Agent;
  /** The program's own agent stays open when this adapter ends. */
  readonly #ownAgents: readonly http.Agent[];
  readonly #tls: TlsSettings;
  readonly #kept = new KeptConnections();
  #current: Exchange | undefined;
  #lastFailure = "";

  constructor(options: NodeHttpOptions = {}) {
    this.#timeLimitMs = options.timeLimitMs ?? EXCHANGE_LIMITS.timeLimitMs;
    this.#connectLimitMs = options.connectLimitMs ?? EXCHANGE_LIMITS.connectLimitMs;
    this.#sizeLimitBytes = options.sizeLimitBytes ?? EXCHANGE_LIMITS.sizeLimitBytes;
    this.#userAgent = options.userAgent ?? "picogrant";
    const kept = { keepAlive: true, maxFreeSockets: 1, timeout: options.idleLimitMs ?? 4_000 };
    this.#plainAgent = new http.Agent(kept);
    const agent = options.agent ?? new https.Agent({ ...kept, ...proxySettings() });
    this.#tls = tlsSettings({ ...options, agent });
    this.#ownAgents = options.agent ? [this.#plainAgent] : [this.#plainAgent, agent];
  }

  /** What went wrong last: Node's or OpenSSL's name for it, or a sentence; "" where nothing did. */
  get lastFailure(): string {
    return this.#lastFailure;
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
      isWhole: false,
    };
    this.#current = exchange;
    if (this.#kept.isEmpty) this.#start(exchange, request);
    // What waits on a kept connection is read first: it is not the answer to what is asked now.
    else setImmediate(() => this.#current === exchange && this.#start(exchange, request));
  }

  abort(): void {
    if (this.#current !== undefined) this.#finish(this.#current);
  }

  /** Ends what is under way and closes kept connections. */
  dispose(): void {
    this.abort();
    for (const agent of this.#ownAgents) agent.destroy();
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
    const secure = url.protocol === "https:";
    const body = copyRange(request.body, request.bodyFrom, request.bodyTo);
    const options: https.RequestOptions = {
      method: request.method,
      headers: this.#headers(request, body.length),
    };
    const agent = secure ? this.#tls.agent : this.#plainAgent;
    const client = secure
      ? https.request(url, { ...options, ...this.#tls })
      : http.request(url, { ...options, agent });
    exchange.client = client;
    this.#kept.follow(client, agent);
    this.#limitConnecting(exchange, client, secure ? "secureConnect" : "connect");
    client.on("response", (response) => this.#receive(exchange, response));
    // Node never repeats a request: an error here, on a kept connection too, ends the exchange.
    client.on("error", (error) => this.#fail(exchange, failureOf(error), codeOf(error)));
    client.on("close", () => {
      if (!exchange.isWhole) this.#fail(exchange, "unreachable", CUT_OFF.sentence);
    });
    client.end(body);
  }

  /** A fresh connection has to stand within its own limit, its TLS handshake included. */
  #limitConnecting(exchange: Exchange, client: http.ClientRequest, established: string): void {
    const limit = setTimeout(
      () => this.#fail(exchange, "timeout", "no connection in time"),
      this.#connectLimitMs,
    );
    exchange.connectLimit = limit;
    client.on("socket", (socket) => {
      if (client.reusedSocket) clearTimeout(limit);
      else socket.once(established, () => clearTimeout(limit));
    });
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
    // What was cut off has no end: Node says so by an error, and then closes the request.
    response.on("end", () => {
      exchange.isWhole = true;
    });
    body.on("error", (error) => this.#fail(exchange, "unreachable", codeOf(error)));
    body.on("data", (chunk: Buffer) => this.#take(exchange, chunk));
    body.on("end", () => this.#end(exchange));
    const { "retry-after": retryAfter, date, "content-length": promised } = response.headers;
    const { "transfer-encoding": coding = "chunked" } = response.headers;
    const status = response.statusCode ?? 0;
    // Of the interim ones Node passes on 101 only, and no switch of protocols was asked for.
    const isHttp = status >= 200 && status <= 599;
    if (!isHttp || coding.toLowerCase() !== "chunked") {
      this.#fail(exchange, "unreachable", (isHttp ? UNKNOWN_CODING : NOT_HTTP).sentence);
      return;
    }
    const { "www-authenticate": authenticate = "" } = response.headers;
    const waitS = retryAfterSeconds(retryAfter, date, Date.now());
    exchange.sink.status(status, waitS, authenticate);
    // `#fail` does nothing where the sink has aborted meanwhile.
    if (Number(promised) > this.#sizeLimitBytes) this.#failTooLong(exchange);
  }

  #take(exchange: Exchange, chunk: Buffer): void {
    if (this.#current !== exchange) return;
    exchange.bodyBytes += chunk.length;
    if (exchange.bodyBytes > this.#sizeLimitBytes) this.#failTooLong(exchange);
    else exchange.sink.body(chunk, 0, chunk.length);
  }

  #end(exchange: Exchange): void {
    if (this.#current !== exchange) return;
    this.#release(exchange);
    exchange.sink.end();
  }

  #failTooLong(exchange: Exchange): void {
    this.#fail(exchange, "too-large", TOO_LONG.sentence);
  }

  #fail(exchange: Exchange, failure: TransportFailure, why: string): void {
    if (this.#current !== exchange) return;
    this.#lastFailure = why;
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

/** The body as it was before somebody on the way compressed it all the same (RFC 9110 §8.4.1). */
export function decoded(response: http.IncomingMessage): Readable {
  switch (response.headers["content-encoding"]?.toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return response.pipe(createGunzip());
    case "deflate":
      return response.pipe(createInflate());
    case "br":
      return response.pipe(createBrotliDecompress());
    default:
      return response;
  }
}

/** `ECONNREFUSED`, `CERT_HAS_EXPIRED` and the like, or a sentence. The message would name addresses. */
function codeOf(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  if (code === "ECONNRESET" || code === "EPIPE") return CUT_OFF.sentence;
  if (code === HEAD_TOO_LONG) return TOO_LONG.sentence;
  return code.startsWith("HPE_") ? NOT_HTTP.sentence : code;
}

/** Node's parser of HTTP calls what it refuses HPE_*. */
const HEAD_TOO_LONG = "HPE_HEADER_OVERFLOW";

function failureOf(error: Error): TransportFailure {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === HEAD_TOO_LONG) return "too-large";
  return code === "ETIMEDOUT" ? "timeout" : "unreachable";
}

function copyRange(bytes: Bytes, from: number, to: number): Buffer {
  const copy = Buffer.alloc(to - from);
  for (let i = from; i < to; i++) copy[i - from] = bytes[i]!;
  return copy;
}

// Connections that are kept for the next request. What comes on one that nobody has asked anything would be taken for
// the answer to the next request (RFC 9112 §9.3: answers come in the order of requests): it is closed instead.

/** Whose each connection is: another request of the program may be given it, too. */
const agents = new WeakMap<Socket, http.Agent>();

export class KeptConnections {
  /** No listener of ours tells when one is closed: many sessions may share a connection, and each would leave one. */
  readonly #idle = new Set<Socket>();

  /** Whether none waits for a request. */
  get isEmpty(): boolean {
    this.#forgetClosed();
    return this.#idle.size === 0;
  }

  /**
   * Watches the connection that a request has got, from the end of its answer until the next request takes it.
   * @param agent whose the connection is
   */
  follow(client: http.ClientRequest, agent: http.Agent): void {
    client.on("socket", (socket) => {
      this.#idle.delete(socket);
      socket.off("data", closeIfUnasked);
      agents.set(socket, agent);
    });
    client.on("response", (answer) => {
      const { socket } = answer;
      answer.on("end", () => {
        this.#forgetClosed();
        this.#idle.add(socket);
        socket.on("data", closeIfUnasked);
      });
    });
  }

  #forgetClosed(): void {
    for (const socket of this.#idle) if (socket.destroyed) this.#idle.delete(socket);
  }
}

function closeIfUnasked(this: Socket): void {
  // Agents of other makes need not tell.
  const { freeSockets = {} } = agents.get(this)!;
  if (Object.values(freeSockets).flat().includes(this)) this.destroy();
}

// `fetch` for a session on Node: the global one, or where the program brings certificates or an agent of its own,
// which the global one does not take, the same over Node's client.

/** @throws TypeError where the agent does not check certificates */
export function nodeFetch(options: NodeHttpOptions = {}): typeof fetch {
  const settings = tlsSettings(options);
  if (options.ca === undefined && options.agent === undefined) return checkedFetch;
  const kept = new KeptConnections();
  return async (input, init) => {
    const request = new Request(input, init);
    // What waits on a kept connection is read first: it is not the answer to what is asked now.
    await new Promise((done) => setImmediate(done));
    const { send } = await import("./agent-fetch.ts");
    return await send(request, init?.body, settings, kept);
  };
}

/** What Node's own switch turns off for the whole program must not be off for tokens. */
const checkedFetch: typeof fetch = (input, init) => {
  const isPlain = `${input}`.startsWith("http:");
  if (!isPlain && process.env.NODE_TLS_REJECT_UNAUTHORIZED === "0") {
    const why = "NODE_TLS_REJECT_UNAUTHORIZED=0 switches the checks of certificates off";
    return Promise.reject(
      new TypeError(`fetch: ${why}: leave it out, and give a CA of one's own as http.ca`),
    );
  }
  return fetch(input, init);
};
