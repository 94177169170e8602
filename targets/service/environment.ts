// What the service takes from the outside: time, randomness, and the sending of pushed events.
// The logic has no clock, no entropy and no timer of its own, so that a simulator can own all three.

/** A push delivery (RFC 8935) that the host carries out. */
export interface PushDelivery {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What came back from a push delivery; a transport failure is a rejected promise. */
export interface PushAnswer {
  status: number;
  body: string;
}

/** A key that ID tokens are signed with. */
export interface SigningKey {
  /** The public half as a JWK set has it (RFC 7517), with kid, use and alg. */
  readonly publicJwk: { readonly kid: string; readonly [member: string]: unknown };
  /** The signature as a JWS carries it (RFC 7518 §3.3, §3.4). */
  sign(data: Uint8Array): Uint8Array;
}

export interface Environment {
  /** Milliseconds since the epoch; must never go backwards. */
  now(): number;
  /** `count` fresh random bytes (1 to 64). Tokens are as good as this source. */
  random(count: number): Uint8Array;
  /** Runs `task` once after `delayMs`; without it, due tasks wait for `runDue()`. */
  schedule?: ((delayMs: number, task: () => void) => void) | undefined;
  /** Makes a signing key; without it the service issues no ID tokens, and its metadata promise none. */
  makeKey?: ((algorithm: "RS256" | "ES256") => SigningKey) | undefined;
  /** Sends a pushed event; without it nothing is pushed and events wait for polling. */
  push?: ((delivery: PushDelivery) => Promise<PushAnswer>) | undefined;
}

type Task = () => Promise<void>;

export class Tasks {
  #waiting: { dueAtMs: number; task: Task }[] = [];
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Runs `task` once in `delayMs`; tasks handle their own failures. */
  after(delayMs: number, task: Task): void {
    if (this.#env.schedule) this.#env.schedule(delayMs, () => void task());
    else this.#waiting.push({ dueAtMs: this.#env.now() + delayMs, task });
  }

  /** Runs what is due, in the order of its time, until nothing is; returns how many ran. */
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
