// The way to the simulated service without sockets: requests go straight to its logic. For scenarios,
// which run on a virtual clock and must be the same every time.
import type { HttpRequest, HttpSink } from "../../../../platform/contracts.ts";
import type { Service } from "../../../service/index.ts";
import type { AnswerHeaders, HeadersHttp } from "./network.ts";

export class DirectHttp implements HeadersHttp {
  answerHeaders: AnswerHeaders = [];

  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  send(request: HttpRequest, sink: HttpSink): void {
    const { pathname, search } = new URL(request.url);
    const body = new Uint8Array(request.bodyTo - request.bodyFrom);
    for (let i = 0; i < body.length; i++) body[i] = request.body[request.bodyFrom + i]!;
    const answer = this.#service.handle({
      method: request.method,
      path: pathname,
      query: search.slice(1),
      headers: {
        accept: "application/json",
        "content-type": request.contentType || undefined,
        authorization: request.authorization || undefined,
      },
      body,
    });
    this.answerHeaders = Object.entries(answer.headers);
    const { "retry-after": retryAfter, "www-authenticate": authenticate } = answer.headers;
    sink.status(answer.status, retryAfter === undefined ? -1 : Number(retryAfter), authenticate);
    if (answer.body.length > 0) sink.body(answer.body, 0, answer.body.length);
    sink.end();
  }

  abort(): void {}
}
