// An authorization server for the session's tests: it keeps account of every code and token, and what it is asked is
// judged by what RFC 8628, 6749, 7009 and 7636 allow a client.

import { createHash } from "node:crypto";
import type { VerificationPrompt } from "../../platform/session/sign-in.ts";
import type { FakeResponse, SeenRequest } from "../../platform/testing/http.ts";

export const HOST = "https://login.example.com";
/** What each request carries: RFC 6749 §2.3.1, and a header of the program's own. */
const CREDENTIALS = Buffer.from("program:client-secret-of-the-program").toString("base64");
export const OWN_HEADER = ["x-attestation", "of the program"] as const;
const FORM = "application/x-www-form-urlencoded";
export const ENDPOINTS = {
  deviceAuthorization: `${HOST}/code`,
  token: `${HOST}/token`,
  revocation: `${HOST}/revoke`,
  metadata: "",
  events: "",
  resources: [],
};

interface Code {
  readonly deviceCode: string;
  readonly challenge: string;
  decision: "pending" | "allowed" | "denied";
  readonly expiresAtMs: number;
  /** The next poll before then is one too early (RFC 8628 §3.5). */
  notBeforeMs: number;
  intervalMs: number;
  isUsed: boolean;
}

export interface Grant {
  /** The newest. */
  refreshToken: string;
  /** All that were given out, and the last of them that the client is known to have. */
  readonly chain: string[];
  known: number;
  accessToken: string;
  isRevoked: boolean;
}

/** An answer with tokens, as the server has given it. */
export interface TokenMembers {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in: number;
  readonly refresh_token_expires_in?: number;
  readonly scope?: string;
  readonly id_token?: string;
}

/** Polls may come this much early by the server's clock: nothing, since both have the same here. */
const TOLERANCE_MS = 0;

/** A server on the clock of its world. */
export class GrantServer {
  /** What a client did that it must not do. */
  readonly violations: string[] = [];
  readonly codes: Code[] = [];
  readonly grants: Grant[] = [];
  /** All that were given out. */
  readonly accessTokens = new Set<string>();
  accessLifetimeS = 3600;
  codeLifetimeS = 600;
  /** Refresh tokens are used once (RFC 9700 §4.14.2). */
  rotates = true;
  givesRefreshToken = true;
  /** The client's storage has not let it read, or keep, what is newest: it cannot know better. */
  isBlind = false;
  /** Whether it wants a code challenge (RFC 7636), and says so where there is none. */
  needsChallenge = false;
  /** The client has been told that it does, or was set up to have one. */
  mayChallenge = false;
  /** It takes no other form of a body; whether the client was set up for that one. */
  bodies: "form" | "json" = "form";
  isFormKnown = true;
  /** What it answers in place of what it was asked for. */
  refusal: () => FakeResponse | undefined = () => undefined;
  /** More members of its next answer with tokens. */
  moreMembers: (grant: Grant) => object = () => ({ scope: "video" });
  /** A token has as many bytes at least: in a form most of them take three each. */
  tokenBytes: () => number = () => 0;
  /** Polls until somebody allows a code by himself; -1: never. */
  allowsAfterPolls = 1;
  readonly #nowMs: () => number;
  #count = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  readonly handle = (request: SeenRequest): FakeResponse => {
    const { url, contentType } = request;
    const isJson = contentType === "application/json";
    if (request.method !== "POST" || (!isJson && contentType !== FORM)) this.#broken(request);
    if (request.authorization !== `Basic ${CREDENTIALS}`) this.#broken(request);
    if (request.headers.length !== 1 || `${request.headers[0]}` !== `${OWN_HEADER}`) {
      this.#broken(request);
    }
    if (isJson !== (this.bodies === "json")) {
      if (this.isFormKnown) this.violations.push("another form of a body than the client's own");
      return { status: 415, body: "no such form" };
    }
    const refused = this.refusal();
    if (refused !== undefined) return refused;
    const form = isJson ? new Map(Object.entries(JSON.parse(request.text))) : request.form;
    const field = (name: string): string => `${form.get(name) ?? ""}`;
    if (url === ENDPOINTS.deviceAuthorization) return this.#newCode(field);
    if (url === ENDPOINTS.revocation) return this.#revoke(field("token"));
    if (url !== ENDPOINTS.token) this.#broken(request);
    if (field("grant_type") === "refresh_token") return this.#refresh(field("refresh_token"));
    return this.#poll(field("device_code"), field("code_verifier"));
  };

  #broken({ method, url, contentType }: SeenRequest): void {
    this.violations.push(`not a request of the client's: ${method} ${url} ${contentType}`);
  }

  /** Whether that is what the server has sent with a code, as a program is to show it. */
  isPrompt(prompt: VerificationPrompt): boolean {
    const id = Number(prompt.userCode.slice(5));
    const isWhole =
      prompt.verificationUriComplete === (id % 3 > 0 ? `${HOST}/device?code=${id}` : "");
    const isRunning = prompt.expiresInS > 0 && prompt.expiresInS <= this.codeLifetimeS;
    const isKnown = this.codes.some(({ deviceCode }) => deviceCode === `device-code-${id}`);
    return isWhole && isRunning && isKnown && prompt.verificationUri === `${HOST}/device`;
  }

  /** Grants that a client could use. */
  get live(): Grant[] {
    return this.grants.filter(({ isRevoked }) => !isRevoked);
  }

  /** Whether an API would take it. */
  isValid(accessToken: string): boolean {
    return this.live.some((grant) => grant.accessToken === accessToken);
  }

  decide(decision: "allowed" | "denied"): void {
    for (const code of this.codes) if (code.decision === "pending") code.decision = decision;
  }

  #newCode(field: (name: string) => string): FakeResponse {
    const challenge = field("code_challenge");
    if (this.needsChallenge && challenge === "") {
      this.mayChallenge = true;
      return refusal("invalid_request", "send a code_c, code_challenge and code_challenge_method");
    }
    if (challenge !== "" && !this.mayChallenge) this.violations.push("a challenge unasked");
    const isUsed = this.codes.some((code) => code.challenge === challenge);
    if (challenge !== "" && (isUsed || field("code_challenge_method") !== "S256")) {
      this.violations.push("a challenge that is none of S256, or was another code's");
    }
    const id = this.#count++;
    const deviceCode = `device-code-${id}`;
    this.codes.push({
      deviceCode,
      challenge,
      decision: "pending",
      expiresAtMs: this.#nowMs() + this.codeLifetimeS * 1000,
      notBeforeMs: 0,
      intervalMs: 5000,
      isUsed: false,
    });
    return {
      body: {
        device_code: deviceCode,
        user_code: `CODE-${String(id).padStart(4, "0")}`,
        verification_uri: `${HOST.slice(id % 2 === 0 ? 0 : 8)}/device`,
        ...(id % 3 > 0 && { verification_uri_complete: `${HOST}/device?code=${id}` }),
        expires_in: this.codeLifetimeS,
        interval: 5,
      },
    };
  }

  #poll(deviceCode: string, verifier: string): FakeResponse {
    const code = this.codes.find((one) => one.deviceCode === deviceCode);
    const nowMs = this.#nowMs();
    if (code === undefined) {
      this.violations.push("a poll with a code that was never given");
      return refusal("invalid_grant");
    }
    if (code.isUsed) return refusal("invalid_grant");
    if (nowMs >= code.expiresAtMs) return refusal("expired_token");
    if (nowMs + TOLERANCE_MS < code.notBeforeMs) {
      this.violations.push(`a poll ${code.notBeforeMs - nowMs} ms too early`);
      code.intervalMs += 5000;
      return refusal("slow_down");
    }
    code.notBeforeMs = nowMs + code.intervalMs;
    if (this.allowsAfterPolls === 0 && code.decision === "pending") code.decision = "allowed";
    if (this.allowsAfterPolls > 0) this.allowsAfterPolls--;
    if (code.decision === "denied") return refusal("access_denied");
    if (code.decision === "pending") return refusal("authorization_pending");
    const digest = createHash("sha256").update(verifier).digest("base64url");
    const isRight = code.challenge === digest && /^[\w-]{43}$/.test(verifier);
    if (code.challenge !== "" && !isRight) {
      this.violations.push("a code without the verifier of its challenge");
    }
    code.isUsed = true;
    const grant: Grant = {
      ...{ refreshToken: "", chain: [], known: 0, accessToken: "", isRevoked: false },
    };
    this.grants.push(grant);
    return this.#tokens(grant);
  }

  /** Lost answers leave the client with an older token: it is good until a newer one has been seen, and once more. */
  #refresh(token: string): FakeResponse {
    const grant = this.grants.find(({ chain }) => chain.includes(token));
    if (grant === undefined) {
      this.violations.push("a refresh token that was never given");
      return refusal("invalid_grant");
    }
    if (grant.isRevoked) return refusal("invalid_grant");
    const at = grant.chain.indexOf(token);
    if (at < grant.known - 1) {
      if (!this.isBlind) {
        this.violations.push("a refresh token whose successor was in use already");
      }
      // One of the two who use it has stolen it (RFC 9700 §4.14.2).
      grant.isRevoked = true;
      return refusal("invalid_grant");
    }
    grant.known = Math.max(grant.known, at);
    return this.#tokens(grant);
  }

  #tokens(grant: Grant): FakeResponse {
    const id = this.#count++;
    grant.accessToken = `access-token-${id}`.padEnd(this.tokenBytes(), "+/=x");
    this.accessTokens.add(grant.accessToken);
    if (this.givesRefreshToken && (this.rotates || grant.refreshToken === "")) {
      grant.refreshToken = `refresh-token-${id}`.padEnd(this.tokenBytes(), "+/=x");
      grant.chain.push(grant.refreshToken);
    }
    return {
      body: {
        access_token: grant.accessToken,
        token_type: "Bearer",
        expires_in: this.accessLifetimeS,
        ...(this.givesRefreshToken && { refresh_token: grant.refreshToken }),
        ...this.moreMembers(grant),
      },
    };
  }

  #revoke(token: string): FakeResponse {
    for (const grant of this.grants) {
      if (grant.chain.includes(token) || grant.accessToken === token) grant.isRevoked = true;
    }
    return {};
  }
}

function refusal(error: string, description?: string): FakeResponse {
  return { status: 400, body: { error, error_description: description } };
}
