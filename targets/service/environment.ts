// The functions of the host that the service needs: time, random bytes, and sending pushed events. The service itself has
// no clock, entropy or timer, so that a simulator can control all three.

import type { PublicKey } from "./signed-jwt.ts";

/** A push delivery (RFC 8935) that the host sends. */
export interface PushDelivery {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The response to a push delivery. If there is none, the promise is rejected. */
export interface PushResponse {
  status: number;
  body: string;
}

/** A key that signs ID tokens. */
export interface SigningKey {
  /** The public key as a JWK with kid, use and alg (RFC 7517). */
  readonly publicJwk: { readonly kid: string; readonly [member: string]: unknown };
  /** Signs data. The signature has the format of a JWS (RFC 7518 §3.3, §3.4). */
  sign(data: Uint8Array): Uint8Array;
}

export interface Environment {
  /** Milliseconds since 1970. Must never decrease. */
  now(): number;
  /** `count` random bytes (1 to 64). The security of tokens depends on this source. */
  random(count: number): Uint8Array;
  /** Runs `task` once after `delayMs` milliseconds. If it is missing, tasks that are due wait for `runDue()`. */
  schedule?: ((delayMs: number, task: () => void) => void) | undefined;
  /** Creates a signing key. If it is missing, the service issues no ID tokens, and its metadata do not mention them. */
  makeKey?: ((algorithm: "RS256" | "ES256") => SigningKey) | undefined;
  /** Verifies a signature of ES256 (RFC 7518 §3.4). If it is missing, the service has neither private_key_jwt nor DPoP. */
  verify?: ((key: PublicKey, data: Uint8Array, signature: Uint8Array) => boolean) | undefined;
  /** Sends a pushed event. If it is missing, events wait for polls. */
  push?: ((delivery: PushDelivery) => Promise<PushResponse>) | undefined;
}

type Task = () => Promise<void>;

export class Tasks {
  #waiting: { dueAtMs: number; task: Task }[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Runs `task` once, after `delayMs` milliseconds. Tasks handle their own failures. */
  after(delayMs: number, task: Task): void {
    if (this.#env.schedule) this.#env.schedule(delayMs, () => void task());
    else this.#waiting.push({ dueAtMs: this.#env.now() + delayMs, task });
  }

  /** Runs all tasks that are due, in the order of their times. Returns their number. */
  async runDue(): Promise<number> {
    for (let ran = 0; ; ran++) {
      const nowMs = this.#env.now();
      const due = this.#waiting.filter((entry) => entry.dueAtMs <= nowMs);
      const next = due.sort((a, b) => a.dueAtMs - b.dueAtMs)[0];
      if (!next) return ran;
      this.#waiting = this.#waiting.filter((entry) => entry !== next);
      await next.task();
    }
  }
}
