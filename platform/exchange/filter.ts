// The exchange pipeline. A request passes down through filters to the adapter (adapter-port.ts); the response passes up
// through the same filters to the caller. The end of this file has the list of filters and their order.

import type { Bytes, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";

/** The next lower filter, or the adapter port. */
export interface Below {
  send(request: HttpRequest): void;
  /** Ends the current exchange, if any. The exchange is not reported any further. */
  abort(): void;
}

/** The next higher filter, or the caller. */
export interface Above extends Omit<HttpSink, "failed"> {
  /** @param why the adapter's reason, such as `ECONNREFUSED`; "" for none */
  failed(failure: TransportFailure, why: string): void;
}

/** The response head: the arguments of `HttpSink.status`. */
export type Head = Parameters<HttpSink["status"]>;

/** A filter handles one exchange at a time. Reset per-exchange state in `send`. */
export abstract class Filter implements Below {
  above!: Above;
  below!: Below;
  /** @internal Changes when an exchange is aborted or the next one begins. A filter compares it after a wait. */
  turn = 0;
  /** The limit of a body in bytes. */
  sizeLimitBytes = 0;

  send(request: HttpRequest): void {
    this.below.send(request);
  }

  abort(): void {
    this.turn++;
    this.below.abort();
  }
}

/**
 * A filter that also receives the response. The adapter port passes no report after the end of an exchange or after
 * `abort`, so filters need not check that.
 */
export abstract class Listener extends Filter implements Above {
  status(...head: Head): void {
    this.above.status(...head);
  }

  body(bytes: Bytes, from: number, to: number): void {
    this.above.body(bytes, from, to);
  }

  end(): void {
    this.above.end();
  }

  failed(failure: TransportFailure, why: string): void {
    this.above.failed(failure, why);
  }
}

export interface Port extends Below {
  above: Above;
  readonly sizeLimitBytes: number;
}

/** @param filters in the order in which they get a request (a response: in reverse) @returns the first filter */
export function connect(filters: readonly Filter[], above: Above, port: Port): Below {
  let top: Below = port;
  for (const filter of [...filters].reverse()) {
    filter.below = top;
    filter.sizeLimitBytes = port.sizeLimitBytes;
    top = filter;
  }
  let requesting = above;
  for (const filter of filters) {
    filter.above = requesting;
    if (filter instanceof Listener) requesting = filter;
  }
  port.above = requesting;
  return top;
}

/** The names of the filters, in order. The first filter gets the request first and the response last. */
const ORDER = [
  /** Responds to a refresh without a request if a valid token is cached. */
  "known",
  /** Waits for exclusive access to the records, if several programs share them. */
  "lock",
  "recorder",
  /** Translates for a server that does not implement RFC 8628. */
  "translation",
  "keys",
  /** Converts grant requests to JSON if the server requires it. */
  "form",
  /** The last check before the adapter: refuses a request that would leak a secret. */
  "look",
  "log",
] as const;

export type Filters = { readonly [Name in (typeof ORDER)[number]]?: Filter | undefined };

export function inOrder(filters: Filters): Filter[] {
  return ORDER.flatMap((name) => filters[name] ?? []);
}
