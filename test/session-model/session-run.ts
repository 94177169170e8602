// A random run of a program that signs in, calls APIs, is killed and started again. The environment does everything
// that the contracts allow, and some things that they forbid. The run checks what the session promises. The same seed
// repeats a run.

import { ClientAuthentication } from "../../core/index.ts";
import type { Platform, Signer } from "../../platform/contracts.ts";
import { Keys } from "../../platform/exchange/keys.ts";
import { driverLog } from "../../platform/exchange/log.ts";
import type { SessionSettings } from "../../platform/session/drivers.ts";
import type { SignInHandlers, VerificationPrompt } from "../../platform/session/handlers.ts";
import type { Session } from "../../platform/session/session.ts";
import type { SignInError } from "../../platform/session/sign-in-error.ts";
import { SeededEntropy } from "../../platform/testing/index.ts";
import { SETTINGS, SessionEnvironment, type Start } from "../environment/session-port.ts";
import { Random } from "../model/random.ts";
import { ACTIONS, ACTIONS_WITH_UPDATES, type Action } from "./actions.ts";
import { API, Api } from "./api.ts";
import { DISK_FULL, Faults, THROWN } from "./faults.ts";
import { idTokenOf, issuerDocument, KINDS } from "./id-tokens.ts";
import { isAtEnd } from "./received-responses.ts";
import { ENDPOINTS, type Grant, HOST, modelSigner } from "./server.ts";

export interface RunReport {
  readonly violations: readonly string[];
  /** All actions in order, to reproduce a violation. */
  readonly actions: readonly string[];
  /** The transitions that sessions have made in the run, as the log names them. */
  readonly transitions?: Iterable<string>;
}

export function transitionIn(line: string): string[] {
  return /session: (.*)$/.exec(line)?.slice(1) ?? [];
}

interface Promised {
  readonly what: string;
  readonly of: Running;
  isSettled: boolean;
}

interface Running {
  readonly start: Start;
  readonly controller: AbortController;
  isAlive: boolean;
  /** Whether the program has closed the session or signed out. */
  isOver: boolean;
  thrown: unknown[];
  /** Whether signIn must reject, because a callback has thrown. */
  mustReject: boolean;
  readonly listeners: Set<unknown>;
  /** The user in the newest ID token that the session accepted. */
  user: string | undefined;
}

/** What the run knows about an ID token: whether it is valid, its user, and its grant. */
interface IdToken {
  readonly isValid: boolean;
  /** The error code that the session must report if the token is invalid. */
  readonly refusal: string;
  readonly sub: string;
  readonly grant: Grant;
}

const SECRET = /(device-code|access-token|refresh-token)-\d|client-secret-of-the-program|eyJ/;

/** The remedy that the session must report for each problem of an adapter. */
const REMEDIES: Partial<Record<SignInError["code"], SignInError["remedy"]>> = {
  ...{ adapter_failed: "developer", storage_silent: "user", not_saved: "user", not_erased: "user" },
};

/** When all faults have stopped, every promise must settle within this time. */
const SETTLE_S = 1200;

class Run {
  readonly transitions = new Set<string>();
  readonly violations: string[] = [];
  readonly actions: string[] = [];
  readonly #random: Random;
  readonly #environment: SessionEnvironment;
  readonly #faults: Faults;
  readonly #api = new Api();
  /** All starts of the program have the same settings. */
  readonly #settings: Partial<SessionSettings>;
  readonly #idTokens = new Map<string, IdToken>();
  readonly #promises: Promised[] = [];
  #running: Running | undefined;
  #throwsIn = -1;
  #endedAtMs = -1;
  readonly #keyEntropy = new SeededEntropy(7);

  readonly #hasUpdates: boolean;
  /** Whether the next program is the older version, which binds records to the origin, not to the token endpoint. */
  #isOlder = false;

  constructor(seed: number, hasUpdates: boolean) {
    this.#hasUpdates = hasUpdates;
    this.#random = new Random(seed);
    // Sometimes the clock wraps during the run.
    this.#environment = new SessionEnvironment(
      this.#random.pick([0, 2 ** 32 - 60_000, 2 ** 32 - 4_000_000]),
    );
    this.#faults = new Faults(this.#random, this.#environment);
    const { server } = this.#environment;
    server.accessLifetimeS = this.#random.pick([120, 3600]);
    server.rotates = !this.#random.once(3);
    server.givesRefreshToken = !this.#random.once(8);
    server.allowsAfterPolls = this.#random.below(4);
    server.codeLifetimeS = this.#random.pick([60, 600]);
    server.bodies = this.#random.pick(["form", "form", "json"]);
    server.needsChallenge = this.#random.once(3);
    server.moreMembers = this.#drawMembers();
    const bytesMax = this.#random.pick([0, 2000, 20_000]);
    server.tokenBytes = () => (bytesMax > 0 ? this.#random.below(bytesMax) : 0);
    this.#settings = this.#drawSettings();
    server.hasKey = this.#random.once(3);
    this.#drawBinding();
    server.hasNonces = server.bindsTokens;
    server.renewsNonce = () => this.#random.once(4);
    server.hasAssertions = this.#random.once(3);
    this.#api.checkToken = (scheme, token, proof, ...request) => {
      if (token === "") return "";
      const isBound = server.boundTokens.has(token);
      // Without a refresh token, a start resumes the stored access token. Only the token cache has the token's type.
      const isKnown = server.givesRefreshToken || this.#running?.start.received.tokens;
      const isRight = scheme === (isBound ? "DPoP" : "Bearer");
      if (!isRight && (isKnown || isBound)) this.#fault(`a token with ${scheme}`);
      return isBound && isRight ? server.checkProof(proof, ...request, token) : "";
    };
    this.#api.nonce = () => server.nonces.get(API) ?? "";
    server.mayChallenge = this.#settings.pkce !== undefined;
    server.isFormKnown = (this.#settings.bodies ?? "form") === server.bodies;
    this.#faults.corruptStorage();
  }

  #drawBinding(): void {
    const { server } = this.#environment;
    server.bindsTokens = server.hasKey && this.#random.once(2);
  }

  #drawSettings(): Partial<SessionSettings> {
    const isAtOther = this.#random.once(2);
    this.#api.isValid = (token) => this.#environment.server.isValid(token);
    this.#api.document = (address) => issuerDocument(address, isAtOther);
    return {
      ...(this.#random.once(4) && { bodies: this.#random.pick(["form", "json"]) }),
      ...(this.#random.once(4) && { pkce: "S256" }),
      ...(this.#random.once(6) && { endpoints: { ...ENDPOINTS, revocation: "" } }),
      ...{ issuer: HOST, resources: [API], fetch: this.#api.fetch },
      log: driverLog((line) => {
        for (const transition of transitionIn(line)) this.transitions.add(transition);
        if (SECRET.test(line) || !/^\d+\.\d{3} s {2}[ -~]{1,150}$/.test(line)) {
          this.#fault(`a line of the log: ${line}`);
        }
      }),
    };
  }

  #drawMembers(): (grant: Grant) => object {
    const isEnding = this.#random.once(3) && { refresh_token_expires_in: 7_776_000 };
    const isLong = this.#random.once(8);
    const hasScope = this.#random.once(2);
    const hasIdToken = this.#random.once(2);
    return (grant) => ({
      ...isEnding,
      ...(isLong && { note: "n".repeat(20_000) }),
      ...(hasScope &&
        this.#random.once(2) && { scope: this.#random.pick(["video", "video audio"]) }),
      ...(hasIdToken && !this.#random.once(4) && { id_token: this.#newIdToken(grant) }),
    });
  }

  #newIdToken(grant: Grant): string {
    const kind = this.#random.pick(KINDS);
    const sub = this.#random.once(6) ? "eve" : "ada";
    const token = idTokenOf(kind, sub);
    const refusal = kind.isOfAnotherTime ? "clock_wrong" : "wrong_id_token";
    const isValid = kind.isValid && !(kind.hasSecret && this.#environment.server.hasAssertions);
    this.#idTokens.set(token, { isValid, refusal, sub, grant });
    return token;
  }

  async run(): Promise<void> {
    for (let left = 4 + this.#random.below(14); left > 0; left--) {
      const action = this.#random.pick<Action>(this.#hasUpdates ? ACTIONS_WITH_UPDATES : ACTIONS);
      this.actions.push(action);
      await this.#do(action);
      await this.#pass(this.#random.pick([0, 1, 5, 30, 200, 4000]));
      this.#check();
    }
    await this.#settle();
    await this.#checkAfterKill();
    const { server, http, storage } = this.#environment;
    this.violations.push(...server.violations, ...http.violations, ...storage.violations);
  }

  async #do(action: Action): Promise<void> {
    const running = this.#running;
    const session = running?.start.session;
    this.#faults.isAsleep = false;
    switch (action) {
      case "start":
        if (running !== undefined) return;
        // A read of the last start may still be in progress, and the storage does one operation at a time.
        if (this.#endedAtMs === this.#environment.clock.elapsedMs) await this.#pass(1);
        this.#start();
        return;
      case "kill":
        this.#kill();
        return;
      case "another program":
        this.#kill();
        this.#isOlder = !this.#isOlder;
        return;
      case "power cut while writing":
        if (running !== undefined) this.#environment.storage.cutNextWriteAt(this.#random.below(90));
        await this.#pass(30);
        this.#kill();
        return;
      case "sign out":
        if (running && session) this.#signOut(running, session);
        return;
      case "close":
        if (running && session) this.#close(running, session);
        return;
      case "abort":
        running?.controller.abort();
        return;
      case "access token":
        if (running && session) this.#request(running, session);
        return;
      case "fetch":
        if (running && session) this.#requestApi(running, session);
        return;
      case "the access token expires":
        for (const grant of this.#environment.server.live) grant.accessToken = "";
        return;
      case "claims":
        if (running && session) await this.#claims(running, session);
        return;
      case "the older slot is damaged":
      case "the newer slot is damaged":
        this.#kill();
        this.#damage(action === "the newer slot is damaged");
        return;
      case "the server ends the session":
        for (const grant of this.#environment.server.live) grant.isRevoked = true;
        return;
      case "a thief has the tokens":
        await this.#steal();
        return;
      case "another clock and kind of token":
        this.#environment.server.aheadS = this.#random.pick([0, 50, 3600, -90_000]);
        this.#drawBinding();
        return;
      case "the user refuses":
        this.#environment.server.decide("denied");
        return;
      case "a callback throws":
        this.#throwsIn = this.#random.below(3);
        return;
      case "asleep":
        // While the program sleeps, events become due. After its wake-up, they may arrive later than the alarm.
        this.#faults.isAsleep = true;
        this.#environment.clock.sleep(this.#random.pick([60_000, 90_000_000]));
        return;
    }
  }

  #start(): void {
    this.#faults.beginProgram();
    const controller = new AbortController();
    const { signal } = controller;
    const running: Running = {
      ...{ isAlive: true, isOver: false, mustReject: false, thrown: [], user: undefined },
      ...{ controller, start: undefined as never, listeners: new Set() },
    };
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      running.listeners.add(args[1]);
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      running.listeners.delete(args[1]);
      remove(...args);
    };
    const callback = (): unknown => {
      if (this.#throwsIn-- !== 0) return undefined;
      const thrown = this.#random.pick(THROWN);
      const isAtOnce = this.#random.once(2);
      running.thrown.push(thrown);
      // If the session exists when the exception is thrown, the session passes it to onError.
      void turns().then(() => {
        running.mustReject ||= !running.start.isSettled;
      });
      if (isAtOnce) throw thrown;
      return Promise.reject(thrown);
    };
    if (this.#random.once(12)) controller.abort();
    const handlers = {
      onCode: (prompt: VerificationPrompt) => {
        if (!this.#environment.server.isPrompt(prompt))
          this.#fault(`wrong prompt ${JSON.stringify(prompt)}`);
        return callback();
      },
      onEnd: callback,
      onTrouble: (trouble: SignInError) => {
        this.#checkReport(running, trouble);
        return callback();
      },
      ...{ onError: () => {}, signal },
      resumeOnly: this.#random.once(5),
    };
    const start = this.#startProgram(handlers);
    Object.assign(running, { start });
    this.#running = running;
    this.#promises.push({
      what: "signIn",
      of: running,
      get isSettled() {
        return start.isSettled;
      },
    });
  }

  #startProgram(handlers: SignInHandlers): Start {
    const corrupt = (platform: Platform): Platform => this.#faults.adapters(platform);
    const { hasAssertions, hasKey } = this.#environment.server;
    const { server, ...unnamed } = SETTINGS.config;
    const named = this.#hasUpdates && !this.#isOlder ? unnamed : SETTINGS.config;
    const clientAuthentication = ClientAuthentication.NONE;
    const keyed = { ...named, clientSecret: "", clientAuthentication };
    const settings = { ...this.#settings, config: hasAssertions ? keyed : named };
    const keys = hasKey || hasAssertions ? this.#newKeys(this.#signer) : undefined;
    return this.#environment.start(handlers, corrupt, { ...settings, keys });
  }

  /** A signer that is sometimes slow, or fails, but only for requests of the grant before the end. */
  get #signer(): Signer {
    const { clock } = this.#environment;
    const sign: Signer["sign"] = async (text) => {
      const [, claims = ""] = Buffer.from(text).toString("latin1").split(".");
      const isOfGrant = Buffer.from(claims, "base64url").includes(HOST);
      const isWhole = this.#faults.isOver || this.#running?.isOver || !isOfGrant;
      if (isWhole || !this.#random.once(6)) return modelSigner.sign(text);
      const of = this.#running;
      await new Promise<void>((resolve) =>
        clock.after(this.#random.pick([100, 5000]), () => of?.isAlive && resolve()),
      );
      if (this.#random.once(3)) throw new Error("no signature");
      return modelSigner.sign(text);
    };
    return { ...modelSigner, sign };
  }

  #newKeys(signer: Signer): Keys {
    const { hasAssertions, hasKey } = this.#environment.server;
    const identity = { signer, entropy: this.#keyEntropy, clientId: "program" };
    const audience = hasAssertions ? HOST : undefined;
    return new Keys({ ...identity, dpop: hasKey ? "auto" : undefined, audience });
  }

  /**
   * A thief uses the tokens. The server refuses bound tokens, and revokes other tokens that are used twice (RFC 9700
   * §4.14.2).
   */
  async #steal(): Promise<void> {
    const { server } = this.#environment;
    const publicJwk = { ...modelSigner.publicJwk, x: "z".repeat(43) };
    const thief = this.#newKeys({ ...modelSigner, publicJwk });
    for (const grant of server.live) {
      const [, proof] = await thief.proof("POST", ENDPOINTS.token, "");
      const isRefused = server.checkProof(proof, "POST", ENDPOINTS.token) !== "";
      grant.isRevoked = !grant.isBound || !isRefused;
    }
  }

  #kill(): void {
    if (this.#running) this.#running.isAlive = false;
    this.#running = undefined;
    this.#environment.restart();
    this.#faults.corruptStorage();
  }

  /** Damages a slot. If the slot has the older record, the session must not notice. */
  #damage(isNewer: boolean): void {
    const { newest, storage } = this.#environment;
    if (newest === undefined) return;
    const slot = isNewer ? newest : 1 - newest;
    const bytes = storage.peek(slot);
    const flipped = bytes.map((byte, at) =>
      at === this.#random.below(bytes.length) ? byte ^ 4 : byte,
    );
    const cut = bytes.slice(0, this.#random.below(bytes.length + 1));
    const other = storage.peek(1 - slot);
    const junk = Uint8Array.from({ length: 90 }, () => this.#random.below(256));
    storage.poke(slot, this.#random.pick([flipped, cut, other, junk, new Uint8Array(0)]));
    if (isNewer) this.#faults.isDamaged = true;
  }

  #requestApi(running: Running, session: Session): void {
    const fault = (what: string): void => {
      if (running.isAlive) this.#fault(what);
    };
    for (let left = 1 + this.#random.below(3); left > 0; left--) {
      const requested = this.#api.request(session, this.#random, fault);
      this.#promise("fetch", running, requested, () => {});
    }
  }

  async #claims(running: Running, session: Session): Promise<void> {
    const { idToken, storedIdTokens } = running.start.received;
    const reported = await session.claims().then(
      (claims) => claims?.sub,
      ({ code }: SignInError) => code,
    );
    const outcome = ({ isValid, refusal, sub }: IdToken): string => {
      if (running.user !== undefined && running.user !== sub) return "wrong_id_token";
      return isValid ? sub : refusal;
    };
    // A cached ID token belongs to the current tokens. If a power cut lost the tokens, there is no ID token.
    const [grant] = this.#environment.server.live.slice(-1);
    const stored = storedIdTokens.map((token) => this.#idTokens.get(token)!);
    const own = stored.filter((token) => token.grant === grant || grant === undefined);
    const expected =
      idToken === "" ? [undefined, ...own.map(outcome)] : [outcome(this.#idTokens.get(idToken)!)];
    const isUser =
      reported !== undefined && reported !== "wrong_id_token" && reported !== "clock_wrong";
    if (isUser) running.user = reported;
    if (!expected.includes(reported))
      this.#fault(`claims returns ${reported}, expected ${expected}`);
  }

  #checkReport({ start }: Running, trouble: SignInError): void {
    // A report that arrives before the starting call has returned cannot be compared with responses.
    if (start === undefined) return;
    const { hasKey, hasAssertions } = this.#environment.server;
    const problem = start.received.reported(trouble, hasKey || hasAssertions);
    if (problem !== "" && this.#faults.isLegal) this.#fault(problem);
    const { code, message, remedy } = trouble;
    if (remedy !== (REMEDIES[code] ?? remedy)) this.#fault(`${code} has the remedy ${remedy}`);
    if (code === "storage_silent" && !this.#faults.isSilent) this.#fault("storage is not silent");
    if (code === "storage_silent" && !message.startsWith("storage has not responded for 10 s")) {
      this.#fault(`why is storage silent? ${message}`);
    }
    if (code !== "not_saved") return;
    if (!this.#faults.isUnwritten) this.#fault("reported not_saved without a failed write");
    if (!message.includes(`(${DISK_FULL})`)) this.#fault(`why is it not saved? ${message}`);
  }

  #promise<T>(what: string, of: Running, promise: Promise<T>, then: (value: T) => void): void {
    const promised: Promised = { what, of, isSettled: false };
    this.#promises.push(promised);
    promise.then(
      (value) => {
        promised.isSettled = true;
        if (of.isAlive) then(value);
      },
      () => {
        promised.isSettled = true;
      },
    );
  }

  #signOut(running: Running, session: Session): void {
    if (isAtEnd(session)) return;
    running.isOver = true;
    const { server, storage } = this.#environment;
    const grants = server.live;
    this.#promise("signOut", running, session.signOut(), ({ isRevoked, problem, isStored }) => {
      const hasRecords = this.#environment.stored > 0;
      if (!storage.dead && hasRecords !== isStored)
        this.#fault(`signOut wrongly reports isStored ${isStored}`);
      // If there are several grants, the response with the tokens of one may be lost. Nobody can revoke that grant.
      // A grant whose only token has expired has nothing to revoke.
      const isOver = ({ isRevoked: is, accessToken }: Grant): boolean =>
        is || (!server.givesRefreshToken && accessToken === "");
      const wasRevoked = server.grants.length > 1 || grants.every(isOver);
      if (isRevoked && !wasRevoked) this.#fault("signOut wrongly reports a revocation");
      if (isRevoked !== (problem === "")) this.#fault("signOut contradicts itself");
      this.#checkProblem(running, problem);
      this.#checkClean(running);
    });
  }

  #checkProblem({ start: { received } }: Running, problem: string): void {
    const isRequested = this.#settings.endpoints?.revocation !== "";
    if (!isRequested && problem === "no_revocation_endpoint") return;
    const expected = received.revocationProblem;
    if (!isRequested || (expected === undefined && problem !== "storage_silent")) {
      this.#fault(`signOut has the problem ${problem}`);
    }
    if (expected === "" ? problem !== "" : problem === "") {
      this.#fault(`signOut has the problem "${problem}", expected "${expected}"`);
    }
  }

  #close(running: Running, session: Session): void {
    // A session that ended by itself may still be releasing its resources after `onEnd`.
    if (!isAtEnd(session)) running.isOver = true;
    this.#promise("close", running, session.close(), () => this.#checkClean(running));
  }

  #request(running: Running, session: Session): void {
    const signal = this.#random.once(3) ? running.controller.signal : undefined;
    this.#promise("accessToken", running, session.accessToken(signal), (token) => {
      if (!this.#environment.server.accessTokens.has(token))
        this.#fault(`an unknown token "${token}"`);
      this.#checkNewest(running, token);
      this.#checkStored(session, token);
    });
  }

  /** Before the session returns an access token, it has stored the refresh token or reported that it could not. */
  #checkStored(session: Session, accessToken: string): void {
    const grant = this.#environment.server.live.find((one) => one.accessToken === accessToken);
    if (this.#faults.isSealed || !session.isSaved || grant === undefined) return;
    const { storage } = this.#environment;
    const stored = [0, 1].map((slot) => Buffer.from(storage.peek(slot)).toString("latin1")).join();
    if (!stored.includes(grant.refreshToken))
      this.#fault("a token is returned before it is stored");
  }

  /** A returned token must be the newest one of this start, and must not have expired. */
  #checkNewest({ start: { received } }: Running, token: string): void {
    const { clock, server } = this.#environment;
    // Without a refresh token, a start resumes the stored access token, whose remaining lifetime is unknown.
    if (received.tokens === undefined && !server.givesRefreshToken) return;
    if (token !== received.tokens?.access_token) this.#fault("a returned token is not the newest");
    const endMs = received.tokensAtMs + (received.tokens?.expires_in ?? 0) * 1000;
    if (clock.elapsedMs > endMs) this.#fault("a returned token has expired");
  }

  /** After its end, a program must have no alarm, request or listener. */
  #checkClean({ start, listeners }: Running): void {
    if (start.alarmMs() !== undefined) this.#fault("ended with an alarm");
    if (!start.isDisposed) this.#fault("ended, but not disposed");
    if (this.#environment.http.busy) this.#fault("ended during a request");
    if (listeners.size > 0) this.#fault(`ended with ${listeners.size} listeners`);
  }

  #check(): void {
    const running = this.#running;
    if (running === undefined) return;
    const { start } = running;
    const codes = start.prompts.map(({ userCode }) => userCode);
    if (new Set(codes).size < codes.length) this.#fault("a code was reported twice");
    const isEnded = start.isSettled && isAtEnd(start.session);
    if (!isEnded && !running.isOver && !running.controller.signal.aborted) {
      const { unreported } = start.received;
      if (unreported !== "" && this.#faults.isLegal) this.#fault(unreported);
    }
    const { controller } = running;
    const isQuiet = controller.signal.aborted || running.isOver || this.#environment.storage.dead;
    if (!isEnded && !isQuiet) {
      if (start.received.isPending && codes.length === 0) this.#fault("the code was not reported");
      const { isUnwritten, isSilentForLong, hasBroken } = this.#faults;
      const happened = {
        ...{ not_saved: isUnwritten, storage_silent: isSilentForLong, adapter_failed: hasBroken },
      };
      for (const [name, isDue] of Object.entries(happened)) {
        const isReported = start.troubles.some(({ code }) => code === name);
        if (isDue && !isReported) this.#fault(`${name} was not reported`);
      }
    }
    if (start.session && (!running.isOver || isAtEnd(start.session))) {
      const problem = start.received.problemOf(start.session, SETTINGS.config.scope);
      if (problem !== "") this.#fault(`the session's ${problem} is wrong`);
    }
    if (running.mustReject && start.session) this.#fault("an exception of a callback is lost");
    if (start.ends.length > 1) this.#fault("onEnd was called twice");
    if (start.ends.length > 0 && running.isOver)
      this.#fault("onEnd after the program ended the session");
    if (start.isSettled && start.session === undefined) {
      this.#checkClean(running);
      const { error } = start;
      const isKnown = (error as Error)?.name === "SignInError" || running.thrown.includes(error);
      if (!isKnown) this.#fault(`signIn rejects with ${String(error)}`);
    }
    if (!isEnded || !start.isDisposed) return;
    this.#running = undefined;
    this.#endedAtMs = this.#environment.clock.elapsedMs;
  }

  /** Stops all faults, and lets the user allow each code. After that, every promise must settle. */
  async #settle(): Promise<void> {
    this.#faults.isOver = true;
    this.#throwsIn = -1;
    const { server, storage } = this.#environment;
    server.allowsAfterPolls = 0;
    if (storage.dead) this.#kill();
    await this.#pass(SETTLE_S);
    // API requests with redirects need more turns of the event loop.
    for (let i = 0; i < 10; i++) await new Promise(setImmediate);
    this.#check();
    for (const { what, of, isSettled } of this.#promises) {
      if (of.isAlive && !isSettled) this.#fault(`${what} is never settled`);
      const isRinging = of.isOver && of.start.alarmMs() !== undefined;
      if (of.isAlive && isRinging) this.#fault("an alarm was set after the end");
    }
  }

  /** Kills the program. A start of the same or a newer version must resume a saved session that can be renewed. */
  async #checkAfterKill(): Promise<void> {
    const session = this.#running?.start.session;
    if (session === undefined || isAtEnd(session) || this.#running?.isOver) return;
    if (!session.isSaved) {
      this.#fault("not saved although storage works");
      return;
    }
    // Without a refresh token, the session ends when its access token is lost.
    if (this.#environment.server.live.length === 0 || !session.isRenewable) return;
    if (this.#random.once(2)) {
      // Close the session while a refresh runs or is about to start.
      void session.fetch(`${API}/never`).catch(() => {});
      await turns();
      if (this.#random.once(2)) this.#environment.clock.advance(1);
      this.#running!.isOver = true;
      const closed = session.close();
      await this.#pass(20);
      await closed;
    }
    this.#kill();
    this.#environment.http.faultFor = () => undefined;
    this.#environment.storage.failWhen = () => false;
    // A newer version must resume the session. An older version may lose it, but must report that.
    const isDowngrade = this.#hasUpdates && !this.#isOlder;
    if (this.#hasUpdates) this.#isOlder = !this.#isOlder;
    const start = this.#startProgram({ resumeOnly: true });
    await this.#pass(60);
    if (isDowngrade && start.session === undefined) {
      const { code } = (start.error ?? {}) as { readonly code?: string };
      if (code !== "not_signed_in") this.#fault(`a downgrade ends with ${String(start.error)}`);
      return;
    }
    if (start.session === undefined) {
      this.#fault("a saved session is lost");
      return;
    }
    const isValid = start.session.accessToken().then(
      (token) => this.#environment.server.isValid(token),
      () => false,
    );
    await this.#pass(60);
    if (!(await Promise.race([isValid, false]))) this.#fault("a saved session returns no token");
  }

  #fault(what: string): void {
    this.violations.push(what);
  }

  async #pass(seconds: number): Promise<void> {
    const { clock } = this.#environment;
    const endMs = clock.elapsedMs + seconds * 1000;
    await turns();
    for (let count = 0; count < 3000; count++) {
      const nextMs = clock.nextInMs();
      if (nextMs < 0 || clock.elapsedMs + nextMs > endMs) break;
      clock.advance(nextMs);
      await turns();
    }
    if (clock.elapsedMs < endMs) clock.advance(endMs - clock.elapsedMs);
    await turns();
  }
}

/** Runs more turns than any chain of promises here needs. */
async function turns(): Promise<void> {
  for (let i = 0; i < 24; i++) await null;
}

/**
 * Makes a run. Its report does not contain unhandled rejections, which end the process or fail the test.
 * @param hasUpdates alternates an older version of the program and the current one on the same records
 */
export async function runOnce(seed: number, hasUpdates = false): Promise<RunReport> {
  const run = new Run(seed, hasUpdates);
  try {
    await run.run();
  } catch (error) {
    run.violations.push(`thrown: ${String(error)}`);
  }
  const { violations, actions, transitions } = run;
  return { violations, actions, transitions };
}
