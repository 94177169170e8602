// What the service needs from its host. The service has no clock, entropy or timer of its own, so that a simulator can
// control all three.

import type { PublicKey } from "./signed-jwt.ts";

/** A push delivery (RFC 8935) that the host sends. */
export interface PushDelivery {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The response to a push delivery. If there is none, the promise that `push` returned is rejected. */
export interface PushResponse {
  status: number;
  body: string;
}

export interface SigningKey {
  /** A JWK (RFC 7517) with kid, use and alg. */
  readonly publicJwk: { readonly kid: string; readonly [member: string]: unknown };
  /** Returns the signature in the format of a JWS (RFC 7518 §3.3, §3.4). */
  sign(data: Uint8Array): Uint8Array;
}

export interface Environment {
  /** Milliseconds since 1970. Must never decrease. */
  now(): number;
  /** `count` random bytes (1 to 64). The security of tokens depends on this source. */
  random(count: number): Uint8Array;
  /** Runs `task` once after `delayMs` milliseconds. Without this function, the host has to call `runDue()`. */
  schedule?: ((delayMs: number, task: () => void) => void) | undefined;
  /** Creates a signing key. Without this function, the service issues no ID tokens, and its metadata do not mention them. */
  makeKey?: ((algorithm: "RS256" | "ES256") => SigningKey) | undefined;
  /** Verifies a signature of ES256 (RFC 7518 §3.4). Without this function, private_key_jwt and DPoP are not available. */
  verify?: ((key: PublicKey, data: Uint8Array, signature: Uint8Array) => boolean) | undefined;
  /** Sends a pushed event. Without this function, no event is pushed. */
  push?: ((delivery: PushDelivery) => Promise<PushResponse>) | undefined;
}

type Task = () => Promise<void>;

export class Tasks {
  #waiting: { dueAtMs: number; task: Task }[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Runs a task after the delay. The task must not reject. */
  after(delayMs: number, task: Task): void {
    if (this.#env.schedule) this.#env.schedule(delayMs, () => void task());
    else this.#waiting.push({ dueAtMs: this.#env.now() + delayMs, task });
  }

  /** Runs all tasks that are due, the earliest first. Returns their number. */
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
