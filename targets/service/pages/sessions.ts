// Browser sessions of the pages: a random cookie, the account chosen in it, and the token that ties
// each form to it (cross-site request forgery). No passwords: the service is simulated.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Environment } from "../environment.ts";

// Bounded, so that visitors cannot fill the memory; the oldest session signs in again.
const SESSIONS_MAX = 10_000;

export class Sessions {
  private readonly accounts = new Map<string, string>();
  private readonly key: Uint8Array;
  private readonly env: Environment;

  constructor(env: Environment) {
    this.env = env;
    this.key = env.random(32);
  }

  /** A fresh session id of 128 bits. */
  create(): string {
    return Buffer.from(this.env.random(16)).toString("base64url");
  }

  /** The token that forms of this session carry. */
  formToken(sessionId: string): string {
    return createHmac("sha256", this.key).update(sessionId).digest("base64url");
  }

  isFormToken(sessionId: string, token: string): boolean {
    const expected = Buffer.from(this.formToken(sessionId));
    const given = Buffer.from(token);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  accountOf(sessionId: string): string | undefined {
    return this.accounts.get(sessionId);
  }

  choose(sessionId: string, accountId: string): void {
    this.accounts.delete(sessionId);
    this.accounts.set(sessionId, accountId);
    if (this.accounts.size > SESSIONS_MAX) {
      for (const oldest of this.accounts.keys()) {
        this.accounts.delete(oldest);
        break;
      }
    }
  }

  /** Ends one session. */
  end(sessionId: string): void {
    this.accounts.delete(sessionId);
  }

  /** Ends every session of an account. */
  endAll(accountId: string): void {
    for (const [sessionId, account] of this.accounts)
      if (account === accountId) this.accounts.delete(sessionId);
  }

  clear(): void {
    this.accounts.clear();
  }
}
