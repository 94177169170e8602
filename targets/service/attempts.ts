// Authorization attempts (device spec §3). Each device code has one, from its request until tokens are issued or it
// expires. This file also generates user codes, device codes and tokens from random bytes. decisions.ts decides
// attempts, and token-endpoint.ts responds to polls.

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
  /** Minimum wait between polls in milliseconds. slow_down may lengthen it. */
  intervalMs: number;
  lastPollAtMs: number;
  /**
   * The approval sets this account, the granted scopes, and the duration in seconds (undefined: until it is revoked).
   */
  accountId: string | undefined;
  grantedScopes: readonly string[];
  accessSeconds: number | undefined;
  /** The code challenge that the poll must satisfy (RFC 7636); undefined: there is none. */
  readonly challenge: Challenge | undefined;
  /** The client's nonce for the ID token. */
  readonly nonce: string | undefined;
  /** The authentication context that acr_values requested. */
  readonly acr: string;
  /** Time of the decision in milliseconds. */
  decidedAtMs: number | undefined;
  /** The grant that was created when the device claimed its tokens. */
  grantId: string | undefined;
}

/** How long a decided attempt waits for the device's poll after the code has expired. */
const DECISION_MEMORY_S = 3600;

/** Whether an attempt ended so long ago that its code counts as unknown. */
export function isDiscarded(attempt: Attempt, nowMs: number, memorySeconds: number): boolean {
  const isDecided = attempt.state === "granted" || attempt.state === "refused";
  const memory = isDecided ? Math.max(memorySeconds, DECISION_MEMORY_S) : memorySeconds;
  return nowMs >= attempt.expiresAtMs + memory * 1000;
}

export class Attempts {
  readonly #byDeviceCode = new Map<string, Attempt>();
  readonly #byUserCode = new Map<string, Attempt>();
  /** All pending attempts, and some that were decided since the last call of `pending`. */
  readonly #undecided = new Set<Attempt>();

  add(attempt: Attempt): void {
    this.#byDeviceCode.set(attempt.deviceCode, attempt);
    this.#byUserCode.set(normalizeUserCode(attempt.userCode), attempt);
    this.#undecided.add(attempt);
  }

  findByDeviceCode(deviceCode: string): Attempt | undefined {
    return this.#byDeviceCode.get(deviceCode);
  }

  /** Finds the attempt of a user code as a user types it. Case matters; dashes and spaces do not. */
  findByUserCode(typed: string): Attempt | undefined {
    return this.#byUserCode.get(normalizeUserCode(typed));
  }

  /** Pending attempts with a valid code, oldest first. */
  pending(nowMs: number): Attempt[] {
    for (const attempt of this.#undecided)
      if (attempt.state !== "pending" || nowMs >= attempt.expiresAtMs)
        this.#undecided.delete(attempt);
    return [...this.#undecided];
  }

  /** All attempts, oldest first. */
  all(): Attempt[] {
    return [...this.#byDeviceCode.values()];
  }

  /** Deletes attempts that ended long ago, and the oldest ones above `max`. Stops at the first one that stays. */
  dropDiscarded(nowMs: number, memorySeconds: number, max: number): void {
    for (const attempt of this.#byDeviceCode.values()) {
      const isOver = this.size >= max;
      // A newer attempt may have ended earlier than this one. It is deleted after this one.
      if (!isOver && !isDiscarded(attempt, nowMs, memorySeconds)) return;
      this.#discard(attempt);
    }
  }

  /** Deletes every attempt, as in a crash of a service that stores them in memory. */
  clear(): void {
    this.#byDeviceCode.clear();
    this.#undecided.clear();
    this.#byUserCode.clear();
  }

  get size(): number {
    return this.#byDeviceCode.size;
  }

  #discard(attempt: Attempt): void {
    this.#byDeviceCode.delete(attempt.deviceCode);
    this.#undecided.delete(attempt);
    this.#byUserCode.delete(normalizeUserCode(attempt.userCode));
  }
}

// The letters of user codes (RFC 8628 §6.1). Without vowels, no code contains a word. With capitals only, 0/O, 1/l/I,
// 5/S and 8/B cannot be confused. Eight letters have 34.5 bits, which is enough because the entry page limits wrong
// codes.
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
// The largest multiple of 20 in a byte. Larger bytes are discarded, because they would make the first letters more
// frequent.
const UNBIASED = 240;

/** A user code in the given format. Each X becomes a random letter. */
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
 * Normalizes a typed or pasted code for comparison. Removes spaces, dashes and invisible characters (RFC 8628 §6.1), and
 * converts full-width letters to ASCII. Case matters (device spec §2.1).
 */
export function normalizeUserCode(typed: string): string {
  return typed.normalize("NFKC").replace(/[\s\p{Pd}\p{Cf}\u2212]/gu, "");
}

/** A token of 256 random bits (RFC 8628 §5.2). "awkward" adds characters that require correct percent-encoding. */
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
