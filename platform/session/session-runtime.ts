// Runs a sign-in from the stored records to the session and its end. It owns the driver, checks the device's state after
// every event, and releases everything at the end.

import {
  accessTokenRefused,
  cancel,
  configError,
  create,
  type Device,
  Endpoint,
  Field,
  outcome,
  release,
  responseBody,
  responseEnd,
  responseFailed,
  responseStart,
  State,
  setEndpoints,
  signIn,
  signOut,
  storageDone,
  tick,
  wakeIn,
} from "../../core/index.ts";
import type { ServerSettings } from "../configuration/settings.ts";
import type { Platform } from "../contracts.ts";
import { secretsOf } from "../driver/requests.ts";
import { type Core, Driver, type DriverOptions } from "../driver.ts";
import { guarded, nothing } from "../exchange/callbacks.ts";
import { ResponseRecorder } from "../exchange/response-recorder.ts";
import { asciiOf } from "../text/text.ts";
import type { FetchSettings } from "./fetch.ts";
import type { SignInHandlers, VerificationPrompt } from "./handlers.ts";
import { type Phase, type PhaseEvent, TRANSITIONS } from "./life-cycle.ts";
import type { Between, SharedUser } from "./shared-state.ts";
import { givenUp, SignInError, signInErrorOf, wrongOption } from "./sign-in-error.ts";
import { IssuedTokens, type IssuedTokensSettings } from "./token-cache.ts";
import { TroubleMonitor } from "./trouble-monitor.ts";

/** Named imports, so that bundlers drop unused functions. */
const core: Core = {
  ...{ create, configError, release, tick, wakeIn, setEndpoints, storageDone },
  ...{ responseStart, responseBody, responseEnd, responseFailed, outcome },
  ...{ signIn, cancel, signOut, accessTokenRefused },
};

/** The longest lifetime of a code, in seconds, that is reported to a program. */
const CODE_LIFETIME_MAX_S = 86_400;

/** The settings of a sign-in, in addition to the adapters. */
export type RuntimeSettings = ServerSettings &
  Pick<DriverOptions, "log"> &
  FetchSettings &
  IssuedTokensSettings & {
    /** Keeps the process alive. @returns a function that ends this */
    readonly keepAlive?: () => () => void;
  };

/** Initial memory of a session, in addition to the client's settings. It is enough for most tokens. */
const BEGIN_BYTES = 8192;

/** How long the end of a session waits for a refresh whose tokens would be lost, or for an unfinished write. */
const LEAVE_LIMIT_MS = 10_000;

/** The callbacks of the runtime's owner. */
export interface RuntimeOwner {
  /**
   * @returns `changed` is called after every possible change, `endElsewhere` if another sign-in has replaced the session
   */
  signedIn(): { changed(): void; endElsewhere(): void };
  /** The sign-in has failed, and everything is released. */
  rejected(reason: unknown): void;
  dispose(): void;
}

export class SessionRuntime {
  readonly recorder = new ResponseRecorder(
    () => this.driver.device.endpoint,
    () => this.#secrets(),
    (members) => {
      this.driver.run();
      this.driver.commands.makeRoom(members);
    },
  );
  readonly watch: TroubleMonitor;
  readonly settings: RuntimeSettings;
  readonly tokens: IssuedTokens;
  readonly #platform: Platform;
  readonly #handlers: SignInHandlers;
  #owner!: RuntimeOwner;
  #phase: Phase = "starting";
  #session: ReturnType<RuntimeOwner["signedIn"]> | undefined;
  /** A new driver replaces this one if another program has changed the records. */
  driver: Driver;
  /** The current driver is about to be replaced. */
  #isStale = false;
  #leavingSinceMs = 0;
  #left: () => void = nothing;
  #rediscoverOnce: ServerSettings["rediscover"];
  #shownCode = "";

  /** @throws CapacityError; TypeError that names the invalid endpoint or header */
  constructor(platform: Platform, settings: RuntimeSettings, handlers: SignInHandlers) {
    this.#platform = platform;
    this.settings = settings;
    this.#handlers = handlers;
    this.#rediscoverOnce = settings.rediscover;
    this.tokens = new IssuedTokens(settings, this.recorder);
    this.watch = new TroubleMonitor(platform, (trouble) => this.#reportTrouble(trouble));
    this.driver = this.#newDriver(settings.endpoints);
  }

  start(owner: RuntimeOwner): void {
    this.#owner = owner;
    const { signal } = this.#handlers;
    signal?.addEventListener("abort", this.#abort);
    if (signal?.aborted) this.#abort();
    else this.#begin();
  }

  #move(event: PhaseEvent): void {
    const next = TRANSITIONS[this.#phase][event];
    if (next === undefined) throw new Error(`${event} while ${this.#phase}`);
    this.settings.log?.log(`session: ${this.#phase} --> ${next}: ${event}`);
    this.#phase = next;
  }

  #begin(): void {
    const { stored } = this.settings;
    if (stored) {
      stored.onRest = () => this.#changed();
      stored.known.look = () => this.tokens.known(this.driver);
    }
    this.tokens.read();
    // A storage that calls back at once may already have ended the session.
    if (this.#phase !== "released") this.driver.start();
  }

  get #mayPrompt(): boolean {
    return !this.#handlers.resumeOnly && this.#handlers.onCode !== undefined;
  }

  /** @param endpoints of the previous driver */
  #newDriver(endpoints: DriverOptions["endpoints"]): Driver {
    const { settings } = this;
    const { memoryBytes = BEGIN_BYTES } = settings;
    const isPrompting = this.#mayPrompt && this.#session === undefined;
    const autoStart = isPrompting ? settings.config.autoStart : 0;
    const { platform, lock } = this.#alone(this.#platform);
    const { deviceParameters, tokenParameters } = settings.config;
    const parametersBytes = deviceParameters.length + tokenParameters.length;
    return new Driver({
      core,
      ...settings,
      memoryBytes: Math.min(memoryBytes, BEGIN_BYTES + parametersBytes),
      growsTo: memoryBytes,
      platform,
      endpoints,
      config: { ...settings.config, autoStart },
      filters: { known: settings.stored?.known, lock, recorder: this.recorder },
      onChange: () => this.#changed(),
      onError: (error) => this.#reportTrouble(adapterFailed(error)),
      wakeInMs: () => this.#wakeInMs(),
    });
  }

  /** Wraps the adapters, if programs share the records: each request and write then has exclusive access. */
  #alone(platform: Platform): { readonly platform: Platform; readonly lock?: Between["lock"] } {
    const { shared } = this.settings;
    if (shared === undefined) return { platform };
    const user: SharedUser = {
      onStale: () => this.#beginAgain(),
      onBusy: (trouble) => this.#reportTrouble(trouble),
      mayRotate: () => this.#mayRotate(),
      onUnwritable: (problem) => this.#reportTrouble(notRenewed(problem)),
      onFault: (error, giveUp) => {
        giveUp();
        this.#reportTrouble(adapterFailed(error));
      },
    };
    shared.begin();
    const { storage, lock } = shared.between(user);
    return { platform: { ...platform, storage }, lock };
  }

  /**
   * Whether the refresh may replace the stored refresh token: not if tokens are only in memory or the server does not
   * rotate.
   */
  #mayRotate(): boolean {
    const { endpoint, state, notSaved } = this.driver.device;
    const isRefresh = endpoint === Endpoint.TOKEN && state === State.REFRESHING;
    return isRefresh && notSaved === 0 && !this.tokens.isLasting;
  }

  /** Whether the device has the newest tokens. Otherwise, a new device reads those of the other program. */
  isCurrent(): boolean {
    if (this.settings.shared?.isCurrent !== false) return true;
    this.#beginAgain();
    return false;
  }

  #secrets(): readonly string[] {
    const { device, memory } = this.driver;
    const { config, keys } = this.settings;
    return [config.clientSecret, ...(keys?.sent ?? []), ...secretsOf(device, memory)];
  }

  /** Another program has changed the records: replaces the driver, after the current command has ended. */
  #beginAgain(): void {
    if (this.#isStale) return;
    this.#isStale = true;
    queueMicrotask(() => {
      this.#isStale = false;
      if (this.#phase === "released") return;
      this.#move("recordsChanged");
      this.settings.shared?.leave();
      const { endpoints } = this.driver;
      this.driver.stop();
      this.tokens.discard(this.#session === undefined);
      this.driver = this.#newDriver(endpoints);
      this.#begin();
    });
  }

  /** A promise that the program awaits. The process stays alive until the promise settles. */
  awaited<T>(executor: ConstructorParameters<typeof Promise<T>>[0]): Promise<T> {
    const release = this.settings.keepAlive?.();
    const promise = new Promise<T>(executor);
    promise.then(release, release ?? nothing);
    return promise;
  }

  call(run: () => unknown): void {
    guarded(run, (error) => this.#callbackFailed(error));
  }

  #changed(): void {
    const { shared } = this.settings;
    if (this.#phase === "released" || this.#isStale) return;
    if (isAtEnd(this.driver.device.state) && shared?.isCurrent === false) {
      this.#beginAgain();
      return;
    }
    this.watch.look(this.driver, this.recorder, shared?.isWaiting === true);
    this.#updateTokens();
    if (this.#session !== undefined) this.#session.changed();
    else if (this.#phase !== "leaving") this.#continueSignIn();
    if (isAtRest(this.driver.device)) shared?.leave();
    this.#releaseAtRest();
  }

  #updateTokens(): void {
    const { driver, tokens } = this;
    const { stored } = this.settings;
    if (stored === undefined || stored.isReading || this.watch.isStoring(driver)) return;
    if (isAtEnd(driver.device.state)) tokens.erase();
    else if (driver.isSignedIn && tokens.update(driver)) this.#session?.endElsewhere();
  }

  #continueSignIn(): void {
    const { driver, tokens } = this;
    const { state } = driver.device;
    if (state === State.FAILED) this.#fail(this.failure);
    else if (!this.#mayPrompt && isWithoutSession(state))
      this.#fail(cannotPromptUser(this.#handlers));
    // A sign-out of an earlier start is complete.
    else if (state === State.SIGNED_OUT) driver.signIn();
    else if (state === State.PENDING) this.#reportCode();
    else if (
      driver.isSignedIn &&
      !this.watch.isStoring(driver) &&
      !this.settings.stored?.isReading
    ) {
      if (tokens.isTooNarrow) this.#requestMore();
      else this.#succeed();
    }
  }

  /** Why the sign-in or session has failed. */
  get failure(): SignInError {
    if (!this.tokens.isOfOtherKey) return signInErrorOf(this.driver.device, this.recorder.newest);
    const advice = "restore it before the next start, or sign in again";
    const message = `the tokens are bound to another key, and the server refuses this one; ${advice}`;
    return new SignInError("key_changed", "user", message);
  }

  /** Signs out to sign in again with a wider scope, if a user can be prompted. */
  #requestMore(): void {
    const { scope } = this.settings.config;
    if (!this.#mayPrompt) {
      const message = `the session is good for "${this.tokens.requested}" alone; sign in again for "${scope}"`;
      this.#fail(new SignInError("insufficient_scope", "user", message));
      return;
    }
    this.tokens.discard();
    this.driver.signOut();
  }

  #succeed(): void {
    this.#move("tokensStored");
    this.#session = this.#owner.signedIn();
  }

  #fail(reason: unknown, last?: () => void): void {
    if (!("ended" in TRANSITIONS[this.#phase])) return;
    void this.leave(last).then(() => this.#owner.rejected(reason));
  }

  readonly #abort = (): void => {
    if (this.#session === undefined) this.#fail(givenUp(), () => this.driver.cancel());
  };

  #callbackFailed(error: unknown): void {
    if (this.#session === undefined) {
      this.#fail(error);
      return;
    }
    try {
      if (this.#handlers.onError) this.#handlers.onError(error);
      else void Promise.reject(error);
    } catch (another) {
      void Promise.reject(another);
    }
  }

  #reportTrouble(trouble: SignInError): void {
    if (trouble.response !== undefined) this.#rediscover();
    this.settings.log?.log(`trouble ${trouble.code}`);
    const { onTrouble } = this.#handlers;
    if (onTrouble !== undefined) this.call(() => onTrouble(trouble));
  }

  /**
   * Requests the server's addresses once, after a failure, if they come from an earlier start. The server may have moved.
   */
  #rediscover(): void {
    const request = this.#rediscoverOnce;
    this.#rediscoverOnce = undefined;
    request?.().then((endpoints) => {
      if (this.#phase !== "released") this.driver.endpoints = endpoints;
    }, nothing);
  }

  /** Reports a new code to the program. A code from before a restart may have expired; then a new one follows. */
  #reportCode(): void {
    const prompt = promptOf(this.driver);
    if (prompt.userCode === this.#shownCode) return;
    this.#shownCode = prompt.userCode;
    if (this.#phase === "starting") this.#move("codeShown");
    this.call(() => this.#handlers.onCode?.(prompt));
  }

  #wakeInMs(): number {
    // A new driver is about to replace this one.
    if (this.#isStale) return Number.POSITIVE_INFINITY;
    const leaveMs = this.#phase === "leaving" ? this.#leaveLimitMs() : Number.POSITIVE_INFINITY;
    return Math.min(this.watch.wakeInMs(), leaveMs);
  }

  /**
   * Releases everything, after operations that must not be lost or after a time limit. Called once.
   * @param last the final call of the driver
   */
  leave(last: () => void = () => this.#tryAtLast()): Promise<void> {
    return this.awaited((resolve) => {
      this.#left = resolve;
      this.#move("ended");
      this.#leavingSinceMs = this.#platform.timers.now();
      last();
      this.#releaseAtRest();
    });
  }

  #tryAtLast(): void {
    const { notSaved, notErased } = this.driver.device;
    if (notSaved || notErased) this.driver.tryNow();
    else this.driver.run();
  }

  #leaveLimitMs(): number {
    const passedMs = (this.#platform.timers.now() - this.#leavingSinceMs) >>> 0;
    return Math.max(0, LEAVE_LIMIT_MS - passedMs);
  }

  #releaseAtRest(): void {
    if (this.#phase !== "leaving") return;
    if (this.#isBusy() && this.#leaveLimitMs() > 0) return;
    this.watch.checkLeaks(this.driver);
    this.#move("atRest");
    this.#handlers.signal?.removeEventListener("abort", this.#abort);
    this.driver.stop();
    this.settings.shared?.leave();
    this.#owner.dispose();
    this.#left();
  }

  /** Whether an operation must not be interrupted. The response to a refresh may contain the only refresh token. */
  #isBusy(): boolean {
    const { shared, stored } = this.settings;
    // Another program is using the records, so no operation has started here.
    if (shared?.isWaiting) return false;
    const { state, inFlight } = this.driver.device;
    const isRefreshing = state === State.REFRESHING && inFlight === 1;
    if (stored?.isBusy && !stored.isReading) return true;
    // A read may be interrupted.
    return isRefreshing || (state !== State.STARTING && this.watch.isAtStorage(this.driver));
  }
}

function promptOf({ device, memory }: Driver): VerificationPrompt {
  const textOf = (field: Field): string => {
    const from = device.start[field]!;
    return asciiOf(memory, from, from + Math.max(0, device.length[field]!));
  };
  return {
    userCode: textOf(Field.USER_CODE),
    verificationUri: withScheme(textOf(Field.VERIFICATION_URI)),
    verificationUriComplete: textOf(Field.VERIFICATION_URI_COMPLETE),
    expiresInS: Math.min(device.codeLifetimeS, CODE_LIFETIME_MAX_S),
  };
}

/** Servers may send the URI without its scheme. RFC 8628 §3.2 requires a URI, and programs make a link of it. */
function withScheme(address: string): string {
  return /^https?:/i.test(address) ? address : `https://${address}`;
}

function isAtEnd(state: State): boolean {
  return state === State.FAILED || isWithoutSession(state);
}

/** No operation that changes the records is in progress, and no user is prompted. */
function isAtRest({ state, inFlight, job, storageCommand }: Device): boolean {
  const isPrompting = state === State.REQUESTING || state === State.PENDING;
  return !isPrompting && inFlight === 0 && job === 0 && storageCommand === 0;
}

/** Whether no session can be resumed without the user. */
export function isWithoutSession(state: State): boolean {
  return state === State.SIGNED_OUT || state === State.REQUESTING || state === State.PENDING;
}

export function cannotPromptUser({ resumeOnly }: Pick<SignInHandlers, "resumeOnly">): SignInError {
  return resumeOnly
    ? new SignInError("not_signed_in", "user", "not signed in; sign in first")
    : wrongOption("nobody is signed in, and onCode is missing, which shows the code");
}

function notRenewed(problem: string): SignInError {
  const why = "new tokens would be lost; free space there, or make it writable";
  return new SignInError("not_saved", "user", `not renewed, since ${problem}: ${why}`);
}

function adapterFailed(cause: unknown): SignInError {
  const what = cause instanceof Error ? cause.message : "something that is no Error";
  const message = `an adapter has thrown (${what}); what it was to do counts as failed`;
  return new SignInError("adapter_failed", "developer", message, { cause });
}
