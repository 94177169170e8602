// The life cycle of a sign-in and its session: phases, and the events that change the phase. platform/README.md has a
// diagram.

import { State } from "../../core/index.ts";
import type { Timers } from "../contracts.ts";
import type { DriverLog } from "../exchange/log.ts";

export type Phase = "starting" | "waiting" | "signedIn" | "signingOut" | "leaving" | "released";

export type PhaseEvent =
  /** `onCode` has received a code. */
  | "codeShown"
  /** There are tokens, and no write of them is in progress. If the write failed, the session uses them anyway. */
  | "tokensStored"
  /** Another program has changed the records. A new driver reads them. */
  | "recordsChanged"
  /** The program signs out. */
  | "signOut"
  /** The sign-in or session has failed, or was aborted, closed, signed out, or ended by the server or another program. */
  | "ended"
  /** No operation with a result that must not be lost is in progress, or the time limit has passed. */
  | "atRest";

/** The allowed events of each phase. Any other event is a bug of picogrant. */
export const TRANSITIONS: Readonly<Record<Phase, Partial<Record<PhaseEvent, Phase>>>> = {
  starting: {
    codeShown: "waiting",
    tokensStored: "signedIn",
    recordsChanged: "starting",
    ended: "leaving",
  },
  waiting: { tokensStored: "signedIn", recordsChanged: "starting", ended: "leaving" },
  signedIn: { recordsChanged: "signedIn", signOut: "signingOut", ended: "leaving" },
  signingOut: { recordsChanged: "signingOut", ended: "leaving" },
  leaving: { recordsChanged: "leaving", atRest: "released" },
  released: {},
};

/** The longest time that the end of a session waits for the response to a refresh, or for storage. */
const LEAVE_LIMIT_MS = 10_000;

export class LifeCycle {
  /** The reason for the end of the sign-in or session. */
  reason: unknown;
  hasSession = false;
  readonly #timers: Timers;
  readonly #log: DriverLog | undefined;
  readonly #keepAlive: (() => () => void) | undefined;
  phase: Phase = "starting";
  #endedAtMs = 0;
  #waiting: (() => void)[] = [];

  constructor(timers: Timers, log?: DriverLog, keepAlive?: () => () => void) {
    this.#timers = timers;
    this.#log = log;
    this.#keepAlive = keepAlive;
  }

  get isSigningIn(): boolean {
    return this.phase === "starting" || this.phase === "waiting";
  }

  get isOver(): boolean {
    return this.phase === "leaving" || this.phase === "released";
  }

  move(event: PhaseEvent): void {
    const next = TRANSITIONS[this.phase][event];
    if (next === undefined) throw new Error(`${event} while ${this.phase}`);
    this.#log?.log(`session: ${this.phase} --> ${next}: ${event}`);
    this.phase = next;
    this.hasSession ||= next === "signedIn";
    if (event === "ended") this.#endedAtMs = this.#timers.now();
    this.wake();
  }

  /** Returns the milliseconds until everything must be released; Infinity outside the phase `leaving`. */
  leaveInMs(): number {
    if (this.phase !== "leaving") return Number.POSITIVE_INFINITY;
    return Math.max(0, LEAVE_LIMIT_MS - ((this.#timers.now() - this.#endedAtMs) >>> 0));
  }

  /** Wakes the waiting callers. Call it after every possible change. */
  wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Resolves after the next possible change, or when the signal aborts. Meanwhile the process stays alive. */
  async nextChange(signal?: AbortSignal | null): Promise<void> {
    const release = this.#keepAlive?.();
    let wake!: () => void;
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    signal?.addEventListener("abort", wake);
    this.#waiting.push(wake);
    await changed;
    signal?.removeEventListener("abort", wake);
    release?.();
  }

  async released(): Promise<void> {
    while (this.phase !== "released") await this.nextChange();
  }
}

export function isAtEnd(state: State): boolean {
  return state === State.FAILED || isWithoutSession(state);
}

/** Whether the device has no session, so that the user must sign in or is doing so. */
export function isWithoutSession(state: State): boolean {
  return state === State.SIGNED_OUT || isPrompting(state);
}

export function isPrompting(state: State): boolean {
  return state === State.REQUESTING || state === State.PENDING;
}
