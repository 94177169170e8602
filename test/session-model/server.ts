// An authorization server for the session's tests: it keeps account of every code and token, and what it is asked is
// judged by what RFC 8628, 6749 and 7009 allow a client.

import type { FakeAnswer, SeenRequest } from "../../platform/fake/http.ts";

export const HOST = "https://login.example.com";
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
  decision: "pending" | "allowed" | "denied";
  readonly expiresAtMs: number;
  /** The next poll before then is one too early (RFC 8628 §3.5). */
  notBeforeMs: number;
  intervalMs: number;
  isUsed: boolean;
}

interface Grant {
  /** The newest. */
  refreshToken: string;
  /** All that were given out, and the last of them that the client is known to have. */
  readonly chain: string[];
  known: number;
  accessToken: string;
  isRevoked: boolean;
}

/** Polls may come this much early by the server's clock: nothing, since both have the same here. */
const TOLERANCE_MS = 0;

/** A server on the clock of its world. */
export class GrantServer {
  /** What a client did that it must not do. */
  readonly violations: string[] = [];
  readonly codes: Code[] = [];
  readonly grants: Grant[] = [];
  accessLifeS = 3600;
  codeLifeS = 600;
  /** Refresh tokens are used once (RFC 9700 §4.14.2). */
  rotates = true;
  givesRefreshToken = true;
  /** The client's storage has not let it read, or keep, what is newest: it cannot know better. */
  isBlind = false;
  /** Polls until somebody allows a code by himself; -1: never. */
  allowsAfterPolls = 1;
  readonly #nowMs: () => number;
  #count = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  readonly handle = (request: SeenRequest): FakeAnswer => {
    const { pathname } = new URL(request.url);
    if (pathname === "/code") return this.#newCode();
    if (pathname === "/revoke") return this.#revoke(request.form.get("token") ?? "");
    if (request.form.get("grant_type") === "refresh_token") {
      return this.#refresh(request.form.get("refresh_token") ?? "");
    }
    return this.#poll(request.form.get("device_code") ?? "");
  };

  /** Grants that a client could use. */
  get live(): Grant[] {
    return this.grants.filter(({ isRevoked }) => !isRevoked);
  }

  /** Whether an API would take it. */
  isGood(accessToken: string): boolean {
    return this.live.some((grant) => grant.accessToken === accessToken);
  }

  decide(decision: "allowed" | "denied"): void {
    for (const code of this.codes) if (code.decision === "pending") code.decision = decision;
  }

  #newCode(): FakeAnswer {
    const id = this.#count++;
    const deviceCode = `device-code-${id}`;
    this.codes.push({
      deviceCode,
      decision: "pending",
      expiresAtMs: this.#nowMs() + this.codeLifeS * 1000,
      notBeforeMs: 0,
      intervalMs: 5000,
      isUsed: false,
    });
    return {
      body: {
        device_code: deviceCode,
        user_code: `CODE-${String(id).padStart(4, "0")}`,
        verification_uri: `${HOST}/device`,
        expires_in: this.codeLifeS,
        interval: 5,
      },
    };
  }

  #poll(deviceCode: string): FakeAnswer {
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
    code.isUsed = true;
    const grant: Grant = {
      ...{ refreshToken: "", chain: [], known: 0, accessToken: "", isRevoked: false },
    };
    this.grants.push(grant);
    return this.#tokens(grant);
  }

  /** Lost answers leave the client with an older token: it is good until a newer one has been seen, and once more. */
  #refresh(token: string): FakeAnswer {
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

  #tokens(grant: Grant): FakeAnswer {
    const id = this.#count++;
    grant.accessToken = `access-token-${id}`;
    if (this.givesRefreshToken && (this.rotates || grant.refreshToken === "")) {
      grant.refreshToken = `refresh-token-${id}`;
      grant.chain.push(grant.refreshToken);
    }
    return {
      body: {
        access_token: grant.accessToken,
        token_type: "Bearer",
        expires_in: this.accessLifeS,
        scope: "video",
        ...(this.givesRefreshToken && { refresh_token: grant.refreshToken }),
      },
    };
  }

  #revoke(token: string): FakeAnswer {
    for (const grant of this.grants) {
      if (grant.chain.includes(token) || grant.accessToken === token) grant.isRevoked = true;
    }
    return {};
  }
}

function refusal(error: string): FakeAnswer {
  return { status: 400, body: { error } };
}
