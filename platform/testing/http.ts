// An HTTP adapter without a network: responses come from a script or a handler, and tests inject faults (refused,
// reset, hanging, cut off, duplicated, late).

import type { Bytes, Header, Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { EXCHANGE_LIMITS } from "../exchange/limits.ts";
import type { ManualClock } from "./clock.ts";

/** A response, and how it arrives. */
export interface FakeResponse {
  /** 100..599; default 200. */
  status?: number;
  /** Default -1: no `Retry-After`. */
  retryAfterSeconds?: number;
  /** The header `WWW-Authenticate`; default "": none. */
  authenticate?: string;
  /** Default "": no `DPoP-Nonce`; null: simulates an adapter that does not report this header. */
  nonce?: string | null;
  /** Default 0: no `Date`. */
  dateMs?: number;
  /** A string is sent as UTF-8, bytes are sent unchanged, and anything else as JSON. Default: empty. */
  body?: string | Uint8Array | object;
  /** The chunk sizes: one for all chunks, or a list whose last entry repeats. */
  chunkBytes?: number | readonly number[];
  /** Milliseconds on the clock before the status. Default: the adapter's latency. */
  delayMs?: number;
  /** Milliseconds on the clock before every chunk and before the end. Default: none. */
  chunkDelayMs?: number;
  /** The fault, if `faultFor` returns none. */
  fault?: FakeFault;
}

/** How an exchange fails. */
export type FakeFault =
  /** Nothing listens at the address: the server does not receive the request. */
  | { kind: "refuse" }
  /** The connection breaks before the server has processed the request. */
  | { kind: "reset-before" }
  /** The server has processed the request, but its response is lost. */
  | { kind: "reset-after" }
  /** No response arrives until the time limit. `acted`: whether the server has processed the request. */
  | { kind: "hang"; acted?: boolean }
  /** The response is cut off after this many bytes of its body: the connection is reset, or hangs. */
  | { kind: "truncate"; atByte: number; hang?: boolean }
  /** A faulty adapter reports the complete response again, at once or `afterMs` later. */
  | { kind: "duplicate"; afterMs?: number };

/** A copy of a request as the server received it. */
export interface SeenRequest extends Omit<HttpRequest, "bodyFrom" | "bodyTo"> {
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  readonly text: string;
  readonly form: URLSearchParams;
  /** The clock's time in milliseconds when the request was sent; 0 without a clock. */
  readonly atMs: number;
}

/** Responds to a request, as a server would. */
export type FakeHandler = (request: SeenRequest) => FakeResponse | Promise<FakeResponse>;

/** A step of a script: what responds to one request. */
export type ScriptStep = FakeResponse | FakeHandler;

/** Options of `FakeHttp`. */
export interface FakeHttpOptions {
  /** The clock for delays, latency and time limits. Without it, nothing but asynchronous handlers delays a response. */
  clock?: ManualClock;
  /** Handles the requests for which the script has no step. */
  handler?: FakeHandler;
  /** One step for each request. Without a step and a handler, the connection is refused. */
  script?: readonly ScriptStep[];
  /** Called before script and handler. Returns the fault of a request; undefined: the response's own fault, if any. */
  faultFor?: (request: SeenRequest) => FakeFault | undefined;
  /** Milliseconds before every status. Default: callbacks come before `send` returns. */
  latencyMs?: number;
  chunkBytes?: number | readonly number[];
  /** The adapter's time limit, default 30 s; `Number.POSITIVE_INFINITY` for an adapter without one. */
  timeLimitMs?: number;
  /** The adapter's size limit for a body in bytes, default 64 KiB. */
  sizeLimitBytes?: number;
  /** Chunks as plain arrays, as on an engine without typed arrays. */
  plainArrays?: boolean;
}

interface Exchange {
  /** The caller's own object, which must not change, and its content as text when the exchange started. */
  request: HttpRequest;
  value: string;
  sink: HttpSink;
  takeBackLimit: () => void;
}

/** Chunks are in the middle of a larger buffer, to find callers that expect `from` to be 0. */
const LEAD_BYTES = 3;

/** An HTTP adapter without a network. It throws if the caller violates the contract, and records the violations. */
export class FakeHttp implements Http {
  readonly requests: SeenRequest[] = [];
  readonly violations: string[] = [];
  aborts = 0;
  // Tests can replace the next four options at any time.
  handler: FakeHandler | undefined;
  /** As in FakeHttpOptions. */
  faultFor: ((request: SeenRequest) => FakeFault | undefined) | undefined;
  latencyMs: number | undefined;
  chunkBytes: number | readonly number[] | undefined;
  readonly #script: ScriptStep[];
  readonly #options: FakeHttpOptions;
  #current: Exchange | undefined;

  constructor(options: FakeHttpOptions = {}) {
    this.#options = options;
    this.#script = [...(options.script ?? [])];
    this.handler = options.handler;
    this.faultFor = options.faultFor;
    this.latencyMs = options.latencyMs;
    this.chunkBytes = options.chunkBytes;
  }

  get busy(): boolean {
    return this.#current !== undefined;
  }

  send(request: HttpRequest, sink: HttpSink): void {
    if (this.#current !== undefined) this.#violate("send while an exchange is under way");
    const copy = copyOf(request);
    const text = new TextDecoder().decode(copy.body);
    const { clock, timeLimitMs = EXCHANGE_LIMITS.timeLimitMs } = this.#options;
    const seen = { ...copy, text, form: new URLSearchParams(text), atMs: clock?.elapsedMs ?? 0 };
    this.requests.push(seen);
    const value = JSON.stringify(copy);
    const exchange: Exchange = { request, value, sink, takeBackLimit: () => {} };
    this.#current = exchange;
    if (clock !== undefined && Number.isFinite(timeLimitMs)) {
      exchange.takeBackLimit = clock.after(timeLimitMs, () => this.#end(exchange, "timeout"));
    }
    const fault = this.faultFor?.(seen);
    if (fault !== undefined && !reachesFarSide(fault)) {
      this.#response(exchange, {}, fault);
      return;
    }
    const refused: FakeResponse = { fault: { kind: "refuse" } };
    const step = this.#script.shift() ?? this.handler ?? refused;
    const response = typeof step === "function" ? step(seen) : step;
    if (response instanceof Promise)
      response.then((value) => this.#response(exchange, value, fault));
    else this.#response(exchange, response, fault);
  }

  abort(): void {
    this.aborts++;
    // After an abort, the core may overwrite the request's bytes, so they are not compared.
    this.#current?.takeBackLimit();
    this.#current = undefined;
  }

  #response(exchange: Exchange, response: FakeResponse, fault = response.fault): void {
    if (fault?.kind === "hang") return;
    this.#later(exchange, response.delayMs ?? this.latencyMs, () => {
      if (fault === undefined || fault.kind === "truncate" || fault.kind === "duplicate") {
        exchange.sink.status(...headOf(response));
        this.#later(exchange, response.chunkDelayMs, () =>
          this.#deliverBody(exchange, response, fault),
        );
      } else this.#end(exchange, "unreachable");
    });
  }

  #deliverBody(exchange: Exchange, response: FakeResponse, fault: FakeFault | undefined): void {
    const { sink } = exchange;
    const { sizeLimitBytes = EXCHANGE_LIMITS.sizeLimitBytes } = this.#options;
    const body = bytesOfBody(response.body);
    const isCut = fault?.kind === "truncate";
    const total = isCut ? Math.min(fault.atByte, body.length) : body.length;
    const sizes = [response.chunkBytes ?? this.chunkBytes ?? total].flat();
    let at = 0;
    const next = (): void => {
      // A recursion would overflow the stack for a body of 64 KiB in single bytes.
      while (this.#current === exchange && at < total) {
        if (at >= sizeLimitBytes) {
          this.#end(exchange, "too-large");
          return;
        }
        const size = (sizes.length > 1 ? sizes.shift() : sizes[0]) || total;
        const to = Math.min(at + size, total, sizeLimitBytes);
        this.#handOver(sink, body.subarray(at, to));
        at = to;
        if (response.chunkDelayMs !== undefined) {
          this.#later(exchange, response.chunkDelayMs, next);
          return;
        }
      }
      if (this.#current !== exchange) return;
      if (!isCut) this.#end(exchange);
      else if (!fault.hang) this.#end(exchange, "unreachable");
      if (fault?.kind !== "duplicate") return;
      if (fault.afterMs === undefined) again();
      else this.#clock.after(fault.afterMs, again);
    };
    const again = (): void => {
      // If the next request has the same sink, do not duplicate: the two responses could not be distinguished.
      if (this.#current?.sink === sink) return;
      sink.status(...headOf(response));
      if (body.length > 0) this.#handOver(sink, body);
      sink.end();
    };
    next();
  }

  /** Overwrites the buffer after the call, to find callers that use the range later. */
  #handOver(sink: HttpSink, piece: Uint8Array): void {
    const padded = new Uint8Array(LEAD_BYTES + piece.length + 1).fill(0x7b);
    padded.set(piece, LEAD_BYTES);
    const buffer: Bytes = this.#options.plainArrays ? Array.from(padded) : padded;
    sink.body(buffer, LEAD_BYTES, LEAD_BYTES + piece.length);
    for (let i = 0; i < buffer.length; i++) buffer[i] = 0xaa;
  }

  /** Ends the exchange before the last callback, so that the caller can send within the callback. */
  #end(exchange: Exchange, failure?: TransportFailure): void {
    exchange.takeBackLimit();
    this.#current = undefined;
    if (JSON.stringify(copyOf(exchange.request)) !== exchange.value) {
      this.#violate("request changed while its exchange was under way");
    }
    if (failure === undefined) exchange.sink.end();
    else exchange.sink.failed(failure);
  }

  /** Calls `run` after a delay, or at once if `afterMs` is undefined. Does not call `run` if the exchange is over by then. */
  #later(exchange: Exchange, afterMs: number | undefined, run: () => void): void {
    const unlessOver = (): void => {
      if (this.#current === exchange) run();
    };
    if (afterMs === undefined) unlessOver();
    else this.#clock.after(afterMs, unlessOver);
  }

  get #clock(): ManualClock {
    if (this.#options.clock === undefined) throw new Error("fake HTTP: a delay needs a clock");
    return this.#options.clock;
  }

  #violate(what: string): never {
    this.violations.push(what);
    throw new Error(`fake HTTP: ${what}`);
  }
}

function reachesFarSide(fault: FakeFault): boolean {
  if (fault.kind === "hang") return fault.acted === true;
  return fault.kind !== "refuse" && fault.kind !== "reset-before";
}

/** Copies the request, because the caller may reuse its object for the next request. */
function copyOf(request: HttpRequest) {
  const { method, url, contentType, authorization, headers = [] } = request;
  const body = new Uint8Array(request.bodyTo - request.bodyFrom);
  for (let i = 0; i < body.length; i++) body[i] = request.body[request.bodyFrom + i]!;
  return { method, url, contentType, authorization, headers: [...headers], body };
}

const headOf = ({ status = 200, nonce = "", dateMs = 0, ...more }: FakeResponse) => {
  const { retryAfterSeconds = -1, authenticate = "" } = more;
  return [status, retryAfterSeconds, authenticate, nonce ?? undefined, dateMs] as const;
};

function bytesOfBody(body: string | Uint8Array | object | undefined): Uint8Array {
  if (body === undefined) return new Uint8Array(0);
  if (body instanceof Uint8Array) return body;
  return new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
}
