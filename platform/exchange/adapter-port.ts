// The end of the pipeline: here an exchange meets the adapter. Whatever that reports counts once, of the exchange under
// way; what it throws, or rejects with, at whatever time, is a failure of that exchange, and is told.

import type { Bytes, Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { guarded, isThenable, nothing } from "./callbacks.ts";
import type { Above, Port } from "./filter.ts";

/** Who has made the pipeline. */
export interface ExchangeOwner {
  /** Whether the next request is a poll: those share their sinks, since a poll makes no object. */
  isPoll(): boolean;
  /** Somebody else's code has thrown, or rejected. @param giveUp to be called next: it reports what has failed for that */
  fault(error: unknown, giveUp: () => void): void;
}

export class AdapterPort implements Port {
  above!: Above;
  readonly #http: Http;
  readonly #owner: ExchangeOwner;
  /** The one under way. */
  #current: Exchange | undefined;
  /** Of polls: these two take turns, unless the adapter has reported again what was over. */
  #poll: Exchange | undefined = new Exchange(this);
  #pollBefore: Exchange | undefined = new Exchange(this);
  #sharesSinks = true;

  constructor(http: Http, owner: ExchangeOwner) {
    this.#http = http;
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

  /**
   * Apart from `send`, which is called for polls: a function that makes another costs memory even where it does not.
   * Where each exchange makes a promise, a sink of its own costs nothing that counts.
   */
  #await(exchange: Exchange, result: PromiseLike<unknown>): void {
    this.#sharesSinks = false;
    result.then(undefined, (error) => this.#giveUp(exchange, error));
  }

  abort(): void {
    // A poll's may hear from its adapter later: it does not serve again.
    if (this.#current === this.#poll) this.#poll = undefined;
    this.#current = undefined;
    guarded(
      () => this.#http.abort(),
      (error) => this.#owner.fault(error, nothing),
    );
  }

  /** Whether it is the one under way. */
  counts(exchange: Exchange): boolean {
    if (this.#current === exchange) return true;
    this.#sharesSinks = false;
    return false;
  }

  /** It is over. @returns whether it was under way */
  ends(exchange: Exchange): boolean {
    if (!this.counts(exchange)) return false;
    this.#current = undefined;
    return true;
  }

  failed(failure: TransportFailure): void {
    this.above.failed(failure, this.#http.lastFailure ?? "");
  }

  /** A filter has thrown when it was told: nothing more of this exchange is of use. */
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
   * A sink for each exchange, since a broken adapter may report one again when others are under way. An adapter that
   * does so to a poll's meets one that is over, or if not, the report that it has anticipated does: from then on polls have
   * sinks of their own as well. What remains, as no object that serves again can tell: the first such report of all
   * counts if it comes two polls late, or four, and just while a poll is under way.
   */
  #next(): Exchange {
    if (!this.#owner.isPoll() || !this.#sharesSinks) return new Exchange(this);
    const next = this.#pollBefore ?? new Exchange(this);
    this.#pollBefore = this.#poll;
    this.#poll = next;
    return next;
  }
}

/** What an adapter reports to. */
class Exchange implements HttpSink {
  readonly #port: AdapterPort;

  constructor(port: AdapterPort) {
    this.#port = port;
  }

  status(status: number, retryAfterSeconds: number, authenticate = ""): void {
    if (!this.#port.counts(this)) return;
    try {
      this.#port.above.status(status, retryAfterSeconds, authenticate);
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
