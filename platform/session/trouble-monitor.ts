// Reports failed requests, unsaved tokens and silent storage, so that the program learns why the device retries or
// waits. If new tokens cannot be saved, the session uses them from memory, and the device retries in a minute. After a
// restart before that, there is only the previous record, with a refresh token that the server may have replaced.

import { Command, type Device, ErrorCode, State } from "../../core/index.ts";
import type { Platform } from "../contracts.ts";
import type { ServerResponse } from "../exchange/response-recorder.ts";
import type { Drivers } from "./drivers.ts";
import { isPrompting } from "./life-cycle.ts";
import { SignInError, troubleOf } from "./sign-in-error.ts";

/** After this time without a response, storage is reported as silent, and the session no longer waits for it. */
const SILENCE_MS = 10_000;
const AGAIN = "trying again in a minute";
const NOT_SAVED = `${AGAIN}; after a restart before that, the user may have to sign in again`;
const RESUMES =
  "the next start may resume the session; make the storage writable, or delete the state";
const TEXTS = {
  code: ["not_saved", "the code could not be saved"],
  tokens: ["not_saved", "the tokens could not be saved"],
  signOut: ["not_saved", "the sign-out could not be saved"],
  rest: ["not_erased", "what should be gone could not be erased"],
} as const;

export class TroubleMonitor {
  readonly #platform: Platform;
  readonly #drivers: Drivers;
  readonly #report: (trouble: SignInError) => void;
  #response: ServerResponse | undefined;
  #notSaved = 0;
  #notErased = 0;
  /** Whether the records say that the session is being signed out, so that a start does not resume the session. */
  #isSignOutSaved = false;
  /** The number of the current storage operation, 0 for none, and when it started. */
  #operation = 0;
  #sinceMs = 0;
  /** Whether storage has not responded to the current operation for ten seconds. */
  isSilent = false;

  constructor(platform: Platform, drivers: Drivers, report: (trouble: SignInError) => void) {
    this.#platform = platform;
    this.#drivers = drivers;
    this.#report = report;
  }

  get #device(): Device {
    return this.#drivers.current.device;
  }

  /** Whether a write is in progress and not late. The tokens in it must not be used yet. */
  get isStoring(): boolean {
    return this.#device.storageCommand === Command.STORE && !this.isSilent;
  }

  /** Whether a storage operation is in progress and not late. */
  get isAtStorage(): boolean {
    const { job, storageCommand } = this.#device;
    return (job !== 0 || storageCommand !== 0) && !this.isSilent;
  }

  /** Returns the milliseconds until `look` must be called if no event occurs before. */
  wakeInMs(): number {
    if (this.#operation === 0 || this.isSilent) return Number.POSITIVE_INFINITY;
    return Math.max(0, SILENCE_MS - this.#silentMs());
  }

  /** @param isWaiting another program is using the storage, so no operation has started */
  look(isWaiting: boolean): void {
    this.#lookAtStorage(isWaiting);
    const device = this.#device;
    const { newest } = this.#drivers.recorder;
    if (newest !== this.#response) {
      this.#response = newest;
      if (newest && isTriedAgain(device)) {
        const trouble = troubleOf(device, newest);
        this.#drivers.rediscoverAfter(trouble);
        this.#report(trouble);
      } else if (device.state !== State.FAILED) this.#drivers.isRediscovered = false;
    }
    const { notSaved, notErased, state } = device;
    if (state === State.REVOKING) this.#isSignOutSaved = notSaved === 0 && !this.isAtStorage;
    if (notSaved !== this.#notSaved) {
      this.#notSaved = notSaved;
      if (notSaved && this.#isSigningOut) this.#reportOf("signOut", RESUMES);
      else if (notSaved && isPrompting(state)) this.#reportOf("code", "a restart shows a new one");
      else if (notSaved) this.#reportOf("tokens", NOT_SAVED);
    }
    // `checkLeaks` reports what is left after a sign-out.
    if (notErased !== this.#notErased && !this.#isSigningOut) {
      this.#notErased = notErased;
      if (notErased) this.#reportOf("rest", AGAIN);
    }
  }

  /** Reports operations that could not be completed before the end. @param isCacheLeft the token cache was not erased */
  checkLeaks(isCacheLeft: boolean): void {
    const { notSaved, notErased, state } = this.#device;
    const isOfTokens = !this.#isSigningOut && !isPrompting(state);
    if (notSaved && isOfTokens) this.#reportOf("tokens", "the user has to sign in again");
    const isResumable = notErased > 0 && this.#isSigningOut && !this.#isSignOutSaved;
    if (notErased || isCacheLeft)
      this.#reportOf("rest", isResumable ? RESUMES : "the next start tries again");
  }

  get #isSigningOut(): boolean {
    const { state } = this.#device;
    return state === State.REVOKING || state === State.SIGNED_OUT;
  }

  #reportOf(what: keyof typeof TEXTS, consequence: string): void {
    const { lastFailure = "" } = this.#drivers.storage;
    const why = lastFailure === "" ? "" : ` (${lastFailure})`;
    const [code, text] = TEXTS[what];
    this.#report(new SignInError(code, "user", `${text}${why}; ${consequence}`));
  }

  #lookAtStorage(isWaiting: boolean): void {
    const { device, commands } = this.#drivers.current;
    const operation = device.storageCommand === 0 || isWaiting ? 0 : commands.storageOperations;
    if (operation !== this.#operation) {
      this.#operation = operation;
      this.#sinceMs = this.#platform.timers.now();
      this.isSilent = false;
    }
    if (operation === 0 || this.isSilent || this.#silentMs() < SILENCE_MS) return;
    this.isSilent = true;
    const what = `storage has not responded for ${SILENCE_MS / 1000} s`;
    this.#report(new SignInError("storage_silent", "user", `${what}; still waiting for it`));
  }

  #silentMs(): number {
    return (this.#platform.timers.now() - this.#sinceMs) >>> 0;
  }
}

/** Whether the device retries after a failure. Polls for a pending decision do not count. */
function isTriedAgain({ error, state }: Device): boolean {
  if (state === State.FAILED || state === State.SIGNED_OUT) return false;
  return ![ErrorCode.NONE, ErrorCode.AUTHORIZATION_PENDING, ErrorCode.SLOW_DOWN].includes(error);
}
