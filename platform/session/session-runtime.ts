// Runs a sign-in from the stored records, over the code, to the session and its end. Owns the driver, checks its state
// after every event, and releases everything at the end.

import { Limit } from "../../core/device/limits.ts";
import { type Device, Endpoint, Field, State } from "../../core/index.ts";
import type { Platform } from "../contracts.ts";
import { secretsOf, storedTokenOf } from "../driver/requests.ts";
import { Driver, type DriverOptions } from "../driver.ts";
import { guarded, nothing } from "../exchange/callbacks.ts";
import { type KnownToken, type Recalled, ResponseRecorder } from "../exchange/response-recorder.ts";
import { asciiOf } from "../text/text.ts";
import { core } from "./core.ts";
import type { FetchSettings } from "./fetch.ts";
import type { ServerSettings } from "./resolve-server.ts";
import { Session } from "./session.ts";
import type { Between, SharedState, SharedUser } from "./shared-state.ts";
import type { SignInHandlers, VerificationPrompt } from "./sign-in.ts";
import { givenUp, SignInError, signInErrorOf, wrongOption } from "./sign-in-error.ts";
import type { TokenCache } from "./token-cache.ts";
import { TroubleMonitor } from "./trouble-monitor.ts";

/** The longest lifetime of a code that is reported to a program. */
const CODE_LIFETIME_MAX_S = 86_400;

/** The settings of a sign-in, besides the adapters. */
export type RuntimeSettings = ServerSettings &
  Pick<DriverOptions, "allowHttp" | "headers" | "log"> &
  FetchSettings & {
    /** For records that other programs use as well; replaces the platform's storage. */
    readonly shared?: SharedState | undefined;
    /** Stores what came with the tokens, if there is a place for it. */
    readonly stored?: TokenCache | undefined;
    /** Keeps the process alive until what it returns is called. */
    readonly keepAlive?: () => () => void;
  };

/** Initial memory of a session, besides the client's settings: enough for most tokens. */
const BEGIN_BYTES = 8192;

/** How long the end waits for a refresh whose tokens would be lost, or for an unfinished write. */
const LEAVE_LIMIT_MS = 10_000;

export class SessionRuntime {
  /** Settles once: with the session, or with the reason why there is none. */
  readonly session: Promise<Session>;
  readonly recorder = new ResponseRecorder(
    () => this.#driver.device.endpoint,
    () => this.#secrets(),
    (members) => {
      this.#driver.run();
      this.#driver.makeRoom(members);
    },
  );
  readonly watch: TroubleMonitor;
  readonly #platform: Platform;
  readonly settings: RuntimeSettings;
  readonly #handlers: SignInHandlers;
  readonly #dispose: () => void;
  #resolve!: (session: Session) => void;
  #reject!: (reason: unknown) => void;
  #session: Session | undefined;
  /** Set from the time when nothing new may start, with the callers that wait for the release. */
  #leavingSinceMs: number | undefined;
  #left: () => void = () => {};
  #isReleased = false;
  #retry: ServerSettings["rediscover"];
  #shownCode = "";
  /** What an earlier start has stored, until the tokens in use are known. */
  #storedOf: (token: string) => Recalled | undefined = () => undefined;
  /** The current or last access token; one that must be renewed is no longer known. */
  #access = "";
  /** The requested scope of the session; undefined if unknown. */
  #requested: string | undefined;
  /** The refresh token of the newest response, and whether a refresh has left it unchanged. */
  #refresh = "";
  #isLasting = false;
  /** Number of stored token responses. */
  #granted = 0;
  /** Distinguishes a session from a later one of another sign-in; undefined if unknown. */
  #sessionId: string | undefined;
  #driver: Driver;
  #isStale = false;

  get #isWaiting(): boolean {
    return this.settings.shared?.isWaiting === true;
  }

  constructor(
    platform: Platform,
    settings: RuntimeSettings,
    handlers: SignInHandlers,
    dispose: () => void,
  ) {
    this.#platform = platform;
    this.settings = settings;
    this.#retry = settings.rediscover;
    this.#handlers = handlers;
    this.#dispose = dispose;
    this.watch = new TroubleMonitor(platform, (trouble) => this.#reportTrouble(trouble));
    this.session = this.awaited((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#driver = this.#newDriver(settings.endpoints);
    const { signal } = handlers;
    signal?.addEventListener("abort", this.#abort);
    if (signal?.aborted) this.#abort();
    else this.#start();
  }

  #start(): void {
    const { stored } = this.settings;
    if (stored) {
      stored.onRest = () => this.#changed();
      stored.known.look = () => this.#known();
    }
    stored?.read((storedOf) => {
      this.#storedOf = storedOf;
    });
    // A storage that calls back at once may have completed the end of a session that was closing.
    if (!this.#isReleased) this.#driver.start();
  }

  /**
   * The token that an earlier start or another program has received for these records, when the device requests one.
   */
  #known(): KnownToken | undefined {
    const { device, memory } = this.#driver;
    if (device.endpoint !== Endpoint.TOKEN || device.state !== State.REFRESHING) return undefined;
    const access = this.#storedOf(storedTokenOf(device, memory))?.access;
    if (access?.token === this.#access) return undefined;
    this.#driver.makeRoom({ access_token: access?.token });
    return access;
  }

  /** Whether a user can be prompted to sign in. */
  get #mayPrompt(): boolean {
    return !this.#handlers.resumeOnly && this.#handlers.onCode !== undefined;
  }

  /** The current driver. A new one replaces it when another program has changed the records. */
  get driver(): Driver {
    return this.#driver;
  }

  /** @param endpoints of the previous driver */
  #newDriver(endpoints: DriverOptions["endpoints"]): Driver {
    const settings = this.settings;
    const isPrompting = this.#mayPrompt && this.#session === undefined;
    const autoStart = isPrompting ? settings.config.autoStart : 0;
    const { platform, lock } = this.#alone(this.#platform);
    const { deviceParameters, tokenParameters } = settings.config;
    const parametersBytes = deviceParameters.length + tokenParameters.length;
    return new Driver({
      core,
      ...settings,
      memoryBytes: Math.min(settings.memoryBytes, BEGIN_BYTES + parametersBytes),
      growsTo: settings.memoryBytes,
      platform,
      endpoints,
      config: { ...settings.config, autoStart },
      filters: { known: settings.stored?.known, lock, recorder: this.recorder },
      onChange: () => this.#changed(),
      onError: (error) => this.#reportTrouble(adapterFailed(error)),
      wakeInMs: () => this.#wakeInMs(),
    });
  }

  /** Sends and writes with exclusive access to the records, if they are shared. */
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

  /** False if the tokens are only in memory, or if the server has left a refresh token unchanged before. */
  #mayRotate(): boolean {
    const { endpoint, state, notSaved } = this.#driver.device;
    const isRefresh = endpoint === Endpoint.TOKEN && state === State.REFRESHING;
    return isRefresh && notSaved === 0 && !this.#isLasting;
  }

  /** Whether the device knows the newest tokens; otherwise it reads those of another program. */
  isCurrent(): boolean {
    if (this.settings.shared?.isCurrent !== false) return true;
    this.#beginAgain();
    return false;
  }

  #secrets(): readonly string[] {
    const { device, memory } = this.#driver;
    return [this.settings.config.clientSecret, ...secretsOf(device, memory)];
  }

  /**
   * Another program has changed the records: continues with a new device that reads them. Not within a command of the
   * old one.
   */
  #beginAgain(): void {
    if (this.#isStale) return;
    this.#isStale = true;
    queueMicrotask(() => {
      this.#isStale = false;
      if (this.#isReleased) return;
      this.settings.shared?.leave();
      const { endpoints } = this.#driver;
      this.#driver.stop();
      this.recorder.discard();
      this.#granted = this.recorder.granted;
      this.#requested = undefined;
      // It belonged to a sign-in that did not complete.
      if (this.#session === undefined) this.#sessionId = undefined;
      this.#driver = this.#newDriver(endpoints);
      this.#start();
    });
  }

  /**
   * Resolves when everything is released: after pending operations that must not be lost, or after a time limit. Called
   * once.
   * @param last the final request to the driver
   */
  leave(last: () => void = () => this.#tryAtLast()): Promise<void> {
    return this.awaited((resolve) => {
      this.#left = resolve;
      this.#leavingSinceMs = this.#platform.timers.now();
      last();
      this.#lookAtLeaving();
    });
  }

  /** Pending writes and erases are retried now. */
  #tryAtLast(): void {
    const { notSaved, notErased } = this.driver.device;
    if (notSaved || notErased) this.driver.tryNow();
    else this.driver.run();
  }

  /** A promise that a program waits for: the process stays alive until it settles. */
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
    if (this.#isReleased || this.#isStale) return;
    if (isAtEnd(this.driver.device.state) && this.settings.shared?.isCurrent === false) {
      this.#beginAgain();
      return;
    }
    this.watch.look(this.driver, this.recorder, this.#isWaiting);
    this.#keepResponse();
    if (this.#session !== undefined) this.#session.changed();
    else if (this.#leavingSinceMs === undefined) this.#goOn();
    if (isAtRest(this.driver.device)) this.settings.shared?.leave();
    this.#lookAtLeaving();
  }

  #goOn(): void {
    const { driver } = this;
    const { state } = driver.device;
    if (state === State.FAILED) this.#fail(signInErrorOf(driver.device, this.recorder.newest));
    else if (!this.#mayPrompt && isWithoutSession(state))
      this.#fail(cannotPromptUser(this.#handlers));
    // A sign-out that an earlier start has begun is complete.
    else if (state === State.SIGNED_OUT) driver.signIn();
    else if (state === State.PENDING) this.#reportCode();
    else if (
      driver.isSignedIn &&
      !this.watch.isStoring(driver) &&
      !this.settings.stored?.isReading
    ) {
      if (this.#isWider()) this.#requestMore();
      else this.#succeed();
    }
  }

  /** Stores what came with the tokens after they are stored, and erases it with them. */
  #keepResponse(): void {
    const { stored, config } = this.settings;
    const { driver, recorder } = this;
    const { device, memory } = driver;
    if (stored === undefined || stored.isReading || this.watch.isStoring(driver)) return;
    if (isAtEnd(device.state)) {
      if (stored.isThere) this.#inTurn(() => stored.erase());
      // From now on, this program has requested the tokens.
      this.#requested = config.scope;
      this.#sessionId = `${Date.now()} ${Math.random()}`;
    }
    if (!driver.isSignedIn) return;
    this.#access = driver.accessToken || this.#access;
    const token = storedTokenOf(device, memory);
    const known = recorder.granted === this.#granted ? this.#storedOf(token) : undefined;
    this.#storedOf = () => undefined;
    if (known !== undefined) {
      const { sessionId = this.#sessionId } = known;
      const isAnother = this.#sessionId !== undefined && sessionId !== this.#sessionId;
      if (isAnother) this.#session?.endElsewhere();
      this.#sessionId = sessionId;
      this.#requested = known.requested;
      this.#isLasting = known.isLasting ?? false;
      recorder.recall(known);
    }
    const isNew = recorder.granted !== this.#granted;
    if (isNew) this.#isLasting = token === this.#refresh;
    this.#refresh = token;
    if (!isNew) return;
    this.#granted = recorder.granted;
    const { scope = "", tokenResponse = {}, idToken } = recorder;
    const fromMs = Date.now();
    const leftS = device.accessLifetimeS - driver.unreportedS;
    const isEnding = device.accessLifetimeS < Limit.ENDLESS;
    const access = { token: this.#access, fromMs, endsAtMs: fromMs + leftS * 1000 };
    const isLasting = this.#isLasting;
    const about = { sessionId: this.#sessionId, requested: this.#requested, isLasting };
    const recalled = { ...about, scope, tokenResponse, idToken, ...(isEnding && { access }) };
    this.#inTurn(() => stored.write(recalled, token));
  }

  get requested(): string | undefined {
    return this.settings.stored === undefined ? this.settings.config.scope : this.#requested;
  }

  /** Writes beside the records while no other program uses them: this content is then newer. */
  #inTurn(write: () => void): void {
    const { shared } = this.settings;
    if (shared === undefined) write();
    // Another operation already waits for its turn.
    else if (!shared.isWaiting)
      shared.enter(() => shared.isCurrent && !shared.unwritable(0) && write(), nothing);
  }

  /** Whether the program requests a scope that the session neither requested nor received. */
  #isWider(): boolean {
    if (this.#requested === undefined) return false;
    const known = `${this.#requested} ${this.recorder.scope}`.split(" ");
    const { scope } = this.settings.config;
    return scope.split(" ").some((word) => word !== "" && !known.includes(word));
  }

  /** Replaces the session by one with a wider scope, if a user can be prompted. */
  #requestMore(): void {
    const { scope } = this.settings.config;
    if (!this.#mayPrompt) {
      const message = `the session is good for "${this.#requested}" alone; sign in again for "${scope}"`;
      this.#fail(new SignInError("insufficient_scope", "user", message));
      return;
    }
    this.#requested = undefined;
    this.recorder.discard();
    this.driver.signOut();
  }

  #succeed(): void {
    this.#session = new Session(this, this.#handlers.onEnd);
    this.#resolve(this.#session);
  }

  #fail(reason: unknown, last?: () => void): void {
    if (this.#leavingSinceMs !== undefined) return;
    void this.leave(last).then(() => this.#reject(reason));
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

  /** Once: a request has failed, and the addresses are from an earlier start. The server may have moved. */
  #rediscover(): void {
    const request = this.#retry;
    this.#retry = undefined;
    request?.().then(
      (endpoints) => {
        if (!this.#isReleased) this.driver.endpoints = endpoints;
      },
      // The addresses stay; the failure has just been reported.
      () => {},
    );
  }

  /** Reports the code, if it is new. One from before a restart may have expired: a new one follows. */
  #reportCode(): void {
    const { device } = this.driver;
    const userCode = this.#textOf(Field.USER_CODE);
    if (userCode === this.#shownCode) return;
    this.#shownCode = userCode;
    const prompt: VerificationPrompt = {
      userCode,
      verificationUri: withScheme(this.#textOf(Field.VERIFICATION_URI)),
      verificationUriComplete: this.#textOf(Field.VERIFICATION_URI_COMPLETE),
      expiresInS: Math.min(device.codeLifetimeS, CODE_LIFETIME_MAX_S),
    };
    this.call(() => this.#handlers.onCode?.(prompt));
  }

  #textOf(field: Field): string {
    const { start, length } = this.driver.device;
    return asciiOf(this.driver.memory, start[field]!, start[field]! + Math.max(0, length[field]!));
  }

  #wakeInMs(): number {
    // This driver is about to be replaced.
    if (this.#isStale) return Number.POSITIVE_INFINITY;
    const leaveMs = this.#leavingSinceMs === undefined ? undefined : this.#leaveLimitMs();
    return Math.min(this.watch.wakeInMs(), leaveMs ?? Number.POSITIVE_INFINITY);
  }

  #leaveLimitMs(): number {
    const passedMs = (this.#platform.timers.now() - (this.#leavingSinceMs ?? 0)) >>> 0;
    return Math.max(0, LEAVE_LIMIT_MS - passedMs);
  }

  #lookAtLeaving(): void {
    if (this.#leavingSinceMs === undefined || this.#isReleased) return;
    if (this.#isBusy() && this.#leaveLimitMs() > 0) return;
    this.watch.checkLeaks(this.driver);
    this.#isReleased = true;
    this.#handlers.signal?.removeEventListener("abort", this.#abort);
    this.driver.stop();
    this.settings.shared?.leave();
    this.#dispose();
    this.#left();
  }

  /**
   * Whether an operation is in progress whose loss matters: the response to a refresh may contain the only refresh
   * token.
   */
  #isBusy(): boolean {
    // Nothing has started: another program is using the records.
    if (this.#isWaiting) return false;
    const { state, inFlight } = this.driver.device;
    const isRefreshing = state === State.REFRESHING && inFlight === 1;
    const { stored } = this.settings;
    if (stored?.isBusy && !stored.isReading) return true;
    // Interrupted reads cause no damage.
    return isRefreshing || (state !== State.STARTING && this.watch.isAtStorage(this.driver));
  }
}

/** A server may send the URI as users type it. Programs link to it (RFC 8628 §3.2 requires a URI). */
function withScheme(address: string): string {
  return /^https?:/i.test(address) ? address : `https://${address}`;
}

function isAtEnd(state: State): boolean {
  return state === State.FAILED || isWithoutSession(state);
}

/** No operation that changes the records is in progress, and no user is being prompted. */
function isAtRest({ state, inFlight, job, storageCommand }: Device): boolean {
  const isPrompting = state === State.REQUESTING || state === State.PENDING;
  return !isPrompting && inFlight === 0 && job === 0 && storageCommand === 0;
}

/** Whether nothing is stored that could become a session without the user. */
export function isWithoutSession(state: State): boolean {
  return state === State.SIGNED_OUT || state === State.REQUESTING || state === State.PENDING;
}

/** There is no session, and no user can be prompted. */
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
