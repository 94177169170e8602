// The two forms in which parameters of the grant go out: as RFC 6749 has it, application/x-www-form-urlencoded, which is
// what the core writes, or as JSON, which some servers want. Which one it is the core says.

import type { Http, HttpRequest, HttpSink } from "../contracts.ts";
import { formFields } from "../form.ts";
import { bytesOf } from "../text.ts";

/** In which form parameters of the grant go out. */
export type Bodies = "form" | "json";

/** Requests of the grant have this type, and no others do. */
export const FORM_TYPE = "application/x-www-form-urlencoded";

/** An HTTP adapter in front of which forms become JSON where the core wants them so. */
export class BodyForms implements Http {
  readonly #http: Http;
  readonly #isJson: () => boolean;

  constructor(http: Http, isJson: () => boolean) {
    this.#http = http;
    this.#isJson = isJson;
  }

  /** Gives what the adapter gives: a promise, where it is written with `async`. */
  send(request: HttpRequest, sink: HttpSink): unknown {
    const isForm = request.contentType === FORM_TYPE && request.bodyTo > request.bodyFrom;
    return this.#http.send(isForm && this.#isJson() ? asJson(request) : request, sink);
  }

  abort(): unknown {
    return this.#http.abort();
  }

  /** What the adapter says of the last failure. */
  get lastFailure(): string {
    return this.#http.lastFailure ?? "";
  }
}

function asJson(request: HttpRequest): HttpRequest {
  const { body, bodyFrom, bodyTo } = request;
  const json = bytesOf(JSON.stringify(formFields(body, bodyFrom, bodyTo)));
  const range = { body: json, bodyFrom: 0, bodyTo: json.length };
  return { ...request, contentType: "application/json", ...range };
}
