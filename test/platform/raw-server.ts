// A scripted TCP server for tests of Node's HTTP adapter, and a sink that records its calls.

import net from "node:net";
import type { Http, HttpRequest, HttpSink } from "../../platform/contracts.ts";
import { AdapterPort } from "../../platform/exchange/adapter-port.ts";
import { type Below, connect, type Filter } from "../../platform/exchange/filter.ts";
import { NodeHttp } from "../../platform/node/http.ts";
import type { NodeHttpOptions } from "../../platform/node/http-options.ts";
import { listen } from "../listening.ts";

export const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

export type ErrorText = [event: string, ...values: unknown[]];

/** The calls of a sink for the response `OK`. */
export const VALID: ErrorText[] = [["status", 200, -1, ""], ["body", "ok"], ["end"]];

/** A sink that records its calls. `ended` resolves to these calls when the exchange has ended. */
export function recorder(during: (event: string) => void = () => {}): {
  sink: HttpSink;
  reported: ErrorText[];
  ended: Promise<ErrorText[]>;
} {
  const reported: ErrorText[] = [];
  let end: (reported: ErrorText[]) => void;
  const ended = new Promise<ErrorText[]>((done) => {
    end = done;
  });
  const receive = (...one: ErrorText): void => {
    reported.push(one);
    if (one[0] === "end" || one[0] === "failed") end(reported);
    during(one[0]);
  };
  const sink: HttpSink = {
    status: (...values) => receive("status", ...values.slice(0, 3)),
    body: (bytes, from, to) => receive("body", Buffer.from(bytes).toString("latin1", from, to)),
    end: () => receive("end"),
    failed: (failure) => receive("failed", failure),
  };
  return { sink, reported, ended };
}

export function through(
  http: Http,
  filters: readonly Filter[],
  request: HttpRequest,
  sink: HttpSink,
): { readonly top: Below; readonly faults: unknown[] } {
  const faults: unknown[] = [];
  const fault = (error: unknown, giveUp: () => void): void => {
    faults.push(error);
    giveUp();
  };
  const port = new AdapterPort(http, { isPoll: () => false, fault });
  const top = connect(filters, sink, port);
  top.send(request);
  return { top, faults };
}

export const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

export class RawServer {
  origin = "";
  /** Called with the socket of each request, and sends the response. */
  script: (socket: net.Socket) => unknown = (socket) => socket.write(OK);
  readonly requested: string[] = [];
  connections = 0;
  adapter = new NodeHttp();
  readonly #server: net.Server;

  constructor() {
    // Nagle's algorithm would join successive writes.
    this.#server = net.createServer({ noDelay: true }, (socket) => {
      this.connections++;
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        this.requested.push(bytes.toString("latin1"));
        this.script(socket);
      });
    });
  }

  async start(): Promise<void> {
    ({ origin: this.origin } = await listen(this.#server));
  }

  async close(): Promise<void> {
    this.adapter.dispose();
    await new Promise((done) => this.#server.close(done));
  }

  open(): Promise<number> {
    return new Promise((done) => this.#server.getConnections((_, count) => done(count)));
  }

  make(options: NodeHttpOptions): void {
    this.adapter.dispose();
    this.adapter = new NodeHttp(options);
  }

  request(more: Partial<HttpRequest> = {}): HttpRequest {
    return {
      ...{ method: "GET", url: `${this.origin}/`, contentType: "", authorization: "" },
      ...{ body: [], bodyFrom: 0, bodyTo: 0, ...more },
    };
  }

  /** Sends a request. @returns all calls of its sink */
  sendRequest(more: Partial<HttpRequest> = {}): Promise<ErrorText[]> {
    const { sink, ended } = recorder();
    this.adapter.send(this.request(more), sink);
    return ended;
  }
}
