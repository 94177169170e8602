// Time and the alarm under QuickJS. The engine's clock may stand still while the system sleeps; Linux
// tells in /proc/uptime how long it did.

import type { Timers } from "../contracts.ts";
import { asciiOf } from "../text/text.ts";
import type { Os } from "./engine.ts";

const UPTIME = "/proc/uptime";
/** Both clocks are read one after the other, and the second has hundredths: less is no sleep. */
const SLEEP_MIN_MS = 1000;

export class QuickJsTimers implements Timers {
  readonly #os: Os;
  readonly #uptimeMs: () => number;
  readonly #offsetMs: number;
  #sleptMs = 0;
  #timer: object | undefined;

  /** @param uptimeMs milliseconds since the system started, sleep included; -1 where not known */
  constructor(os: Os, uptimeMs: () => number = () => readUptime(os)) {
    this.#os = os;
    this.#uptimeMs = uptimeMs;
    this.#offsetMs = uptimeMs() - os.now();
  }

  now(): number {
    const awake = this.#os.now();
    const uptime = this.#uptimeMs();
    if (uptime >= 0) {
      const slept = uptime - awake - this.#offsetMs;
      if (slept > this.#sleptMs + SLEEP_MIN_MS) this.#sleptMs = slept;
    }
    return Math.floor(awake + this.#sleptMs) % 4_294_967_296;
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

const buffer = new Uint8Array(32);

function readUptime(os: Os): number {
  const fd = os.open(UPTIME, os.O_RDONLY);
  if (fd < 0) return -1;
  const count = os.read(fd, buffer.buffer, 0, buffer.length);
  os.close(fd);
  const seconds = Number.parseFloat(asciiOf(buffer, 0, count));
  return seconds >= 0 ? seconds * 1000 : -1;
}
