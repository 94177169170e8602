// The network between device and service, with its faults. Delays run in simulated time. The clock stops during
// exchanges with the simulated service, but not with a real one.
import type {
  Http,
  HttpRequest,
  HttpSink,
  TransportFailure,
} from "../../../../platform/contracts.ts";
import { asciiOf } from "../../../../platform/text/text.ts";
import type { ExchangeEntry, ExchangeLog } from "../log/exchanges.ts";
import type { ResponseHead } from "../log/mask.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

export const LASTING_FAULTS = [
  "offline",
  "drop",
  "slow",
  "corrupt",
  "captive-portal",
  "unavailable",
] as const;
/** Each of these faults affects one exchange. */
export const PASSING_FAULTS = [
  "slow-down",
  "lose-response",
  "repeat-poll",
  "wrong-grant-type",
  "cut-poll",
] as const;

export type LastingFault = (typeof LASTING_FAULTS)[number];
export type PassingFault = (typeof PASSING_FAULTS)[number];

const TIME_LIMIT_MS = 30_000;
const SLOW_MS = 8_000;
const REPEAT_MS = 2_000;
const encoder = new TextEncoder();

interface HttpResponse extends ResponseHead {
  readonly body: Uint8Array;
}

const PORTAL: HttpResponse = {
  status: 200,
  retryAfterS: -1,
  body: encoder.encode("<!doctype html><title>Welcome</title><p>Accept the terms of this hotspot."),
};
const UNAVAILABLE: HttpResponse = {
  status: 503,
  retryAfterS: -1,
  body: encoder.encode("<html><body><h1>503 Service Unavailable</h1></body></html>"),
};
const SLOW_DOWN: HttpResponse = {
  status: 403,
  retryAfterS: -1,
  body: encoder.encode('{"error":"slow_down","error_description":"Forbidden"}'),
};

function withBody(request: HttpRequest, text: string): HttpRequest {
  const body = encoder.encode(text);
  return { ...request, body, bodyFrom: 0, bodyTo: body.length };
}

interface Exchange {
  sink: HttpSink;
  entry: ExchangeEntry;
  over: boolean;
  release: () => void;
}

export class Network implements Http {
  readonly lasting = new Set<LastingFault>();
  readonly passing = new Set<PassingFault>();
  /** Simulated time between the end of a response and its delivery to the device, in milliseconds. */
  latencyMs = 0;
  #current: Exchange | undefined;

  readonly #inner: Http;
  readonly #clock: SimulatedClock;
  readonly #log: ExchangeLog;
  readonly #holdsClock: boolean;

  constructor(
    inner: Http,
    clock: SimulatedClock,
    log: ExchangeLog,
    /** False with a real server, which runs on real time. */
    holdsClock = true,
  ) {
    this.#inner = inner;
    this.#clock = clock;
    this.#log = log;
    this.#holdsClock = holdsClock;
  }

  send(request: HttpRequest, sink: HttpSink): void {
    const exchange: Exchange = {
      sink,
      entry: this.#log.begin(request),
      over: false,
      release: () => {},
    };
    this.#current = exchange;
    const { entry } = exchange;
    if (this.lasting.has("offline")) this.#failSoon(exchange, "offline", 0);
    else if (this.lasting.has("drop")) this.#failSoon(exchange, "drop", TIME_LIMIT_MS);
    else if (this.lasting.has("captive-portal")) this.#response(exchange, PORTAL, "captive-portal");
    else if (this.lasting.has("unavailable")) this.#response(exchange, UNAVAILABLE, "unavailable");
    else if (entry.purpose === "poll" && this.passing.delete("slow-down"))
      this.#response(exchange, SLOW_DOWN, "slow-down");
    else {
      if (entry.purpose === "poll" && this.passing.delete("repeat-poll")) {
        this.#repeat(exchange, request);
      }
      this.#forward(exchange, this.#garbled(exchange, request));
    }
  }

  #garbled({ entry }: Exchange, request: HttpRequest): HttpRequest {
    if (entry.purpose !== "poll") return request;
    const text = asciiOf(request.body, request.bodyFrom, request.bodyTo);
    if (this.passing.delete("wrong-grant-type")) {
      entry.fault = "wrong-grant-type";
      return withBody(request, text.replace(/grant_type=[^&]*/, "grant_type=implicit"));
    }
    if (this.passing.delete("cut-poll")) {
      entry.fault = "cut-poll";
      return withBody(request, text.slice(0, text.lastIndexOf("&")));
    }
    return request;
  }

  abort(): void {
    const exchange = this.#current;
    if (exchange === undefined) return;
    this.#finish(exchange);
    this.#log.failed(exchange.entry, "aborted");
    this.#inner.abort();
    exchange.release();
  }

  #finish(exchange: Exchange): void {
    exchange.over = true;
    if (this.#current === exchange) this.#current = undefined;
  }

  #forward(exchange: Exchange, request: HttpRequest): void {
    if (this.#holdsClock) exchange.release = this.#clock.hold();
    const arrived = (deliver: () => void): void => {
      const late = this.lasting.has("slow");
      if (late) exchange.entry.fault = "slow";
      const delayMs = this.latencyMs + (late ? SLOW_MS : 0);
      if (delayMs > 0) this.#clock.after(delayMs, deliver);
      else deliver();
      exchange.release();
    };
    this.#request(
      request,
      (response) => arrived(() => this.#deliver(exchange, response)),
      (failure) => arrived(() => this.#fail(exchange, failure)),
    );
  }

  #request(
    request: HttpRequest,
    responded: (response: HttpResponse) => void,
    failed: (failure: TransportFailure) => void,
  ): void {
    const head = { status: 0, retryAfterS: -1 };
    const chunks: number[] = [];
    this.#inner.send(request, {
      status: (status, retryAfterS, authenticate, nonce, dateMs) => {
        Object.assign(head, { status, retryAfterS, authenticate, nonce, dateMs });
      },
      body: (bytes, from, to) => {
        for (let at = from; at < to; at++) chunks.push(bytes[at]!);
      },
      end: () => responded({ ...head, body: Uint8Array.from(chunks) }),
      failed,
    });
  }

  #deliver(exchange: Exchange, response: HttpResponse): void {
    if (exchange.over) return;
    if (exchange.entry.purpose === "refresh" && this.passing.delete("lose-response")) {
      exchange.entry.fault = "lose-response";
      this.#fail(exchange, "unreachable");
      return;
    }
    if (this.lasting.has("corrupt") && response.body.length > 0) {
      exchange.entry.fault = "corrupt";
      // With this first byte, a JSON object is invalid.
      response.body[0] = response.body[0]! ^ 0x55;
    }
    const { sink, entry } = exchange;
    this.#finish(exchange);
    this.#log.responded(entry, response, response.body);
    const { status, retryAfterS, authenticate, nonce = "", dateMs = 0 } = response;
    sink.status(status, retryAfterS, authenticate, nonce, dateMs);
    if (response.body.length > 0) sink.body(response.body, 0, response.body.length);
    sink.end();
  }

  /** Sends the request again. The device does not receive the second response. */
  #repeat({ entry }: Exchange, request: HttpRequest): void {
    entry.fault = "repeat-poll";
    const copy = withBody(request, asciiOf(request.body, request.bodyFrom, request.bodyTo));
    this.#clock.after(REPEAT_MS, () => {
      if (this.#current !== undefined) return;
      const again = this.#log.begin(copy);
      again.fault = "repeat-poll";
      const release = this.#holdsClock ? this.#clock.hold() : () => {};
      this.#request(
        copy,
        (response) => {
          this.#log.responded(again, response, response.body);
          release();
        },
        (failure) => {
          this.#log.failed(again, failure);
          release();
        },
      );
    });
  }

  #response(exchange: Exchange, response: HttpResponse, fault: string): void {
    exchange.entry.fault = fault;
    this.#clock.after(this.latencyMs, () =>
      this.#deliver(exchange, { ...response, body: response.body.slice() }),
    );
  }

  #failSoon(exchange: Exchange, fault: string, afterMs: number): void {
    exchange.entry.fault = fault;
    this.#clock.after(afterMs, () => this.#fail(exchange, afterMs > 0 ? "timeout" : "unreachable"));
  }

  #fail(exchange: Exchange, failure: TransportFailure): void {
    if (exchange.over) return;
    const { sink, entry } = exchange;
    this.#finish(exchange);
    this.#log.failed(entry, failure);
    sink.failed(failure);
  }
}
