// The HTTP adapter on Node's own client. It opens connections and reports responses; it neither interprets nor retries.

import { setImmediate } from "node:timers";
import type { Http, HttpRequest, HttpSink } from "../contracts.ts";
import type { Transport } from "./connection-pool.ts";
import type { Exchange } from "./http-exchange.ts";
import { checkAgent, type NodeHttpOptions } from "./http-options.ts";

/** HTTP and HTTPS over persistent connections. `dispose` closes the idle ones. */
export class NodeHttp implements Http {
  readonly #options: NodeHttpOptions;
  #transport: Transport | undefined;
  #isBusy = false;
  /** Distinguishes the current exchange from one that was aborted before it began. */
  #turn = 0;
  #exchange: Exchange | undefined;
  /** The last failure: Node's or OpenSSL's name for it, or a sentence; "" for none. */
  lastFailure = "";

  /** @throws TypeError if the agent disables checks */
  constructor(options: NodeHttpOptions = {}) {
    checkAgent(options);
    this.#options = { ...options };
  }

  send(request: HttpRequest, sink: HttpSink): void {
    if (this.#isBusy) throw new Error("http: an exchange is under way");
    this.#isBusy = true;
    const turn = ++this.#turn;
    // Reads unexpected data on an idle connection first: it is not the response to this request.
    setImmediate(() => void this.#start(turn, request, sink));
  }

  abort(): void {
    const exchange = this.#exchange;
    this.#end();
    exchange?.abort();
  }

  /** Ends the current exchange, and closes idle connections if this is the last adapter of the process. */
  dispose(): void {
    this.abort();
    this.#transport?.leave();
    this.#transport = undefined;
  }

  /** Loads Node's clients with the first request: a start with a valid access token makes none. */
  async #start(turn: number, request: HttpRequest, sink: HttpSink): Promise<void> {
    const { Exchange, transportOf } = await import("./http-exchange.ts");
    if (turn !== this.#turn) return;
    this.#transport ??= transportOf(this.#options);
    this.#exchange = new Exchange(this.#options, this.#transport, sink, (failure) => {
      this.#end();
      if (failure !== "") this.lastFailure = failure;
    });
    this.#exchange.send(request);
  }

  #end(): void {
    this.#isBusy = false;
    this.#turn++;
    this.#exchange = undefined;
  }
}

// A session's `fetch` on Node, with the client of the adapter: the global one accepts neither certificates nor an
// agent, and gives up on slow lines.

/** @throws TypeError if the agent disables checks */
export function nodeFetch(options: NodeHttpOptions = {}): typeof fetch {
  checkAgent(options);
  return async (input, init) => (await import("./connection.ts")).send(options, input, init);
}
