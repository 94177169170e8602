// Listens in on the grant's requests and keeps what a person wants to know of the newest answer: which address, which
// status, what the server called the error. The core goes by numbers; whoever looks into a failure wants the words.

import type { Http, HttpRequest, HttpSink } from "../contracts.ts";
import type { Translate } from "../driver.ts";
import { printable, textOf } from "../text.ts";

/** What came of a request. Nothing in it is secret. */
export interface ServerAnswer {
  /** The address that was asked, without its query. */
  readonly url: string;
  /** The HTTP status; 0 where no whole answer came. */
  readonly status: number;
  /** What the server called the error (RFC 6749 §5.2); "" where it named none. */
  readonly error: string;
  /** `error_description`: one line of at most 200 printable characters; "" where there is none. */
  readonly errorDescription: string;
  /** Why no whole answer came; "" where one did. */
  readonly failure: string;
}

/** Longer answers name no error. */
const BODY_MAX = 8192;
const DESCRIPTION_MAX = 200;

/** An answer in one line: where it came from, and what it was. */
export function answerInWords({
  url,
  status,
  error,
  errorDescription,
  failure,
}: ServerAnswer): string {
  if (failure !== "") return `${url}: ${failure}`;
  const name = error === "" ? "" : ` ${error}`;
  const words = errorDescription === "" ? "" : ` (${errorDescription})`;
  return `${url}: HTTP ${status}${name}${words}`;
}

/** Keeps the newest answer of one device. */
export class AnswerEar {
  /** Undefined before the first. */
  newest: ServerAnswer | undefined;
  /** Called after each answer, when the device has dealt with it. */
  onAnswer: ((answer: ServerAnswer) => void) | undefined;

  /** A `translate` for a driver, around the one that the server needs, if any. */
  around(translate: Translate | undefined): Translate {
    return (http, client) => {
      const inner = translate?.(http, client) ?? http;
      return {
        send: (request, sink) => inner.send(request, this.#listen(http, request, sink)),
        abort: () => inner.abort(),
      } satisfies Http;
    };
  }

  #listen(http: Http, { url }: HttpRequest, sink: HttpSink): HttpSink {
    const address = url.split("?", 1)[0]!;
    let status = 0;
    let body: number[] = [];
    return {
      status: (code, retryAfterSeconds) => {
        status = code;
        sink.status(code, retryAfterSeconds);
      },
      body: (bytes, from, to) => {
        for (let at = from; at < to && body.length < BODY_MAX; at++) body.push(bytes[at]!);
        sink.body(bytes, from, to);
      },
      end: () => {
        this.newest = { url: address, status, failure: "", ...errorIn(body) };
        // There may be tokens in it.
        body.fill(0);
        body = [];
        sink.end();
        this.onAnswer?.(this.newest);
      },
      failed: (failure) => {
        body.fill(0);
        body = [];
        const why = http.lastFailure ? ` (${http.lastFailure})` : "";
        const failed = { url: address, status: 0, error: "", errorDescription: "" };
        this.newest = { ...failed, failure: `${FAILURES[failure]}${why}` };
        sink.failed(failure);
        this.onAnswer?.(this.newest);
      },
    };
  }
}

const FAILURES = {
  unreachable: "not reachable",
  timeout: "no answer in time",
  "too-large": "the answer is too large",
} as const;

function errorIn(body: readonly number[]): Pick<ServerAnswer, "error" | "errorDescription"> {
  const members = objectIn(body);
  const text = (value: unknown): string =>
    typeof value === "string" ? printable(value).slice(0, DESCRIPTION_MAX) : "";
  return { error: text(members.error), errorDescription: text(members.error_description) };
}

function objectIn(body: readonly number[]): { error?: unknown; error_description?: unknown } {
  try {
    return (JSON.parse(textOf(body) ?? "") as object | null) ?? {};
  } catch {
    return {};
  }
}
