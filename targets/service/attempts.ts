// The authorization attempts (device doc §3): one per device code, from request to claim or expiry.
// States and lookups only; who may decide and what a poll is answered live elsewhere.
import { normalizeUserCode } from "./codes.ts";
import type { Challenge } from "./pkce.ts";

export type Refusal = "access_denied" | "admin_policy_enforced" | "org_internal";

export interface Attempt {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  state: "pending" | "granted" | "refused" | "claimed";
  refusal: Refusal | undefined;
  /** Minimum wait between polls; slow_down may lengthen it. */
  intervalMs: number;
  lastPollAtMs: number;
  /** Set by a grant: who granted, what of it, and for how long (undefined: until revoked). */
  accountId: string | undefined;
  grantedScopes: readonly string[];
  accessSeconds: number | undefined;
  /** What the poll has to prove (RFC 7636); undefined: nothing. */
  readonly challenge: Challenge | undefined;
  /** As the client sent it, for the ID token. */
  readonly nonce: string | undefined;
  /** How the person is to sign in, as acr_values asked. */
  readonly acr: string;
  /** When it was decided, ms. */
  decidedAtMs: number | undefined;
  /** The grant that the claim created. */
  grantId: string | undefined;
}

/** How long a decision waits for the device to fetch it when the code has expired meanwhile. */
const DECISION_MEMORY_S = 3600;

/** Whether an attempt ended so long ago that its codes are answered like unknown ones. */
export function isForgotten(attempt: Attempt, nowMs: number, memorySeconds: number): boolean {
  const isDecided = attempt.state === "granted" || attempt.state === "refused";
  const memory = isDecided ? Math.max(memorySeconds, DECISION_MEMORY_S) : memorySeconds;
  return nowMs >= attempt.expiresAtMs + memory * 1000;
}

export class Attempts {
  readonly #byDeviceCode = new Map<string, Attempt>();
  readonly #byUserCode = new Map<string, Attempt>();

  add(attempt: Attempt): void {
    this.#byDeviceCode.set(attempt.deviceCode, attempt);
    this.#byUserCode.set(normalizeUserCode(attempt.userCode), attempt);
  }

  findByDeviceCode(deviceCode: string): Attempt | undefined {
    return this.#byDeviceCode.get(deviceCode);
  }

  /** The attempt of a user code as typed: case counts, dashes and spaces do not. */
  findByUserCode(typed: string): Attempt | undefined {
    return this.#byUserCode.get(normalizeUserCode(typed));
  }

  /** Pending attempts whose code still lives, oldest first. */
  pending(nowMs: number): Attempt[] {
    return [...this.#byDeviceCode.values()].filter(
      (attempt) => attempt.state === "pending" && nowMs < attempt.expiresAtMs,
    );
  }

  /** Everything known, oldest first. */
  all(): Attempt[] {
    return [...this.#byDeviceCode.values()];
  }

  /** Drops what is forgotten; looks only at the oldest that are not, so it costs little. */
  dropForgotten(nowMs: number, memorySeconds: number): void {
    for (const attempt of this.#byDeviceCode.values()) {
      if (nowMs < attempt.expiresAtMs + memorySeconds * 1000) return;
      if (isForgotten(attempt, nowMs, memorySeconds)) this.#forget(attempt);
    }
  }

  /** Forgets every attempt, as a crash of a service that keeps them in memory does. */
  clear(): void {
    this.#byDeviceCode.clear();
    this.#byUserCode.clear();
  }

  get size(): number {
    return this.#byDeviceCode.size;
  }

  #forget(attempt: Attempt): void {
    this.#byDeviceCode.delete(attempt.deviceCode);
    this.#byUserCode.delete(normalizeUserCode(attempt.userCode));
  }
}
