// Records the newest response of the authorization server as text, for people who investigate a failure. The core reports
// only numbers. Also records the members of token responses, for the session.

import { Endpoint } from "../../core/index.ts";
import type { HttpRequest, TransportFailure } from "../contracts.ts";
import { objectIn, printable, sentForms } from "../text/text.ts";
import { type BufferedResponse, ResponseBuffer } from "./response-buffer.ts";

/** The result of a request, without secrets. */
export interface ServerResponse {
  /** The requested address without its query. */
  readonly url: string;
  /** The HTTP status; 0 without a complete response. */
  readonly status: number;
  /** The server's error code (RFC 6749 §5.2); "" for none. */
  readonly error: string;
  /** `error_description`: one line of at most 200 printable characters; "" for none. */
  readonly errorDescription: string;
  /** Why there is no complete response; "" if there is one. */
  readonly failure: string;
}

/** A successful response of the token endpoint (RFC 6749 §5.1) without `access_token` and `refresh_token`. */
export type TokenResponse = Readonly<Record<string, unknown>>;

const DESCRIPTION_MAX = 200;

export function describeResponse(response: ServerResponse): string {
  const { url, status, error, errorDescription, failure } = response;
  if (failure !== "") return `${url}: ${failure}`;
  return `${url}: HTTP ${status}${error && ` ${error}`}${errorDescription && ` (${errorDescription})`}`;
}

/** An ID token that has not been validated. */
export interface ReceivedIdToken {
  readonly token: string;
  /** When the ID token arrived, in milliseconds since 1970. */
  readonly atMs: number;
}

/** An access token that is still valid by the wall clock. */
export interface KnownToken {
  readonly token: string;
  /** When the access token arrived, in milliseconds since 1970. */
  readonly fromMs: number;
  /** Undefined: the server has not sent a lifetime. */
  readonly endsAtMs?: number | undefined;
}

/** Data that an earlier start stored with the tokens. Members are undefined if they are unknown. */
export interface Recalled {
  /** The identifier of the sign-in that issued the tokens. */
  readonly sessionId?: string | undefined;
  /** The requested scope. */
  readonly requested?: string | undefined;
  /** The scope that the server returned; "" if it returned none: then the requested scope applies. */
  readonly scope: string;
  /** The identifier of the key to which the tokens are bound (`Keys.id`). */
  readonly keyId?: string | undefined;
  /** Whether the last refresh left the refresh token unchanged, because the server does not rotate it. */
  readonly isLasting?: boolean;
  readonly tokenResponse: TokenResponse;
  readonly idToken?: ReceivedIdToken | undefined;
  /** Stored in a state directory, but not in a program's own storage, which frequent writes may wear out. */
  readonly access?: KnownToken | undefined;
}

/** Records the newest response to a device, and has the device's memory enlarged before it passes the response on. */
export class ResponseRecorder extends ResponseBuffer {
  newest: ServerResponse | undefined;
  tokenResponse: TokenResponse | undefined;
  /** The newest `scope` of a token response, or the recalled scope; "" if there was none; undefined at first. */
  scope: string | undefined;
  /** The newest ID token. A refresh response may have none (OpenID Connect Core 1.0 §12.2). */
  idToken: ReceivedIdToken | undefined;
  readonly #endpoint: () => Endpoint;
  readonly #secrets: () => readonly string[];
  readonly #prepare: (members: Members) => void;
  #url = "";

  /** @param prepare advances the device's time, and enlarges its memory for the members of the next response */
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

  recall({ requested, scope, tokenResponse, idToken }: Recalled): void {
    this.scope = printable(scope || requested || "");
    this.tokenResponse = tokenResponse;
    this.idToken = idToken;
  }

  /** Discards what was recorded, because the next response belongs to another session. */
  discard(): void {
    this.scope = this.tokenResponse = this.idToken = undefined;
  }

  override send(request: HttpRequest): void {
    this.#url = request.url.split("?", 1)[0]!;
    super.send(request);
  }

  override abort(): void {
    if (this.#url !== "") this.#keep({ ...FAILED, failure: FAILURES.timeout });
    super.abort();
  }

  override responded({ head, body }: BufferedResponse): void {
    const [status] = head;
    const members = objectIn(body) ?? {};
    const isValid = status >= 200 && status <= 299 && members.error === undefined;
    this.#prepare(members);
    this.above.status(...head);
    // If the machine slept beyond the time limit, `#prepare` has made the device abort the request.
    if (this.#url !== "") {
      const isOfTokens = this.#endpoint() === Endpoint.TOKEN && isValid;
      if (isOfTokens && typeof members.access_token === "string") this.#keepTokens(members);
      this.#keep({ status, failure: "", ...this.#errorIn(members) });
      this.above.body(body, 0, body.length);
    }
    // The body may contain tokens.
    body.fill(0);
    this.above.end();
  }

  override failed(failure: TransportFailure, why: string): void {
    this.#keep({ ...FAILED, failure: `${FAILURES[failure]}${why && ` (${why})`}` });
    super.failed(failure, why);
  }

  #keep(response: Omit<ServerResponse, "url">): void {
    this.newest = { url: this.#url, ...response };
    this.#url = "";
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
    this.tokenResponse = others;
    this.scope = typeof scope === "string" ? printable(scope) : (this.scope ?? "");
    if (typeof token === "string") this.idToken = { token, atMs: Date.now() };
  }
}

const FAILURES = {
  unreachable: "not reachable",
  timeout: "no response in time",
  "too-large": "the response is too large",
} as const;

const FAILED = { status: 0, error: "", errorDescription: "" } as const;

type Members = Readonly<Record<string, unknown>>;

/** Shorter values stay in a text, because they may be ordinary words. Tokens of servers are longer (RFC 6749 §10.10). */
const SECRET_LENGTH_MIN = 8;

/** Removes secrets from a server's text, which people read. @param secrets "" for a missing secret */
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
