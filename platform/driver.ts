// Carries out the core's commands with the five adapters: the event loop of a JavaScript host. A host in C drives the
// core directly (core/SPEC.md).

import type * as complete from "../core/complete.ts";
import { Limit } from "../core/device/limits.ts";
import { Command, Endpoint, ErrorCode, Region, State } from "../core/index.ts";
import { RecordKind } from "../core/records/token-record.ts";
import type { Bytes, Platform, Storage } from "./contracts.ts";
import { makeChallenge } from "./driver/code-challenges.ts";
import { hasCapacity, makeDevice, moveDevice, type Values } from "./driver/device.ts";
import { addressOf, checkEndpoints, type Endpoints, endpointMask } from "./driver/endpoints.ts";
import { checkHeaders } from "./driver/headers.ts";
import { type Core, type DriverOptions, MEMORY_BYTES_DEFAULT } from "./driver/options.ts";
import {
  accessTokenOf,
  BodyForm,
  newRequest,
  Requests,
  type ReusedRequest,
  secretsOf,
} from "./driver/requests.ts";
import { Responses } from "./driver/responses.ts";
import { AdapterPort } from "./exchange/adapter-port.ts";
import { Faults, isThenable, nothing, operate } from "./exchange/callbacks.ts";
import { type Below, connect, inOrder } from "./exchange/filter.ts";
import { type Allowed, LeakGuard } from "./exchange/leak-guard.ts";
import { type StepUp, stepUpIn } from "./exchange/step-up.ts";
import { asciiOf } from "./text/text.ts";

// Types for your own adapters come from the same entry.
export type * from "./contracts.ts";
export type { Pkce } from "./driver/code-challenges.ts";
export { type Endpoints, noEndpoints } from "./driver/endpoints.ts";
export type { HostHeaders } from "./driver/headers.ts";
export * from "./driver/options.ts";
export { retryAfterSeconds } from "./exchange/limits.ts";
export type { DriverLog } from "./exchange/log.ts";
export type { StepUp } from "./exchange/step-up.ts";

/** Limit for one run of the loop: more commands would mean an endless loop. */
const COMMANDS_MAX = 256;

/**
 * A device on its platform. It does nothing before `start` and after `stop`.
 *
 * The core receives every event before any callback runs. What an adapter or a callback throws, or rejects with, is
 * held until then and passed to `onError`. Without `onError` it is thrown to the caller of the driver, or by the next
 * alarm, never from a callback that an adapter calls. An operation whose adapter throws has failed.
 * @throws RangeError if the memory is too small for the configuration, or the storage for the records
 * @throws TypeError that names the invalid endpoint or header
 */
export class Driver {
  readonly core: Core;
  /** The core's state, read-only (memory.ts describes its properties). */
  readonly device: complete.Device;
  /** The core's memory: `device.start` has the positions of fields and tokens. Read-only. */
  memory: Uint8Array;
  /** @internal See stepUp. */
  challenge = "";
  #addresses: Endpoints;
  readonly #platform: Platform;
  readonly #storage: Storage;
  /** Requests enter here; their responses arrive at `#responses`. */
  readonly #exchange: Below;
  readonly #responses: Responses;
  readonly #look: LeakGuard;
  readonly #options: DriverOptions;
  readonly #requests: Requests;
  #lastMs = 0;
  #running = false;
  /** A driver starts once. After a restart, a new driver reads the records. */
  #lifetime: "new" | "started" | "stopped" = "new";
  readonly #faults: Faults;
  /** Reused, because a poll must not allocate. */
  readonly #pollRequest: ReusedRequest;
  /** Reports to the core that the current adapter operation has failed. */
  #giveUp: () => void = nothing;
  #nowMs = 0;
  #wakeMs = 0;
  #storageOperations = 0;
  // Created once: a poll must not allocate.
  readonly #ring = (): void => this.run();
  readonly #readClock = (): void => {
    this.#nowMs = this.#platform.timers.now();
  };
  readonly #setAlarm = (): unknown => {
    const wakeMs = Math.min(this.#wakeMs, this.#options.wakeInMs?.() ?? this.#wakeMs);
    return this.#platform.timers.alarm(Math.max(0, wakeMs), this.#ring);
  };
  readonly #unverified = (): void =>
    this.core.eventVerified?.(this.device, this.device.requestId, 0);
  readonly #unchallenged = (): void => this.core.storageDone(this.device, 0);
  readonly #reportChange = (): unknown => {
    this.#options.log?.look(this.device);
    return this.#options.onChange?.();
  };

  constructor(options: DriverOptions) {
    this.#options = options;
    this.#faults = new Faults(options.onError);
    this.core = options.core;
    const { platform, log } = options;
    this.#platform = platform;
    log?.begin(platform.timers);
    this.#storage = log?.around(platform.storage) ?? platform.storage;
    checkHeaders(options.headers);
    checkEndpoints(options.endpoints, options.allowHttp);
    this.#addresses = options.endpoints;
    this.memory = new Uint8Array(options.memoryBytes ?? MEMORY_BYTES_DEFAULT);
    this.device = makeDevice(options, this.memory);
    this.core.setEndpoints(this.device, endpointMask(options.endpoints));
    this.#requests = new Requests(this.device, options);
    this.#pollRequest = newRequest(this.memory);
    this.#responses = new Responses(this);
    this.#look = new LeakGuard((address) => this.#allowed(address));
    this.#exchange = this.#pipeline();
  }

  #pipeline(): Below {
    const { platform, config, filters, log, translate } = this.#options;
    const { clientId, clientSecret, scope } = config;
    const accessToken = (): string => accessTokenOf(this.device, this.memory);
    const port = new AdapterPort(platform.http, {
      isPoll: () => this.device.state === State.PENDING,
      fault: (error, giveUp) => this.#fault(error, giveUp),
    });
    const all = inOrder({
      ...filters,
      translation: translate?.({ clientId, clientSecret, scope, accessToken }),
      form: new BodyForm(() => this.device.isJson === 1),
      look: this.#look,
      log: log?.exchange(() => this.device),
    });
    return connect(all, this.#responses, port);
  }

  /**
   * @internal Grows the memory, within its limit, until the values of a response or a record fit. Do not call it while
   * the core reads a response, whose positions it holds.
   */
  makeRoom(values: Values): void {
    const { growsTo = 0 } = this.#options;
    while (this.memory.length < growsTo && !hasCapacity(this.device, values)) {
      this.memory = new Uint8Array(Math.min(2 * this.memory.length, growsTo));
      moveDevice(this.device, makeDevice(this.#options, this.memory));
    }
  }

  /** @internal Number of storage operations so far: distinguishes two successive operations of one kind. */
  get storageOperations(): number {
    return this.#storageOperations;
  }

  get endpoints(): Endpoints {
    return this.#addresses;
  }

  /** Discovery replaces them as a whole. @throws TypeError that names the invalid endpoint */
  set endpoints(endpoints: Endpoints) {
    checkEndpoints(endpoints, this.#options.allowHttp);
    this.#addresses = endpoints;
    this.core.setEndpoints(this.device, endpointMask(endpoints));
  }

  /**
   * Reads the records and resumes from them.
   * @throws Error if it was called before
   */
  start(): void {
    if (this.#lifetime !== "new") throw new Error("a driver starts once; make a new one");
    this.#lifetime = "started";
    this.#lastMs = this.#platform.timers.now();
    this.run();
  }

  /** Stops at once and for good, like a loss of power; storage stays as it is. Later calls have no effect. */
  stop(): void {
    if (this.#lifetime === "stopped") return;
    this.#lifetime = "stopped";
    this.#guard(() => this.#platform.timers.cancel());
    this.#exchange.abort();
    this.#faults.report();
    this.#faults.throwFirst();
  }

  /** Requests a code, or a new one (core: signIn). */
  signIn(): void {
    this.happen(() => this.core.signIn(this.device));
  }

  /** Cancels the sign-in (core: cancel). */
  cancel(): void {
    this.happen(() => this.core.cancel(this.device));
  }

  /** Revokes and erases the tokens (core: signOut). */
  signOut(): void {
    this.happen(() => this.core.signOut(this.device));
  }

  /** Sets the application's line below "Signed in", printable ASCII. */
  setStatus(text: string): void {
    const bytes = Array.from(text, (character) => character.charCodeAt(0));
    this.happen(() => this.core.setStatus?.(this.device, bytes, 0, bytes.length));
  }

  /** The current access token; "" if there is no valid one. */
  get accessToken(): string {
    const { state, accessLifetimeS } = this.device;
    // The device learns about elapsed time when it wakes, which may be late.
    const isUsable = state === State.SIGNED_IN && accessLifetimeS > this.unreportedS;
    return isUsable ? accessTokenOf(this.device, this.memory) : "";
  }

  /** Whole seconds since time was last reported to the device: its lifetimes count from then. */
  get unreportedS(): number {
    return Math.floor(((this.#platform.timers.now() - this.#lastMs) >>> 0) / 1000);
  }

  /**
   * The stronger sign-in that the API of the last call requires (RFC 9470); undefined if none. Pass `acr_values` and
   * `max_age` to a new sign-in as `deviceParameters`. The call ends with INTERACTION_REQUIRED, and no token is
   * refreshed.
   */
  get stepUp(): StepUp | undefined {
    const isRequired = this.device.callError === ErrorCode.INTERACTION_REQUIRED;
    return isRequired ? stepUpIn(this.challenge) : undefined;
  }

  /** Report a 401 to a request with the access token: the token is refreshed (core: accessTokenRefused). */
  accessTokenRefused(): void {
    this.happen(() => this.core.accessTokenRefused(this.device));
  }

  /** Whether there are tokens, even while the access token is being refreshed. */
  get isSignedIn(): boolean {
    return this.device.state === State.SIGNED_IN || this.device.state === State.REFRESHING;
  }

  /**
   * Passes an event of the program to the core, then carries out the resulting commands.
   * @throws what `event` throws; without `onError` also what an adapter or a callback has thrown meanwhile
   */
  happen(event: () => void): void {
    this.#receive(event, true);
    // Inside a command, the outer loop throws it.
    if (!this.#running) this.#faults.throwFirst();
  }

  /** Retries pending storage operations (writes or erases) at once, before an end. */
  tryNow(): void {
    this.happen(() => this.#perform(this.core.tick(this.device, this.device.waitMs)));
  }

  /** Carries out commands until none is due, then sleeps. The alarm calls it. */
  run(): void {
    this.happen(nothing);
  }

  /** @internal Reports an adapter's event to the core. Never throws into the adapter's code. */
  report(event: () => void): void {
    try {
      this.#receive(event, false);
    } catch (error) {
      this.#faults.hold(error);
      // The core has thrown, which it should not: report it, and set the next alarm.
      if (!this.#running) this.#rest(false);
    }
  }

  /** @param throws whether the caller receives what was thrown */
  #receive(event: () => void, throws: boolean): void {
    if (this.#lifetime === "stopped") return;
    // Called from within a command: the running loop takes it up.
    if (this.#running) {
      event();
      return;
    }
    this.#running = true;
    try {
      this.#passTime();
      event();
      this.#work();
    } finally {
      this.#running = false;
    }
    this.#rest(throws);
  }

  /**
   * Let the elapsed time pass first: a wait that the event starts (the poll interval) must not be shortened by it. The
   * core may have commands due before it can receive the event.
   */
  #passTime(): void {
    if (this.#lifetime !== "started") return;
    this.#nowMs = this.#lastMs;
    this.#guard(this.#readClock);
    // Timers may wrap at 2^32.
    const elapsedMs = Math.min((this.#nowMs - this.#lastMs) >>> 0, 134217727);
    this.#lastMs = this.#nowMs;
    this.#perform(this.core.tick(this.device, elapsedMs));
  }

  #work(): void {
    for (let count = 0; this.#lifetime === "started"; count++) {
      const command = this.core.tick(this.device, 0);
      if (command === Command.NONE) return;
      if (count > COMMANDS_MAX) {
        this.#faults.hold(new Error("the core does not come to rest"));
        return;
      }
      this.#perform(command);
    }
  }

  /** The core has no command left: notify the program, then sleep. */
  #rest(throws: boolean): void {
    if (this.#lifetime !== "started") return;
    this.#guard(this.#reportChange);
    this.#faults.report();
    if (!this.#isStarted()) return;
    // Without `onError`, the alarm throws it.
    this.#wakeMs = this.#faults.count > (throws ? 1 : 0) ? 0 : this.core.wakeIn(this.device);
    this.#guard(this.#setAlarm);
    this.#faults.report();
  }

  #isStarted(): boolean {
    return this.#lifetime === "started";
  }

  /** @internal Passes part of an API's response body to the program. */
  handOn(bytes: Bytes, from: number, to: number): void {
    this.#guard(() => this.#options.onApiBody?.(bytes, from, to));
  }

  /** Calls foreign code. A promise that it returns may reject later. */
  #guard(call: () => unknown): void {
    try {
      const result = call();
      if (isThenable(result)) this.#await(result);
    } catch (error) {
      this.#faults.hold(error);
    }
  }

  /** Foreign code has failed. @param giveUp reports the failed operation to the core */
  #fault(error: unknown, giveUp: () => void): void {
    this.#faults.hold(error);
    this.report(giveUp);
  }

  /** An adapter that throws or rejects has failed: the core must receive that, or it would wait forever. */
  #perform(command: Command): void {
    if (command === Command.NONE) return;
    this.#giveUp = nothing;
    try {
      const result = this.#carryOut(command);
      if (isThenable(result)) this.#await(result);
    } catch (error) {
      this.#faults.hold(error);
      this.#giveUp();
    }
  }

  /** Not part of what polls call: a function that contains another one allocates even if it is not reached. */
  #await(result: PromiseLike<unknown>): void {
    result.then(undefined, (error) => this.#fault(error, nothing));
  }

  /** @returns what the adapter returned, a promise if it is `async` */
  #carryOut(command: Command): unknown {
    const { device, memory } = this;
    const from = device.data;
    const to = from + device.dataLength;
    switch (command) {
      case Command.SEND:
        return this.#send();
      case Command.ABORT:
        return this.#exchange.abort();
      case Command.SHOW:
        return this.#platform.display.show(memory, device.start[Region.FRAME]!);
      case Command.LOAD:
      case Command.STORE:
      case Command.ERASE:
        return this.#store(command, from, to);
      case Command.VERIFY:
        return this.#verify(from, to);
      case Command.CHALLENGE:
        this.#giveUp = this.#unchallenged;
        return this.#challenge(from, to);
      default:
        throw new Error(`unknown command ${command}`);
    }
  }

  #challenge(from: number, to: number): void {
    const { entropy } = this.#platform;
    const broken = (error: unknown): void => this.#fault(error, nothing);
    const isMade = makeChallenge(entropy, this.memory, from, to, broken);
    this.core.storageDone(this.device, isMade ? 1 : 0);
  }

  #verify(from: number, to: number): void {
    const { core, device, memory } = this;
    this.#giveUp = this.#unverified;
    const isTrue = this.#options.verifyEvent?.(memory, from, to) === true;
    core.eventVerified?.(device, device.requestId, isTrue ? 1 : 0);
  }

  #store(command: Command, from: number, to: number): void {
    const { memory } = this;
    const { slot } = this.device;
    const storage = this.#storage;
    const isLoad = command === Command.LOAD;
    // A record of any length: the memory grows to fit it.
    const record = isLoad && this.#options.growsTo && new Uint8Array(storage.capacity);
    this.#storageOperations++;
    operate<number | boolean>(
      (done) => {
        if (record) return storage.read(slot, record, 0, record.length, done);
        if (isLoad) return storage.read(slot, memory, from, to, done);
        if (command === Command.STORE) return storage.write(slot, memory, from, to, done);
        return storage.erase(slot, done);
      },
      isLoad ? -1 : 0,
      (result) =>
        this.report(() => {
          const taken = record ? this.#take(record, Number(result)) : Number(result);
          this.core.storageDone(this.device, taken);
        }),
      (error, giveUp) => this.#fault(error, giveUp),
    );
  }

  /** @returns the length of a record that is now where the core reads it, 0 for none, -1 if it does not fit */
  #take(record: Uint8Array, length: number): number {
    const text = asciiOf(record, 0, length);
    // The record of a code contains a URI, whose capacity grows only once.
    const address = record[0] === RecordKind.CODE ? text.slice(0, Limit.LONG_URI_MAX) : "";
    this.makeRoom({ refresh_token: text, verification_uri: address });
    const { start, capacity } = this.device;
    if (length > capacity[Region.OUTPUT]!) return -1;
    for (let at = 0; at < length; at++) this.memory[start[Region.OUTPUT]! + at] = record[at]!;
    record.fill(0);
    return length;
  }

  /** What the current request may contain, if it is meant for `address`. */
  #allowed(address: string): Allowed {
    const { allowHttp = false, config } = this.#options;
    // The only exception: the specification's own revocation has the token in its query (core/SPEC.md).
    const mayHoldToken = this.device.endpoint === Endpoint.REVOCATION;
    const tokens = mayHoldToken ? [] : secretsOf(this.device, this.memory);
    return { address, allowHttp, secrets: [config.clientSecret, ...tokens] };
  }

  #send(): void {
    const { endpoint, requestId, state } = this.device;
    const responses = this.#responses;
    responses.begin(requestId);
    this.#giveUp = responses.giveUp;
    const request = state === State.PENDING ? this.#pollRequest : newRequest(this.memory);
    const address = addressOf(this.#addresses, endpoint);
    this.#requests.write(request, this.memory, address);
    this.#look.address = address;
    this.#exchange.send(request);
  }
}
