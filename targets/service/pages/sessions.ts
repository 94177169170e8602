// Browser sessions of the pages: a random cookie, the account chosen in it, and the token that ties
// each form to it (cross-site request forgery). No passwords: the service is simulated.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Environment } from "../environment.ts";

// Bounded, so that visitors cannot fill the memory; whoever signed in first signs in again.
const SIGNED_IN_MAX = 10_000;

export class Sessions {
  /** Who signed in, by session id, the oldest first. */
  readonly #accounts = new Map<string, string>();
  readonly #key: Uint8Array;
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
    this.#key = env.random(32);
  }

  /**
   * A fresh session id: 128 random bits, and a seal that only this service can make. So ids that were given
   * out need not be remembered, and a browser cannot choose its own.
   */
  create(): string {
    const nonce = Buffer.from(this.#env.random(16)).toString("base64url");
    return `${nonce}.${this.#seal("id", nonce)}`;
  }

  /** Whether the id is one that this service gave out. */
  isOwn(sessionId: string): boolean {
    const [nonce = "", seal = ""] = sessionId.split(".", 2);
    return areEqual(seal, this.#seal("id", nonce));
  }

  /** The token that forms of this session carry. */
  formToken(sessionId: string): string {
    return this.#seal("form", sessionId);
  }

  isFormToken(sessionId: string, token: string): boolean {
    return areEqual(token, this.formToken(sessionId));
  }

  accountOf(sessionId: string): string | undefined {
    return this.#accounts.get(sessionId);
  }

  /**
   * An account signs in: the session goes on under a new id, which is returned. Whoever knew the old one, or
   * planted it in the browser, is left outside (session fixation).
   */
  signIn(sessionId: string, accountId: string): string {
    this.#accounts.delete(sessionId);
    const fresh = this.create();
    this.#accounts.set(fresh, accountId);
    if (this.#accounts.size > SIGNED_IN_MAX) {
      for (const oldest of this.#accounts.keys()) {
        this.#accounts.delete(oldest);
        break;
      }
    }
    return fresh;
  }

  /** Nobody is signed in any more; the session itself goes on. */
  signOut(sessionId: string): void {
    this.#accounts.delete(sessionId);
  }

  /** Signs an account out of every browser. */
  endAll(accountId: string): void {
    for (const [sessionId, account] of this.#accounts)
      if (account === accountId) this.#accounts.delete(sessionId);
  }

  clear(): void {
    this.#accounts.clear();
  }

  #seal(purpose: "id" | "form", text: string): string {
    return createHmac("sha256", this.#key).update(`${purpose} ${text}`).digest("base64url");
  }
}

function areEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
