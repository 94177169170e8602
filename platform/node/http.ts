// The HTTP adapter on Node's own client. It opens connections and reports responses. It neither interprets responses nor
// retries requests.

import { setImmediate } from "node:timers";
import type { Http, HttpRequest, HttpSink } from "../contracts.ts";
import type { Transport } from "./connection-pool.ts";
import type { Exchange } from "./http-exchange.ts";
import { agentProblem, type NodeHttpOptions } from "./http-options.ts";

/** HTTP and HTTPS over persistent connections. */
export class NodeHttp implements Http {
  readonly #options: NodeHttpOptions;
  #transport: Transport | undefined;
  #isBusy = false;
  /** Number of the current exchange. An exchange that was aborted before its start has an earlier number. */
  #turn = 0;
  #exchange: Exchange | undefined;
  lastFailure = "";
  readonly sizeLimitBytes: number | undefined;

  /** @throws TypeError if the agent disables checks */
  constructor(options: NodeHttpOptions = {}) {
    const problem = agentProblem(options.agent);
    if (problem !== "") throw new TypeError(`http.agent ${problem}`);
    this.#options = { ...options };
    this.sizeLimitBytes = options.sizeLimitBytes;
  }

  /** @internal */
  get fetch(): typeof fetch {
    return nodeFetch(this.#options);
  }

  send(request: HttpRequest, sink: HttpSink): void {
    if (this.#isBusy) throw new Error("http: an exchange is under way");
    this.#isBusy = true;
    const turn = ++this.#turn;
    // Let Node read unexpected data on an idle connection first, because that data is not the response to this request.
    setImmediate(() => void this.#start(turn, request, sink));
  }

  abort(): void {
    const exchange = this.#exchange;
    this.#end();
    exchange?.abort();
  }

  /** Ends the current exchange. The last adapter of the process (with this `idleLimitMs`) closes the idle connections. */
  dispose(): void {
    this.abort();
    this.#transport?.leave();
    this.#transport = undefined;
  }

  /** Loads Node's HTTP clients with the first request. A start with a valid access token sends no request. */
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

/**
 * The `fetch` of a session uses the adapter's client, because the global `fetch` accepts neither certificates nor an agent,
 * and may fail on slow networks. `NodeHttp` or `parseOptions` checks the agent.
 */
export function nodeFetch(options: NodeHttpOptions = {}): typeof fetch {
  return async (input, init) => (await import("./http-exchange.ts")).send(options, input, init);
}
