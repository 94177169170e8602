// Carries out the core's commands with the five adapters: the event loop of a JavaScript host. A host in C drives the
// core directly (core/SPEC.md).

import type * as complete from "../core/complete.ts";
import { Command, ErrorCode, State } from "../core/index.ts";
import type { Timers } from "./contracts.ts";
import { Commands } from "./driver/commands.ts";
import type { Endpoints } from "./driver/endpoints.ts";
import type { Core, DriverKeys, DriverOptions } from "./driver/options.ts";
import { accessTokenOf } from "./driver/requests.ts";
import { Faults, isThenable, nothing } from "./exchange/callbacks.ts";
import type { KeySettings } from "./exchange/keys.ts";
import { type StepUp, stepUpIn } from "./exchange/step-up.ts";
import { latinBytesOf } from "./text/text.ts";

// The entry `picogrant/driver` exports the types for your own adapters.
export type * from "./contracts.ts";
export { type Endpoints, noEndpoints } from "./driver/endpoints.ts";
export type { HostHeaders } from "./driver/headers.ts";
export * from "./driver/options.ts";
export type { KeySettings } from "./exchange/keys.ts";
export { retryAfterSeconds } from "./exchange/limits.ts";
export type { DriverLog } from "./exchange/log.ts";
export type { StepUp } from "./exchange/step-up.ts";

/** Returns a value for the option `keys`, which signs requests with a key of the device. Loads the code on demand. */
export const makeKeys = async (settings: KeySettings): Promise<DriverKeys> =>
  new (await import("./exchange/keys.ts")).Keys(settings);

/** The maximum number of commands in one run of the loop. More commands mean an endless loop. */
const COMMANDS_MAX = 256;

/**
 * A device on its platform. The driver carries out commands of the core only between `start` and `stop`.
 *
 * The core receives an event before the program's callbacks run. After them, `onError` receives what adapters and
 * callbacks have thrown or rejected with. Without `onError`, the driver throws these errors to the caller of its
 * functions or from the next alarm, but not from other callbacks. If an adapter throws, its operation has failed.
 * @throws RangeError if the configuration is invalid, or if the memory or the storage is too small
 * @throws TypeError that names the invalid endpoint or header; Error if the core is of another release
 */
export class Driver {
  readonly core: Core;
  /** The core's state, read-only. core/device/memory.ts describes its properties. */
  readonly device: complete.Device;
  readonly #options: DriverOptions;
  readonly #timers: Timers;
  /** @internal */
  readonly commands: Commands;
  #lastMs = 0;
  #running = false;
  /** A driver starts once. After a restart, a new driver reads the records. */
  #lifetime: "new" | "started" | "stopped" = "new";
  readonly #faults: Faults;
  // The alarm's callback, created once because a poll must not allocate.
  readonly #ring = (): void => this.run();
  readonly #now = (): number => this.#timers.now();
  readonly #setAlarm = (): unknown => {
    // If an error must still be thrown, set the alarm to now: it throws the error.
    const coreMs = this.#faults.count > 0 ? 0 : this.core.wakeIn(this.device);
    const wakeMs = Math.min(coreMs, this.#options.wakeInMs?.() ?? coreMs);
    return this.#timers.alarm(Math.max(0, wakeMs), this.#ring);
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
    this.#timers = platform.timers;
    log?.begin(platform.timers);
    this.commands = new Commands(options, {
      report: (event) => this.#report(event),
      handOn: (...part) => this.#guard(() => options.onApiBody?.(...part)),
      fault: (error, giveUp) => this.#fault(error, giveUp),
    });
    this.device = this.commands.device;
  }

  /** The core's memory, read-only. `device.start` has the positions of fields and tokens. */
  get memory(): Uint8Array {
    return this.commands.memory;
  }

  get endpoints(): Endpoints {
    return this.commands.endpoints;
  }

  /** Replaces all addresses, for example after discovery. @throws TypeError that names the invalid endpoint */
  set endpoints(endpoints: Endpoints) {
    this.commands.endpoints = endpoints;
  }

  /** Reads the records and resumes from them. @throws Error if it was called before */
  start(): void {
    if (this.#lifetime !== "new") throw new Error("a driver starts once; make a new one");
    this.#lifetime = "started";
    this.#lastMs = this.#timers.now();
    this.run();
  }

  /** Stops at once and permanently, like a power loss. Later events have no effect. */
  stop(): void {
    if (this.#lifetime === "stopped") return;
    this.#lifetime = "stopped";
    this.#guard(() => this.#timers.cancel());
    this.commands.abort();
    this.#faults.report();
    this.#faults.throwFirst();
  }

  /** Reports that the user signs in (core: signIn). */
  signIn(): void {
    this.happen(() => this.core.signIn(this.device));
  }

  /** Reports that the user cancels (core: cancel). */
  cancel(): void {
    this.happen(() => this.core.cancel(this.device));
  }

  /** Revokes and erases the tokens (core: signOut). */
  signOut(): void {
    this.happen(() => this.core.signOut(this.device));
  }

  /** Sets the application's line below "Signed in", printable ASCII. */
  setStatus(text: string): void {
    const bytes = latinBytesOf(text);
    this.happen(() => this.core.setStatus?.(this.device, bytes, 0, bytes.length));
  }

  /** The current access token; "" if there is no valid token, and during a refresh. */
  get accessToken(): string {
    const { state, accessLifetimeS } = this.device;
    // The core learns the elapsed time only when the driver wakes, so `accessLifetimeS` may be too high.
    const isUsable = state === State.SIGNED_IN && accessLifetimeS > this.unreportedS;
    return isUsable ? accessTokenOf(this.device, this.memory) : "";
  }

  /** Whole seconds that have passed since the driver last reported the time to the core. */
  get unreportedS(): number {
    return Math.floor(((this.#timers.now() - this.#lastMs) >>> 0) / 1000);
  }

  /**
   * If the last call has ended with INTERACTION_REQUIRED: the sign-in that the API requires (RFC 9470), to use as
   * `deviceParameters` of a new sign-in. Otherwise undefined. The access token is not refreshed after such a call.
   */
  get stepUp(): StepUp | undefined {
    const isRequired = this.device.callError === ErrorCode.INTERACTION_REQUIRED;
    return isRequired ? stepUpIn(this.commands.challenge) : undefined;
  }

  /** Reports a 401 to a request with the access token. The device then refreshes it (core: accessTokenRefused). */
  accessTokenRefused(): void {
    this.happen(() => this.core.accessTokenRefused(this.device));
  }

  /** Whether there is a session, even while the access token is being refreshed. */
  get isSignedIn(): boolean {
    return this.device.state === State.SIGNED_IN || this.device.state === State.REFRESHING;
  }

  /**
   * Passes an event of the program to the core, then carries out the resulting commands.
   * @throws what `event` throws; without `onError` also what an adapter or a callback has thrown meanwhile
   */
  happen(event: () => void): void {
    this.#receive(event);
    // During a command, the outer call throws the error.
    if (!this.#running) this.#faults.throwFirst();
  }

  /** Retries pending storage operations (writes or erases) at once. Call it before the program ends. */
  tryNow(): void {
    this.happen(() => this.#perform(this.core.tick(this.device, this.device.waitMs)));
  }

  /** Carries out commands until no command is due, and sets the alarm. The alarm calls this function. */
  run(): void {
    this.happen(nothing);
  }

  /** Reports an adapter's event to the core. Never throws into the adapter's code. */
  #report(event: () => void): void {
    try {
      this.#receive(event);
    } catch (error) {
      this.#faults.hold(error);
      // The core has thrown, which is a bug: report it, and set the next alarm.
      if (!this.#running) this.#rest();
    }
  }

  #receive(event: () => void): void {
    if (this.#lifetime === "stopped") return;
    // If the event occurs during a command, the running loop carries out the resulting commands.
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
    this.#rest();
  }

  /**
   * Reports the elapsed time to the core before an event, and carries out the command that has become due. Otherwise
   * that time would shorten a wait that the event starts, such as the poll interval.
   */
  #passTime(): void {
    if (this.#lifetime !== "started") return;
    const nowMs = this.#guard(this.#now) ?? this.#lastMs;
    // The counter may wrap at 2^32.
    const elapsedMs = Math.min((nowMs - this.#lastMs) >>> 0, 134217727);
    this.#lastMs = nowMs;
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

  /** Called when the core has no command left. Notifies the program, then sets the alarm. */
  #rest(): void {
    if (this.#lifetime !== "started") return;
    this.#guard(this.#reportChange);
    this.#faults.report();
    if (this.#lifetime !== "started") return;
    this.#guard(this.#setAlarm);
    this.#faults.report();
  }

  #guard<T>(call: () => T): T | undefined {
    try {
      const result = call();
      if (isThenable(result)) this.#await(result);
      return result;
    } catch (error) {
      this.#faults.hold(error);
      return undefined;
    }
  }

  #fault(error: unknown, giveUp: () => void): void {
    this.#faults.hold(error);
    this.#report(giveUp);
  }

  /** If an adapter throws, reports to the core that the operation has failed. Otherwise the core would wait forever. */
  #perform(command: Command): void {
    if (command === Command.NONE) return;
    this.commands.giveUp = nothing;
    try {
      const result = this.commands.carryOut(command);
      if (isThenable(result)) this.#await(result);
    } catch (error) {
      this.#faults.hold(error);
      this.commands.giveUp();
    }
  }

  /** A separate method, because `#perform` would allocate in each poll if it contained the closure. */
  #await(result: PromiseLike<unknown>): void {
    result.then(undefined, (error) => this.#fault(error, nothing));
  }
}
