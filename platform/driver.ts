// Carries out the core's commands on the five adapters: the loop that a host written in JavaScript
// would otherwise write itself. A host in C does the same with the core directly (core/SPEC.md).

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
  newRequest,
  Requests,
  type ReusedRequest,
  secretsOf,
} from "./driver/requests.ts";
import { Responses } from "./driver/responses.ts";
import { AdapterPort } from "./exchange/adapter-port.ts";
import { BodyForm } from "./exchange/body-form.ts";
import { Faults, isThenable, nothing, operate } from "./exchange/callbacks.ts";
import { type Below, connect, inOrder } from "./exchange/filter.ts";
import { type Allowed, LeakGuard } from "./exchange/leak-guard.ts";
import { type StepUp, stepUpIn } from "./exchange/step-up.ts";
import { asciiOf } from "./text/text.ts";

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
export type { Pkce } from "./driver/code-challenges.ts";
export { type Endpoints, noEndpoints } from "./driver/endpoints.ts";
export type { HostHeaders } from "./driver/headers.ts";
export {
  type Core,
  type DriverConfig,
  type DriverOptions,
  MEMORY_BYTES_DEFAULT,
  type Translate,
} from "./driver/options.ts";
export type { DriverLog } from "./exchange/log.ts";
export { retryAfterSeconds } from "./exchange/retry-after.ts";
export type { StepUp } from "./exchange/step-up.ts";

/** Commands in one go: more means that something feeds on itself. */
const COMMANDS_MAX = 256;

/**
 * A device on its platform. Nothing happens before `start`, and nothing after `stop`.
 *
 * The core hears first: what happened is told to it before any callback runs, and whatever an adapter or a callback
 * throws, or rejects with, is kept until the core has heard. It then goes to `onError`. Without one it is thrown to
 * whoever called the driver, or by the next alarm; never out of a callback that was given to an adapter. What an
 * adapter was asked for when it threw counts as failed.
 * @throws RangeError where the memory is too small for the configuration, or the storage for the records
 * @throws TypeError that names the endpoint or the header that is wrong
 */
export class Driver {
  /** The core that was given. */
  readonly core: Core;
  /** The core's state, to look at (memory.ts says what the properties mean). */
  readonly device: complete.Device;
  /** The core's memory: fields and tokens lie in it where `device.start` says. Not to be written. */
  memory: Uint8Array;
  /** @internal See stepUp. */
  challenge = "";
  #addresses: Endpoints;
  readonly #platform: Platform;
  readonly #storage: Storage;
  /** Where requests go in; their answers come out at `#answers`. */
  readonly #exchange: Below;
  readonly #responses: Responses;
  readonly #look: LeakGuard;
  readonly #options: DriverOptions;
  readonly #requests: Requests;
  #lastMs = 0;
  #running = false;
  /** A driver starts once: a device that comes back is a new one, which reads its records. */
  #lifetime: "new" | "started" | "stopped" = "new";
  readonly #faults: Faults;
  /** Of polls, which must make no object. */
  readonly #pollRequest: ReusedRequest;
  /** Tells the core that the adapter at work has failed. */
  #giveUp: () => void = nothing;
  #nowMs = 0;
  #wakeMs = 0;
  #storageOperations = 0;
  // Made once: a poll must make no object.
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
   * @internal Sees that values of an answer or a record fit, as far as the memory may grow. Not while the core reads an
   * answer, of which it knows the places.
   */
  makeRoom(values: Values): void {
    const { growsTo = 0 } = this.#options;
    while (this.memory.length < growsTo && !hasCapacity(this.device, values)) {
      this.memory = new Uint8Array(Math.min(2 * this.memory.length, growsTo));
      moveDevice(this.device, makeDevice(this.#options, this.memory));
    }
  }

  /** @internal How many operations storage has been asked for: one that follows on another of its kind is another. */
  get storageOperations(): number {
    return this.#storageOperations;
  }

  /** Where requests go. */
  get endpoints(): Endpoints {
    return this.#addresses;
  }

  /** Replaced as a whole by discovery. @throws TypeError that names the endpoint that is wrong */
  set endpoints(endpoints: Endpoints) {
    checkEndpoints(endpoints, this.#options.allowHttp);
    this.#addresses = endpoints;
    this.core.setEndpoints(this.device, endpointMask(endpoints));
  }

  /**
   * Reads the records back and goes on from there.
   * @throws Error where it has been called before
   */
  start(): void {
    if (this.#lifetime !== "new") throw new Error("a driver starts once; make a new one");
    this.#lifetime = "started";
    this.#lastMs = this.#platform.timers.now();
    this.run();
  }

  /**
   * Stops at once, as a loss of power would, for good; the storage is left as it is. What is asked of the driver
   * afterwards has no effect.
   */
  stop(): void {
    if (this.#lifetime === "stopped") return;
    this.#lifetime = "stopped";
    this.#guard(() => this.#platform.timers.cancel());
    this.#exchange.abort();
    this.#faults.report();
    this.#faults.throwFirst();
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
    this.happen(() => this.core.setStatus?.(this.device, bytes, 0, bytes.length));
  }

  /** The access token as it is now, "" where there is none that can be used. */
  get accessToken(): string {
    const { state, accessLifetimeS } = this.device;
    // The device hears of time when it wakes, which may be late.
    const isUsable = state === State.SIGNED_IN && accessLifetimeS > this.unreportedS;
    return isUsable ? accessTokenOf(this.device, this.memory) : "";
  }

  /** Whole seconds that have gone by since the device was last told of any: its lifetimes are from then. */
  get unreportedS(): number {
    return Math.floor(((this.#platform.timers.now() - this.#lastMs) >>> 0) / 1000);
  }

  /**
   * What the API of the last call wants of a sign-in (RFC 9470), undefined where nothing: `acr_values` and `max_age` for
   * the `deviceParameters` of a new one. The call ends with INTERACTION_REQUIRED then: no token is refreshed for it.
   */
  get stepUp(): StepUp | undefined {
    const isRequired = this.device.callError === ErrorCode.INTERACTION_REQUIRED;
    return isRequired ? stepUpIn(this.challenge) : undefined;
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
   * Tells the core of something that the program asks for, then does what the core wants done.
   * @throws what `event` throws; without `onError` also what an adapter or a callback has thrown meanwhile
   */
  happen(event: () => void): void {
    this.#receive(event, true);
    // From within a command: who carries that out throws it.
    if (!this.#running) this.#faults.throwFirst();
  }

  /** What waits for its time (records that could not be written, or erased) is tried at once: before an end. */
  tryNow(): void {
    this.happen(() => this.#perform(this.core.tick(this.device, this.device.waitMs)));
  }

  /** Lets the core work until it has nothing to do, then sleeps. Called by the alarm. */
  run(): void {
    this.happen(nothing);
  }

  /** @internal Tells the core of what an adapter reports. Never throws: the adapter's code is no place for others' faults. */
  report(event: () => void): void {
    try {
      this.#receive(event, false);
    } catch (error) {
      this.#faults.hold(error);
      // The core has thrown, which it should not: that is told, and the next alarm is set.
      if (!this.#running) this.#rest(false);
    }
  }

  /** @param throws whether the caller is then handed what was thrown */
  #receive(event: () => void, throws: boolean): void {
    if (this.#lifetime === "stopped") return;
    // From within a command: the loop below is still going and takes it up.
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
   * The time until now passes first: a wait that the event starts (the interval to the next poll) must not be shortened
   * by what came before it. The core may want something done for it, which cannot wait until it has heard the event.
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

  /** Carries out commands until there are none. */
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

  /** The core has heard and has nothing to do: tells the program, then sleeps. */
  #rest(throws: boolean): void {
    if (this.#lifetime !== "started") return;
    this.#guard(this.#reportChange);
    this.#faults.report();
    if (!this.#isStarted()) return;
    // Without `onError` the alarm is what throws.
    this.#wakeMs = this.#faults.count > (throws ? 1 : 0) ? 0 : this.core.wakeIn(this.device);
    this.#guard(this.#setAlarm);
    this.#faults.report();
  }

  #isStarted(): boolean {
    return this.#lifetime === "started";
  }

  /** @internal Hands a piece of an API's answer to the program. */
  handOn(bytes: Bytes, from: number, to: number): void {
    this.#guard(() => this.#options.onApiBody?.(bytes, from, to));
  }

  /** Calls what is not ours. A promise that it gives may be rejected later. */
  #guard(call: () => unknown): void {
    try {
      const result = call();
      if (isThenable(result)) this.#await(result);
    } catch (error) {
      this.#faults.hold(error);
    }
  }

  /** Somebody else's code has failed. @param giveUp tells the core what has come to nothing with it */
  #fault(error: unknown, giveUp: () => void): void {
    this.#faults.hold(error);
    this.report(giveUp);
  }

  /** What throws, or rejects, has failed: the core hears so, or it would wait for ever. */
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

  /** Apart from what polls call: a function that makes another costs memory even where it does not. */
  #await(result: PromiseLike<unknown>): void {
    result.then(undefined, (error) => this.#fault(error, nothing));
  }

  /** @returns what the adapter returned: a promise, where it is written with `async` */
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
    // Whatever length a record has: the memory grows for it.
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

  /** @returns the length of a record that lies where the core reads it then, 0 for none, -1 where no room can be made */
  #take(record: Uint8Array, length: number): number {
    const text = asciiOf(record, 0, length);
    // A code's has an address in it, whose room grows once.
    const address = record[0] === RecordKind.CODE ? text.slice(0, Limit.LONG_URI_MAX) : "";
    this.makeRoom({ refresh_token: text, verification_uri: address });
    const { start, capacity } = this.device;
    if (length > capacity[Region.OUTPUT]!) return -1;
    for (let at = 0; at < length; at++) this.memory[start[Region.OUTPUT]! + at] = record[at]!;
    record.fill(0);
    return length;
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
