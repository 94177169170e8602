// A program with a session in a world of its own: the server, storage that outlives the program, one clock, and
// everything answered late.

// Loaded where it is used otherwise, which takes time that this world does not have.
import "../../platform/session/claims.ts";
import "../../platform/session/fetch.ts";
import { ClientAuthentication } from "../../core/index.ts";
import type { Platform, Timers } from "../../platform/contracts.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import {
  FakeHttp,
  fakePlatform,
  ManualClock,
  MemoryStorage,
  SeededEntropy,
} from "../../platform/fake/index.ts";
import type { AttemptSettings } from "../../platform/session/attempt.ts";
import type { Session } from "../../platform/session/session.ts";
import {
  type SignInHandlers,
  signInOn,
  type VerificationPrompt,
} from "../../platform/session/sign-in.ts";
import type { SignInError } from "../../platform/session/sign-in-error.ts";
import { Heard } from "./heard.ts";
import { ENDPOINTS, GrantServer, OWN_HEADER } from "./server.ts";

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
  readonly heard: Heard;
  isDisposed: boolean;
  /** On the clock's `elapsedMs`: when its alarm rings; undefined while none is set. */
  readonly alarmMs: () => number | undefined;
}

export class SessionWorld {
  readonly clock: ManualClock;
  readonly server: GrantServer;
  storage: MemoryStorage;
  http: FakeHttp;
  /** The slot with the newest record; undefined where that is not sure. */
  newest: number | undefined;

  /** @param startMs of the clock; close to 2^32 to see a wrap */
  constructor(startMs = 0) {
    this.clock = new ManualClock(startMs);
    this.server = new GrantServer(() => this.clock.elapsedMs);
    this.storage = new MemoryStorage({ clock: this.clock, delayMs: 3, capacity: 65_536 });
    this.http = this.#newHttp();
  }

  /** Takes the process of a start away: nothing of it goes on. */
  #kills: (() => void)[] = [];

  /** A power cut, or an update: what is under way is lost, the records stay. */
  restart(): void {
    for (const kill of this.#kills.splice(0)) kill();
    this.http.abort();
    this.storage = this.storage.clone({ clock: this.clock, delayMs: 3 });
    this.http = this.#newHttp();
  }

  #newHttp(): FakeHttp {
    const old: FakeHttp | undefined = this.http;
    const http = new FakeHttp({ clock: this.clock, latencyMs: 40, handler: this.server.handle });
    if (old?.faultFor) http.faultFor = old.faultFor;
    return http;
  }

  /** Starts the program: what it passes to signIn on any platform. */
  start(
    handlers: SignInHandlers = {},
    spoil: (platform: Platform) => Platform = same,
    more: Partial<AttemptSettings> = {},
  ): Start {
    const life = { isAlive: true };
    const timers = this.clock.timers();
    this.#kills.push(() => {
      life.isAlive = false;
    });
    const heard = new Heard(this.clock);
    const spoiled = spoil({
      ...fakePlatform({ clock: this.clock, columns: 80, rows: 2 }),
      ...this.#mortal(life, timers, this.storage),
      http: this.http,
      entropy: new SeededEntropy(this.clock.elapsedMs + 1),
    });
    const platform = { ...spoiled, http: heard.around(spoiled.http) };
    const start: Start = {
      ...{ session: undefined, error: undefined, isSettled: false, isDisposed: false },
      ...{ prompts: [], troubles: [], ends: [], platform, heard },
      alarmMs: () => timers.dueMs,
    };
    const { onCode, onTrouble, onEnd } = handlers;
    signInOn(
      platform,
      { ...SETTINGS, ...more },
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

  /** Time goes by, and promises with it. */
  async pass(seconds: number): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      this.clock.advance(1000);
      await new Promise(setImmediate);
    }
  }

  /** Until `isSo`, or so many seconds. */
  async until(isSo: () => boolean, seconds = 600): Promise<boolean> {
    for (let i = 0; i < seconds && !isSo(); i++) await this.pass(1);
    return isSo();
  }

  /** A session, from the code on. */
  async signedIn(handlers: SignInHandlers = {}): Promise<Session> {
    const start = this.start(handlers);
    await this.until(() => start.isSettled);
    if (start.session === undefined) throw start.error ?? new Error("no session");
    return start.session;
  }

  /** Timers and storage that call nobody back who is dead. */
  #mortal(
    life: { readonly isAlive: boolean },
    timers: Timers,
    storage: MemoryStorage,
  ): Pick<Platform, "timers" | "storage"> {
    const change = (
      slot: number,
      change: (done: (ok: boolean) => void) => void,
      done: (ok: boolean) => void,
      isWritten: boolean,
    ): void => {
      if (this.newest === slot) this.newest = undefined;
      change((ok) => {
        if (ok && isWritten) this.newest = slot;
        if (life.isAlive) done(ok);
      });
    };
    const ifAlive =
      <A extends unknown[]>(run: (...args: A) => void) =>
      (...args: A): void => {
        if (life.isAlive) run(...args);
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
  get kept(): number {
    return this.storage.peek(0).length + this.storage.peek(1).length;
  }
}

const same = (platform: Platform): Platform => platform;

export const SETTINGS = {
  endpoints: ENDPOINTS,
  memoryBytes: 32_768,
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
