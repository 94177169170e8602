// A program with a session in an environment. The server tracks codes and tokens. Adapters call back asynchronously.

// Load these modules before the tests, because loading takes real time, which the simulated clock does not measure.
import "../../platform/session/claims.ts";
import "../../platform/session/fetch.ts";
import { ClientAuthentication } from "../../core/index.ts";
import type { Platform, Timers } from "../../platform/contracts.ts";
import { SESSION_BYTES } from "../../platform/node/options.ts";
import type { SessionSettings } from "../../platform/session/drivers.ts";
import type { SignInHandlers, VerificationPrompt } from "../../platform/session/handlers.ts";
import { type Session, signInOn } from "../../platform/session/session.ts";
import type { SignInError } from "../../platform/session/sign-in-error.ts";
import { TokenCache } from "../../platform/session/token-cache.ts";
import {
  driverConfig,
  ManualClock,
  MemoryStorage,
  RecordedDisplay,
  SeededEntropy,
} from "../../platform/testing/index.ts";
import { Received } from "../session-model/received-responses.ts";
import { ENDPOINTS, GrantServer, OWN_HEADER } from "../session-model/server.ts";
import { Environment } from "./environment.ts";

export interface Start {
  session: Session | undefined;
  error: unknown;
  isSettled: boolean;
  readonly prompts: VerificationPrompt[];
  readonly troubles: SignInError[];
  readonly ends: SignInError[];
  readonly platform: Platform;
  readonly received: Received;
  isDisposed: boolean;
  readonly alarmMs: () => number | undefined;
}

export class SessionEnvironment extends Environment {
  readonly server: GrantServer;
  capacity: MemoryStorage;
  readonly received: Received[] = [];
  /** The slot with the newest record; undefined if that is uncertain. */
  newest: number | undefined;
  /** The processes since the last power cut, which ends all of them. */
  readonly #runs: { isAlive: boolean }[] = [];

  /** `startMs` is the clock's first value. The clock wraps at 2^32. */
  constructor(startMs = 0) {
    const clock = new ManualClock(startMs);
    const server = new GrantServer(() => clock.elapsedMs);
    const storage = new MemoryStorage({ clock, delayMs: 3, capacity: 65_536 });
    super({ clock, storage, http: { handler: server.handle } });
    this.server = server;
    this.capacity = new MemoryStorage({ clock, delayMs: 3, capacity: 98_304 });
  }

  override restart(): void {
    for (const lifetime of this.#runs.splice(0)) lifetime.isAlive = false;
    super.restart();
    this.capacity = this.capacity.clone();
  }

  start(
    handlers: SignInHandlers = {},
    corrupt: (platform: Platform) => Platform = same,
    more: Partial<SessionSettings> = {},
  ): Start {
    const lifetime = { isAlive: true };
    const timers = this.clock.timers();
    this.#runs.push(lifetime);
    const received = new Received(this.clock, [...this.received]);
    this.received.push(received);
    const { storage: capacity } = this.#whileAlive(lifetime, timers, this.capacity, false);
    const corrupted = corrupt({
      display: new RecordedDisplay(80, 2),
      ...this.#whileAlive(lifetime, timers, this.storage),
      http: this.http,
      entropy: new SeededEntropy(this.clock.elapsedMs + 1),
    });
    const platform = { ...corrupted, http: received.around(corrupted.http) };
    const start: Start = {
      ...{ session: undefined, error: undefined, isSettled: false, isDisposed: false },
      ...{ prompts: [], troubles: [], ends: [], platform, received },
      alarmMs: () => timers.dueMs,
    };
    const { onCode, onTrouble, onEnd } = handlers;
    signInOn(
      platform,
      { ...SETTINGS, stored: new TokenCache(() => capacity), ...more },
      {
        ...handlers,
        onCode: (prompt) => {
          start.prompts.push(prompt);
          return onCode?.(prompt);
        },
        onTrouble: (trouble) => {
          start.troubles.push(trouble);
          return onTrouble?.(trouble);
        },
        onEnd: (error) => {
          start.ends.push(error);
          return onEnd?.(error);
        },
      },
      () => {
        start.isDisposed = true;
      },
    ).then(
      (session) => {
        start.session = session;
        start.isSettled = true;
      },
      (error: unknown) => {
        start.error = error;
        start.isSettled = true;
      },
    );
    return start;
  }

  /** Timers and storage that do not call back into a process that has ended. */
  #whileAlive(
    lifetime: { readonly isAlive: boolean },
    timers: Timers,
    storage: MemoryStorage,
    isRecords = true,
  ): Pick<Platform, "timers" | "storage"> {
    const change = (
      slot: number,
      change: (done: (ok: boolean) => void) => void,
      done: (ok: boolean) => void,
      isWritten: boolean,
    ): void => {
      if (isRecords && this.newest === slot) this.newest = undefined;
      change((ok) => {
        if (isRecords && ok && isWritten) this.newest = slot;
        if (lifetime.isAlive) done(ok);
      });
    };
    const ifAlive =
      <A extends unknown[]>(run: (...args: A) => void) =>
      (...args: A): void => {
        if (lifetime.isAlive) run(...args);
      };
    return {
      timers: {
        now: () => timers.now(),
        alarm: (afterMs, ring) => timers.alarm(afterMs, ifAlive(ring)),
        cancel: () => timers.cancel(),
      },
      storage: {
        capacity: storage.capacity,
        read: (slot, into, from, to, done) => storage.read(slot, into, from, to, ifAlive(done)),
        write: (slot, bytes, from, to, done) =>
          change(slot, (then) => storage.write(slot, bytes, from, to, then), done, true),
        erase: (slot, done) => change(slot, (then) => storage.erase(slot, then), done, false),
        get lastFailure() {
          return (storage as { lastFailure?: string }).lastFailure ?? "";
        },
      },
    };
  }

  get stored(): number {
    return this.storage.peek(0).length + this.storage.peek(1).length;
  }
}

const same = (platform: Platform): Platform => platform;

export const SETTINGS = {
  endpoints: ENDPOINTS,
  memoryBytes: SESSION_BYTES,
  headers: { grant: [OWN_HEADER] },
  config: {
    ...driverConfig,
    ...{ clientId: "program", clientSecret: "client-secret-of-the-program" },
    clientAuthentication: ClientAuthentication.CLIENT_SECRET_BASIC,
    server: "https://login.example.com",
    scope: "video",
    autoStart: 1,
  },
};
