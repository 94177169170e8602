// What servers have answered to one start of a program: what it tells of them, and what it says of its tokens, is held
// against this.

import { isDeepStrictEqual } from "node:util";
import type { Http, HttpSink, TransportFailure } from "../../platform/contracts.ts";
import type { ServerResponse } from "../../platform/exchange/response-recorder.ts";
import type { Session } from "../../platform/session/session.ts";
import type { SignInError } from "../../platform/session/sign-in-error.ts";
import type { ManualClock } from "../../platform/testing/index.ts";
import { ENDPOINTS, type TokenMembers } from "./server.ts";

interface ObservedResponse extends ServerResponse {
  readonly atMs: number;
  /** HTML: something else answers in the server's place. */
  readonly isPage: boolean;
  isReported: boolean;
}

/** So long after an answer a program has been told of it, or why all has ended. */
const REPORTED_WITHIN_MS = 11_000;
const DESCRIPTION_MAX = 200;
const FAILURES: Readonly<Record<TransportFailure, string>> = {
  unreachable: "not reachable",
  timeout: "no answer in time",
  "too-large": "the answer is too large",
};
/** What is no trouble: the user has not decided yet. */
const PENDING = ["authorization_pending", "slow_down"];
/** A new code is asked for, and told of. */
const RENEWABLE = ["expired_token", "invalid_grant"];

export class Received {
  readonly responses: ObservedResponse[] = [];
  /** The newest answer with tokens, and when it came. */
  tokens: TokenMembers | undefined;
  tokensAtMs = 0;
  /** Whether there is a refresh token that has come in this start, and the newest scope and ID token. */
  hasRefreshToken = false;
  scope: string | undefined;
  idToken = "";
  #abort: () => void = () => {};
  readonly #clock: ManualClock;
  readonly #earlier: readonly Received[];

  /** @param earlier what was answered to the starts before */
  constructor(clock: ManualClock, earlier: readonly Received[] = []) {
    this.#clock = clock;
    this.#earlier = earlier;
  }

  /** ID tokens of earlier starts that may have been kept. */
  get storedIdTokens(): string[] {
    return this.#earlier.map(({ idToken }) => idToken).filter((token) => token !== "");
  }

  /** Nothing is known, or what an earlier start was told of its tokens. */
  #isStored({ tokenResponse, scope }: Session): boolean {
    if (tokenResponse === undefined) return scope === undefined;
    return this.#earlier.some(({ tokens, isResumed }) => {
      const { access_token: _access, refresh_token: _refresh, ...others } = tokens ?? {};
      return isDeepStrictEqual(others, tokenResponse) && (scope !== undefined || isResumed);
    });
  }

  /** Listens to an adapter. */
  around(http: Http): Http {
    return {
      send: (request, sink) => http.send(request, this.#listen(request.url, sink)),
      abort: () => {
        this.#abort();
        http.abort();
      },
    };
  }

  #listen(url: string, sink: HttpSink): HttpSink {
    let isOver = false;
    let status = 0;
    let text = "";
    const note = (more: Pick<ServerResponse, "error" | "errorDescription" | "failure">): void => {
      if (isOver) return;
      isOver = true;
      const isReported = false;
      // A form that the server does not take is no answer yet: the other one is tried.
      if (status !== 415 || more.failure !== "") {
        const reported = more.failure === "" ? status : 0;
        const isPage = text.startsWith("<");
        this.responses.push({
          url,
          status: reported,
          ...more,
          atMs: this.#clock.elapsedMs,
          isPage,
          isReported,
        });
      }
    };
    const failed = (failure: TransportFailure): void =>
      note({ error: "", errorDescription: "", failure: FAILURES[failure] });
    let takeBack: (() => void) | undefined;
    this.#abort = () => {
      takeBack?.();
      failed("timeout");
    };
    return {
      status: (code, ...more) => {
        status = code;
        sink.status(code, ...more);
      },
      body: (bytes, from, to) => {
        for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]!);
        sink.body(bytes, from, to);
      },
      end: () => {
        const members = membersIn(text);
        const { tokens, tokensAtMs, hasRefreshToken, scope, idToken } = this;
        const count = this.responses.length;
        // Where the machine has slept past the request's time it is given up now, and never heard.
        takeBack = () => {
          isOver = false;
          this.responses.length = count;
          Object.assign(this, { tokens, tokensAtMs, hasRefreshToken, scope, idToken });
        };
        if (!isOver && url === ENDPOINTS.token && "access_token" in members) this.#keep(members);
        const { error = "", error_description: words = "" } = members as Record<string, string>;
        note({ error, errorDescription: words.slice(0, DESCRIPTION_MAX), failure: "" });
        sink.end();
        takeBack = undefined;
      },
      failed: (failure) => {
        failed(failure);
        sink.failed(failure);
      },
    };
  }

  #keep(members: object): void {
    this.tokens = members as TokenMembers;
    this.tokensAtMs = this.#clock.elapsedMs;
    this.hasRefreshToken ||= this.tokens.refresh_token !== undefined;
    this.scope = this.tokens.scope ?? this.scope;
    this.idToken = this.tokens.id_token ?? this.idToken;
  }

  /** The server says that the user has not decided about the code yet. */
  get isPending(): boolean {
    return this.responses.some(({ error }) => PENDING.includes(error));
  }

  /** Why the server has not revoked: undefined where it was not asked, "" where it has. */
  get revocationProblem(): string | undefined {
    const last = this.responses.findLast(({ url }) => url === ENDPOINTS.revocation);
    const isDone = last && last.failure === "" && last.status === 200 && !last.isPage;
    return last && (isDone ? "" : last.error || "another");
  }

  /** The program is told of something. @returns what is wrong with that, "" for nothing */
  reported({ response, code }: SignInError): string {
    if (response === undefined) return "";
    const newest = this.responses.at(-1);
    if (newest === undefined || newest.isReported) return `told twice of ${response.url}: ${code}`;
    newest.isReported = true;
    const { atMs: _at, isPage: _page, isReported: _reported, ...expected } = newest;
    if (!isDeepStrictEqual(response, expected)) return `told of ${JSON.stringify(response)}`;
    const isValid = newest.status === 200 && newest.failure === "" && "error" in newest;
    if (isValid && code !== "malformed_response") return `told of a success: ${code}`;
    if (needsChallenge(newest)) return "told of a demand that is met by itself";
    return PENDING.includes(newest.error) ? `told that the user has not decided: ${code}` : "";
  }

  /** What has gone wrong for a while, and nobody was told; "" for nothing. */
  get unreported(): string {
    const unreported = this.responses.find((response, at) => {
      const { url, status, error, failure, isReported, atMs } = response;
      const isValid =
        failure === "" && (status === 200 || [...PENDING, ...RENEWABLE].includes(error));
      const isLate = this.#clock.elapsedMs - atMs > REPORTED_WITHIN_MS;
      // The code had come to its end meanwhile.
      const isReplaced = this.responses[at + 1]?.url === ENDPOINTS.deviceAuthorization;
      if (isReplaced && url === ENDPOINTS.token) return false;
      return (
        !isReported &&
        !isValid &&
        isLate &&
        !needsChallenge(response) &&
        url !== ENDPOINTS.revocation
      );
    });
    return unreported === undefined ? "" : `nobody was told of ${JSON.stringify(unreported)}`;
  }

  /**
   * No code was asked for. Where a power cut has taken what was known, such a start does not know what an earlier one
   * asked for.
   */
  get isResumed(): boolean {
    return !this.responses.some(({ url }) => url === ENDPOINTS.deviceAuthorization);
  }

  /** What a session says of its tokens. @returns what is wrong with that, "" for nothing */
  problemOf(session: Session, requestedScope: string): string {
    const { tokens } = this;
    if (tokens === undefined) return this.#isStored(session) ? "" : "what was kept";
    const { access_token: _access, refresh_token: _refresh, ...others } = tokens ?? {};
    if (!isDeepStrictEqual(session.tokenResponse, others)) return "tokenResponse";
    // A refresh that names no scope leaves it as it was, also over a restart (RFC 6749 §5.1).
    const scopes = [this.scope ?? requestedScope, ...this.#earlier.map(({ scope }) => scope)];
    if (this.isResumed) scopes.push(undefined);
    if (this.scope !== undefined ? session.scope !== this.scope : !scopes.includes(session.scope)) {
      return "scope";
    }
    if (isAtEnd(session)) {
      const { expiresInS, endsInS, isRenewable } = session;
      return isRenewable || expiresInS !== undefined || endsInS !== undefined ? "end" : "";
    }
    if (session.isRenewable !== this.hasRefreshToken) {
      return "isRenewable";
    }
    const { expires_in: accessS, refresh_token_expires_in: allS } = tokens;
    const isSignedIn = session.status === "signed-in";
    if (!this.#isLeft(isSignedIn ? session.expiresInS : "", accessS)) return "expiresInS";
    if (!isSignedIn && session.expiresInS !== undefined) return "expiresInS without a token";
    return this.#isLeft(session.endsInS, allS ?? 0) ? "" : "endsInS";
  }

  /** Whether that is what is left of a lifetime; "" is not looked at. */
  #isLeft(reported: number | undefined | "", wholeS: number): boolean {
    const leftS = wholeS - (this.#clock.elapsedMs - this.tokensAtMs) / 1000;
    return reported === "" || Math.abs((reported ?? 0) - Math.max(0, leftS)) <= 1;
  }
}

/** A code is asked for once more then, with a challenge. */
const needsChallenge = ({ url, error }: ServerResponse): boolean =>
  url === ENDPOINTS.deviceAuthorization && error === "invalid_request";

function membersIn(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Ended, or given back. */
export function isAtEnd(session: Pick<Session, "status"> | undefined): boolean {
  return session === undefined || session.status === "ended" || session.status === "closed";
}
