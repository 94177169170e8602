// The part that every translation of a foreign server's language has in common: an HTTP adapter around
// another one that reads the core's form, sends what the server understands, gathers the answer, and
// hands on what RFC 8628 would have said. What does not go to the grant's addresses passes untouched.
//
// A translation keeps nothing between two exchanges: a device that loses its power in the middle of a
// sign-in comes back with the core's record alone.

import type { Bytes, Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { formEncode, formFields } from "../text/form.ts";
import { bytesOf, objectIn } from "../text/text.ts";
import type { Addresses } from "./profile.ts";

/** What the core is asking for. */
export type Purpose = "code" | "poll" | "refresh" | "revocation";

export type Fields = Record<string, string>;
export type Members = Record<string, unknown>;

/** What goes to the server instead of the core's request. */
export interface ForeignRequest {
  readonly url: string;
  /** A form, unless `json` is set. */
  readonly fields: Fields;
  readonly json?: boolean;
}

/** The server's answer; `members` are {} where the body is no JSON object. */
export interface ForeignAnswer {
  readonly status: number;
  readonly members: Members;
  /** Whether the body is a JSON object. An empty body and a page of HTML are none. */
  readonly isObject: boolean;
}

/** What the core gets to see. */
export interface PlainAnswer {
  readonly status: number;
  readonly members: Members;
}

export interface Translation {
  /**
   * Undefined: the core's own request is right as it is. "nothing": there is nothing to ask, and the
   * core hears of a success.
   */
  request(purpose: Purpose, url: string, fields: Fields): ForeignRequest | "nothing" | undefined;
  /** Undefined: the server's answer goes on as it came. */
  answer(purpose: Purpose, answer: ForeignAnswer): PlainAnswer | undefined;
}

/** More than any answer of these servers; what is longer is no answer of theirs. */
const ANSWER_BYTES_MAX = 65_536;
const FORM = "application/x-www-form-urlencoded";

export class TranslatingHttp implements Http {
  readonly #http: Http;
  readonly #addresses: Addresses;
  readonly #translation: Translation;
  #gathering: Gathering | undefined;

  constructor(http: Http, addresses: Addresses, translation: Translation) {
    this.#http = http;
    this.#addresses = addresses;
    this.#translation = translation;
  }

  send(request: HttpRequest, sink: HttpSink): void {
    const { url } = request;
    if (!Object.values(this.#addresses).includes(url)) {
      this.#http.send(request, sink);
      return;
    }
    const fields = formFields(request.body, request.bodyFrom, request.bodyTo);
    const purpose = this.#purposeOf(url, fields);
    const foreign = this.#translation.request(purpose, url, fields);
    if (foreign === "nothing") {
      sink.status(200, -1);
      sink.end();
      return;
    }
    const giveUp = (): void => this.#http.abort();
    this.#gathering = new Gathering(sink, purpose, this.#translation, giveUp);
    this.#http.send(foreign === undefined ? request : written(request, foreign), this.#gathering);
  }

  abort(): void {
    this.#gathering?.drop();
    this.#gathering = undefined;
    this.#http.abort();
  }

  /** What a request is for. Two of the addresses may be the same: then the grant type tells. */
  #purposeOf(url: string, { grant_type: grantType }: Fields): Purpose {
    if (url === this.#addresses.revocation) return "revocation";
    if (grantType === undefined) return "code";
    return grantType === "refresh_token" ? "refresh" : "poll";
  }
}

function written(request: HttpRequest, foreign: ForeignRequest): HttpRequest {
  const body = bytesOf(
    foreign.json ? JSON.stringify(foreign.fields) : formEncode(Object.entries(foreign.fields)),
  );
  return {
    ...request,
    url: foreign.url,
    contentType: foreign.json ? "application/json" : FORM,
    body,
    bodyFrom: 0,
    bodyTo: body.length,
  };
}

/** Gathers one answer, then tells the core what it means. */
class Gathering implements HttpSink {
  readonly #sink: HttpSink;
  readonly #purpose: Purpose;
  readonly #translation: Translation;
  readonly #giveUp: () => void;
  #over = false;
  #code = 0;
  #retryAfterSeconds = -1;
  readonly #gathered: number[] = [];

  constructor(sink: HttpSink, purpose: Purpose, translation: Translation, giveUp: () => void) {
    this.#sink = sink;
    this.#purpose = purpose;
    this.#translation = translation;
    this.#giveUp = giveUp;
  }

  drop(): void {
    this.#over = true;
  }

  status(status: number, retryAfterSeconds: number): void {
    this.#code = status;
    this.#retryAfterSeconds = retryAfterSeconds;
  }

  body(bytes: Bytes, from: number, to: number): void {
    if (this.#over) return;
    for (let at = from; at < to; at++) this.#gathered.push(bytes[at]!);
    if (this.#gathered.length <= ANSWER_BYTES_MAX) return;
    this.#giveUp();
    this.failed("too-large");
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    const answer = readAnswer(this.#code, this.#gathered);
    const plain = this.#translation.answer(this.#purpose, answer);
    const sink = this.#sink;
    const retryAfterSeconds = this.#retryAfterSeconds;
    sink.status(plain?.status ?? this.#code, retryAfterSeconds);
    const body = plain === undefined ? this.#gathered : bytesOf(JSON.stringify(plain.members));
    if (body.length > 0) sink.body(body, 0, body.length);
    sink.end();
  }

  failed(failure: TransportFailure): void {
    if (this.#over) return;
    this.#over = true;
    this.#sink.failed(failure);
  }
}

function readAnswer(status: number, bytes: readonly number[]): ForeignAnswer {
  const members = objectIn(bytes);
  return { status, members: members ?? {}, isObject: members !== undefined };
}

/** The core's fields under the server's names; `undefined` leaves a field out. */
export function renamed(
  fields: Fields,
  names: Readonly<Record<string, string | undefined>>,
): Fields {
  const result: Fields = {};
  for (const [name, value] of Object.entries(fields)) {
    const other = Object.hasOwn(names, name) ? names[name] : name;
    if (other !== undefined) result[other] = value;
  }
  return result;
}

/** An error as RFC 6749 §5.2 says it. */
export function plainError(error: string, description?: unknown): PlainAnswer {
  return {
    status: 400,
    members: {
      error,
      ...(typeof description === "string" && { error_description: description }),
    },
  };
}
