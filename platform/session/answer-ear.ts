// Listens in on the grant's requests and keeps what a person wants to know of the newest answer: which address, which
// status, what the server called the error. The core goes by numbers; whoever looks into a failure wants the words.

import { Endpoint } from "../../core/index.ts";
import type { Http, HttpRequest, HttpSink } from "../contracts.ts";
import type { Translate } from "../driver.ts";
import { objectIn, printable } from "../text/text.ts";

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

/** A successful answer of the token endpoint (RFC 6749 §5.1) without the two tokens that the session looks after. */
export type TokenResponse = Readonly<Record<string, unknown>>;

/** Longer answers name no error. */
const BODY_MAX = 8192;
/** The longest answer with tokens that the core takes. */
const TOKEN_BODY_MAX = 65_536;
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

/** An ID token as it came: nobody has looked at it yet. */
export interface HeardIdToken {
  readonly token: string;
  /** When it came, ms since 1970. */
  readonly atMs: number;
}

/** Keeps the newest answer of one device. */
export class AnswerEar {
  /** Undefined before the first. */
  newest: ServerAnswer | undefined;
  /** Requests so far that have ended, in whatever way. */
  heard = 0;
  /** The newest success of the token endpoint; undefined before the first. */
  tokenResponse: TokenResponse | undefined;
  /** The newest `scope` that came with tokens (RFC 6749 §5.1); "" where none has named it, undefined before the first. */
  scope: string | undefined;
  /** The newest; a refresh may bring none (OpenID Connect Core 1.0 §12.2). */
  idToken: HeardIdToken | undefined;
  /** Ends the request under way as unheard. */
  #abort: (() => void) | undefined;

  /**
   * A `translate` for a driver, around the one that the server needs, if any.
   * @param endpoint what the request is for that is being sent
   */
  around(translate: Translate | undefined, endpoint: () => Endpoint): Translate {
    return (http, client) => {
      const inner = translate?.(http, client) ?? http;
      return {
        send: (request, sink) => inner.send(request, this.#listen(http, request, sink, endpoint())),
        abort: () => {
          this.#abort?.();
          return inner.abort();
        },
      } satisfies Http;
    };
  }

  #listen(http: Http, { url }: HttpRequest, sink: HttpSink, endpoint: Endpoint): HttpSink {
    const address = url.split("?", 1)[0]!;
    const room = endpoint === Endpoint.TOKEN ? TOKEN_BODY_MAX : BODY_MAX;
    let status = 0;
    let body: number[] = [];
    const keep = (answer: Omit<ServerAnswer, "url">): void => {
      // There may be tokens in it.
      body.fill(0);
      body = [];
      this.#abort = undefined;
      this.newest = { url: address, ...answer };
      this.heard++;
    };
    const failed = { status: 0, error: "", errorDescription: "" };
    this.#abort = () => keep({ ...failed, failure: FAILURES.timeout });
    return {
      status: (code, retryAfterSeconds, authenticate) => {
        status = code;
        sink.status(code, retryAfterSeconds, authenticate);
      },
      body: (bytes, from, to) => {
        for (let at = from; at < to && body.length < room; at++) body.push(bytes[at]!);
        sink.body(bytes, from, to);
      },
      end: () => {
        const members = objectIn(body) ?? {};
        if (endpoint === Endpoint.TOKEN && typeof members.access_token === "string") {
          this.#keepTokens(members);
        }
        keep({ status, failure: "", ...errorIn(members) });
        sink.end();
      },
      failed: (failure) => {
        const why = http.lastFailure ? ` (${http.lastFailure})` : "";
        keep({ ...failed, failure: `${FAILURES[failure]}${why}` });
        sink.failed(failure);
      },
    };
  }

  #keepTokens(members: Readonly<Record<string, unknown>>): void {
    const { access_token: _access, refresh_token: _refresh, ...others } = members;
    const { scope, id_token: token } = others;
    this.tokenResponse = others;
    this.scope = typeof scope === "string" ? scope : (this.scope ?? "");
    if (typeof token === "string") this.idToken = { token, atMs: Date.now() };
  }
}

const FAILURES = {
  unreachable: "not reachable",
  timeout: "no answer in time",
  "too-large": "the answer is too large",
} as const;

function errorIn(
  members: Readonly<Record<string, unknown>>,
): Pick<ServerAnswer, "error" | "errorDescription"> {
  const text = (value: unknown): string =>
    typeof value === "string" ? printable(value).slice(0, DESCRIPTION_MAX) : "";
  return { error: text(members.error), errorDescription: text(members.error_description) };
}
