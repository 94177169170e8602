// Time and the alarm under QuickJS. The engine's clock may stand still while the system sleeps.

import type { Timers } from "../contracts.ts";
import { timePassed } from "../driver/time-passed.ts";
import type { Os } from "./engine.ts";

export class QuickJsTimers implements Timers {
  readonly #os: Os;
  readonly #nowMs: () => number;
  #timer: object | undefined;

  constructor(os: Os) {
    this.#os = os;
    this.#nowMs = timePassed(
      () => os.now(),
      () => Date.now(),
    );
  }

  now(): number {
    return Math.floor(this.#nowMs()) % 4_294_967_296;
  }

  alarm(afterMs: number, ring: () => void): void {
    this.cancel();
    // The engine cuts fractions of a millisecond off: never early.
    this.#timer = this.#os.setTimeout(() => {
      this.#timer = undefined;
      ring();
    }, afterMs + 1);
  }

  cancel(): void {
    if (this.#timer !== undefined) this.#os.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
