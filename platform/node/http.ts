// The HTTP adapter on Node's own client. It opens connections and reports responses; it neither interprets nor retries.

import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers";
import { checkServerIdentity as checkIdentity, type PeerCertificate } from "node:tls";
import type { Bytes, Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { CUT_OFF, NOT_HTTP, TOO_LONG, UNKNOWN_CODING } from "../display/response-reasons.ts";
import { EXCHANGE_LIMITS, finalStatus, IDLE_MAX_MS } from "../exchange/limits.ts";
import { retryAfterSeconds } from "../exchange/retry-after.ts";

/** An agent of node:https, or of a proxy library. Declared here, so that the public types need no types of Node. */
export interface HttpsAgent {
  readonly maxSockets: number;
  destroy(): void;
}

/** Limits and certificates of the HTTP adapter. */
export interface NodeHttpOptions {
  /** For the whole exchange, from `send` to the last byte; default 30 s. */
  timeLimitMs?: number;
  /** For name resolution, connection and TLS handshake together; default 10 s. */
  connectLimitMs?: number;
  /** Longest body in bytes; default 64 KiB. */
  sizeLimitBytes?: number;
  /** PEM certificates to trust instead of Node's own list. */
  ca?: string | Uint8Array | readonly (string | Uint8Array)[];
  /**
   * Creates the https connections in place of Node's own client, for example through a proxy: HTTPS_PROXY is not read.
   * It must check certificates, and decides which ones to trust.
   */
  agent?: HttpsAgent;
  /** `User-Agent`; default "picogrant". */
  userAgent?: string;
  /**
   * How long a connection is kept for the next request; default: as long as the server says (`Keep-Alive`) minus a
   * second, at most ten minutes, and 4 s if it says nothing. Servers commonly close theirs after 5 s, and a POST on a
   * closing connection may or may not have been processed: the tokens of such a poll would be lost.
   */
  idleLimitMs?: number;
}

/** An agent's own options take precedence: those that disable checks are rejected. */
const WEAK =
  /^(rejectUnauthorized: false|(checkServerIdentity|servername|secureProtocol): (?!undefined)|(min|max)Version: TLSv1(\.1)?$)/;

/** What is wrong with an agent, "" for nothing. */
export function agentProblem(agent: object | undefined): string {
  if (agent === undefined) return "";
  const { options = {}, destroy } = agent as Partial<https.Agent>;
  if (typeof destroy !== "function") return "must be an agent of node:https";
  const weak = Object.entries(options).find(([name, value]) => WEAK.test(`${name}: ${value}`));
  return weak === undefined ? "" : `must check what picogrant checks: leave out its ${weak[0]}`;
}

/** The options of a request; its connection is the agent's. TLS options have no effect on plain http. */
export interface TlsSettings extends https.RequestOptions {
  agent: http.Agent;
  connectLimitMs: number;
}

/**
 * How https connections are made, and which certificates they trust.
 * @throws TypeError if the agent disables checks
 */
export function tlsSettings({ ca, agent, ...limits }: NodeHttpOptions): TlsSettings {
  const problem = agentProblem(agent);
  if (problem !== "") throw new TypeError(`http.agent ${problem}`);
  const { connectLimitMs = EXCHANGE_LIMITS.connectLimitMs } = limits;
  return {
    connectLimitMs,
    // Node gives up one address of several after 250 ms, which a slow line takes to connect.
    ...{ autoSelectFamilyAttemptTimeout: Math.ceil(connectLimitMs / 4) },
    maxHeaderSize: EXCHANGE_LIMITS.headLimitBytes,
    // Explicit, so that no environment setting can disable the check.
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    checkServerIdentity,
    agent: (agent as http.Agent | undefined) ?? https.globalAgent,
    ...(ca !== undefined && { ca: [ca].flat() as Buffer[] }),
  };
}

/**
 * As Node's own check, but by RFC 9525 (§2, §6.3): the common name never counts, and a wildcard stands for the whole
 * first label. A certificate with quoted names, which contain characters that no host name has, is rejected:
 * implementations parse it differently.
 */
function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const { subjectaltname = "" } = certificate;
  const isPlain = (name: string): boolean => !name.includes("*") || /^DNS:\*\.[^*]+$/.test(name);
  const names = subjectaltname.includes('"') ? [] : subjectaltname.split(", ").filter(isPlain);
  const subject = {} as PeerCertificate["subject"];
  return checkIdentity(host, { ...certificate, subject, subjectaltname: names.join(", ") });
}

type Connection = typeof import("./connection.ts");

interface Exchange {
  sink: HttpSink;
  client: http.ClientRequest | undefined;
  timeLimit: NodeJS.Timeout;
  connectLimit: NodeJS.Timeout | undefined;
  bodyBytes: number;
}

/** HTTP and HTTPS over persistent connections. `dispose` closes the idle ones. */
export class NodeHttp implements Http {
  readonly #timeLimitMs: number;
  readonly #sizeLimitBytes: number;
  readonly #userAgent: string;
  readonly #idleLimitMs: number | undefined;
  readonly #pool: Pool;
  readonly #tls: TlsSettings;
  #isDisposed = false;
  #current: Exchange | undefined;
  /** The last failure: Node's or OpenSSL's name for it, or a sentence; "" for none. */
  lastFailure = "";

  constructor(options: NodeHttpOptions = {}) {
    this.#timeLimitMs = options.timeLimitMs ?? EXCHANGE_LIMITS.timeLimitMs;
    this.#sizeLimitBytes = options.sizeLimitBytes ?? EXCHANGE_LIMITS.sizeLimitBytes;
    this.#userAgent = options.userAgent ?? "picogrant";
    this.#idleLimitMs = options.idleLimitMs;
    const settings = tlsSettings(options);
    this.#pool = poolOf(this.#idleLimitMs);
    this.#tls = options.agent ? settings : { ...settings, agent: this.#pool.secure };
  }

  send(request: HttpRequest, sink: HttpSink): void {
    if (this.#current !== undefined) throw new Error("http: an exchange is under way");
    const exchange: Exchange = {
      sink,
      client: undefined,
      timeLimit: setTimeout(
        () => this.#fail(exchange, "timeout", "no complete response in time"),
        this.#timeLimitMs,
      ),
      connectLimit: undefined,
      bodyBytes: 0,
    };
    this.#current = exchange;
    // Reads unexpected data on an idle connection first: it is not the response to this request.
    setImmediate(() => void this.#start(exchange, request));
  }

  abort(): void {
    if (this.#current !== undefined) this.#finish(this.#current);
  }

  /** Ends the current exchange, and closes idle connections if this is the last adapter of the process. */
  dispose(): void {
    this.abort();
    if (!this.#isDisposed) leave(this.#pool, this.#idleLimitMs);
    this.#isDisposed = true;
  }

  async #start(exchange: Exchange, request: HttpRequest): Promise<void> {
    try {
      // A start with a valid access token makes no request.
      const connection = await import("./connection.ts");
      if (this.#current === exchange) this.#open(exchange, request, connection);
    } catch {
      // An address or a header value that cannot be sent.
      this.#fail(exchange, "unreachable", "the request cannot be sent");
    }
  }

  #open(exchange: Exchange, request: HttpRequest, connection: Connection): void {
    const url = new URL(request.url);
    const body = copyRange(request.body, request.bodyFrom, request.bodyTo);
    const headers = this.#headers(request, body.length);
    const { client, connectLimit } = connection.openRequest(
      url,
      { method: request.method, headers },
      this.#tls,
      this.#pool.plain,
      () => this.#fail(exchange, "timeout", "no connection in time"),
    );
    exchange.client = client;
    exchange.connectLimit = connectLimit;
    let received: http.IncomingMessage | undefined;
    client.on("response", (response) => {
      received = response;
      this.#receive(exchange, response, connection);
    });
    // Node never repeats a request: an error, even on a reused connection, ends the exchange. After a complete response
    // neither an error nor the end of the connection matters: its body may still be on the way to the sink.
    const isWhole = (): boolean => received?.complete === true;
    client.on("error", (error) => {
      const [failure, why] = connection.failureOf(error);
      if (!isWhole()) this.#fail(exchange, failure, connection.placeOf(error, url) + why);
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

  #receive(exchange: Exchange, response: http.IncomingMessage, connection: Connection): void {
    const { decoded, DECODERS, failureOf } = connection;
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
    // Of the interim responses Node reports only 101, and no protocol switch was requested.
    const status = finalStatus(response.statusCode);
    // RFC 9110 §15.5.8: only a proxy sends it; over TLS it is not the server's response.
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
    // `#fail` has no effect if the sink has aborted meanwhile.
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

  /** Ended without a complete response: the connection cannot be reused. */
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

const PROXY_REFUSES = "the proxy wants a name and a password";

const copyRange = (bytes: Bytes, from: number, to: number): Buffer =>
  Buffer.from(Array.prototype.slice.call(bytes, from, to));

// Connections that are kept for the next request. Unexpected data on one would be taken for the next response (RFC 9112
// §9.3: responses come in the order of requests): such a connection is closed.

/** How long to keep each connection, as the server has said. */
export const reportedMs = new WeakMap<Socket, number | undefined>();

/** The connections of all sessions of this process. */
interface Pool {
  readonly plain: http.Agent;
  readonly secure: https.Agent;
  users: number;
}

/** By the longest time that a connection is kept; undefined: as the server says. */
const pools = new Map<number | undefined, Pool>();
const CONNECTIONS_MAX = 32;
const IDLE_MS = 4000;

function poolOf(idleLimitMs: number | undefined): Pool {
  let pool = pools.get(idleLimitMs);
  if (pool === undefined) {
    const bounds = { maxSockets: CONNECTIONS_MAX, maxFreeSockets: CONNECTIONS_MAX };
    const how = { ...bounds, keepAlive: true, timeout: idleLimitMs ?? IDLE_MS };
    const plain = new http.Agent(how);
    // If Node reads proxies from the environment (NODE_USE_ENV_PROXY=1, --use-env-proxy; Node 22.21 and newer), its own
    // agent has these options. Plain http, which is for this machine, uses no proxy.
    const { proxyEnv } = https.globalAgent.options as { proxyEnv?: unknown };
    const secure = new https.Agent({ ...how, proxyEnv } as https.AgentOptions);
    for (const agent of [plain, secure]) limitKeepAlive(agent, idleLimitMs);
    pool = { plain, secure, users: 0 };
    pools.set(idleLimitMs, pool);
  }
  pool.users++;
  return pool;
}

/** The last one closes kept connections. */
function leave(pool: Pool, idleLimitMs: number | undefined): void {
  if (--pool.users > 0) return;
  pools.delete(idleLimitMs);
  for (const agent of [pool.plain, pool.secure]) agent.destroy();
}

/**
 * Node's own agent obeys the server if its value is below the agent's limit, and early versions up to the last moment:
 * a POST on a closing connection may or may not have been processed.
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

// A session's `fetch` on Node, with the client of the adapter: the global one accepts neither certificates nor an
// agent, and gives up on slow lines (see above).

/** @throws TypeError if the agent does not check certificates */
export function nodeFetch(options: NodeHttpOptions = {}): typeof fetch {
  const settings = tlsSettings(options);
  return async (input, init) => (await import("./connection.ts")).send(settings, input, init);
}
