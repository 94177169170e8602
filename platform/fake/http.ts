// An HTTP adapter without a network: answers come from a script or from a handler function, and faults
// (refused, reset, hanging, cut off, duplicated, late) are put in where a test wants them.

import type { Bytes, Header, Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { EXCHANGE_LIMITS } from "../exchange/limits.ts";
import type { ManualClock } from "./clock.ts";
import { type Delivery, deliver, type Scheduler } from "./http-delivery.ts";

/** An answer of the far side, with the way in which it travels. */
export interface FakeAnswer {
  /** 100..599; default 200. */
  status?: number;
  /** Default -1: no `Retry-After`. */
  retryAfterSeconds?: number;
  /** Default "": no `WWW-Authenticate`. */
  authenticate?: string;
  /** A string travels as UTF-8, bytes as they are, anything else as JSON; default empty. */
  body?: string | Uint8Array | object;
  /** How the body is cut: one size for all chunks, or one after the other, the last one repeating. */
  chunkBytes?: number | readonly number[];
  /** Milliseconds on the clock before the status; absent: the adapter's latency. */
  delayMs?: number;
  /** Milliseconds on the clock before every chunk and before the end; absent: none. */
  chunkDelayMs?: number;
}

/** What goes wrong with one exchange. */
export type FakeFault =
  /** Nothing listens: the far side never sees the request. */
  | { kind: "refuse" }
  /** The connection breaks before the far side acted on the request. */
  | { kind: "reset-before" }
  /** The far side acted, its answer is lost. */
  | { kind: "reset-after" }
  /** Nothing comes until the time limit; `acted` says whether the far side handled the request. */
  | { kind: "hang"; acted?: boolean }
  /** The answer is cut off after so many bytes of its body: by a reset, or by hanging from there on. */
  | { kind: "truncate"; atByte: number; hang?: boolean }
  /** The whole answer comes a second time after its end, at once or `afterMs` later: a broken adapter. */
  | { kind: "duplicate"; afterMs?: number }
  /** The answer comes although the exchange was aborted: a broken adapter. */
  | { kind: "deaf-to-abort" };

/** A request as the far side saw it: a copy, good for ever. */
export interface SeenRequest {
  /** The method. */
  readonly method: "GET" | "POST";
  /** The absolute address. */
  readonly url: string;
  /** Value of `Content-Type`, or "". */
  readonly contentType: string;
  /** Value of `Authorization`, or "". */
  readonly authorization: string;
  /** Further headers. */
  readonly headers: readonly Header[];
  /** The body as text. */
  readonly body: Uint8Array;
  /** The body read as UTF-8. */
  readonly text: string;
  /** The body read as a form. */
  readonly form: URLSearchParams;
  /** Milliseconds on the clock at which it was sent; 0 without a clock. */
  readonly atMs: number;
  /** 0 for the first request of this adapter. */
  readonly index: number;
}

/** The far side as a function. */
export type FakeHandler = (request: SeenRequest) => FakeAnswer | Promise<FakeAnswer>;

/** One line of a script: an answer, a handler for this one request, or a fault alone. */
export type ScriptStep = FakeAnswer | FakeHandler | { fault: FakeFault; answer?: FakeAnswer };

/** What the fake network is made with. */
export interface FakeHttpOptions {
  /** Needed for delays, latency and time-outs. Without it everything happens before `send` returns. */
  clock?: ManualClock;
  /** Answers every request that the script has no step for. */
  handler?: FakeHandler;
  /** Steps used up one by one. When both script and handler have run out, the answer is "refuse". */
  script?: readonly ScriptStep[];
  /** A fault for a request, asked before script and handler see it; undefined for none. */
  faultFor?: (request: SeenRequest) => FakeFault | undefined;
  /** Milliseconds before every status; absent: callbacks come before `send` returns. */
  latencyMs?: number;
  /** Default for every answer that does not say how it is cut. */
  chunkBytes?: number | readonly number[];
  /** The adapter's time limit, default 30 s; `Number.POSITIVE_INFINITY` for an adapter without one. */
  timeLimitMs?: number;
  /** The adapter's size limit for a body in bytes, default 64 KiB. */
  sizeLimitBytes?: number;
  /** Chunks as plain arrays, as on an engine without typed arrays. */
  plainArrays?: boolean;
}

interface Exchange {
  /** The caller's own object and a copy made at the start: they must stay equal. */
  request: HttpRequest;
  seen: SeenRequest;
  sink: HttpSink;
  deafToAbort: boolean;
  takeBackLimit: () => void;
}

/** The scripted HTTP adapter. What callers did wrong is thrown and also kept in `violations`. */
export class FakeHttp implements Http {
  /** All requests so far. */
  readonly requests: SeenRequest[] = [];
  /** What the caller did against the contract. */
  readonly violations: string[] = [];
  /** How often `abort` ended an exchange. */
  aborts = 0;
  /** May be changed while running: the far side changes its mind, the network comes and goes. */
  handler: FakeHandler | undefined;
  /** Decides on a fault for each request; undefined: none. */
  faultFor: ((request: SeenRequest) => FakeFault | undefined) | undefined;
  /** Milliseconds until an answer comes. */
  latencyMs: number | undefined;
  /** Bytes of each piece of an answer. */
  chunkBytes: number | readonly number[] | undefined;
  readonly #script: ScriptStep[];
  readonly #options: FakeHttpOptions;
  #current: Exchange | undefined;
  #handling: Promise<void>[] = [];

  constructor(options: FakeHttpOptions = {}) {
    this.#options = options;
    this.#script = [...(options.script ?? [])];
    this.handler = options.handler;
    this.faultFor = options.faultFor;
    this.latencyMs = options.latencyMs;
    this.chunkBytes = options.chunkBytes;
  }

  /** Appends steps to the script. */
  script(...steps: ScriptStep[]): this {
    this.#script.push(...steps);
    return this;
  }

  /** Steps of the script that no request has used yet. */
  get stepsLeft(): number {
    return this.#script.length;
  }

  /** Whether an exchange is under way. */
  get busy(): boolean {
    return this.#current !== undefined;
  }

  /** Resolves when every handler that returned a promise has answered. */
  async settled(): Promise<void> {
    while (this.#handling.length > 0) await Promise.all(this.#handling.splice(0));
  }

  send(request: HttpRequest, sink: HttpSink): void {
    if (this.#current !== undefined) this.#violate("send while an exchange is under way");
    const seen = this.#see(request);
    this.requests.push(seen);
    const exchange: Exchange = {
      request,
      seen,
      sink,
      deafToAbort: false,
      takeBackLimit: () => {},
    };
    this.#current = exchange;
    this.#startTimeLimit(exchange);
    this.#proceed(exchange);
  }

  abort(): void {
    this.aborts++;
    // The core has its bytes back, and overwrites them, as soon as it has given ABORT: there is nothing to compare.
    this.#current?.takeBackLimit();
    this.#current = undefined;
  }

  /** Decides what happens to this exchange: a fault, the script, the handler. */
  #proceed(exchange: Exchange): void {
    const early = this.faultFor?.(exchange.seen);
    if (early !== undefined && !reachesFarSide(early)) {
      this.#withhold(exchange, early);
      return;
    }
    const step = this.#script.shift() ?? this.handler;
    if (step === undefined) {
      this.#fail(exchange, "unreachable");
    } else if (typeof step === "function") {
      this.#handle(exchange, step, early);
    } else if (!("fault" in step)) {
      this.#answer(exchange, step, early);
    } else if (reachesFarSide(early ?? step.fault)) {
      this.#answer(exchange, step.answer ?? {}, early ?? step.fault);
    } else {
      this.#withhold(exchange, step.fault);
    }
  }

  /** The far side never sees the request: the caller hears of a broken connection, or nothing. */
  #withhold(exchange: Exchange, fault: FakeFault): void {
    if (fault.kind !== "hang") this.#fail(exchange, "unreachable");
  }

  #handle(exchange: Exchange, handler: FakeHandler, fault: FakeFault | undefined): void {
    const answer = handler(exchange.seen);
    if (!(answer instanceof Promise)) {
      this.#answer(exchange, answer, fault);
      return;
    }
    this.#handling.push(
      answer.then((settled) => {
        if (this.#current === exchange || fault?.kind === "deaf-to-abort") {
          this.#answer(exchange, settled, fault);
        }
      }),
    );
  }

  /** The far side has acted; how much of its answer comes through is up to the fault. */
  #answer(exchange: Exchange, answer: FakeAnswer, fault: FakeFault | undefined): void {
    if (fault?.kind === "hang") return;
    if (fault?.kind === "reset-after") {
      this.#fail(exchange, "unreachable", answer.delayMs);
      return;
    }
    exchange.deafToAbort = fault?.kind === "deaf-to-abort";
    const delivery: Delivery = {
      status: answer.status ?? 200,
      retryAfterSeconds: answer.retryAfterSeconds ?? -1,
      authenticate: answer.authenticate ?? "",
      body: bytesOfBody(answer.body),
      chunkBytes: answer.chunkBytes ?? this.chunkBytes ?? [],
      delayMs: answer.delayMs ?? this.latencyMs,
      chunkDelayMs: answer.chunkDelayMs,
      sizeLimitBytes: this.#options.sizeLimitBytes ?? EXCHANGE_LIMITS.sizeLimitBytes,
      plainArrays: this.#options.plainArrays ?? false,
      cutAtByte: fault?.kind === "truncate" ? fault.atByte : -1,
      hangAtCut: fault?.kind === "truncate" && fault.hang === true,
    };
    const guarded = this.#guard(exchange);
    const alive = (): boolean => exchange.deafToAbort || this.#current === exchange;
    deliver(delivery, guarded, this.#scheduler(), alive, () => {
      if (fault?.kind === "duplicate") this.#deliverAgain(exchange, delivery, fault.afterMs);
    });
  }

  #deliverAgain(exchange: Exchange, delivery: Delivery, afterMs: number | undefined): void {
    const again = (): void => {
      const steps: Delivery = { ...delivery, delayMs: undefined, chunkDelayMs: undefined };
      deliver(
        steps,
        exchange.sink,
        this.#scheduler(),
        // Where another request has the same sink by now nobody could tell whose answer it is.
        () => this.#current === undefined || this.#current.sink !== exchange.sink,
        () => {},
      );
    };
    if (afterMs === undefined) again();
    else this.#schedule(afterMs, again);
  }

  /** The caller's sink, with the exchange closed before the last call so that it may send again from it. */
  #guard(exchange: Exchange): HttpSink {
    return {
      status: (...head) => exchange.sink.status(...head),
      body: (bytes, from, to) => exchange.sink.body(bytes, from, to),
      end: () => {
        this.#finish(exchange);
        exchange.sink.end();
      },
      failed: (failure) => {
        this.#finish(exchange);
        exchange.sink.failed(failure);
      },
    };
  }

  #fail(exchange: Exchange, failure: TransportFailure, delayMs = this.latencyMs): void {
    const fail = (): void => {
      if (this.#current === exchange) this.#guard(exchange).failed(failure);
    };
    if (delayMs === undefined) fail();
    else this.#schedule(delayMs, fail);
  }

  #finish(exchange: Exchange): void {
    if (this.#current !== exchange) return;
    exchange.takeBackLimit();
    this.#current = undefined;
    if (!isUnchanged(exchange)) this.#violate("request changed while its exchange was under way");
  }

  #startTimeLimit(exchange: Exchange): void {
    const limitMs = this.#options.timeLimitMs ?? EXCHANGE_LIMITS.timeLimitMs;
    const clock = this.#options.clock;
    if (clock === undefined || !Number.isFinite(limitMs)) return;
    exchange.takeBackLimit = clock.after(limitMs, () => {
      if (this.#current === exchange) this.#guard(exchange).failed("timeout");
    });
  }

  #scheduler(): Scheduler {
    return (afterMs, run) => this.#schedule(afterMs, run);
  }

  #schedule(afterMs: number, run: () => void): void {
    const clock = this.#options.clock;
    if (clock === undefined) throw new Error("fake HTTP: a delay needs a clock");
    clock.after(afterMs, run);
  }

  #see(request: HttpRequest): SeenRequest {
    const body = copyRange(request.body, request.bodyFrom, request.bodyTo);
    const text = new TextDecoder().decode(body);
    return {
      method: request.method,
      url: request.url,
      contentType: request.contentType,
      authorization: request.authorization,
      headers: [...(request.headers ?? [])],
      body,
      text,
      form: new URLSearchParams(text),
      atMs: this.#options.clock?.elapsedMs ?? 0,
      index: this.requests.length,
    };
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

function isUnchanged({ request, seen }: Exchange): boolean {
  if (request.method !== seen.method || request.url !== seen.url) return false;
  if (request.contentType !== seen.contentType) return false;
  if (request.authorization !== seen.authorization) return false;
  if (request.bodyTo - request.bodyFrom !== seen.body.length) return false;
  return seen.body.every((byte, i) => byte === request.body[request.bodyFrom + i]);
}

function copyRange(bytes: Bytes, from: number, to: number): Uint8Array {
  const copy = new Uint8Array(to - from);
  for (let i = from; i < to; i++) copy[i - from] = bytes[i]!;
  return copy;
}

function bytesOfBody(body: string | Uint8Array | object | undefined): Uint8Array {
  if (body === undefined) return new Uint8Array(0);
  if (body instanceof Uint8Array) return body;
  return new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
}
