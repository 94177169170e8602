// What the display may show of a user code, and until when (invariant display-code, which says what
// holds for a code whose age a device cannot know).

import type { Device } from "../../core/complete.ts";
import { State } from "../../core/index.ts";
import type { IssuedCode, Ledger } from "./ledger.ts";
import type { LogicalRecord } from "./records.ts";
import { Violation } from "./violation.ts";

/** The device counts whole seconds; a record may round up. */
const SECOND_MS = 1000;

export class PromptOracle {
  #code: IssuedCode | undefined;
  #untilMs = 0;
  #isConfirmed = false;

  readonly #view: { nowMs(): number };
  readonly #ledger: Ledger;

  constructor(view: { nowMs(): number }, ledger: Ledger) {
    this.#view = view;
    this.#ledger = ledger;
  }

  poweredOn(): void {
    this.#code = undefined;
  }

  codeArrived(code: IssuedCode): void {
    this.#code = code;
    this.#isConfirmed = true;
    this.#untilMs = this.#view.nowMs() + code.expiresInS * 1000;
  }

  codeFound(code: IssuedCode, record: LogicalRecord): void {
    this.#code = code;
    this.#isConfirmed = false;
    const endMs = code.arrivedMs + code.expiresInS * 1000;
    const leftMs = endMs - record.writtenMs;
    this.#untilMs = this.#view.nowMs() + leftMs + SECOND_MS;
  }

  /** The server said that the code still counts. */
  confirmed(deviceCode: string): void {
    if (deviceCode === this.#code?.deviceCode) this.#isConfirmed = true;
  }

  /** The attempt is over. */
  ended(): void {
    this.#code = undefined;
  }

  check(device: Device, frame: string, alarmMs: number): void {
    const code = this.#code;
    const codes = this.#ledger.codesIn(frame);
    if (codes.length > 1) throw new Violation("display-code", "two codes at once");
    const lit = codes[0];
    if (!lit) {
      if (device.codeShown)
        throw new Violation("display-code", "the code on the display is altered");
      return;
    }
    if (lit !== code || device.state !== State.PENDING) {
      throw new Violation("display-code", "a code is shown that is not being polled");
    }
    // A code's row is the last one, and ends with the mark; or words are the mark, where the row is full.
    const isMarked = frame.trimEnd().endsWith(" ?") || frame.startsWith("Checking code");
    if (!this.#isConfirmed && !isMarked) {
      const what = "a code from before the power cut, not confirmed and not marked";
      throw new Violation("display-code", what);
    }
    if (this.#isConfirmed && isMarked && device.codeShown) {
      throw new Violation("display-code", "a code that is confirmed is marked as being checked");
    }
    const overMs = this.#view.nowMs() - this.#untilMs;
    if (overMs >= 0) throw new Violation("display-code", `a code shown ${overMs} ms after its end`);
    if (alarmMs > this.#untilMs) {
      throw new Violation("display-code", "the device sleeps beyond the end of the code it shows");
    }
  }
}
