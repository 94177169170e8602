// Authorization attempts (device spec §3), one for each device code, and random user codes, device codes and tokens.

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
  /** Minimum wait between polls in milliseconds. The option slowDownGrowth lengthens it after each slow_down. */
  intervalMs: number;
  lastPollAtMs: number;
  /** The account that has decided, if known. An approval also sets `grantedScopes` and `accessSeconds`. */
  accountId: string | undefined;
  grantedScopes: readonly string[];
  /** Duration of the access in seconds; undefined: until it is revoked. */
  accessSeconds: number | undefined;
  /** The code challenge that the poll must satisfy (RFC 7636); undefined: there is none. */
  readonly challenge: Challenge | undefined;
  readonly nonce: string | undefined;
  /** The authentication context: the first supported one in `acr_values`, or `USUAL_CONTEXT`. */
  readonly acr: string;
  decidedAtMs: number | undefined;
  /** The grant that the device has claimed. */
  grantId: string | undefined;
}

/** The minimum time for which an unclaimed decision is stored after its code expires. `attemptsMax` may shorten it. */
const DECISION_MEMORY_S = 3600;

/** Whether the code of an attempt expired so long ago that it counts as unknown. */
export function isDiscarded(attempt: Attempt, nowMs: number, memorySeconds: number): boolean {
  const isDecided = attempt.state === "granted" || attempt.state === "refused";
  const memory = isDecided ? Math.max(memorySeconds, DECISION_MEMORY_S) : memorySeconds;
  return nowMs >= attempt.expiresAtMs + memory * 1000;
}

export class Attempts {
  readonly #byDeviceCode = new Map<string, Attempt>();
  readonly #byUserCode = new Map<string, Attempt>();
  /** The pending attempts. An attempt that is decided or expires stays in the set until the next call of `pending`. */
  readonly #undecided = new Set<Attempt>();

  add(attempt: Attempt): void {
    this.#byDeviceCode.set(attempt.deviceCode, attempt);
    this.#byUserCode.set(normalizeUserCode(attempt.userCode), attempt);
    this.#undecided.add(attempt);
  }

  findByDeviceCode(deviceCode: string): Attempt | undefined {
    return this.#byDeviceCode.get(deviceCode);
  }

  /** Finds an attempt by its user code. `normalizeUserCode` removes the typed spaces and dashes. */
  findByUserCode(typed: string): Attempt | undefined {
    return this.#byUserCode.get(normalizeUserCode(typed));
  }

  /** Pending attempts that have not expired, oldest first. */
  pending(nowMs: number): Attempt[] {
    for (const attempt of this.#undecided)
      if (attempt.state !== "pending" || nowMs >= attempt.expiresAtMs)
        this.#undecided.delete(attempt);
    return [...this.#undecided];
  }

  all(): Attempt[] {
    return [...this.#byDeviceCode.values()];
  }

  /** Deletes the oldest attempts while `isDiscarded` is true for them, or while there are `max` attempts or more. */
  dropDiscarded(nowMs: number, memorySeconds: number, max: number): void {
    for (const attempt of this.#byDeviceCode.values()) {
      const isOver = this.size >= max;
      // A newer attempt may have expired before this one. A later call deletes it.
      if (!isOver && !isDiscarded(attempt, nowMs, memorySeconds)) return;
      this.#discard(attempt);
    }
  }

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

// RFC 8628 §6.1: without vowels, no code contains a word. Without digits and small letters, nobody confuses 0 and O, 1
// and l, 5 and S, or 8 and B. Eight letters have 34.5 bits, which is enough because the entry page limits wrong codes.
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
// 240 is a multiple of 20 (letters). Bytes from 240 on are skipped: they would make the first letters more frequent.
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

/** Removes spaces, dashes and invisible characters (RFC 8628 §6.1). Makes full-width letters ASCII. Keeps the case. */
export function normalizeUserCode(typed: string): string {
  return typed.normalize("NFKC").replace(/[\s\p{Pd}\p{Cf}\u2212]/gu, "");
}

/** A token of 256 random bits. With "awkward", it also has characters that a form must percent-encode. */
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
