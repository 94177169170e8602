// Listens in on the grant's requests and keeps what a person wants to know of the newest answer: which address, which
// status, what the server called the error. The core goes by numbers; whoever looks into a failure wants the words.

import { Endpoint } from "../../core/index.ts";
import type { Bytes, HttpRequest, TransportFailure } from "../contracts.ts";
import { sentForms } from "../text/form.ts";
import { objectIn, printable } from "../text/text.ts";
import { type Head, Listener } from "./filter.ts";

/** What came of a request. Nothing in it is secret. */
export interface ServerResponse {
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

/** One byte more than the core takes of an answer. */
const BODY_MAX = 65_537;
const DESCRIPTION_MAX = 200;

/** An answer in one line: where it came from, and what it was. */
export function describeResponse({
  url,
  status,
  error,
  errorDescription,
  failure,
}: ServerResponse): string {
  if (failure !== "") return `${url}: ${failure}`;
  const name = error === "" ? "" : ` ${error}`;
  const words = errorDescription === "" ? "" : ` (${errorDescription})`;
  return `${url}: HTTP ${status}${name}${words}`;
}

/** An ID token as it came: nobody has looked at it yet. */
export interface ReceivedIdToken {
  readonly token: string;
  /** When it came, ms since 1970. */
  readonly atMs: number;
}

/** An access token that is good still, by the calendar. */
export interface KnownToken {
  readonly token: string;
  /** When it came, ms since 1970. */
  readonly fromMs: number;
  readonly endsAtMs: number;
}

/** What came along with the tokens of an earlier start. */
export interface Recalled {
  /** Of the sign-in that it came with. */
  readonly sessionId?: string | undefined;
  /** The scope that was asked for; undefined where that is not known. */
  readonly requested?: string | undefined;
  /** The scope that the server has named; "" where it has named none, so that it is the one that was asked for. */
  readonly scope: string;
  readonly tokenResponse: TokenResponse;
  readonly idToken?: ReceivedIdToken | undefined;
  /** Where a computer keeps it, whose files do not wear out. */
  readonly access?: KnownToken | undefined;
}

/** Keeps the newest answer of one device, which hears of it when there is room for what is in it. */
export class ResponseRecorder extends Listener {
  /** Undefined before the first. */
  newest: ServerResponse | undefined;
  /** Requests so far that have ended, in whatever way. */
  received = 0;
  /** The newest success of the token endpoint; undefined before the first. */
  tokenResponse: TokenResponse | undefined;
  /** The newest `scope` that came with tokens (RFC 6749 §5.1); "" where none has named it, undefined before the first. */
  scope: string | undefined;
  /** The newest; a refresh may bring none (OpenID Connect Core 1.0 §12.2). */
  idToken: ReceivedIdToken | undefined;
  /** Answers with tokens so far. */
  granted = 0;
  readonly #endpoint: () => Endpoint;
  readonly #secrets: () => readonly string[];
  readonly #prepare: (members: Members) => void;
  /** Of the request under way, "" for none. */
  #url = "";
  #head: Head = [0, -1];
  #body: number[] = [];

  /**
   * @param endpoint what the request is for that is being sent
   * @param secrets what must not be repeated
   * @param prepare lets time pass for the device, and sees that it can take what an answer has, before it hears of it
   */
  constructor(
    endpoint: () => Endpoint,
    secrets: () => readonly string[],
    prepare: (members: Members) => void,
  ) {
    super();
    this.#endpoint = endpoint;
    this.#secrets = secrets;
    this.#prepare = prepare;
  }

  /** What an earlier start has heard. */
  recall({ requested, scope, tokenResponse, idToken }: Recalled): void {
    this.scope = printable(scope || requested || "");
    this.tokenResponse = tokenResponse;
    this.idToken = idToken;
  }

  /** What comes next is of another session. */
  discard(): void {
    this.scope = this.tokenResponse = this.idToken = undefined;
  }

  override send(request: HttpRequest): void {
    this.#url = request.url.split("?", 1)[0]!;
    this.#body = [];
    this.below.send(request);
  }

  override abort(): void {
    if (this.#url !== "") this.#keep({ ...FAILED, failure: FAILURES.timeout });
    this.below.abort();
  }

  override status(...head: Head): void {
    this.#head = head;
  }

  override body(bytes: Bytes, from: number, to: number): void {
    for (let at = from; at < to && this.#body.length < BODY_MAX; at++) this.#body.push(bytes[at]!);
  }

  /** Now the device hears of the whole answer. */
  override end(): void {
    const body = this.#body;
    const [status] = this.#head;
    const members = objectIn(body) ?? {};
    const isValid = status >= 200 && status <= 299 && members.error === undefined;
    this.#prepare(members);
    super.status(...this.#head);
    // Where the machine has slept past the request's time the device has just given it up.
    if (this.#url !== "") {
      const isOfTokens = this.#endpoint() === Endpoint.TOKEN && isValid;
      if (isOfTokens && typeof members.access_token === "string") this.#keepTokens(members);
      this.#keep({ status, failure: "", ...this.#errorIn(members) });
      super.body(body, 0, body.length);
    }
    // There may be tokens in it.
    body.fill(0);
    super.end();
  }

  override failed(failure: TransportFailure, why: string): void {
    this.#keep({ ...FAILED, failure: `${FAILURES[failure]}${why && ` (${why})`}` });
    super.failed(failure, why);
  }

  #keep(response: Omit<ServerResponse, "url">): void {
    this.newest = { url: this.#url, ...response };
    this.#url = "";
    this.received++;
  }

  #errorIn(members: Members): Pick<ServerResponse, "error" | "errorDescription"> {
    const text = (value: unknown): string =>
      typeof value === "string"
        ? printable(scrubbed(value, this.#secrets())).slice(0, DESCRIPTION_MAX)
        : "";
    return { error: text(members.error), errorDescription: text(members.error_description) };
  }

  #keepTokens(members: Members): void {
    const { access_token: _access, refresh_token: _refresh, ...others } = members;
    const { scope, id_token: token } = others;
    this.granted++;
    this.tokenResponse = others;
    this.scope = typeof scope === "string" ? printable(scope) : (this.scope ?? "");
    if (typeof token === "string") this.idToken = { token, atMs: Date.now() };
  }
}

const FAILURES = {
  unreachable: "not reachable",
  timeout: "no answer in time",
  "too-large": "the answer is too large",
} as const;

const FAILED = { status: 0, error: "", errorDescription: "" } as const;

type Members = Readonly<Record<string, unknown>>;

/** A shorter one may be an ordinary word, and no server's tokens are that short (RFC 6749 §10.10). */
const SECRET_LENGTH_MIN = 8;

/**
 * What a server repeats of what it was sent stays out of whatever a person may get to read.
 * @param secrets as they are sent; "" for one that is not there
 */
function scrubbed(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) {
    if (secret.length < SECRET_LENGTH_MIN) continue;
    for (const form of sentForms(secret)) {
      result = result.replaceAll(form, "***");
    }
  }
  return result;
}
