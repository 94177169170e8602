// The HTTP adapter on Node's own client. It opens connections and reports responses; it neither interprets nor retries.

import type http from "node:http";
import { setImmediate } from "node:timers";
import type { Bytes, Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import {
  CUT_OFF,
  EXCHANGE_LIMITS,
  finalStatus,
  NOT_HTTP,
  retryAfterSeconds,
  TOO_LONG,
  UNKNOWN_CODING,
} from "../exchange/limits.ts";
import type { Transport } from "./connection-pool.ts";
import { checkAgent, type NodeHttpOptions } from "./http-options.ts";

/** Loaded with the first request: a start with a valid access token makes none. */
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
  readonly #options: NodeHttpOptions;
  readonly #timeLimitMs: number;
  readonly #sizeLimitBytes: number;
  readonly #userAgent: string;
  #transport: Transport | undefined;
  #current: Exchange | undefined;
  /** The last failure: Node's or OpenSSL's name for it, or a sentence; "" for none. */
  lastFailure = "";

  /** @throws TypeError if the agent disables checks */
  constructor(options: NodeHttpOptions = {}) {
    checkAgent(options);
    this.#options = { ...options };
    this.#timeLimitMs = options.timeLimitMs ?? EXCHANGE_LIMITS.timeLimitMs;
    this.#sizeLimitBytes = options.sizeLimitBytes ?? EXCHANGE_LIMITS.sizeLimitBytes;
    this.#userAgent = options.userAgent ?? "picogrant";
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
    this.#transport?.leave();
    this.#transport = undefined;
  }

  async #start(exchange: Exchange, request: HttpRequest): Promise<void> {
    try {
      const connection = await import("./connection.ts");
      if (this.#current === exchange) this.#open(exchange, request, connection);
    } catch {
      // An address or a header value that cannot be sent.
      this.#fail(exchange, "unreachable", "the request cannot be sent");
    }
  }

  #open(exchange: Exchange, request: HttpRequest, connection: Connection): void {
    this.#transport ??= connection.transportOf(this.#options);
    const { tls, plain } = this.#transport;
    const url = new URL(request.url);
    const body = copyRange(request.body, request.bodyFrom, request.bodyTo);
    const headers = this.#headers(request, body.length);
    const { client, connectLimit } = connection.openRequest(
      url,
      { method: request.method, headers },
      tls,
      plain,
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

// A session's `fetch` on Node, with the client of the adapter: the global one accepts neither certificates nor an
// agent, and gives up on slow lines (see above).

/** @throws TypeError if the agent disables checks */
export function nodeFetch(options: NodeHttpOptions = {}): typeof fetch {
  checkAgent(options);
  return async (input, init) => (await import("./connection.ts")).send(options, input, init);
}
