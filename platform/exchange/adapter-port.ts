// The end of the pipeline: passes each exchange to the adapter. It accepts the adapter's reports only for the exchange
// that is under way. If the adapter throws or rejects, the exchange fails and the error is reported.

import type { Bytes, Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { type FaultHandler, guarded, isThenable, nothing } from "./callbacks.ts";
import type { Above, Port } from "./filter.ts";
import { EXCHANGE_LIMITS } from "./limits.ts";

interface ExchangeOwner {
  /** Whether the next request may reuse a sink. Polls reuse two sinks, because a poll must not allocate. */
  isPoll(): boolean;
  readonly fault: FaultHandler;
}

export class AdapterPort implements Port {
  above!: Above;
  readonly sizeLimitBytes: number;
  readonly #http: Http;
  readonly #owner: ExchangeOwner;
  #current: Exchange | undefined;
  #poll: Exchange | undefined = new Exchange(this);
  #pollBefore: Exchange | undefined = new Exchange(this);
  #sharesSinks = true;

  constructor(http: Http, owner: ExchangeOwner) {
    this.#http = http;
    this.sizeLimitBytes = http.sizeLimitBytes ?? EXCHANGE_LIMITS.sizeLimitBytes;
    this.#owner = owner;
  }

  send(request: HttpRequest): void {
    const exchange = this.#next();
    this.#current = exchange;
    try {
      const result = this.#http.send(request, exchange);
      if (isThenable(result)) this.#await(exchange, result);
    } catch (error) {
      this.#giveUp(exchange, error);
    }
  }

  /** A separate method, because `send` would allocate in each poll if it contained the closure. */
  #await(exchange: Exchange, result: PromiseLike<unknown>): void {
    this.#sharesSinks = false;
    result.then(undefined, (error) => this.#giveUp(exchange, error));
  }

  abort(): void {
    // The adapter may still report to this sink, so do not reuse it.
    if (this.#current === this.#poll) this.#poll = undefined;
    this.#current = undefined;
    guarded(
      () => this.#http.abort(),
      (error) => this.#owner.fault(error, nothing),
    );
  }

  counts(exchange: Exchange): boolean {
    if (this.#current === exchange) return true;
    this.#sharesSinks = false;
    return false;
  }

  ends(exchange: Exchange): boolean {
    if (!this.counts(exchange)) return false;
    this.#current = undefined;
    return true;
  }

  failed(failure: TransportFailure): void {
    this.above.failed(failure, this.#http.lastFailure ?? "");
  }

  broken(error: unknown): void {
    this.abort();
    this.#owner.fault(error, () => this.above.failed("unreachable", ""));
  }

  #giveUp(exchange: Exchange, error: unknown): void {
    this.#owner.fault(error, () => {
      if (this.#current === exchange) exchange.failed("unreachable");
    });
  }

  /**
   * Returns a new sink for each exchange, because a faulty adapter may report to a finished sink during the next
   * exchange. Polls use two sinks in turn, until the adapter reports to a finished sink. A late report is not detected
   * if its sink is then in use again: it counts as a report of the current poll.
   */
  #next(): Exchange {
    if (!this.#owner.isPoll() || !this.#sharesSinks) return new Exchange(this);
    const next = this.#pollBefore ?? new Exchange(this);
    this.#pollBefore = this.#poll;
    this.#poll = next;
    return next;
  }
}

class Exchange implements HttpSink {
  readonly #port: AdapterPort;

  constructor(port: AdapterPort) {
    this.#port = port;
  }

  // Rest parameters would allocate in each poll.
  status(status: number, waitS: number, challenge = "", nonce?: string, dateMs?: number): void {
    if (!this.#port.counts(this)) return;
    try {
      this.#port.above.status(status, waitS, challenge, nonce, dateMs);
    } catch (error) {
      this.#port.broken(error);
    }
  }

  body(bytes: Bytes, from: number, to: number): void {
    if (!this.#port.counts(this)) return;
    try {
      this.#port.above.body(bytes, from, to);
    } catch (error) {
      this.#port.broken(error);
    }
  }

  end(): void {
    if (!this.#port.ends(this)) return;
    try {
      this.#port.above.end();
    } catch (error) {
      this.#port.broken(error);
    }
  }

  failed(failure: TransportFailure): void {
    if (!this.#port.ends(this)) return;
    try {
      this.#port.failed(failure);
    } catch (error) {
      this.#port.broken(error);
    }
  }
}
