// The two forms in which parameters of the grant go out: as RFC 6749 has it, application/x-www-form-urlencoded, or as
// JSON, which some servers want. A server that answers 415 (RFC 9110 §15.5.16) is asked once more in the other form,
// and that one is kept; where it is refused as well the core hears of the 415, which is final.

import type { Bytes, Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { formFields } from "../form.ts";
import { bytesOf } from "../text.ts";
import { isThenable } from "./thrown.ts";

/** In which form parameters of the grant go out. */
export type Bodies = "form" | "json";

/** Requests of the grant have this type, and no others do. */
export const FORM_TYPE = "application/x-www-form-urlencoded";
const UNSUPPORTED_MEDIA_TYPE = 415;

/** An HTTP adapter behind which the form of bodies is the server's. */
export class BodyForms implements Http {
  readonly #http: Http;
  readonly #hold: (error: unknown) => void;
  #isJson: boolean;
  /** The other form has been tried: it is not tried again. */
  #isSettled = false;
  /** Two take turns: what a broken adapter reports a second time then finds its sink closed. */
  #try: FirstTry;
  #tryBefore: FirstTry;

  /**
   * @param bodies the form to begin with; undefined: "form"
   * @param hold keeps what the adapter throws when it is asked again
   */
  constructor(http: Http, bodies: Bodies | undefined, hold: (error: unknown) => void) {
    this.#http = http;
    this.#isJson = bodies === "json";
    this.#hold = hold;
    this.#try = this.#newTry();
    this.#tryBefore = this.#newTry();
  }

  /** Gives what the adapter gives: a promise, where it is written with `async`. */
  send(request: HttpRequest, sink: HttpSink): unknown {
    const isForm = request.contentType === FORM_TYPE && request.bodyTo > request.bodyFrom;
    if (!isForm) return this.#http.send(request, sink);
    const sent = this.#written(request);
    if (this.#isSettled) return this.#http.send(sent, sink);
    const next = this.#tryBefore;
    this.#tryBefore = this.#try;
    this.#try = next;
    // They serve again and again: a poll makes no object.
    return this.#http.send(sent, next.begin(request, sink));
  }

  /** What is aborted is not sent again, whatever an adapter still reports of it. */
  abort(): void {
    this.#try.drop();
    this.#try = this.#newTry();
    this.#http.abort();
  }

  /** What the adapter says of the last failure. */
  get lastFailure(): string {
    return this.#http.lastFailure ?? "";
  }

  #newTry(): FirstTry {
    return new FirstTry((request, sink) => this.#sendOtherwise(request, sink));
  }

  #written(request: HttpRequest): HttpRequest {
    if (!this.#isJson) return request;
    const { body, bodyFrom, bodyTo } = request;
    const json = bytesOf(JSON.stringify(formFields(body, bodyFrom, bodyTo)));
    const range = { body: json, bodyFrom: 0, bodyTo: json.length };
    return { ...request, contentType: "application/json", ...range };
  }

  #turn(): void {
    this.#isJson = !this.#isJson;
  }

  /** The core's bytes are still there: it has not heard of an end. */
  #sendOtherwise(request: HttpRequest, sink: HttpSink): void {
    this.#isSettled = true;
    this.#turn();
    const second = new SecondTry(sink, () => this.#turn());
    const failed = (error: unknown): void => {
      this.#hold(error);
      second.failed("unreachable");
    };
    try {
      const sent: unknown = this.#http.send(this.#written(request), second);
      if (isThenable(sent)) sent.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }
}

/** Hands an answer on, unless it is a 415: then the request goes out again. */
class FirstTry implements HttpSink {
  readonly #again: (request: HttpRequest, sink: HttpSink) => void;
  #request: HttpRequest | undefined;
  #sink: HttpSink | undefined;
  #isRefused = false;
  #isDropped = false;

  constructor(again: (request: HttpRequest, sink: HttpSink) => void) {
    this.#again = again;
  }

  begin(request: HttpRequest, sink: HttpSink): this {
    this.#request = request;
    this.#sink = sink;
    return this;
  }

  drop(): void {
    this.#isDropped = true;
  }

  status(status: number, retryAfterSeconds: number): void {
    this.#isRefused = status === UNSUPPORTED_MEDIA_TYPE;
    if (!this.#isRefused) this.#sink?.status(status, retryAfterSeconds);
  }

  body(bytes: Bytes, from: number, to: number): void {
    if (!this.#isRefused) this.#sink?.body(bytes, from, to);
  }

  end(): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    this.#sink = undefined;
    if (this.#isRefused && !this.#isDropped) this.#again(this.#request!, sink);
    else sink.end();
  }

  failed(failure: TransportFailure): void {
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.failed(failure);
  }
}

/** Hands an answer on, once; where it is a 415 as well the form is the one that was meant. */
class SecondTry implements HttpSink {
  #sink: HttpSink | undefined;
  readonly #refused: () => void;

  constructor(sink: HttpSink, refused: () => void) {
    this.#sink = sink;
    this.#refused = refused;
  }

  status(status: number, retryAfterSeconds: number): void {
    if (status === UNSUPPORTED_MEDIA_TYPE) this.#refused();
    this.#sink?.status(status, retryAfterSeconds);
  }

  body(bytes: Bytes, from: number, to: number): void {
    this.#sink?.body(bytes, from, to);
  }

  end(): void {
    this.#over()?.end();
  }

  failed(failure: TransportFailure): void {
    this.#over()?.failed(failure);
  }

  /** Whoever listens serves the next request as well. */
  #over(): HttpSink | undefined {
    const sink = this.#sink;
    this.#sink = undefined;
    return sink;
  }
}
