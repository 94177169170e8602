// An exchange on its way. The request goes down through filters to the adapter (adapter-port.ts), and what the adapter reports
// comes up through the same filters to whoever asked. Which ones there are, and in which order, stands at the end.

import type { Bytes, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";

/** What a filter sends to: the next one, or the adapter's outlet. */
export interface Below {
  send(request: HttpRequest): void;
  /** Ends the exchange under way, if any: nothing more comes up of it. */
  abort(): void;
}

/** What a filter reports to: the one before it, or whoever asked. */
export interface Above extends Omit<HttpSink, "failed"> {
  /** @param why in the adapter's own words (`ECONNREFUSED`), "" where it has none */
  failed(failure: TransportFailure, why: string): void;
}

/** What the adapter says of an answer before its body: as `HttpSink.status` has it. */
export type Head = Parameters<HttpSink["status"]>;

/**
 * Hands each request on as it is; a filter says what it does otherwise. Exchanges go through it one after the other, so
 * what it keeps of one it forgets in `send`.
 */
export abstract class Filter implements Below {
  /** Set by `connect`. */
  above!: Above;
  /** Set by `connect`. */
  below!: Below;

  send(request: HttpRequest): void {
    this.below.send(request);
  }

  abort(): void {
    this.below.abort();
  }
}

/**
 * A filter that hears the answer, too, and hands it on as it is. The outlet lets each report through once, in its order,
 * and none that comes after `abort`: no filter has to look.
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

/** The end below all filters. */
export interface Port extends Below {
  above: Above;
}

/**
 * Stands filters one below the other.
 * @param filters the first one gets the request first, and the answer last
 * @returns where requests go in
 */
export function connect(filters: readonly Filter[], above: Above, port: Port): Below {
  let top: Below = port;
  for (const filter of [...filters].reverse()) {
    filter.below = top;
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

/** The filters of an exchange: each is there where it is needed. */
export interface Filters {
  /** Answers a refresh itself, where a token is known that is good. */
  readonly known?: Filter | undefined;
  /** Sends nothing while another program may change the same records. */
  readonly lock?: Filter | undefined;
  /** Keeps what the server said, as the core hears it. */
  readonly recorder?: Filter | undefined;
  /** Speaks with a server that has a language of its own. */
  readonly translation?: Filter | undefined;
  /** The form of the body. */
  readonly form?: Filter | undefined;
  /** Nothing goes where it was not meant to go, whatever those above have made of it. */
  readonly look?: Filter | undefined;
  /** Lines for whoever helps: what goes over the wire. */
  readonly log?: Filter | undefined;
}

/** The first one gets the request first, and the answer last. */
export function inOrder({
  known,
  lock,
  recorder,
  translation,
  form,
  look,
  log,
}: Filters): Filter[] {
  return [known, lock, recorder, translation, form, look, log].filter(
    (filter) => filter !== undefined,
  );
}
