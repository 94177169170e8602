// A simulated authorization server. It tracks every code and token, and records requests that RFC 8628, 6749, 7009,
// 7523, 7636 or 9449 forbid.

import { createHash } from "node:crypto";
import type { Signer } from "../../platform/contracts.ts";
import type { VerificationPrompt } from "../../platform/session/handlers.ts";
import type { FakeResponse, SeenRequest } from "../../platform/testing/http.ts";

export const HOST = "https://login.example.com";
/** Every request must have OWN_HEADER and, without assertions, these credentials (RFC 6749 §2.3.1). */
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

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64url");
/** Makes a hash instead of a signature, because another thread would make a real one, at an unpredictable time. */
const signed = (text: string | Uint8Array): Buffer => createHash("sha512").update(text).digest();

const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

export const modelSigner: Signer = {
  algorithm: "ES256",
  publicJwk: { kty: "EC", crv: "P-256", x: "x".repeat(43), y: "y".repeat(43) },
  sign: signed,
};

interface Code {
  readonly deviceCode: string;
  readonly challenge: string;
  decision: "pending" | "allowed" | "denied";
  readonly expiresAtMs: number;
  /** A poll before this time is too early (RFC 8628 §3.5). */
  notBeforeMs: number;
  intervalMs: number;
  isUsed: boolean;
}

export interface Grant {
  refreshToken: string;
  /** All refresh tokens, oldest first; `known` is the index of the last one that the client certainly has. */
  readonly chain: string[];
  known: number;
  accessToken: string;
  isRevoked: boolean;
  /** Whether the newest tokens are bound to the client's key (RFC 9449 §5). */
  isBound: boolean;
}

export interface TokenMembers {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in: number;
  readonly refresh_token_expires_in?: number;
  readonly scope?: string;
  readonly id_token?: string;
}

export class GrantServer {
  readonly violations: string[] = [];
  /** Whether only one program polls. Without a lock, several programs poll the same code, each in its own interval. */
  isOnePoller = true;
  readonly codes: Code[] = [];
  readonly grants: Grant[] = [];
  readonly accessTokens = new Map<string, Grant>();
  /** Undefined: responses do not say it. */
  accessLifetimeS: number | undefined = 3600;
  codeLifetimeS = 600;
  /** Whether each refresh gives a new refresh token (RFC 9700 §4.14.2). */
  rotates = true;
  givesRefreshToken = true;
  /** Whether the client's storage could not read or write the newest record. The client may then use an older token. */
  isBlind = false;
  /** Whether the server refuses code requests without a code challenge (RFC 7636). */
  needsChallenge = false;
  /** Whether the client may send a challenge: it knows that one is needed, or is configured to send one. */
  mayChallenge = false;
  /** The only body format that the server accepts. isFormKnown is true if the client is configured for it. */
  bodies: "form" | "json" = "form";
  isFormKnown = true;
  /** Called at each request in the right body format. A returned response replaces that of the server. */
  refusal: () => FakeResponse | undefined = () => undefined;
  moreMembers: (grant: Grant) => object = () => ({ scope: "video" });
  /** The minimum length of a token. Form encoding triples most of its bytes. */
  tokenBytes: () => number = () => 0;
  /** How often the client polls before the user allows a code. With -1, the user never allows it. */
  allowsAfterPolls = 1;
  /** Whether the client has a key, so that token requests have a proof (RFC 9449). */
  hasKey = false;
  bindsTokens = false;
  hasNonces = false;
  hasAssertions = false;
  aheadS = 0;
  readonly boundTokens = new Set<string>();
  /** The server calls this after each valid proof. @returns whether later proofs must have another nonce */
  renewsNonce: () => boolean = () => false;
  readonly nonces = new Map<string, string>();
  readonly #used = new Set<unknown>();
  readonly #nowMs: () => number;
  #count = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  readonly handle = (request: SeenRequest): FakeResponse => ({
    dateMs: this.#dateMs,
    ...this.#responseTo(request),
  });

  get #dateMs(): number {
    return Date.now() + this.aheadS * 1000;
  }

  #responseTo(request: SeenRequest): FakeResponse {
    const { url, contentType } = request;
    const isJson = contentType === "application/json";
    if (request.method !== "POST" || (!isJson && contentType !== FORM)) this.#broken(request);
    const credentials = this.hasAssertions ? "" : `Basic ${CREDENTIALS}`;
    if (request.authorization !== credentials) this.#broken(request);
    const [own, proof, ...others] = request.headers;
    const isProven = this.hasKey && url === ENDPOINTS.token;
    const isExpected = (proof !== undefined) === isProven && others.length === 0;
    if (`${own}` !== `${OWN_HEADER}` || !isExpected) this.#broken(request);
    const problem = proof === undefined ? "" : this.checkProof(proof[1], "POST", url);
    if (isJson !== (this.bodies === "json")) {
      if (this.isFormKnown)
        this.violations.push("not the body format that the client is configured for");
      return { status: 415, body: "unsupported body format" };
    }
    const refused = this.refusal();
    if (refused !== undefined) return refused;
    if (problem !== "") return { ...refusal(problem), nonce: this.nonces.get(HOST) ?? "" };
    const form = isJson ? new Map(Object.entries(JSON.parse(request.text))) : request.form;
    const field = (name: string): string => `${form.get(name) ?? ""}`;
    if (this.hasAssertions && !this.#isClient(field)) return refusal("invalid_client");
    if (url === ENDPOINTS.deviceAuthorization) return this.#newCode(field);
    if (url === ENDPOINTS.revocation) return this.#revoke(field("token"));
    if (url !== ENDPOINTS.token) this.#broken(request);
    if (field("grant_type") === "refresh_token") return this.#refresh(field("refresh_token"));
    return this.#poll(field("device_code"), field("code_verifier"));
  }

  /** Checks a proof (RFC 9449 §4.3). @returns why it is refused, "" if it is not */
  checkProof(proof: string, method: string, url: string, token?: string): string {
    const { header, claims, isInTime } = this.#read(proof);
    // Another key means that a thief has sent the proof.
    if (header.jwk?.x !== modelSigner.publicJwk.x) return "invalid_dpop_proof";
    const isValid =
      header.typ === "dpop+jwt" &&
      claims.htm === method &&
      claims.htu === url.replace(/[?#].*/, "") &&
      claims.ath === (token && sha256(token));
    if (!isValid) this.violations.push(`an invalid proof for ${method} ${url}`);
    if (!isInTime) return "invalid_dpop_proof";
    const { origin } = new URL(url);
    const { nonce = origin } = claims;
    if (!nonce.startsWith(origin)) this.violations.push(`a nonce of another server for ${url}`);
    if (nonce !== (this.nonces.get(origin) ?? origin)) return "use_dpop_nonce";
    if (this.hasNonces && this.renewsNonce()) this.nonces.set(origin, `${origin}-${this.#count++}`);
    return "";
  }

  #isClient(field: (name: string) => string): boolean {
    const { claims, isInTime } = this.#read(field("client_assertion"));
    const { iss, sub, aud, iat, exp } = claims;
    const seen = [iss, sub, field("client_id"), aud, exp - iat, field("client_assertion_type")];
    if (`${seen}` !== `program,program,program,${HOST},60,${JWT_BEARER}`)
      this.violations.push("an invalid assertion");
    return isInTime;
  }

  #read(jwt: string) {
    const [head = "", body = "", signature] = jwt.split(".");
    const [header, claims] = [head, body].map((part) =>
      JSON.parse(Buffer.from(part, "base64url").toString() || "{}"),
    );
    const isSigned = signature === signed(`${head}.${body}`).toString("base64url");
    if (!isSigned || this.#used.has(claims.jti)) this.violations.push("not signed, or repeated");
    this.#used.add(claims.jti);
    const isInTime = Math.abs(claims.iat - this.#dateMs / 1000) < 60;
    return { header, claims, isInTime };
  }

  #broken({ method, url, contentType }: SeenRequest): void {
    this.violations.push(`an invalid request: ${method} ${url} ${contentType}`);
  }

  /** Whether the prompt shows a code that this server has sent, unchanged. */
  isPrompt(prompt: VerificationPrompt): boolean {
    const id = Number(prompt.userCode.slice(5));
    const isWhole =
      prompt.verificationUriComplete === (id % 3 > 0 ? `${HOST}/device?code=${id}` : "");
    const isRunning = prompt.expiresInS > 0 && prompt.expiresInS <= this.codeLifetimeS;
    const isKnown = this.codes.some(({ deviceCode }) => deviceCode === `device-code-${id}`);
    return isWhole && isRunning && isKnown && prompt.verificationUri === `${HOST}/device`;
  }

  /** Grants that are not revoked. */
  get live(): Grant[] {
    return this.grants.filter(({ isRevoked }) => !isRevoked);
  }

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
    if (challenge !== "" && !this.mayChallenge)
      this.violations.push("a challenge that the server does not require");
    const isUsed = this.codes.some((code) => code.challenge === challenge);
    if (challenge !== "" && (isUsed || field("code_challenge_method") !== "S256")) {
      this.violations.push("a challenge that is not S256, or not new");
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
      this.violations.push("a poll with an unknown code");
      return refusal("invalid_grant");
    }
    if (code.isUsed) return refusal("invalid_grant");
    if (nowMs >= code.expiresAtMs) return refusal("expired_token");
    if (nowMs < code.notBeforeMs) {
      if (this.isOnePoller) this.violations.push(`a poll ${code.notBeforeMs - nowMs} ms too early`);
      code.intervalMs += 5000;
      return refusal("slow_down");
    }
    code.notBeforeMs = nowMs + code.intervalMs;
    if (this.allowsAfterPolls === 0 && code.decision === "pending") code.decision = "allowed";
    if (this.allowsAfterPolls > 0) this.allowsAfterPolls--;
    if (code.decision === "denied") return refusal("access_denied");
    if (code.decision === "pending") return refusal("authorization_pending");
    const isRight = code.challenge === sha256(verifier) && /^[\w-]{43}$/.test(verifier);
    if (code.challenge !== "" && !isRight) {
      this.violations.push("a poll without the challenge's verifier");
    }
    code.isUsed = true;
    const grant: Grant = {
      ...{ refreshToken: "", chain: [], known: 0, accessToken: "" },
      ...{ isRevoked: false, isBound: false },
    };
    this.grants.push(grant);
    return this.#tokens(grant);
  }

  /** A client repeats a request whose response was lost. A token is valid until its second successor is used. */
  #refresh(token: string): FakeResponse {
    const grant = this.grants.find(({ chain }) => chain.includes(token));
    if (grant === undefined) {
      this.violations.push("an unknown refresh token");
      return refusal("invalid_grant");
    }
    if (grant.isRevoked) return refusal("invalid_grant");
    const at = grant.chain.indexOf(token);
    if (at < grant.known - 1) {
      if (!this.isBlind) {
        this.violations.push("a refresh token that has been replaced twice");
      }
      // A token counts as stolen if it is used after its second successor (RFC 9700 §4.14.2).
      grant.isRevoked = true;
      return refusal("invalid_grant");
    }
    grant.known = Math.max(grant.known, at);
    return this.#tokens(grant);
  }

  #tokens(grant: Grant): FakeResponse {
    const id = this.#count++;
    grant.accessToken = `access-token-${id}`.padEnd(this.tokenBytes(), "+/=x");
    this.accessTokens.set(grant.accessToken, grant);
    grant.isBound = this.bindsTokens;
    if (grant.isBound) this.boundTokens.add(grant.accessToken);
    if (this.givesRefreshToken && (this.rotates || grant.refreshToken === "")) {
      grant.refreshToken = `refresh-token-${id}`.padEnd(this.tokenBytes(), "+/=x");
      grant.chain.push(grant.refreshToken);
    }
    return {
      body: {
        access_token: grant.accessToken,
        token_type: this.bindsTokens ? "DPoP" : "Bearer",
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
