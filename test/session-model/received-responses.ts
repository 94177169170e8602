// The responses that one start of a program has received. Checks the program's error reports and the session's
// properties against them.

import { isDeepStrictEqual } from "node:util";
import type { Http, HttpSink, TransportFailure } from "../../platform/contracts.ts";
import type { ServerResponse } from "../../platform/exchange/response-recorder.ts";
import type { Session } from "../../platform/session/session.ts";
import type { SignInError } from "../../platform/session/sign-in-error.ts";
import type { ManualClock } from "../../platform/testing/index.ts";
import { ENDPOINTS, type TokenMembers } from "./server.ts";

interface ObservedResponse extends ServerResponse {
  readonly atMs: number;
  readonly isPage: boolean;
  /** Whether the user has not decided yet (RFC 8628 §3.5). Only the response to a poll can mean that. */
  readonly isPending: boolean;
  isReported: boolean;
}

/** The program must report a failure within this time, unless the session has ended. */
const REPORTED_WITHIN_MS = 11_000;
const DESCRIPTION_MAX = 200;
const FAILURES: Readonly<Record<TransportFailure, string>> = {
  unreachable: "not reachable",
  timeout: "no response in time",
  "too-large": "the response is too large",
};
/** If the clocks differ, this failure replaces the server's refusal of a proof or assertion. */
const LATE = "not reachable (the clock differs by S s from the server's)";
const PENDING = ["authorization_pending", "slow_down"];
/** After these errors the device requests a new code. The program gets that code, and no report of the error. */
const RENEWABLE = ["expired_token", "invalid_grant"];

export class Received {
  readonly responses: ObservedResponse[] = [];
  /** All token responses without their tokens. Storage may have refused the newest. */
  readonly tokenResponses: object[] = [];
  tokens: TokenMembers | undefined;
  tokensAtMs = 0;
  /** What this start has received: a refresh token, and the newest scope and ID token. */
  hasRefreshToken = false;
  scope: string | undefined;
  idToken = "";
  #newestUrl = "";
  #abort: () => void = () => {};

  constructor(
    readonly clock: ManualClock,
    readonly earlier: readonly Received[] = [],
  ) {}

  /** ID tokens of earlier starts, which the token cache may still contain. */
  get storedIdTokens(): string[] {
    return this.earlier.map(({ idToken }) => idToken).filter((token) => token !== "");
  }

  /** Whether the session has no token response, or the token response of an earlier start. */
  #isStored({ tokenResponse, scope }: Session): boolean {
    if (tokenResponse === undefined) return scope === undefined;
    return this.earlier.some(({ tokenResponses, isResumed }) => {
      const isReceived = tokenResponses.some((one) => isDeepStrictEqual(one, tokenResponse));
      return isReceived && (scope !== undefined || isResumed);
    });
  }

  around(http: Http): Http {
    return {
      send: (request, sink) => {
        const { url, body, bodyFrom, bodyTo } = request;
        this.#newestUrl = url;
        const text = Buffer.from(Array.from(body).slice(bodyFrom, bodyTo)).toString("latin1");
        return http.send(request, this.#listen(url, text.includes("device_code"), sink));
      },
      abort: () => {
        this.#abort();
        http.abort();
      },
    };
  }

  #listen(url: string, isPoll: boolean, sink: HttpSink): HttpSink {
    let isOver = false;
    let status = 0;
    let text = "";
    const note = (more: Pick<ServerResponse, "error" | "errorDescription" | "failure">): void => {
      if (isOver) return;
      isOver = true;
      // The device repeats this request with the other body format or the new nonce, so there is no result to report.
      const isRepeated = status === 415 || more.error === "use_dpop_nonce";
      if (isRepeated && more.failure === "") return;
      const isLate = more.error === "invalid_dpop_proof" || more.error === "invalid_client";
      if (isLate) Object.assign(more, { error: "", errorDescription: "", failure: LATE });
      const isPage = text.startsWith("<");
      const isPending = isPoll && PENDING.includes(more.error);
      const seen = { atMs: this.clock.elapsedMs, isPage, isPending, isReported: false };
      this.responses.push({ url, status: more.failure === "" ? status : 0, ...more, ...seen });
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
        // Undoes the last response: after a long sleep, the device aborts the request before it processes the response.
        takeBack = () => {
          isOver = false;
          this.responses.length = count;
          Object.assign(this, { tokens, tokensAtMs, hasRefreshToken, scope, idToken });
        };
        if (!isOver && url === ENDPOINTS.token && "access_token" in members) this.#store(members);
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

  #store(members: object): void {
    this.tokens = members as TokenMembers;
    this.tokenResponses.push(withoutTokens(this.tokens));
    this.tokensAtMs = this.clock.elapsedMs;
    this.hasRefreshToken ||= this.tokens.refresh_token !== undefined;
    this.scope = this.tokens.scope ?? this.scope;
    this.idToken = this.tokens.id_token ?? this.idToken;
  }

  get isPending(): boolean {
    return this.responses.some(({ isPending }) => isPending);
  }

  /** Why the server has not revoked the tokens; "" if it has, undefined if it received no request. */
  get revocationProblem(): string | undefined {
    const last = this.responses.findLast(({ url }) => url === ENDPOINTS.revocation);
    const isDone = last && last.failure === "" && last.status === 200 && !last.isPage;
    return last && (isDone ? "" : last.error || "another");
  }

  /**
   * @param isSigned whether requests are signed. A sleep or the signer may then end one without the adapter's report
   * @returns what is wrong with the report, or ""
   */
  reported({ response, code }: SignInError, isSigned: boolean): string {
    if (response === undefined) return "";
    const newest = this.responses.at(-1);
    const failure = response.failure.replace(/-?\d+ s/, "S s");
    const isUnseen = [FAILURES.timeout, LATE].includes(failure) || failure.includes("signer");
    if (isSigned && isUnseen && (newest?.failure !== failure || newest.isReported)) return "";
    if (newest === undefined || newest.isReported)
      return `reported twice: ${response.url}: ${code}`;
    newest.isReported = true;
    const { atMs: _at, isPage: _page, isReported: _reported, isPending, ...expected } = newest;
    if (!isDeepStrictEqual({ ...response, failure }, expected))
      return `reported as ${JSON.stringify(response)}`;
    const isValid = newest.status === 200 && newest.failure === "" && "error" in newest;
    if (isValid && code !== "malformed_response") return `reported a success: ${code}`;
    if (needsChallenge(newest)) return "reported a demand that the device meets itself";
    return isPending ? `reported that the user has not decided: ${code}` : "";
  }

  /** A failure that the program should have reported by now, or "". */
  get unreported(): string {
    const unreported = this.responses.find((response, at) => {
      const { url, status, error, failure, isReported, isPending, atMs } = response;
      const isValid =
        isPending || (failure === "" && (status === 200 || RENEWABLE.includes(error)));
      const isLate = this.clock.elapsedMs - atMs > REPORTED_WITHIN_MS;
      // A response to a code that expired in the meantime is not reported: the device requests another code instead.
      const nextUrl = this.responses[at + 1]?.url ?? this.#newestUrl;
      const isReplaced = nextUrl === ENDPOINTS.deviceAuthorization;
      if (isReplaced && url === ENDPOINTS.token) return false;
      return (
        !isReported &&
        !isValid &&
        isLate &&
        !needsChallenge(response) &&
        url !== ENDPOINTS.revocation
      );
    });
    return unreported === undefined ? "" : `not reported: ${JSON.stringify(unreported)}`;
  }

  /** Whether this start requested no code. A session resumed after a power cut may not know its scope. */
  get isResumed(): boolean {
    return !this.responses.some(({ url }) => url === ENDPOINTS.deviceAuthorization);
  }

  /** @returns the property of the session that is wrong, or "" */
  problemOf(session: Session, requestedScope: string): string {
    const { tokens } = this;
    if (tokens === undefined) return this.#isStored(session) ? "" : "cached token response";
    if (!isDeepStrictEqual(session.tokenResponse, withoutTokens(tokens))) return "tokenResponse";
    // A response without a scope leaves the scope unchanged, also after a restart (RFC 6749 §5.1).
    const scopes = [this.scope ?? requestedScope, ...this.earlier.map(({ scope }) => scope)];
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

  /** Whether the reported remaining time is right, within a second. `reported` "" is always right. */
  #isLeft(reported: number | undefined | "", wholeS: number): boolean {
    const leftS = wholeS - (this.clock.elapsedMs - this.tokensAtMs) / 1000;
    return reported === "" || Math.abs((reported ?? 0) - Math.max(0, leftS)) <= 1;
  }
}

function withoutTokens({ access_token: _, refresh_token: __, ...others }: TokenMembers): object {
  return others;
}

/** Whether the server refuses the request because a code challenge is missing. The device then sends one. */
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

export function isAtEnd(session: Pick<Session, "status"> | undefined): boolean {
  return session === undefined || session.status === "ended" || session.status === "closed";
}
