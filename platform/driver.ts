// Carries out the core's commands on the five adapters: the loop that a host written in JavaScript
// would otherwise write itself. A host in C does the same with the core directly (core/SPEC.md).

import type * as complete from "../core/complete.ts";
import { Command, Endpoint, Region, State } from "../core/index.ts";
import type { Http, HttpSink, Platform } from "./contracts.ts";
import { AnswerSink } from "./driver/answer-sink.ts";
import { makeDevice } from "./driver/device.ts";
import { addressOf, checkEndpoints, type Endpoints } from "./driver/endpoints.ts";
import { checkHeaders } from "./driver/headers.ts";
import { type Core, type DriverOptions, MEMORY_BYTES_DEFAULT } from "./driver/options.ts";
import { accessTokenOf, Requests, secretsOf } from "./driver/requests.ts";
import { type Allowed, LookedAtHttp } from "./last-look.ts";

// What one needs for adapters of one's own comes from the same place.
export type {
  Bytes,
  Display,
  Entropy,
  Header,
  Http,
  HttpRequest,
  HttpSink,
  Platform,
  Storage,
  Timers,
  TransportFailure,
} from "./contracts.ts";
export { type Endpoints, noEndpoints } from "./driver/endpoints.ts";
export type { HostHeaders } from "./driver/headers.ts";
export {
  type Core,
  type DriverConfig,
  type DriverOptions,
  MEMORY_BYTES_DEFAULT,
  type Translate,
} from "./driver/options.ts";
export { retryAfterSeconds } from "./retry-after.ts";

/** Commands in one go: more means that something feeds on itself. */
const COMMANDS_MAX = 256;

/**
 * A device on its platform. Nothing happens before `start`, and nothing after `stop`.
 *
 * Adapters must not throw for what the world did (contracts.ts). Where one throws all the same, the driver takes it
 * for a failure of what it was asked to do, goes on, and lets the error reach whoever called: a timer or callback of
 * the platform, which shows it as it shows any fault of a program.
 * @throws RangeError where the memory is too small for the configuration, or the storage for the records
 * @throws TypeError that names the endpoint or the header that is wrong
 */
export class Driver {
  /** The core that was given. */
  readonly core: Core;
  /** The core's state, to look at (memory.ts says what the properties mean). */
  readonly device: complete.Device;
  /** The core's memory: fields and tokens lie in it where `device.start` says. Not to be written. */
  readonly memory: Uint8Array;
  #addresses: Endpoints;
  readonly #platform: Platform;
  readonly #http: Http;
  readonly #lookedAt: LookedAtHttp;
  readonly #options: DriverOptions;
  readonly #requests: Requests;
  #lastMs = 0;
  #running = false;
  /** A driver starts once: a device that comes back is a new one, which reads its records. */
  #life: "new" | "started" | "stopped" = "new";
  /** What an adapter has thrown, until it is handed on. */
  #thrown: unknown[] = [];
  /**
   * Two exchanges take turns: what a broken adapter reports a second time then finds its exchange closed.
   */
  #exchange: AnswerSink;
  #exchangeBefore: AnswerSink;
  readonly #ring = (): void => this.run();
  readonly #stored = (result: number): void => {
    if (this.#life !== "started") return;
    this.run();
    this.core.storageDone(this.device, result);
    this.run();
  };
  readonly #written = (ok: boolean): void => this.#stored(ok ? 1 : 0);

  constructor(options: DriverOptions) {
    this.#options = options;
    this.core = options.core;
    this.#platform = options.platform;
    checkHeaders(options.headers);
    checkEndpoints(options.endpoints, options.allowHttp);
    this.#addresses = options.endpoints;
    this.memory = new Uint8Array(options.memoryBytes ?? MEMORY_BYTES_DEFAULT);
    this.device = makeDevice(options, this.memory);
    this.#requests = new Requests(this.device, this.memory, options);
    this.#exchange = this.#newExchange();
    this.#exchangeBefore = this.#newExchange();
    const { clientId, clientSecret, scope } = options.config;
    const accessToken = (): string => accessTokenOf(this.device, this.memory);
    this.#lookedAt = new LookedAtHttp(this.#platform.http, (address) => this.#allowed(address));
    this.#http =
      options.translate?.(this.#lookedAt, { clientId, clientSecret, scope, accessToken }) ??
      this.#lookedAt;
  }

  /** Where requests go. */
  get endpoints(): Endpoints {
    return this.#addresses;
  }

  /** Replaced as a whole by discovery. @throws TypeError that names the endpoint that is wrong */
  set endpoints(endpoints: Endpoints) {
    checkEndpoints(endpoints, this.#options.allowHttp);
    this.#addresses = endpoints;
  }

  /**
   * Reads the records back and goes on from there.
   * @throws Error where it has been called before
   */
  start(): void {
    if (this.#life !== "new") throw new Error("a driver starts once; make a new one");
    this.#life = "started";
    this.#lastMs = this.#platform.timers.now();
    this.run();
  }

  /**
   * Stops at once, as a loss of power would, for good; the storage is left as it is. What is asked of the driver
   * afterwards has no effect.
   */
  stop(): void {
    this.#life = "stopped";
    this.#platform.timers.cancel();
    this.#http.abort();
  }

  /** Asks for a code, or for a new one (core: signIn). */
  signIn(): void {
    this.happen(() => this.core.signIn(this.device));
  }

  /** Gives up the attempt to sign in (core: cancel). */
  cancel(): void {
    this.happen(() => this.core.cancel(this.device));
  }

  /** Revokes and wipes the tokens (core: signOut). */
  signOut(): void {
    this.happen(() => this.core.signOut(this.device));
  }

  /** Sets the application's line below "Signed in", printable ASCII. */
  setStatus(text: string): void {
    const bytes = Array.from(text, (character) => character.charCodeAt(0));
    this.happen(() => this.core.setStatus(this.device, bytes, 0, bytes.length));
  }

  /** The access token as it is now, "" where there is none that can be used. */
  get accessToken(): string {
    const { state, accessLifeS } = this.device;
    const isUsable = state === State.SIGNED_IN && accessLifeS > 0;
    return isUsable ? accessTokenOf(this.device, this.memory) : "";
  }

  /** An answer of 401 to a request made with the access token: it is refreshed (core: accessTokenRefused). */
  accessTokenRefused(): void {
    this.happen(() => this.core.accessTokenRefused(this.device));
  }

  /** Whether there are tokens, the access token being refreshed included. */
  get isSignedIn(): boolean {
    return this.device.state === State.SIGNED_IN || this.device.state === State.REFRESHING;
  }

  /**
   * Tells the core of something that happened. The time until now passes first: a wait that the event
   * starts (the interval to the next poll) must not be shortened by what came before it.
   */
  happen(event: () => void): void {
    if (this.#life === "stopped") return;
    this.run();
    event();
    this.run();
  }

  /** Lets the core work until it has nothing to do, then sleeps. Called from every callback. */
  run(): void {
    // A callback from within a command: the loop below is still going and takes it up.
    if (this.#running || this.#life !== "started") return;
    this.#running = true;
    try {
      const now = this.#platform.timers.now();
      // Timers may wrap at 2^32.
      let command = this.core.tick(this.device, Math.min((now - this.#lastMs) >>> 0, 134217727));
      this.#lastMs = now;
      for (let count = 0; command !== Command.NONE && this.#life === "started"; count++) {
        if (count > COMMANDS_MAX) throw new Error("the core does not come to rest");
        this.#perform(command);
        command = this.core.tick(this.device, 0);
      }
    } finally {
      this.#running = false;
    }
    if (this.#life !== "started") return;
    this.#platform.timers.alarm(this.core.wakeIn(this.device), this.#ring);
    if (this.#thrown.length > 0) throw this.#thrown.shift();
    this.#options.onChange?.();
  }

  #perform(command: Command): void {
    try {
      this.#carryOut(command);
    } catch (error) {
      this.#thrown.push(error);
      this.#giveUp(command);
    }
  }

  /** An adapter threw instead of reporting: the core hears of a failure, or it would wait for ever. */
  #giveUp(command: Command): void {
    const { core, device } = this;
    if (command === Command.SEND) this.#exchange.failed("unreachable");
    else if (command === Command.LOAD) core.storageDone(device, -1);
    else if (command === Command.STORE || command === Command.ERASE) core.storageDone(device, 0);
    else if (command === Command.VERIFY) core.eventVerified?.(device, device.requestId, 0);
  }

  #carryOut(command: Command): void {
    const { device, memory } = this;
    const platform = this.#platform;
    const from = device.data;
    const to = from + device.dataLength;
    switch (command) {
      case Command.SEND:
        this.#send();
        break;
      case Command.ABORT:
        this.#http.abort();
        break;
      case Command.SHOW:
        platform.display.show(memory, device.start[Region.FRAME]!);
        break;
      case Command.LOAD:
        platform.storage.read(device.slot, memory, from, to, this.#stored);
        break;
      case Command.STORE:
        platform.storage.write(device.slot, memory, from, to, this.#written);
        break;
      case Command.ERASE:
        platform.storage.erase(device.slot, this.#written);
        break;
      case Command.VERIFY:
        this.core.eventVerified?.(
          device,
          device.requestId,
          this.#options.verifyEvent?.(memory, from, to) === true ? 1 : 0,
        );
        break;
      default:
        throw new Error(`unknown command ${command}`);
    }
  }

  #newExchange(): AnswerSink {
    return new AnswerSink(this, this.#options.onApiBody);
  }

  /** The exchange for the next request. One that never ended belongs to an aborted request for good. */
  #nextExchange(): AnswerSink {
    const next = this.#exchangeBefore.isOpen ? this.#newExchange() : this.#exchangeBefore;
    this.#exchangeBefore = this.#exchange;
    this.#exchange = next;
    next.begin(this.device.requestId);
    return next;
  }

  /** What goes for the request that the core wants sent now, which is meant for `address`. */
  #allowed(address: string): Allowed {
    const { allowHttp = false, config } = this.#options;
    // The documents' own revocation has the token in its query (core/SPEC.md): said here, and nowhere else.
    const mayHoldToken = this.device.endpoint === Endpoint.REVOCATION;
    const tokens = mayHoldToken ? [] : secretsOf(this.device, this.memory);
    return { address, allowHttp, secrets: [config.clientSecret, ...tokens] };
  }

  #send(): void {
    const { endpoint } = this.device;
    const exchange = this.#nextExchange();
    const address = addressOf(this.#addresses, endpoint);
    if (!address) {
      unaddressed(endpoint, exchange);
      return;
    }
    this.#requests.write(exchange.request, address);
    this.#lookedAt.address = address;
    this.#http.send(exchange.request, exchange);
  }
}

/** Without an address there is nothing to ask: not reachable, but for a server that revokes nothing. */
function unaddressed(endpoint: Endpoint, sink: HttpSink): void {
  if (endpoint !== Endpoint.REVOCATION) {
    sink.failed("unreachable");
    return;
  }
  sink.status(200, -1);
  sink.end();
}
