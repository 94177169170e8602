// The authorization attempts (device doc §3): one per device code, from request to claim or expiry, and the making of
// user codes, device codes and tokens from random bytes. Who may decide and what a poll is answered live elsewhere.

import type { Challenge } from "./client-authentication.ts";
import type { Environment } from "./environment.ts";

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
  /** Among them are all that are pending. */
  readonly #undecided = new Set<Attempt>();

  add(attempt: Attempt): void {
    this.#byDeviceCode.set(attempt.deviceCode, attempt);
    this.#byUserCode.set(normalizeUserCode(attempt.userCode), attempt);
    this.#undecided.add(attempt);
  }

  findByDeviceCode(deviceCode: string): Attempt | undefined {
    return this.#byDeviceCode.get(deviceCode);
  }

  /** The attempt of a user code as typed: case counts, dashes and spaces do not. */
  findByUserCode(typed: string): Attempt | undefined {
    return this.#byUserCode.get(normalizeUserCode(typed));
  }

  /** Pending attempts whose code still lives, oldest first. What has been decided is looked at once. */
  pending(nowMs: number): Attempt[] {
    for (const attempt of this.#undecided)
      if (attempt.state !== "pending" || nowMs >= attempt.expiresAtMs)
        this.#undecided.delete(attempt);
    return [...this.#undecided];
  }

  /** Everything known, oldest first. */
  all(): Attempt[] {
    return [...this.#byDeviceCode.values()];
  }

  /** Drops what is forgotten, and makes room for one more than `max`; looks only at the oldest, so it costs little. */
  dropForgotten(nowMs: number, memorySeconds: number, max: number): void {
    for (const attempt of this.#byDeviceCode.values()) {
      const isOver = this.size >= max;
      // What is behind it and means nothing any more waits for it, an hour at most.
      if (!isOver && !isForgotten(attempt, nowMs, memorySeconds)) return;
      this.#forget(attempt);
    }
  }

  /** Forgets every attempt, as a crash of a service that keeps them in memory does. */
  clear(): void {
    this.#byDeviceCode.clear();
    this.#undecided.clear();
    this.#byUserCode.clear();
  }

  get size(): number {
    return this.#byDeviceCode.size;
  }

  #forget(attempt: Attempt): void {
    this.#byDeviceCode.delete(attempt.deviceCode);
    this.#undecided.delete(attempt);
    this.#byUserCode.delete(normalizeUserCode(attempt.userCode));
  }
}

// RFC 8628 §6.1: no vowels, so no words; capitals only, so no 0/O, 1/l/I, 5/S or 8/B to confuse.
// Twenty letters, eight of them: 34.5 bits, guarded by the entry page's limit of wrong codes.
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
// The largest multiple of 20 in a byte: bytes above are thrown away, or early letters would be likelier.
const UNBIASED = 240;

/** A user code of the given shape, each X a letter of the alphabet with equal likelihood. */
export function createUserCode(env: Environment, format: string): string {
  let code = "";
  let pool = env.random(16);
  let at = 0;
  for (const place of format) {
    if (place !== "X") {
      code += place;
      continue;
    }
    for (;;) {
      if (at === pool.length) {
        pool = env.random(16);
        at = 0;
      }
      const byte = pool[at++]!;
      if (byte < UNBIASED) {
        code += LETTERS[byte % LETTERS.length]!;
        break;
      }
    }
  }
  return code;
}

/**
 * What a person typed or pasted, ready for comparison: spaces, dashes and what cannot be seen carry nothing (RFC 8628
 * §6.1), letters of full width are letters; the case counts (device doc §2.1).
 */
export function normalizeUserCode(typed: string): string {
  return typed.normalize("NFKC").replace(/[\s\p{Pd}\p{Cf}\u2212]/gu, "");
}

/**
 * An unguessable token of 256 bits (RFC 8628 §5.2 asks the device code to be infeasible to guess).
 * The awkward kind has characters that only a correct percent-encoder carries through.
 */
export function createToken(
  env: Environment,
  prefix: string,
  characters: "plain" | "awkward",
): string {
  const bytes = env.random(32);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64url");
  if (characters === "plain") return prefix + text;
  return `${prefix + text.slice(0, 11)}/${text.slice(11, 22)}#&%2B+\`=${text.slice(22)}`;
}
