import { type Device, Field, State } from "../../core/index.ts";
import type { Platform } from "../contracts.ts";
import { fieldOf } from "../driver/requests.ts";
import type { Driver } from "../driver.ts";
import { faultName } from "../exchange/callbacks.ts";
import { Drivers, type DriversOwner, type SessionSettings } from "./drivers.ts";
import { callHandler, type SignInHandlers, type VerificationPrompt } from "./handlers.ts";
import { isPrompting, isWithoutSession, LifeCycle } from "./life-cycle.ts";
import {
  cannotPromptUser,
  endedElsewhere,
  givenUp,
  SignInError,
  signInErrorOf,
} from "./sign-in-error.ts";
import { TroubleMonitor } from "./trouble-monitor.ts";

/** The longest lifetime of a code, in seconds, that is reported to a program. */
const CODE_LIFETIME_MAX_S = 86_400;

/**
 * Runs a sign-in from the stored records to the session and its end. It checks the device's state after every event,
 * advances the life cycle, and releases everything at the end.
 */
export class SessionRuntime implements DriversOwner {
  readonly settings: SessionSettings;
  readonly mayPrompt: boolean;
  readonly life: LifeCycle;
  readonly drivers: Drivers;
  readonly watch: TroubleMonitor;
  readonly #handlers: SignInHandlers;
  readonly #dispose: () => void;
  #shownCode = "";

  /** @param dispose called at the end @throws CapacityError; TypeError that names the invalid endpoint or header */
  constructor(
    platform: Platform,
    settings: SessionSettings,
    handlers: SignInHandlers,
    dispose: () => void,
  ) {
    this.settings = settings;
    this.#handlers = handlers;
    this.#dispose = dispose;
    this.mayPrompt = !handlers.resumeOnly && handlers.onCode !== undefined;
    this.life = new LifeCycle(platform.timers, settings.log, settings.keepAlive);
    this.drivers = new Drivers(platform, settings, this);
    this.watch = new TroubleMonitor(platform, this.drivers, this.report);
  }

  /** Signs in, or resumes the stored session. @throws why there is no session, after everything is released */
  async signIn(): Promise<void> {
    const { life } = this;
    const { signal } = this.#handlers;
    signal?.addEventListener("abort", this.#abort);
    if (signal?.aborted) this.#abort();
    else this.drivers.start();
    while (life.isSigningIn) await life.nextChange();
    if (life.hasSession) return;
    await life.released();
    throw life.reason;
  }

  readonly #abort = (): void => {
    if (this.life.isSigningIn) this.end(givenUp(), () => this.drivers.current.cancel());
  };

  readonly report = (trouble: SignInError): void => {
    this.settings.log?.log(`trouble ${trouble.code}`);
    this.#call(() => this.#handlers.onTrouble?.(trouble));
  };

  #call(handler: () => unknown): void {
    callHandler(handler, this, this.#handlers.onError);
  }

  changed(): void {
    const { drivers, life, settings, watch } = this;
    if (life.phase === "released") return;
    watch.look(settings.shared?.isWaiting === true);
    const isReplaced = !watch.isStoring && drivers.tokens.look();
    if (life.isSigningIn) this.#continueSignIn();
    else if (!life.isOver) this.#continueSession(isReplaced);
    life.wake();
    if (isAtRest(drivers.current.device)) settings.shared?.leave();
    this.#releaseAtRest();
  }

  #continueSignIn(): void {
    const { current, tokens } = this.drivers;
    const { state } = current.device;
    if (state === State.FAILED) this.end(this.#failure);
    else if (!this.mayPrompt && isWithoutSession(state))
      this.end(cannotPromptUser(this.#handlers.resumeOnly));
    // A sign-out by an earlier start or by `#requestMore` is now complete, so sign in.
    else if (state === State.SIGNED_OUT) current.signIn();
    else if (state === State.PENDING) this.#reportCode();
    else if (current.isSignedIn && !this.watch.isStoring && !this.settings.stored?.isReading) {
      if (tokens.isTooNarrow) this.#requestMore();
      else this.life.move("tokensStored");
    }
  }

  #continueSession(isReplaced: boolean): void {
    const { state } = this.drivers.current.device;
    const isOver = isWithoutSession(state) && this.life.phase !== "signingOut";
    if (state === State.FAILED) this.#endByItself(this.#failure);
    else if (isReplaced || isOver) this.#endByItself(endedElsewhere());
  }

  #endByItself(error: SignInError): void {
    this.end(error);
    this.#call(() => this.#handlers.onEnd?.(error));
  }

  get #failure(): SignInError {
    const { current, recorder, tokens } = this.drivers;
    if (!tokens.isOfOtherKey) return signInErrorOf(current.device, recorder.newest);
    const why = this.settings.keys
      ? "another key, and the server refuses this one; restore it before the next start"
      : "a key, which this start does not use; set dpop as before";
    const message = `the tokens are bound to ${why}, or sign in again`;
    return new SignInError("key_changed", "user", message);
  }

  /** Signs out to sign in again with a wider scope. If no user can be prompted, the sign-in fails. */
  #requestMore(): void {
    const { current, tokens } = this.drivers;
    const { scope } = this.settings.config;
    if (this.mayPrompt) {
      tokens.discard();
      current.signOut();
      return;
    }
    const message = `the session is good for "${tokens.requested}" alone; sign in again for "${scope}"`;
    this.end(new SignInError("insufficient_scope", "user", message));
  }

  /** Reports a code to the program once. Does not report a stored code that has already expired. */
  #reportCode(): void {
    const prompt = promptOf(this.drivers.current);
    if (prompt.userCode === this.#shownCode || prompt.expiresInS === 0) return;
    this.#shownCode = prompt.userCode;
    if (this.life.phase === "starting") this.life.move("codeShown");
    this.#call(() => this.#handlers.onCode?.(prompt));
  }

  wakeInMs(): number {
    return Math.min(this.watch.wakeInMs(), this.life.leaveInMs());
  }

  /**
   * Ends the sign-in or session. Releases everything as soon as no operation must be completed, or after ten seconds.
   * @param last calls the driver before the release; by default, retries a failed write or erase
   */
  end(reason: unknown, last = () => this.drivers.tryAtLast()): void {
    if (this.life.isOver) return;
    if (reason instanceof SignInError && reason.response && reason.remedy !== "user")
      this.drivers.rediscoverAfter(reason);
    else this.drivers.rediscovery?.abort();
    this.settings.log?.log(`ends: ${faultName(reason)}`);
    this.life.reason = reason;
    this.life.move("ended");
    last();
    this.#releaseAtRest();
  }

  #releaseAtRest(): void {
    const { drivers, life, settings, watch } = this;
    if (life.phase !== "leaving" || (this.#isBusy() && life.leaveInMs() > 0)) return;
    watch.checkLeaks(settings.stored?.isLeft === true);
    life.move("atRest");
    this.#handlers.signal?.removeEventListener("abort", this.#abort);
    drivers.current.stop();
    settings.shared?.leave();
    this.#dispose();
  }

  /** Whether an operation must not be interrupted. The response to a refresh may contain the only refresh token. */
  #isBusy(): boolean {
    const { shared, stored } = this.settings;
    if (shared?.isWaiting) return false;
    const { state, inFlight } = this.drivers.current.device;
    const isRefreshing = state === State.REFRESHING && inFlight === 1;
    const isCaching = stored?.isBusy && !stored.isReading;
    return isCaching || isRefreshing || (state !== State.STARTING && this.watch.isAtStorage);
  }
}

function promptOf({ device, memory }: Driver): VerificationPrompt {
  const textOf = (field: Field): string => fieldOf(device, memory, field);
  return {
    userCode: textOf(Field.USER_CODE),
    verificationUri: withScheme(textOf(Field.VERIFICATION_URI)),
    verificationUriComplete: textOf(Field.VERIFICATION_URI_COMPLETE),
    expiresInS: Math.min(device.codeLifetimeS, CODE_LIFETIME_MAX_S),
  };
}

/** Adds the scheme that some servers leave out, although RFC 8628 §3.2 requires a URI. Programs make links of it. */
function withScheme(address: string): string {
  return /^https?:/i.test(address) ? address : `https://${address}`;
}

/** Whether no operation that changes the records is in progress, and no user is prompted. */
function isAtRest({ state, inFlight, job, storageCommand }: Device): boolean {
  return !isPrompting(state) && inFlight === 0 && job === 0 && storageCommand === 0;
}
