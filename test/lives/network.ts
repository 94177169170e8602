// The network between a device and the simulated service: an HTTP adapter that calls the service's real
// logic, with every failure between them. What an answer means is the oracle's to know.

import type { Bytes, Http, HttpRequest, HttpSink } from "../../platform/contracts.ts";
import type { ProtocolResponse, Service } from "../../targets/service/index.ts";
import { EVENTS_PATH, RECEIVER_TOKEN } from "./account-service.ts";
import type { Plan } from "./dice.ts";
import { type Answer, type Mishap, mishapOf } from "./mishaps.ts";
import type { Appointment, Time } from "./time.ts";
import { Violation } from "./violation.ts";

export const BASE = "https://auth.test";

/** One exchange as everybody in a life knows it. */
export interface Exchange {
  readonly number: number;
  readonly request: HttpRequest;
  readonly path: string;
  readonly query: string;
  readonly body: Buffer;
  /** What stands in it, read as a form. */
  readonly form: URLSearchParams;
  readonly sink: HttpSink;
  /** Still waited for by the device. */
  live: boolean;
  /** What was delivered so far. */
  status: number;
  retryAfterS: number;
  delivered: Uint8Array;
  appointment: Appointment | undefined;
  /** The device that asked is no more. */
  epoch: number;
}

interface NetworkEvents {
  sent(exchange: Exchange): void;
  /** The service has answered; the answer may still get lost. */
  served(exchange: Exchange, response: ProtocolResponse): void;
  /** Called just before the device hears of it. */
  ended(exchange: Exchange, complete: boolean): void;
  aborted(exchange: Exchange): void;
  note(text: string): void;
}

const LATE_MS_MAX = 20_000;
const NOTHING = new Uint8Array(0);

function copyOf(bytes: Bytes, from: number, to: number): Buffer {
  const copy = Buffer.allocUnsafe(to - from);
  // A memory that is watched is a proxy, and has to be asked for each byte.
  if (ArrayBuffer.isView(bytes)) copy.set((bytes as Uint8Array).subarray(from, to));
  else for (let i = from; i < to; i++) copy[i - from] = bytes[i]!;
  return copy;
}

export class Network implements Http {
  live: Exchange | undefined;
  #count = 0;
  #epoch = 0;

  readonly #time: Time;
  readonly #plan: Plan;
  readonly #service: Service;
  readonly #events: NetworkEvents;
  readonly #latencyMs: number;
  readonly #originOf: (url: string) => string | undefined;

  constructor(
    time: Time,
    plan: Plan,
    service: Service,
    events: NetworkEvents,
    /** 0: answers come before `send` returns. */
    latencyMs: number,
    /** Origin of an address that the device was given for what it asks, or undefined. */
    originOf: (url: string) => string | undefined,
  ) {
    this.#time = time;
    this.#plan = plan;
    this.#service = service;
    this.#events = events;
    this.#latencyMs = latencyMs;
    this.#originOf = originOf;
  }

  send(request: HttpRequest, sink: HttpSink): void {
    if (this.live) throw new Violation("one-in-flight", "a second request");
    const body = copyOf(request.body, request.bodyFrom, request.bodyTo);
    const origin = this.#originOf(request.url);
    if (origin === undefined) {
      throw new Violation("own-address", "a request to an address that is not the endpoint's");
    }
    const [path, query = ""] = request.url.slice(origin.length).split("?", 2) as [string, string?];
    const exchange: Exchange = {
      number: this.#count++,
      request,
      path,
      query,
      body,
      form: new URLSearchParams(body.toString("latin1")),
      sink,
      live: true,
      status: 0,
      retryAfterS: -1,
      delivered: NOTHING,
      appointment: undefined,
      epoch: this.#epoch,
    };
    this.live = exchange;
    this.#events.sent(exchange);
    const mishap = mishapOf(this.#plan, exchange);
    if (mishap.name) this.#events.note(`  ${mishap.name}`);
    this.#step(exchange, this.#delay(mishap), () => this.#arrive(exchange, mishap));
  }

  abort(): void {
    const exchange = this.live;
    if (!exchange) return;
    this.live = undefined;
    exchange.live = false;
    this.#events.aborted(exchange);
    // What was on its way arrives at the service all the same, but nobody hears the answer.
  }

  /** The power is gone: answers find nobody. */
  cut(): void {
    if (this.live) this.live.live = false;
    this.live = undefined;
    this.#epoch++;
  }

  #delay(mishap: Mishap): number {
    return this.#latencyMs === 0 ? 0 : 1 + mishap.roll.below(this.#latencyMs);
  }

  /** Later, or at once where the network answers at once. */
  #step(exchange: Exchange, delayMs: number, run: () => void): void {
    if (delayMs > 0 || this.#latencyMs > 0) {
      exchange.appointment = this.#time.after(delayMs, run);
    } else run();
  }

  #arrive(exchange: Exchange, mishap: Mishap): void {
    if (exchange.live) this.#checkStable(exchange);
    let answer: Answer = { status: 0, retryAfterS: -1, body: NOTHING };
    if (mishap.reaches) {
      for (let times = mishap.times; times > 0; times--) {
        const response = this.#serve(exchange);
        answer = { status: response.status, retryAfterS: -1, body: response.body };
      }
    }
    answer = mishap.alter(answer);
    if (mishap.hangMs > 0) {
      this.#step(exchange, mishap.hangMs, () => {
        if (mishap.fails) this.#finish(exchange, false);
      });
      return;
    }
    this.#step(exchange, this.#delay(mishap), () => this.#deliver(exchange, mishap, answer));
  }

  #checkStable(exchange: Exchange): void {
    const { request, body } = exchange;
    for (let i = 0; i < body.length; i++) {
      if (request.body[request.bodyFrom + i] !== body[i]) {
        throw new Violation("request-stable", `byte ${i} of the body changed under way`);
      }
    }
  }

  #serve(exchange: Exchange): ProtocolResponse {
    const { request, path, query, body } = exchange;
    const headers: Record<string, string> = {};
    if (request.contentType) headers["content-type"] = request.contentType;
    if (request.authorization) headers.authorization = request.authorization;
    if (path === EVENTS_PATH) headers.authorization = `Bearer ${RECEIVER_TOKEN}`;
    const response = this.#service.handle({ method: request.method, path, query, headers, body });
    this.#events.served(exchange, response);
    return response;
  }

  #deliver(exchange: Exchange, mishap: Mishap, answer: Answer): void {
    if (!exchange.live) {
      if (mishap.late) this.#deliverLate(exchange, answer);
      return;
    }
    if (answer.status === 0) {
      this.#finish(exchange, false);
      return;
    }
    exchange.status = answer.status;
    exchange.retryAfterS = answer.retryAfterS;
    exchange.sink.status(answer.status, answer.retryAfterS);
    this.#deliverBody(exchange, mishap, answer, 0);
  }

  #deliverBody(exchange: Exchange, mishap: Mishap, answer: Answer, from: number): void {
    const { body } = answer;
    const total = mishap.cutAt < 0 ? body.length : Math.min(mishap.cutAt, body.length);
    let at = from;
    while (exchange.live && at < total) {
      const to = Math.min(total, at + mishap.chunk);
      exchange.delivered = body.subarray(0, to);
      const copy = body.slice(at, to);
      exchange.sink.body(copy, 0, copy.length);
      copy.fill(0xaa);
      at = to;
      if (mishap.chunkDelayMs > 0 && at < total) {
        const next = at;
        this.#step(exchange, mishap.chunkDelayMs, () =>
          this.#deliverBody(exchange, mishap, answer, next),
        );
        return;
      }
    }
    if (!exchange.live) return;
    this.#finish(exchange, mishap.cutAt < 0 || !mishap.fails);
    if (mishap.again) this.#deliverLate(exchange, answer);
    if (mishap.late) {
      const roll = mishap.roll;
      this.#time.after(1 + roll.below(LATE_MS_MAX), () => {
        // The sink of an exchange that has ended serves the next but one (contracts.ts: nothing comes after
        // the end): what comes as late as that nobody can tell from that one's answer.
        if (exchange.number >= this.#count - 2) this.#deliverLate(exchange, answer);
      });
    }
  }

  #finish(exchange: Exchange, complete: boolean): void {
    if (!exchange.live) return;
    exchange.live = false;
    this.live = undefined;
    this.#events.ended(exchange, complete);
    if (complete) exchange.sink.end();
    else exchange.sink.failed("unreachable");
  }

  /** An adapter that does not keep its contract, or a C host that hears late. */
  #deliverLate(exchange: Exchange, answer: Answer): void {
    if (exchange.epoch !== this.#epoch) return;
    const status = answer.status || 200;
    exchange.sink.status(status, -1);
    exchange.sink.body(answer.body, 0, answer.body.length);
    exchange.sink.end();
  }
}
