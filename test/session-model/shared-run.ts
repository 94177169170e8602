// A random run of several programs that share a session (platform/session/shared-records.ts). Each program is a process
// with the same directory (process.ts). The programs refresh, sign out, are killed and started again. The server ends
// the session when a refresh token is used after its second successor.

import type { HttpRequest, Platform, Storage } from "../../platform/contracts.ts";
import { driverLog } from "../../platform/exchange/log.ts";
import type { Session } from "../../platform/session/session.ts";
import type { FakeResponse, SeenRequest } from "../../platform/testing/http.ts";
import {
  FakeHttp,
  fakePlatform,
  ManualClock,
  SeededEntropy,
} from "../../platform/testing/index.ts";
import { SETTINGS } from "../environment/session-port.ts";
import { Random } from "../model/random.ts";
import { Process, ready, SharedFiles } from "./process.ts";
import { isAtEnd } from "./received-responses.ts";
import { type Grant, GrantServer } from "./server.ts";
import { type RunReport, transitionIn } from "./session-run.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i * 11 + 3);
const SETTLE_S = 900;
/** After a caller has waited for this time, the program must have got a report of the cause. */
const REPORT_S = 150;

/** A program in its process. A kill stops its code at any moment, but its lock stays. */
interface Program {
  readonly process: Process;
  readonly controller: AbortController;
  session: Session | undefined;
  isSettled: boolean;
  isOver: boolean;
  readonly promises: {
    readonly what: string;
    isSettled: boolean;
    /** The time at which the program called the function, and the number of troubles that had been reported then. */
    readonly sinceS: number;
    readonly reports: number;
  }[];
  readonly troubles: string[];
  newest: string;
}

class SharedRun {
  readonly violations: string[] = [];
  readonly actions: string[] = [];
  readonly transitions = new Set<string>();
  readonly #random: Random;
  readonly #clock: ManualClock;
  readonly #server: GrantServer;
  readonly #files: SharedFiles;
  readonly #isSealed: boolean;
  #programs: Program[] = [];
  #isFaulty = true;
  #revoked: ReadonlySet<string> = new Set();
  #mayEnd = false;
  /** The time that has passed while the computer was not asleep. */
  #passedS = 0;
  readonly #mediumMayFail: boolean;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#clock = new ManualClock(this.#random.pick([0, 2 ** 32 - 200_000]));
    this.#server = new GrantServer(() => this.#clock.elapsedMs);
    this.#server.accessLifetimeS = this.#random.pick([120, 3600, undefined]);
    this.#server.rotates = !this.#random.once(4);
    this.#server.allowsAfterPolls = this.#random.below(3);
    this.#server.tokenBytes = () => this.#random.below(4000);
    this.#isSealed = this.#random.once(3);
    this.#mediumMayFail = this.#random.once(3);
    this.#files = new SharedFiles(this.#clock, this.#random);
  }

  async run(): Promise<void> {
    for (let left = 6 + this.#random.below(20); left > 0; left--) {
      const action = this.#random.pick(ACTIONS);
      this.actions.push(action);
      this.#do(action);
      await this.#pass(this.#random.pick([0, 0, 1, 4, 30, 150]));
      this.#checkReports();
    }
    this.#isFaulty = false;
    this.#files.isFaulty = false;
    this.#files.medium = "";
    await this.#pass(SETTLE_S);
    for (const { promises, process, isSettled } of this.#programs) {
      if (!process.isAlive) continue;
      if (!isSettled) this.violations.push("signIn is never settled");
      for (const { what, isSettled: isDone } of promises) {
        if (!isDone) this.violations.push(`${what} is never settled`);
      }
    }
    await this.#checkTokens();
    await this.#checkShared();
    this.violations.push(...this.#server.violations, ...this.#files.violations);
    this.#files.dispose();
  }

  #do(action: Action): void {
    const alive = this.#programs.filter(({ process, isOver }) => process.isAlive && !isOver);
    const program = alive.length > 0 ? this.#random.pick(alive) : undefined;
    const session = program?.session;
    switch (action) {
      case "start":
        if (alive.length < 3) this.#start();
        return;
      case "kill":
        if (this.#random.once(2)) program?.process.kill();
        else program?.process.killWithin(80);
        return;
      case "give up":
        // Aborting ends the session. If there is none yet, signIn must settle, even while it waits for another program.
        program?.controller.abort();
        return;
      case "close":
        if (program && session) {
          program.isOver = true;
          this.#promise(program, "close", session.close());
        }
        return;
      case "sign out":
        if (program && session && this.#random.once(4)) {
          program.isOver = true;
          this.#mayEnd = true;
          const signedOut = session.signOut().then(({ isStored }) => {
            // When no tokens are stored any more, the other programs can detect the sign-out, and must not use the
            // tokens.
            if (!isStored) this.#revoked = this.#tokensOf(program);
          });
          this.#promise(program, "signOut", signedOut);
        }
        return;
      case "access token":
        if (program && session) this.#request(program, session);
        return;
      case "the medium":
        if (!this.#mediumMayFail) return;
        this.#files.medium = this.#random.pick(["", "", "ENOSPC", "EROFS"]);
        if (this.#files.medium !== "") this.#server.isOnePoller = false;
        // If the medium fails after a refresh was sent, the new token is lost. Programs may then use an older refresh token
        // (isBlind), and a session may end.
        this.#mayEnd = this.#server.isBlind = true;
        return;
      case "the token is refused":
        for (const one of this.#random.once(2) ? alive : [program]) {
          const fetched = one?.session?.fetch("https://api.example.com/");
          if (one && fetched) this.#promise(one, "fetch", fetched);
        }
        return;
      case "asleep":
        // A program that sleeps loses its lock. Another program may then take over its code, so that both sign in.
        this.#mayEnd ||= alive.some(({ isSettled }) => !isSettled);
        this.#clock.sleep(this.#random.pick([60_000, 600_000]));
        return;
    }
  }

  #checkReports(): void {
    for (const { process, isOver, promises, troubles } of this.#programs) {
      const silent = promises.find(
        ({ isSettled, sinceS, reports }) =>
          !isSettled && this.#passedS >= sinceS + REPORT_S && reports === troubles.length,
      );
      if (process.isAlive && !isOver && silent)
        this.violations.push(`${silent.what} waits, and no trouble is reported`);
    }
  }

  /** The access tokens of the program's session. While the medium fails, each program may have a session of its own. */
  #tokensOf({ newest }: Program): ReadonlySet<string> {
    const { accessTokens } = this.#server;
    const own = accessTokens.get(newest);
    const isOwn = (grant: Grant): boolean => own === undefined || grant === own;
    return new Set([...accessTokens].flatMap(([token, grant]) => (isOwn(grant) ? [token] : [])));
  }

  /** Requests a token. It must not belong to a session that another program has signed out before. */
  #request(program: Program, session: Session): void {
    const ended = this.#revoked;
    const requested = session.accessToken().then((token) => {
      if (ended.has(token)) this.violations.push("a token is given out that was revoked before");
    });
    this.#promise(program, "accessToken", requested);
  }

  /**
   * While the medium fails, a program whose tokens are stored must not rotate its refresh token: the new one could not
   * be stored, and a kill would lose it.
   */
  #isSent(program: Program, { body, bodyFrom, bodyTo }: HttpRequest): void {
    this.#server.isOnePoller &&= !this.#files.isLockless;
    const text = Buffer.from(Array.from(body).slice(bodyFrom, bodyTo)).toString("latin1");
    const isSaved = program.session?.isSaved ?? program.newest === "";
    const isRefresh = this.#server.rotates && text.includes("grant_type=refresh_token");
    if (isRefresh && isSaved && this.#files.medium !== "")
      this.violations.push("renewed what cannot be stored");
  }

  #promise(program: Program, what: string, promise: Promise<unknown>): void {
    const reports = program.troubles.length;
    const promised = { what, isSettled: false, sinceS: this.#passedS, reports };
    program.promises.push(promised);
    const settle = (): void => {
      promised.isSettled = true;
    };
    promise.then(settle, settle);
  }

  #start(): Program {
    const process = new Process(this.#files, 1000 + this.#programs.length);
    const program: Program = {
      ...{ process, controller: new AbortController() },
      ...{ session: undefined, isSettled: false, isOver: false },
      ...{ promises: [], troubles: [], newest: "" },
    };
    this.#programs.push(program);
    process.guarded(() => this.#signIn(program))();
    return program;
  }

  #signIn(program: Program): void {
    const { process } = program;
    const { FileStorage, TokenCache, SealedStorage, SharedDirectory, signInOn } = process.platform;
    const http = new FakeHttp({
      clock: this.#clock,
      latencyMs: 40,
      handler: (request) => this.#response(program, request),
    });
    http.faultFor = () => {
      if (!this.#isFaulty || !this.#random.once(6)) return undefined;
      return this.#random.pick([{ kind: "refuse" } as const, { kind: "reset-before" } as const]);
    };
    const storage = new FileStorage(this.#files.state, { isShared: true });
    const timers = this.#clock.timers();
    const platform: Platform = {
      ...fakePlatform({ clock: this.#clock, columns: 80, rows: 2 }),
      storage,
      http: {
        send: (request, sink) => {
          this.#isSent(program, request);
          http.send(request, {
            status: process.guarded(sink.status.bind(sink)),
            body: process.guarded(sink.body.bind(sink)),
            end: process.guarded(sink.end.bind(sink)),
            failed: process.guarded(sink.failed.bind(sink)),
          });
        },
        abort: () => http.abort(),
      },
      entropy: new SeededEntropy(this.#clock.elapsedMs + this.#programs.length),
      timers: {
        now: () => timers.now(),
        alarm: (afterMs, ring) => timers.alarm(afterMs, process.guarded(ring)),
        cancel: () => timers.cancel(),
      },
    };
    const { entropy } = platform;
    const seal = (storage: Storage): Storage =>
      this.#isSealed ? new SealedStorage({ storage, entropy, deviceKey: KEY }) : storage;
    const refused = (): Promise<Response> => Promise.resolve(new Response("", { status: 401 }));
    signInOn(
      platform,
      {
        ...SETTINGS,
        config: { ...SETTINGS.config, startSpreadMs: 0 },
        log: driverLog((line) => {
          for (const transition of transitionIn(line)) this.transitions.add(transition);
        }),
        shared: new SharedDirectory(storage, () => seal(storage)),
        stored: new TokenCache(() => seal(storage.tokenCache), "used"),
        fetch: refused,
      },
      {
        signal: program.controller.signal,
        onCode: () => {},
        onTrouble: ({ code }) => program.troubles.push(code),
        onEnd: () => this.#ended(program),
      },
      () => storage.close(),
    ).then(
      (session) => {
        program.session = session;
        program.isSettled = true;
      },
      () => {
        program.isSettled = true;
        program.isOver = true;
      },
    );
  }

  #response(program: Program, request: SeenRequest): FakeResponse {
    if (!program.process.isAlive) return { status: 503, body: "" };
    const response = this.#server.handle(request);
    const { access_token: token } = (response.body ?? {}) as { readonly access_token?: string };
    program.newest = token ?? program.newest;
    return response;
  }

  #ended(program: Program): void {
    program.isOver = true;
    if (program.process.isAlive && !this.#mayEnd) this.violations.push("a session ended by itself");
  }

  async #checkTokens(): Promise<void> {
    for (const program of this.#programs) {
      const { session, process, isOver } = program;
      if (session === undefined || !process.isAlive || isOver || isAtEnd(session)) continue;
      void session.fetch("https://api.example.com/").catch(() => {});
      await this.#pass(5);
      const isValid = session.accessToken().then(
        (given) =>
          this.#programs.some(({ newest }) => newest === given) && this.#server.live.length > 0,
        () => false,
      );
      await this.#pass(120);
      if (!isAtEnd(session) && !(await Promise.race([isValid, false])))
        this.violations.push("a session returns no token");
    }
  }

  /** A token that one program has received, and that does not expire soon, suffices for all. */
  async #checkShared(): Promise<void> {
    const { isBlind, accessLifetimeS, accessTokens } = this.#server;
    if (isBlind || accessLifetimeS === 120) return;
    const requestAll = async (): Promise<void> => {
      for (const { session, process, isOver } of this.#programs) {
        if (process.isAlive && !isOver) void session?.accessToken().catch(() => {});
        await this.#pass(5);
      }
    };
    await requestAll();
    const known = accessTokens.size;
    await requestAll();
    if (accessTokens.size > known) this.violations.push("a program requests what another has");
  }

  async #pass(seconds: number): Promise<void> {
    for (let i = 0; i < 6; i++) await turn();
    for (let i = 0; i < seconds; i++) {
      this.#clock.advance(1000);
      this.#passedS++;
      for (let j = 0; j < 3; j++) await turn();
    }
  }
}

const turn = (): Promise<unknown> => new Promise(setImmediate);

const ACTIONS = [
  ...["start", "start", "start", "kill", "close", "sign out", "give up"],
  ...["access token", "the token is refused", "the token is refused", "asleep", "the medium"],
] as const;
type Action = (typeof ACTIONS)[number];

export async function sharedRunOnce(seed: number): Promise<RunReport> {
  await ready();
  const run = new SharedRun(seed);
  await run.run();
  const { violations, actions, transitions } = run;
  return { violations, actions, transitions };
}
