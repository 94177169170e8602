// A program with a session in a world: at a server that keeps account of every code and token, with storage that outlives
// the program, and everything answered late.

// Loaded where it is used otherwise, which takes time that this world does not have.
import "../../platform/session/claims.ts";
import "../../platform/session/fetch.ts";
import { ClientAuthentication } from "../../core/index.ts";
import type { Platform, Timers } from "../../platform/contracts.ts";
import type { Session } from "../../platform/session/session.ts";
import type { RuntimeSettings } from "../../platform/session/session-runtime.ts";
import { SESSION_BYTES } from "../../platform/session/settings.ts";
import {
  type SignInHandlers,
  signInOn,
  type VerificationPrompt,
} from "../../platform/session/sign-in.ts";
import type { SignInError } from "../../platform/session/sign-in-error.ts";
import { TokenCache } from "../../platform/session/token-cache.ts";
import { driverConfig } from "../../platform/testing/config.ts";
import {
  ManualClock,
  MemoryStorage,
  RecordedDisplay,
  SeededEntropy,
} from "../../platform/testing/index.ts";
import { Received } from "../session-model/received-responses.ts";
import { ENDPOINTS, GrantServer, OWN_HEADER } from "../session-model/server.ts";
import { Environment } from "./environment.ts";

/** What became of one start of the program. */
export interface Start {
  session: Session | undefined;
  error: unknown;
  isSettled: boolean;
  readonly prompts: VerificationPrompt[];
  readonly troubles: SignInError[];
  readonly ends: SignInError[];
  readonly platform: Platform;
  /** What has been answered to this start. */
  readonly received: Received;
  isDisposed: boolean;
  /** On the clock's `elapsedMs`: when its alarm rings; undefined while none is set. */
  readonly alarmMs: () => number | undefined;
}

export class SessionEnvironment extends Environment {
  readonly server: GrantServer;
  /** Room beside the records. */
  capacity: MemoryStorage;
  /** What was answered to each start of the program so far. */
  readonly received: Received[] = [];
  /** The slot with the newest record; undefined where that is not sure. */
  newest: number | undefined;
  /** The processes of all starts since the power is on: nothing of them goes on without it. */
  readonly #runs: { isAlive: boolean }[] = [];

  /** @param startMs of the clock; close to 2^32 to see a wrap */
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

  /** Starts the program: what it passes to signIn on any platform. */
  start(
    handlers: SignInHandlers = {},
    corrupt: (platform: Platform) => Platform = same,
    more: Partial<RuntimeSettings> = {},
  ): Start {
    const lifetime = { isAlive: true };
    const timers = this.clock.timers();
    this.#runs.push(lifetime);
    const received = new Received(this.clock, [...this.received]);
    this.received.push(received);
    const { storage: capacity } = this.#mortal(lifetime, timers, this.capacity, false);
    const corrupted = corrupt({
      display: new RecordedDisplay(80, 2),
      ...this.#mortal(lifetime, timers, this.storage),
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

  /** Timers and storage that call nobody back who is dead. */
  #mortal(
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

  /** Bytes that the storage holds. */
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
