// Work for later (retries of pushed events) without a timer of its own: the host's scheduler runs it,
// or it waits for runDue(), as in a simulator with a virtual clock.
import type { Environment } from "./environment.ts";

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
