// The HTTP adapter under QuickJS: one curl process per exchange, fed and read through pipes. What an
// answer means is decided elsewhere.

import type { Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { EXCHANGE_LIMITS } from "../exchange/limits.ts";
import { AnswerHead } from "./answer-head.ts";
import { ChunkedBody } from "./chunked-body.ts";
import { type CurlSettings, curlConfig } from "./curl-config.ts";
import { type Os, safeEnvironment } from "./engine.ts";
import { Child } from "./process.ts";

export interface CurlHttpOptions extends Partial<CurlSettings> {
  /** Name or path of curl; default "curl". */
  readonly curl?: string;
  /** Longest body in bytes; default 64 KiB. */
  readonly sizeLimitBytes?: number;
}

/** curl keeps its own time limit; a curl that does not is killed this much later. */
const GRACE_MS = 2000;
/** Exit codes of curl: operation timed out, file size exceeded. */
const CURL_TIMEOUT = 28;
const CURL_TOO_LARGE = 63;

interface Exchange {
  readonly sink: HttpSink;
  readonly head: AnswerHead;
  /** Reads the body where it comes in chunks. */
  chunks: ChunkedBody | undefined;
  child: Child | undefined;
  limit: object | undefined;
  reported: boolean;
  bodyBytes: number;
}

/** curl's exit code where the program is there at all; 127 where not. Waits for it. */
export function curlIsThere(os: Os, curl: string): boolean {
  const silent = os.open("/dev/null", os.O_RDWR);
  try {
    return (
      os.exec([curl, "-q", "--version"], {
        block: true,
        stdout: silent,
        stderr: silent,
        env: safeEnvironment(),
      }) === 0
    );
  } finally {
    os.close(silent);
  }
}

export class CurlHttp implements Http {
  readonly #os: Os;
  readonly #settings: CurlSettings;
  readonly #curl: string;
  readonly #sizeLimitBytes: number;
  #current: Exchange | undefined;

  constructor(os: Os, options: CurlHttpOptions = {}) {
    this.#os = os;
    this.#curl = options.curl ?? "curl";
    this.#sizeLimitBytes = options.sizeLimitBytes ?? EXCHANGE_LIMITS.sizeLimitBytes;
    this.#settings = {
      timeLimitMs: options.timeLimitMs ?? EXCHANGE_LIMITS.timeLimitMs,
      connectLimitMs: options.connectLimitMs ?? EXCHANGE_LIMITS.connectLimitMs,
      userAgent: options.userAgent ?? "picogrant",
      certificates: options.certificates ?? "",
    };
    // A curl that ends before it has read everything must not take us along.
    os.signal(os.SIGPIPE, undefined);
  }

  send(request: HttpRequest, sink: HttpSink): void {
    if (this.#current !== undefined) throw new Error("http: an exchange is under way");
    const exchange: Exchange = {
      sink,
      head: new AnswerHead(),
      chunks: undefined,
      child: undefined,
      limit: undefined,
      reported: false,
      bodyBytes: 0,
    };
    this.#current = exchange;
    const config = curlConfig(request, this.#settings);
    if (config === undefined) {
      this.#fail(exchange, "unreachable");
      return;
    }
    try {
      exchange.child = new Child(this.#os, [this.#curl, "-q", "-K", "-"], config, {
        output: (bytes, length) => this.#take(exchange, bytes, length),
        exit: (code) => this.#exited(exchange, code),
      });
    } catch {
      this.#fail(exchange, "unreachable");
      return;
    }
    const limitMs = this.#settings.timeLimitMs + GRACE_MS;
    exchange.limit = this.#os.setTimeout(() => this.#fail(exchange, "timeout"), limitMs);
  }

  abort(): void {
    if (this.#current !== undefined) this.#release(this.#current);
  }

  #take(exchange: Exchange, bytes: Uint8Array, length: number): void {
    const { head, sink } = exchange;
    const from = head.status === 0 ? head.feed(bytes, length) : 0;
    if (head.tooLarge) this.#fail(exchange, "too-large");
    else if (
      head.isContradictory ||
      (head.status !== 0 && (head.status < 200 || head.status > 599))
    ) {
      this.#fail(exchange, "unreachable");
    } else if (head.status !== 0 && !exchange.reported) {
      exchange.reported = true;
      if (head.isChunked) exchange.chunks = new ChunkedBody();
      sink.status(head.status, head.retryAfter(Date.now()), head.authenticate);
      if (head.contentLength > this.#sizeLimitBytes) this.#fail(exchange, "too-large");
    }
    // The sink may have aborted, or even sent the next request.
    if (this.#current !== exchange || from === length) return;
    if (exchange.chunks !== undefined) this.#takeChunks(exchange, bytes, from, length);
    else this.#takeBody(exchange, bytes, from, length);
  }

  #takeBody(exchange: Exchange, bytes: Uint8Array, from: number, to: number): boolean {
    exchange.bodyBytes += to - from;
    if (exchange.bodyBytes > this.#sizeLimitBytes) this.#fail(exchange, "too-large");
    else exchange.sink.body(bytes, from, to);
    return this.#current === exchange;
  }

  #takeChunks(exchange: Exchange, bytes: Uint8Array, from: number, to: number): void {
    const { chunks } = exchange;
    chunks!.feed(bytes, from, to, (start, end) => this.#takeBody(exchange, bytes, start, end));
    if (this.#current !== exchange) return;
    if (chunks!.isBroken) this.#fail(exchange, "unreachable");
    // curl would wait for the connection to be closed: the end of the chunks is for us to see.
    else if (chunks!.isOver) this.#end(exchange);
  }

  #end(exchange: Exchange): void {
    this.#release(exchange);
    exchange.sink.end();
  }

  #exited(exchange: Exchange, code: number): void {
    if (this.#current !== exchange) return;
    // Chunks that were complete have ended the exchange already.
    if (code === 0 && exchange.reported && exchange.chunks === undefined) this.#end(exchange);
    else if (code === CURL_TIMEOUT) this.#fail(exchange, "timeout");
    else this.#fail(exchange, code === CURL_TOO_LARGE ? "too-large" : "unreachable");
  }

  #fail(exchange: Exchange, failure: TransportFailure): void {
    if (this.#current !== exchange) return;
    this.#release(exchange);
    exchange.sink.failed(failure);
  }

  #release(exchange: Exchange): void {
    if (exchange.limit !== undefined) this.#os.clearTimeout(exchange.limit);
    exchange.child?.kill();
    this.#current = undefined;
  }
}
