// When a request may leave: the interval between polls, what slow_down and Retry-After add, and the
// second after a failure. Counted from the wire and the virtual clock alone (RFC 8628 §3.5).

import { createHash } from "node:crypto";
import type { IssuedCode } from "./ledger.ts";
import type { Exchange } from "./network.ts";
import { Violation } from "./violation.ts";

const SLOW_DOWN_MS = 5000;
const INTERVAL_MIN_MS = 1000;
const INTERVAL_MAX_MS = 3_600_000;
const RETRY_AFTER_MAX_S = 3600;
/** A user who signs out is not kept waiting (core/SPEC.md, Time). */
const REVOCATION_RETRY_AFTER_MAX_S = 64;
const PACE_MS = 1000;
/** Errors that pass by themselves; "" where the body names none. */
const PASSING = ["", "server_error", "temporarily_unavailable", "rate_limit_exceeded"];

export class PollOracle {
  #code: IssuedCode | undefined;
  #intervalMs = 0;
  #pollFromMs = 0;
  #requestFromMs = 0;

  readonly #view: { nowMs(): number };

  constructor(view: { nowMs(): number }) {
    this.#view = view;
  }

  poweredOn(): void {
    this.#code = undefined;
    this.#requestFromMs = 0;
  }

  codeArrived(code: IssuedCode): void {
    this.#code = code;
    this.#intervalMs = intervalMs(code.intervalS);
    this.#pollFromMs = this.#view.nowMs() + this.#intervalMs;
  }

  /** Read back from storage: the last poll may have been just before the power went. */
  codeFound(code: IssuedCode): void {
    this.codeArrived(code);
  }

  /** A move, and the user, start something new: what held the old back is over. */
  moved(): void {
    this.#requestFromMs = 0;
  }

  userActed(): void {
    this.#requestFromMs = 0;
  }

  polled(form: URLSearchParams): void {
    const code = this.#code;
    if (form.get("device_code") !== code?.deviceCode) {
      throw new Violation(
        "own-secrets",
        "another device code is polled than the one received last",
      );
    }
    // The verifier of the challenge that the code was asked for with, also after a loss of power (RFC 7636 §4.5).
    const verifier = form.get("code_verifier");
    const challenge = verifier ? createHash("sha256").update(verifier).digest("base64url") : "";
    if (challenge !== code.challenge) {
      throw new Violation("own-secrets", "a poll whose verifier is not that of its code");
    }
    const early = this.#pollFromMs - this.#view.nowMs();
    if (early > 0) throw new Violation("poll-interval", `a poll ${early} ms early`);
  }

  requested(path: string): void {
    const early = this.#requestFromMs - this.#view.nowMs();
    if (early > 0 && !isCall(path)) {
      throw new Violation("request-pace", `a request to ${path} ${early} ms early`);
    }
  }

  /** Given up by the device: nothing to wait for but the interval. */
  aborted(exchange: Exchange): void {
    if (exchange.path === "/token") this.#pollFromMs = this.#view.nowMs() + this.#intervalMs;
  }

  ended(exchange: Exchange, complete: boolean, error: string): void {
    const nowMs = this.#view.nowMs();
    const isPoll = exchange.path === "/token" && this.#code !== undefined;
    if (isPoll && error === "slow_down") {
      this.#intervalMs = Math.min(INTERVAL_MAX_MS, this.#intervalMs + SLOW_DOWN_MS);
    }
    if (isPoll) this.#pollFromMs = nowMs + this.#intervalMs;
    // What the body names counts before the status.
    const isBusy = exchange.status >= 500 || exchange.status === 429;
    const failed = !complete || (isBusy && PASSING.includes(error));
    const mostS = exchange.path === "/revoke" ? REVOCATION_RETRY_AFTER_MAX_S : RETRY_AFTER_MAX_S;
    const retryAfterS = Math.min(mostS, exchange.retryAfterS);
    if (!failed || isCall(exchange.path)) return;
    this.#requestFromMs = nowMs + Math.max(PACE_MS, retryAfterS * 1000);
  }
}

/** The application's requests wait for nothing. */
function isCall(path: string): boolean {
  return /^\/(video|publisher|events|\.well-known)/.test(path);
}

function intervalMs(seconds: number): number {
  if (!Number.isFinite(seconds) || seconds < 0) return 5000;
  return Math.min(INTERVAL_MAX_MS, Math.max(INTERVAL_MIN_MS, seconds * 1000));
}
