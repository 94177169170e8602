// Carries out the core's commands with the five adapters: the event loop of a JavaScript host. A host in C drives the
// core directly (core/SPEC.md).

import type * as complete from "../core/complete.ts";
import { Command, ErrorCode, State } from "../core/index.ts";
import type { Platform } from "./contracts.ts";
import { Commands } from "./driver/commands.ts";
import type { Endpoints } from "./driver/endpoints.ts";
import type { Core, DriverOptions } from "./driver/options.ts";
import { accessTokenOf } from "./driver/requests.ts";
import { Faults, isThenable, nothing } from "./exchange/callbacks.ts";
import { type StepUp, stepUpIn } from "./exchange/step-up.ts";

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
  readonly #platform: Platform;
  readonly #options: DriverOptions;
  /** @internal */
  readonly commands: Commands;
  #lastMs = 0;
  #running = false;
  /** A driver starts once. After a restart, a new driver reads the records. */
  #lifetime: "new" | "started" | "stopped" = "new";
  readonly #faults: Faults;
  #nowMs = 0;
  #wakeMs = 0;
  // Created once: a poll must not allocate.
  readonly #ring = (): void => this.run();
  readonly #readClock = (): void => {
    this.#nowMs = this.#platform.timers.now();
  };
  readonly #setAlarm = (): unknown => {
    const wakeMs = Math.min(this.#wakeMs, this.#options.wakeInMs?.() ?? this.#wakeMs);
    return this.#platform.timers.alarm(Math.max(0, wakeMs), this.#ring);
  };
  readonly #reportChange = (): unknown => {
    this.#options.log?.look(this.device);
    return this.#options.onChange?.();
  };

  constructor(options: DriverOptions) {
    const { core, platform, log } = options;
    this.#options = options;
    this.#faults = new Faults(options.onError);
    this.core = core;
    this.#platform = platform;
    log?.begin(platform.timers);
    this.commands = new Commands(options, {
      report: (event) => this.#report(event),
      handOn: (...part) => this.#guard(() => options.onApiBody?.(...part)),
      fault: (error, giveUp) => this.#fault(error, giveUp),
    });
    this.device = this.commands.device;
  }

  /** The core's memory: `device.start` has the positions of fields and tokens. Read-only. */
  get memory(): Uint8Array {
    return this.commands.memory;
  }

  get endpoints(): Endpoints {
    return this.commands.endpoints;
  }

  /** Discovery replaces them as a whole. @throws TypeError that names the invalid endpoint */
  set endpoints(endpoints: Endpoints) {
    this.commands.endpoints = endpoints;
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
    this.commands.abort();
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
    return isRequired ? stepUpIn(this.commands.challenge) : undefined;
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

  /** Reports an adapter's event to the core. Never throws into the adapter's code. */
  #report(event: () => void): void {
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
    this.#report(giveUp);
  }

  /** An adapter that throws or rejects has failed: the core must receive that, or it would wait forever. */
  #perform(command: Command): void {
    if (command === Command.NONE) return;
    const commands = this.commands;
    commands.giveUp = nothing;
    try {
      const result = commands.carryOut(command);
      if (isThenable(result)) this.#await(result);
    } catch (error) {
      this.#faults.hold(error);
      commands.giveUp();
    }
  }

  /** Not part of what polls call: a function that contains another one allocates even if it is not reached. */
  #await(result: PromiseLike<unknown>): void {
    result.then(undefined, (error) => this.#fault(error, nothing));
  }
}
