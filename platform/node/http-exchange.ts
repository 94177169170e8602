// One exchange of the HTTP adapter on Node. This module is loaded with the first request.

import type http from "node:http";
import type { HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import {
  CUT_OFF,
  EXCHANGE_LIMITS,
  finalStatus,
  NOT_HTTP,
  parseHttpDate,
  retryAfterSeconds,
  TOO_LONG,
  UNKNOWN_CODING,
} from "../exchange/limits.ts";
import { DECODERS, decoded, failureOf, openRequest, placeOf } from "./connection.ts";
import type { Transport } from "./connection-pool.ts";
import type { NodeHttpOptions } from "./http-options.ts";

export { send } from "./connection.ts";
export { transportOf } from "./connection-pool.ts";

export class Exchange {
  readonly #options: NodeHttpOptions;
  readonly #transport: Transport;
  readonly #sink: HttpSink;
  readonly #ended: (failure: string) => void;
  readonly #sizeLimitBytes: number;
  readonly #timeLimit: NodeJS.Timeout;
  /** `#close` clears this timer too, because a client without a socket emits no `close` when it is destroyed. */
  #connectLimit: NodeJS.Timeout | undefined;
  #client: http.ClientRequest | undefined;
  #isOpen = true;
  #bodyBytes = 0;

  /** @param ended called before the sink's last call, with the failure or "" for a complete response */
  constructor(
    options: NodeHttpOptions,
    transport: Transport,
    sink: HttpSink,
    ended: (failure: string) => void,
  ) {
    this.#options = options;
    this.#transport = transport;
    this.#sink = sink;
    this.#ended = ended;
    this.#sizeLimitBytes = options.sizeLimitBytes ?? EXCHANGE_LIMITS.sizeLimitBytes;
    this.#timeLimit = setTimeout(
      () => this.#fail("timeout", "no complete response in time"),
      options.timeLimitMs ?? EXCHANGE_LIMITS.timeLimitMs,
    );
  }

  send(request: HttpRequest): void {
    try {
      this.#open(request);
    } catch {
      this.#fail("unreachable", "the request cannot be sent");
    }
  }

  abort(): void {
    this.#close();
    this.#client?.destroy();
  }

  #open(request: HttpRequest): void {
    const { tls, plain } = this.#transport;
    const url = new URL(request.url);
    const { method, bodyFrom, bodyTo } = request;
    const body = Buffer.from(Array.prototype.slice.call(request.body, bodyFrom, bodyTo));
    const options = { method, headers: this.#headers(request, body.length) };
    const late = () => this.#fail("timeout", "no connection in time");
    const { client, connectLimit } = openRequest(url, options, tls, plain, late);
    this.#client = client;
    this.#connectLimit = connectLimit;
    let received: http.IncomingMessage | undefined;
    client.on("response", (response) => {
      received = response;
      this.#receive(response);
    });
    // Node never repeats a request, so an error ends the exchange, even on a reused connection. After a complete
    // response, errors and the close of the connection are ignored, because the sink may not have got all of the body.
    const isWhole = (): boolean => received?.complete === true;
    client.on("error", (error) => {
      const [failure, why] = failureOf(error);
      if (!isWhole()) this.#fail(failure, placeOf(error, url) + why);
    });
    client.on("close", () => {
      if (!isWhole()) this.#fail("unreachable", CUT_OFF);
    });
    client.end(body);
  }

  #headers(request: HttpRequest, bodyBytes: number): http.OutgoingHttpHeaders {
    const headers: http.OutgoingHttpHeaders = {
      Accept: "application/json",
      // Forbid content codings. Without this header, a server may use any of them (RFC 9110 §12.5.3).
      "Accept-Encoding": "identity",
      "User-Agent": this.#options.userAgent ?? "picogrant",
    };
    if (request.contentType !== "") headers["Content-Type"] = request.contentType;
    if (request.authorization !== "") headers.Authorization = request.authorization;
    if (bodyBytes > 0 || request.method === "POST") headers["Content-Length"] = bodyBytes;
    for (const [name, value] of request.headers ?? []) headers[name] = value;
    return headers;
  }

  #receive(response: http.IncomingMessage): void {
    const body = decoded(response);
    body.on("error", (error) => this.#fail(...failureOf(error)));
    const { "content-encoding": encoding = "identity" } = response.headers;
    body.on("data", (chunk: Buffer) => {
      if (/^(identity)?$/i.test(encoding) || DECODERS.has(encoding.toLowerCase()))
        this.#take(chunk);
      else this.#fail("unreachable", UNKNOWN_CODING);
    });
    body.on("end", () => this.#end());
    const { "retry-after": retryAfter, date, "content-length": promised } = response.headers;
    const { "transfer-encoding": coding = "chunked" } = response.headers;
    // 101 is the only interim response that Node reports here. It is invalid, because the request did not ask for another
    // protocol: `finalStatus` then returns 0.
    const status = finalStatus(response.statusCode);
    let problem = coding.toLowerCase() === "chunked" ? "" : UNKNOWN_CODING;
    if (status === 0) problem = NOT_HTTP;
    // Only a proxy sends 407 (RFC 9110 §15.5.8), so the response does not come from the server.
    else if (status === 407) problem = "the proxy wants a name and a password";
    if (problem !== "") {
      this.#fail("unreachable", problem);
      return;
    }
    const { "www-authenticate": authenticate = "", "dpop-nonce": nonce = "" } = response.headers;
    const waitS = retryAfterSeconds(retryAfter, date, Date.now());
    this.#sink.status(status, waitS, authenticate, `${nonce}`, parseHttpDate(date ?? "") ?? 0);
    if (Number(promised) > this.#sizeLimitBytes) this.#fail("too-large", TOO_LONG);
  }

  #take(chunk: Buffer): void {
    if (!this.#isOpen) return;
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > this.#sizeLimitBytes) this.#fail("too-large", TOO_LONG);
    else this.#sink.body(chunk, 0, chunk.length);
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#close();
    this.#ended("");
    this.#sink.end();
  }

  #fail(failure: TransportFailure, why: string): void {
    if (!this.#isOpen) return;
    this.abort();
    this.#ended(why);
    this.#sink.failed(failure);
  }

  #close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timeLimit);
    clearTimeout(this.#connectLimit);
  }
}
