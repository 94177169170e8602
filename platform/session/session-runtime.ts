// One life of a sign-in: from the records, over the code, to the session, and to the end of that. It owns the driver,
// looks at its state after everything that happens, and sees to it that nothing is left behind.

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
import { Session } from "./session.ts";
import type { ServerSettings } from "./settings.ts";
import type { Between, SharedState, SharedUser } from "./shared-state.ts";
import type { SignInHandlers, VerificationPrompt } from "./sign-in.ts";
import { givenUp, SignInError, signInErrorOf, wrongOption } from "./sign-in-error.ts";
import type { TokenCache } from "./token-cache.ts";
import { TroubleMonitor } from "./trouble-monitor.ts";

/** The longest lifetime of a code that a program is told. */
const CODE_LIFETIME_MAX_S = 86_400;

/** What an attempt is made with, beside the adapters. */
export type RuntimeSettings = ServerSettings &
  Pick<DriverOptions, "allowHttp" | "headers" | "log"> &
  FetchSettings & {
    /** Where other programs use the same records; the platform's storage is not asked then. */
    readonly shared?: SharedState | undefined;
    /** What came along with the tokens, where there is room for it beside them. */
    readonly stored?: TokenCache | undefined;
    /** Keeps the process alive until what it returns is called. */
    readonly keepAlive?: () => () => void;
  };

/** A session begins with so much memory, beside what the client says of itself: enough for most tokens. */
const BEGIN_BYTES = 8192;

/** So long an end waits for what is under way: a refresh whose tokens would be lost, a record half written. */
const LEAVE_LIMIT_MS = 10_000;

export class SessionRuntime {
  /** Settles once: the session, or why there is none. */
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
  /** From the moment on at which nothing more is begun, and who waits until everything is given back. */
  #leavingSinceMs: number | undefined;
  #left: () => void = () => {};
  #isReleased = false;
  #retry: ServerSettings["rediscover"];
  #shownCode = "";
  /** What has been read of an earlier start, until it is known whose tokens are in use. */
  #storedOf: (token: string) => Recalled | undefined = () => undefined;
  /** The access token that is in use, or was last: one that is to be renewed is not known any more. */
  #access = "";
  /** The scope that the session was asked for; undefined where that is not known. */
  #requested: string | undefined;
  /** The refresh token that the newest answer came with, and whether a refresh has left it as it was. */
  #refresh = "";
  #isLasting = false;
  /** How many answers with tokens have been kept. */
  #granted = 0;
  /** Tells a session from one that somebody has signed in to since; undefined where that is not known. */
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
    this.#driver.start();
  }

  /** What an earlier start or another program has got for these records, when the device asks for a new one. */
  #known(): KnownToken | undefined {
    const { device, memory } = this.#driver;
    if (device.endpoint !== Endpoint.TOKEN || device.state !== State.REFRESHING) return undefined;
    const access = this.#storedOf(storedTokenOf(device, memory))?.access;
    if (access?.token === this.#access) return undefined;
    this.#driver.makeRoom({ access_token: access?.token });
    return access;
  }

  /** Somebody can be asked to sign in. */
  get #mayPrompt(): boolean {
    return !this.#handlers.resumeOnly && this.#handlers.onCode !== undefined;
  }

  /** What the program has asked for is done on it. A new one, where another program has changed what is kept. */
  get driver(): Driver {
    return this.#driver;
  }

  /** @param endpoints those of the driver before */
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

  /** Sends and writes with the records to itself, where they are shared. */
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

  /** Not where the tokens are in memory only, or the server has kept a refresh token the same before. */
  #mayRotate(): boolean {
    const { endpoint, state, notSaved } = this.#driver.device;
    const isRefresh = endpoint === Endpoint.TOKEN && state === State.REFRESHING;
    return isRefresh && notSaved === 0 && !this.#isLasting;
  }

  /** Whether the device knows the newest tokens; otherwise it reads them, which another program has changed. */
  isCurrent(): boolean {
    if (this.settings.shared?.isCurrent !== false) return true;
    this.#beginAgain();
    return false;
  }

  /** What must not be repeated to anybody. */
  #secrets(): readonly string[] {
    const { device, memory } = this.#driver;
    return [this.settings.config.clientSecret, ...secretsOf(device, memory)];
  }

  /** Another program has changed the records: with a device that reads them anew. Not within the old one's command. */
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
      // It named a sign-in that did not take place.
      if (this.#session === undefined) this.#sessionId = undefined;
      this.#driver = this.#newDriver(endpoints);
      this.#start();
    });
  }

  /**
   * Ends when nothing is under way any more that must not be lost, or after a while; then all is given back. Called once.
   * @param last what the driver is still asked for
   */
  leave(last: () => void = () => this.#tryAtLast()): Promise<void> {
    return this.awaited((resolve) => {
      this.#left = resolve;
      this.#leavingSinceMs = this.#platform.timers.now();
      last();
      this.#lookAtLeaving();
    });
  }

  /** What should be written, or erased, is not to wait for its time. */
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

  /** Calls what is the program's. */
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

  /** There is no session yet. */
  #goOn(): void {
    const { driver } = this;
    const { state } = driver.device;
    if (state === State.FAILED) this.#fail(signInErrorOf(driver.device, this.recorder.newest));
    else if (!this.#mayPrompt && isWithoutSession(state))
      this.#fail(cannotPromptUser(this.#handlers));
    // A sign-out that an earlier life began has come to its end.
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

  /** Remembers what came with the tokens, once those are kept, and forgets it with them. */
  #keepResponse(): void {
    const { stored, config } = this.settings;
    const { driver, recorder } = this;
    const { device, memory } = driver;
    if (stored === undefined || stored.isReading || this.watch.isStoring(driver)) return;
    if (isAtEnd(device.state)) {
      if (stored.isThere) this.#inTurn(() => stored.erase());
      // What comes now is asked for by this program.
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

  /** The scope that was asked for; undefined where that is not known. */
  get requested(): string | undefined {
    return this.settings.stored === undefined ? this.settings.config.scope : this.#requested;
  }

  /** Writes beside the records, where no other program has them now: what it has got is newer then. */
  #inTurn(write: () => void): void {
    const { shared } = this.settings;
    if (shared === undefined) write();
    // What waits already waits to send, or to write a record.
    else if (!shared.isWaiting)
      shared.enter(() => shared.isCurrent && !shared.unwritable(0) && write(), nothing);
  }

  /** The program asks for what the session neither was asked for nor has been granted. */
  #isWider(): boolean {
    if (this.#requested === undefined) return false;
    const known = `${this.#requested} ${this.recorder.scope}`.split(" ");
    const { scope } = this.settings.config;
    return scope.split(" ").some((word) => word !== "" && !known.includes(word));
  }

  /** The session that is there is ended for one that is good for more, where somebody can be asked for that. */
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

  /** Once: a request has failed, and the addresses are those of an earlier start. The server may have moved. */
  #rediscover(): void {
    const request = this.#retry;
    this.#retry = undefined;
    request?.().then(
      (endpoints) => {
        if (!this.#isReleased) this.driver.endpoints = endpoints;
      },
      // Then they stay as they are: that nobody can be reached has just been told of.
      () => {},
    );
  }

  /** Reports the code unless it is the one reported last. One from before a restart may have expired: a new one follows. */
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
    // This driver is about to be given up.
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

  /** Something is under way that would be lost: the answer to a refresh may bring the only refresh token there is. */
  #isBusy(): boolean {
    // Nothing has been begun: what another program is at work on is that one's.
    if (this.#isWaiting) return false;
    const { state, inFlight } = this.driver.device;
    const isRefreshing = state === State.REFRESHING && inFlight === 1;
    const { stored } = this.settings;
    if (stored?.isBusy && !stored.isReading) return true;
    // Records that are only read are none the worse for it.
    return isRefreshing || (state !== State.STARTING && this.watch.isAtStorage(this.driver));
  }
}

/** A server may send the address as one types it. Programs link to it (RFC 8628 §3.2 asks for a URI). */
function withScheme(address: string): string {
  return /^https?:/i.test(address) ? address : `https://${address}`;
}

/** What the records said has led to nothing. */
function isAtEnd(state: State): boolean {
  return state === State.FAILED || isWithoutSession(state);
}

/** Nothing is under way that changes the records, and nobody is being asked to sign in. */
function isAtRest({ state, inFlight, job, storageCommand }: Device): boolean {
  const isPrompting = state === State.REQUESTING || state === State.PENDING;
  return !isPrompting && inFlight === 0 && job === 0 && storageCommand === 0;
}

/** Nothing is kept that could become a session without the user. */
export function isWithoutSession(state: State): boolean {
  return state === State.SIGNED_OUT || state === State.REQUESTING || state === State.PENDING;
}

/** There is no session, and nobody can be asked for one. */
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
