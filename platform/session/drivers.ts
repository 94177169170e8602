import {
  accessTokenRefused,
  cancel,
  configError,
  create,
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
import type { Platform, Storage } from "../contracts.ts";
import { fieldOf, secretsOf } from "../driver/requests.ts";
import { type Core, Driver, type DriverOptions } from "../driver.ts";
import { ResponseRecorder } from "../exchange/response-recorder.ts";
import type { FetchSettings } from "./fetch.ts";
import { isAtEnd, isPrompting, type LifeCycle } from "./life-cycle.ts";
import type { SharedRecords } from "./shared-records.ts";
import { adapterFailed, type SignInError } from "./sign-in-error.ts";
import { IssuedTokens, type IssuedTokensSettings } from "./token-cache.ts";

/** Each function is imported by name, so that bundlers drop unused functions. */
const core: Core = {
  ...{ create, configError, release, tick, wakeIn, setEndpoints, storageDone },
  ...{ responseStart, responseBody, responseEnd, responseFailed, outcome },
  ...{ signIn, cancel, signOut, accessTokenRefused },
};

export type SessionSettings = ServerSettings &
  FetchSettings &
  Omit<IssuedTokensSettings, "scope"> &
  Pick<DriverOptions, "log"> & {
    /** Keeps the process alive until the returned function is called. */
    readonly keepAlive?: () => () => void;
  };

/** The initial memory of a session, without the texts of its configuration. Enough for most tokens. */
const BEGIN_BYTES = 8192;

export interface DriversOwner {
  readonly life: LifeCycle;
  readonly mayPrompt: boolean;
  /** Called after every possible change of the device's state. */
  changed(): void;
  readonly report: (trouble: SignInError) => void;
  /** Returns the milliseconds until `changed` must be called at the latest. */
  wakeInMs(): number;
}

/** Creates the drivers of a session. When another program has changed the records, a new driver reads them. */
export class Drivers {
  readonly recorder = new ResponseRecorder(
    () => this.current.device.endpoint,
    () => this.#secrets(),
    (members) => {
      this.current.run();
      this.current.commands.makeRoom(members);
    },
  );
  readonly tokens: IssuedTokens;
  current: Driver;
  storage!: Storage;
  #isStale = false;
  readonly #platform: Platform;
  readonly #settings: SessionSettings;
  readonly #owner: DriversOwner;
  /** Whether a request for the metadata is in flight, or has succeeded since the server's last usable response. */
  isRediscovered = false;
  rediscovery: AbortController | undefined;

  /** @throws CapacityError; TypeError that names the invalid endpoint or header */
  constructor(platform: Platform, settings: SessionSettings, owner: DriversOwner) {
    this.#platform = platform;
    this.#settings = settings;
    this.#owner = owner;
    const { config, keys, shared, stored } = settings;
    this.tokens = new IssuedTokens({ scope: config.scope, keys, shared, stored }, this);
    if (stored) stored.onRest = () => this.#changed();
    this.current = this.#newDriver(settings.endpoints);
  }

  start(): void {
    this.tokens.read();
    // A storage that calls back at once may already have ended the session.
    if (this.#owner.life.phase !== "released") this.current.start();
  }

  #newDriver(endpoints: DriverOptions["endpoints"]): Driver {
    const settings = this.#settings;
    const { memoryBytes = BEGIN_BYTES } = settings;
    const owner = this.#owner;
    const autoStart = owner.mayPrompt && owner.life.isSigningIn ? settings.config.autoStart : 0;
    const { storage, lock }: Partial<ReturnType<SharedRecords["between"]>> =
      settings.shared?.between({
        device: () => this.current.device,
        onStale: () => this.#replaceDriver(),
        isLasting: () => this.tokens.isLasting,
        report: owner.report,
      }) ?? {};
    this.storage = storage ?? this.#platform.storage;
    const { deviceParameters, tokenParameters, clientId, clientSecret, scope } = settings.config;
    const texts = [deviceParameters, tokenParameters, clientId, clientSecret, scope].join("");
    return new Driver({
      core,
      ...settings,
      memoryBytes: Math.min(memoryBytes, BEGIN_BYTES + 3 * texts.length),
      growsTo: memoryBytes,
      platform: { ...this.#platform, storage: this.storage },
      endpoints,
      config: { ...settings.config, autoStart },
      filters: { known: this.tokens.filter, lock, recorder: this.recorder },
      onChange: () => this.#changed(),
      onError: (error) => owner.report(adapterFailed(error)),
      wakeInMs: () => (this.#isStale ? Number.POSITIVE_INFINITY : owner.wakeInMs()),
    });
  }

  #changed(): void {
    const isOutdated = isAtEnd(this.current.device.state) && this.replaceIfStale();
    if (!this.#isStale && !isOutdated) this.#owner.changed();
  }

  /** If another program has changed the records, replaces the driver soon. @returns whether they were changed */
  replaceIfStale(): boolean {
    const isStale = this.#settings.shared?.isCurrent === false;
    if (isStale) this.#replaceDriver();
    return isStale;
  }

  #secrets(): readonly string[] {
    const { device, memory } = this.current;
    const { config, headers, keys } = this.#settings;
    const given = (headers?.grant ?? []).map(([, value]) => value);
    const own = [config.clientSecret, fieldOf(device, memory, Field.USER_CODE)];
    return [...own, ...given, ...(keys?.sent ?? []), ...secretsOf(device, memory)];
  }

  /** Replaces the driver after the current command has ended. */
  #replaceDriver(): void {
    if (this.#isStale) return;
    this.#isStale = true;
    queueMicrotask(() => {
      const { life } = this.#owner;
      this.#isStale = false;
      if (life.phase === "released") return;
      life.move("recordsChanged");
      this.#settings.shared?.leave();
      const { endpoints } = this.current;
      this.current.stop();
      this.tokens.discard(life.isSigningIn);
      this.current = this.#newDriver(endpoints);
      this.start();
    });
  }

  /**
   * Requests the metadata after a failed request, because the endpoints may have moved. In a series of failures, this
   * is repeated until the metadata have arrived once. If the sign-in has ended, the next start uses the metadata.
   */
  rediscoverAfter({ response }: SignInError): void {
    const { rediscover } = this.#settings;
    if (response === undefined || rediscover === undefined || this.isRediscovered) return;
    this.isRediscovered = true;
    this.rediscovery?.abort();
    const own = new AbortController();
    this.rediscovery = own;
    const use = (endpoints: DriverOptions["endpoints"]): void => {
      if (this.#owner.life.phase !== "released") this.current.endpoints = endpoints;
    };
    rediscover(own.signal).then(use, () => {
      if (this.rediscovery === own) this.isRediscovered = false;
    });
  }

  /** Retries a failed write or erase before the session ends. */
  tryAtLast(): void {
    const { notSaved, notErased, state } = this.current.device;
    // A poll or a revocation would come too early. A refresh does too, but no other step saves the tokens.
    const mayRetry = !isPrompting(state) && state !== State.REVOKING;
    if ((notSaved || notErased) && mayRetry) this.current.tryNow();
    else this.current.run();
  }
}
