// An HTTP adapter, and the headers of its answers: adapters hand on what a device needs of them, and whoever opens an
// exchange wants to see them all. On Node they are heard where Node's client tells everybody.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { HttpRequest, HttpSink } from "../../../../platform/contracts.ts";
import type { AnswerHeaders, HeadersHttp } from "./network.ts";

/** Told once the head of an answer has come, before whoever asked is told. */
const CHANNEL = "http.client.response.finish";

export class HeardHttp implements HeadersHttp {
  answerHeaders: AnswerHeaders = [];
  #stop: () => void = () => {};

  readonly #inner: { send: HeadersHttp["send"]; abort: HeadersHttp["abort"] };

  constructor(inner: { send: HeadersHttp["send"]; abort: HeadersHttp["abort"] }) {
    this.#inner = inner;
  }

  send(request: HttpRequest, sink: HttpSink): void {
    this.answerHeaders = [];
    const hear = (message: unknown): void => {
      const { request: sent, response } = message as Told;
      if (isSame(sent, request)) this.answerHeaders = pairsOf(response.rawHeaders);
    };
    subscribe(CHANNEL, hear);
    this.#stop = () => void unsubscribe(CHANNEL, hear);
    this.#inner.send(request, {
      status: (...head) => sink.status(...head),
      body: (bytes, from, to) => sink.body(bytes, from, to),
      end: () => {
        this.#stop();
        sink.end();
      },
      failed: (failure) => {
        this.#stop();
        sink.failed(failure);
      },
    });
  }

  abort(): void {
    this.#stop();
    this.#inner.abort();
  }
}

interface Told {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

/** Other parts of the program send requests, too. */
function isSame({ method, host, path }: ClientRequest, { method: own, url }: HttpRequest): boolean {
  const { hostname, pathname, search } = new URL(url);
  return method === own && path === pathname + search && host === hostname.replace(/^\[|\]$/g, "");
}

function pairsOf(raw: readonly string[]): AnswerHeaders {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1]!] as const] : []));
}
