// The judge of a life: hears every call of the core, every request and answer, every frame and record,
// and compares them with the invariants (violation.ts). It believes the wire, not the device; of the
// device it reads only what the border shows.

import { CallState, type Device } from "../../core/complete.ts";
import { transitions } from "../../core/device/states.ts";
import { Event, Field, Region, State } from "../../core/index.ts";
import type { Storage } from "../../platform/contracts.ts";
import { EVENTS_PATH } from "./account-service.ts";
import { latin1 } from "./bytes.ts";
import { Ledger, membersOf, text } from "./ledger.ts";
import type { Exchange } from "./network.ts";
import { PageOracle } from "./page-oracle.ts";
import { PollOracle } from "./poll-oracle.ts";
import { PromptOracle } from "./prompt-oracle.ts";
import type { LogicalRecord, Records } from "./records.ts";
import { Violation } from "./violation.ts";

/** Rows of the table that lives have gone through: `from,event,to`. */
export type Coverage = Map<string, number>;

const ROWS: ReadonlySet<string> = new Set(
  transitions().map(({ from, event, to }) => `${from},${event},${to}`),
);

/** What storage must hold where a device begins with this event. */
const KINDS_FOUND: ReadonlyMap<number, readonly string[]> = new Map([
  [Event.NO_RECORD, ["nothing"]],
  [Event.SIGN_IN, ["nothing"]],
  [Event.CODE_FOUND, ["code"]],
  [Event.TOKENS_FOUND, ["token"]],
  [Event.REVOCATION_FOUND, ["revocation"]],
]);

/** RFC 6749 §5.2, and the names that some servers have for it: the grant is over, whatever is tried. */
const REFUSES_GRANT = ["invalid_grant", "expired_token", "access_denied", "invalid_token"];
/** Of the errors that lives have, the one that nobody knows. */
const UNKNOWN = "unheard_of";
const DAY_MS = 86_400_000;

const OFFER_AGAIN_MS = 60_000;

interface OracleView {
  nowMs(): number;
  note(text: string): void;
  records: Records;
  coverage: Coverage;
  clientSecret: string;
}

export class Oracle {
  readonly ledger = new Ledger();
  readonly polls: PollOracle;
  readonly prompt: PromptOracle;
  readonly pages = new PageOracle();
  #device: Device | undefined;
  #moves = 0;
  #state: number = State.STARTING;
  #expected: LogicalRecord | undefined;
  /** The call of the core under way, and the answer that it is about. */
  #answer: { path: string; form: URLSearchParams; members: Record<string, unknown> } | undefined;
  #session = 0;
  #triesPrevious = false;
  /** Of the present session; without one it ends with its access token. */
  hasRefreshToken = false;
  #ending: { exchange: Exchange; complete: boolean; error: string } | undefined;
  /** What a late answer must leave as it is; "" where the call is none. */
  #before = "";

  readonly #view: OracleView;

  constructor(view: OracleView) {
    this.#view = view;
    this.polls = new PollOracle(view);
    this.prompt = new PromptOracle(view, this.ledger);
  }

  poweredOn(storage: Storage): void {
    this.#device = undefined;
    this.#state = State.STARTING;
    this.#moves = 0;
    // What was under way when the power went, nobody hears the end of.
    this.#ending = undefined;
    this.#expected = this.#view.records.newest();
    this.#view.records.poweredOn(storage);
    this.#view.records.checkPairKept();
    this.polls.poweredOn();
    this.pages.poweredOn();
    this.prompt.poweredOn();
  }

  /** The device is there (its first call of the core comes after). */
  watch(device: Device): void {
    this.#device = device;
  }

  // the core's calls

  /** @param requestId of a response that is handed over, -1 for any other call */
  beforeCall(name: string, requestId: number): void {
    const device = this.#device;
    this.#before = "";
    if (requestId < 0 || !device) return;
    const isCurrent = device.inFlight === 1 && device.requestId === requestId;
    if (!isCurrent) this.#before = this.#snapshot();
    if (name === "responseEnd" || name === "responseFailed") this.#heard(isCurrent);
  }

  /** The device hears the end of an exchange, unless it gave it up while its host slept. */
  #heard(isCurrent: boolean): void {
    const end = this.#ending;
    this.#ending = undefined;
    if (!end) return;
    if (!isCurrent) {
      this.polls.aborted(end.exchange);
      return;
    }
    this.polls.ended(end.exchange, end.complete, end.error);
    if (end.complete) this.pages.heard(end.exchange, this.#answer?.members ?? {});
    // The token before is tried, and written again if it is the better one.
    if (REFUSES_GRANT.includes(end.error)) this.#triesPrevious = true;
    if (this.#answer?.form.has("refresh_token")) this.#refreshAnswered(end.exchange, end.error);
    if (end.error === "authorization_pending" || end.error === "slow_down") {
      this.prompt.confirmed(this.#answer?.form.get("device_code") ?? "");
    }
  }

  afterCall(name: string): void {
    const device = this.#device;
    if (!device) return;
    if (name === "storageDone") this.#view.records.isBusy = false;
    if (this.#before && this.#snapshot() !== this.#before) {
      throw new Violation("late-answer", `${name} of a request that was given up had an effect`);
    }
    if (device.moves !== this.#moves) this.#moved(device, name);
    // What an event leads to, it has led to by now.
    if (device.callState === CallState.DONE) this.#isGenuine = false;
  }

  #snapshot(): string {
    const device = this.#device;
    if (!device) return "";
    return [
      device.state,
      device.moves,
      device.codeShown,
      device.intervalMs,
      ...device.length,
    ].join();
  }

  #moved(device: Device, name: string): void {
    const moves = (device.moves - this.#moves) & 65535;
    if (this.#state === State.STARTING && name === "storageDone" && moves > 1 && moves <= 3) {
      this.#cameBackAsAsked(device, moves);
    }
    const from = this.#state;
    const { event, state: to } = device;
    if (((this.#moves + 1) & 65535) !== device.moves) {
      throw new Violation("transition", `a move before ${State[to]} was not seen in ${name}`);
    }
    this.#moves = device.moves;
    this.#state = to;
    const row = `${from},${event},${to}`;
    const said = `${State[from]} -${Event[event]}-> ${State[to]}`;
    this.#view.note(said);
    if (!ROWS.has(row)) throw new Violation("transition", `${said} is no row of the table`);
    this.#view.coverage.set(row, (this.#view.coverage.get(row) ?? 0) + 1);
    if (from === State.STARTING) this.#recovered(event);
    this.polls.moved();
    if (to !== State.PENDING) this.prompt.ended();
    this.#budget(from, event, to);
    this.#happened(from, event, name);
  }

  /**
   * What was asked for while the device started is done as soon as the records are read, in the same call: the
   * host sees the last move only. The ones before follow from it.
   */
  #cameBackAsAsked(device: Device, moves: number): void {
    const isSigningOut = device.state === State.REVOKING;
    const event = isSigningOut ? Event.TOKENS_FOUND : Event.CODE_FOUND;
    this.#view.note(`STARTING -${Event[event]}->`);
    this.#recovered(event);
    this.#state = isSigningOut ? State.REFRESHING : State.PENDING;
    if (moves === 3) {
      this.#budget(State.PENDING, Event.CANCEL, State.SIGNED_OUT);
      this.#state = State.SIGNED_OUT;
    }
    this.#moves = (device.moves - 1) & 65535;
  }

  /** What storage may do because of this move. */
  #budget(from: number, event: number, to: number): void {
    const { records } = this.#view;
    const writes = [Event.CODE_RECEIVED, Event.TOKENS_RECEIVED, Event.SIGN_OUT];
    if (writes.includes(event)) records.writesAllowed++;
    const leavesOne = [Event.SIGN_OUT, Event.REVOCATION_FOUND, Event.CODE_FOUND];
    if (leavesOne.includes(event)) records.erasesAllowed++;
    const isGivenUp = from === State.REFRESHING && event === Event.SIGN_IN;
    const isEnd = to === State.SIGNED_OUT || to === State.FAILED || isGivenUp;
    if (isEnd && from !== State.STARTING) records.erasesAllowed += 2;
  }

  #happened(from: number, event: number, name: string): void {
    const { records } = this.#view;
    const members = this.#answer?.members ?? {};
    switch (event) {
      case Event.CODE_RECEIVED: {
        const code = this.ledger.code(text(members.device_code));
        if (!code) throw new Violation("own-secrets", "a code was accepted that no answer brought");
        code.arrivedMs = this.#view.nowMs();
        this.polls.codeArrived(code);
        this.prompt.codeArrived(code);
        break;
      }
      case Event.TOKENS_RECEIVED:
      case Event.REFRESHED:
        this.#tokensArrived(event === Event.TOKENS_RECEIVED, members);
        break;
      case Event.SIGN_OUT:
        records.sessionOver(this.#session);
        records.revocationUnstored = true;
        break;
      case Event.SESSION_ENDED:
        this.#checkCause(from, name);
        records.sessionOver(this.#session);
        break;
      case Event.CANCEL:
      case Event.SIGN_IN:
        this.#givenUp(from, event);
        break;
      default:
    }
  }

  #tokensArrived(isNew: boolean, members: Record<string, unknown>): void {
    const { records } = this.#view;
    this.#wasRefused = false;
    this.#unknownSinceMs = undefined;
    const access = text(members.access_token);
    const refresh = text(members.refresh_token);
    this.#session = this.ledger.session(access);
    if (!this.#session)
      throw new Violation("own-secrets", "a token was accepted that nobody issued");
    if (isNew) this.hasRefreshToken = refresh !== "";
    const newest = records.newest();
    const present = refresh || (isNew ? access : this.#answer!.form.get("refresh_token")!);
    this.presentToken = present;
    const isStored = newest?.kind === "token" && newest.secret === present;
    // A device that could not read its newest record does not know what it holds.
    if (isStored && !records.readsFailed && !this.#triesPrevious) return;
    this.#triesPrevious = false;
    if (!isNew) records.writesAllowed++;
    // A pair that storage has refused already is not held back again.
    if (!isNew && present === this.#answer!.form.get("refresh_token")) return;
    records.unstored = present;
    this.#unstoredAccess = access;
  }

  #unstoredAccess = "";

  /** Whether a session was given up here, which its service was not told. */
  isUntold = false;

  /** A person may give up tokens that the server refuses to refresh, and a revocation; nothing else of a session. */
  #givenUp(from: number, event: number): void {
    if (from < State.SIGNED_IN || from === State.FAILED) return;
    const isRefused = from === State.REFRESHING && this.#wasRefused;
    if (!isRefused && !(from === State.REVOKING && event === Event.CANCEL)) {
      throw new Violation("wipe-cause", "a session that nobody refuses was given up");
    }
    this.isUntold = true;
    this.#view.records.sessionOver(this.#session);
  }

  /** Since the last success a refresh was refused by an error that is not about the grant. */
  #wasRefused = false;
  #unknownSinceMs: number | undefined;

  #refreshAnswered({ status }: Exchange, error: string): void {
    // A server that is ill or hurried blames nobody, except by a name that says whom.
    if (status === 429 || (status >= 500 && error !== "invalid_client")) return;
    if (error !== UNKNOWN) this.#unknownSinceMs = undefined;
    else this.#unknownSinceMs ??= this.#view.nowMs();
    this.#wasRefused = true;
  }

  /** A session has ended: by what was said in the very call that ended it. */
  #checkCause(from: number, name: string): void {
    if (name === "applySecurityEvent") return;
    // The call that acknowledges the event is over, or could not even be made.
    if (this.#isGenuine && this.#device!.callState === CallState.DONE) return;
    const { path = "", members = {} } = this.#answer ?? {};
    if (name === "responseEnd" && path === "/token" && from === State.REFRESHING) {
      const named = text(members.error) || text(members.error_code);
      if (REFUSES_GRANT.includes(named)) return;
      const sinceMs = this.#unknownSinceMs ?? Number.POSITIVE_INFINITY;
      if (named === UNKNOWN && this.#view.nowMs() - sinceMs >= DAY_MS - 1000) return;
    }
    if (!this.hasRefreshToken) return;
    throw new Violation("wipe-cause", `the session ended in ${name} without a final answer`);
  }

  /** The device has read its records and goes on from what it took for the newest. */
  #recovered(event: number): void {
    const expected = this.#expected;
    const device = this.#device;
    const { records } = this.#view;
    const kind = expected?.kind;
    const isKnown = records.isOrderKnown && !records.readsFailed;
    if (isKnown && !KINDS_FOUND.get(event)!.includes(kind ?? "nothing")) {
      throw new Violation(
        "recovers-newest",
        `${Event[event]}, but storage holds ${kind ?? "nothing"}`,
      );
    }
    const found = this.#found(device!, event);
    if (!found) return;
    if (isKnown && found !== expected?.secret) {
      throw new Violation("recovers-newest", "another value than the newest record's");
    }
    this.#session = this.ledger.session(found);
    this.presentToken = found;
    this.hasRefreshToken = found.startsWith("pgr.");
    if (event === Event.CODE_FOUND) {
      this.polls.codeFound(this.ledger.code(found)!);
      this.prompt.codeFound(this.ledger.code(found)!, records.about(found)!);
    }
  }

  /** What the device has read back. */
  #found(device: Device, event: number): string {
    if (event === Event.CODE_FOUND) return this.#regionText(device, Field.DEVICE_CODE);
    if (event !== Event.TOKENS_FOUND && event !== Event.REVOCATION_FOUND) return "";
    return (
      this.#regionText(device, Region.REFRESH_TOKEN) || this.#regionText(device, Field.ACCESS_TOKEN)
    );
  }

  #regionText(device: Device, region: number): string {
    const start = device.start[region]!;
    return latin1(device.memory, start, start + Math.max(0, device.length[region]!));
  }

  // the network

  sent(exchange: Exchange): void {
    const { path, query, form, request } = exchange;
    this.#answer = { path, form, members: {} };
    this.#view.note(`send ${path} ${form.get("grant_type")?.slice(-13) ?? ""}`);
    if (path === "/token" && form.has("device_code")) this.polls.polled(form);
    else if (path === "/token") this.#used(form.get("refresh_token") ?? "", true);
    else if (path === "/revoke")
      this.#revokes(new URLSearchParams(query).get("token") ?? form.get("token") ?? "");
    else if (request.authorization)
      this.#used(request.authorization.slice("Bearer ".length), false);
    this.polls.requested(path);
    this.pages.requested(exchange);
    if (path === "/device/code") this.#view.records.checkWiped();
  }

  #used(token: string, isRefresh: boolean): void {
    const { records } = this.#view;
    const session = this.ledger.session(token);
    if (!session || token.startsWith("pgr.") !== isRefresh) {
      throw new Violation("own-secrets", "a token was sent that was never issued to this device");
    }
    if (records.revoked.has(session)) {
      throw new Violation("no-resurrection", "a token was used after its revocation was recorded");
    }
    if (records.unstored && (token === records.unstored || token === this.#unstoredAccess)) {
      throw new Violation("store-before-use", "a pair was used before its record was durable");
    }
  }

  #revokes(token: string): void {
    if (!this.ledger.session(token)) {
      throw new Violation("own-secrets", "a token was revoked that was never issued");
    }
    if (this.#view.records.revocationUnstored) {
      throw new Violation(
        "store-before-use",
        "a revocation was sent before its record was durable",
      );
    }
  }

  /** The service has answered; whether the device will hear it is another matter. */
  served(exchange: Exchange, status: number, body: Uint8Array): void {
    if (status !== 200 || exchange.request.method !== "POST") return;
    if (exchange.path === EVENTS_PATH) {
      for (const set of Object.values(membersOf(body).sets ?? {})) this.#sets.add(text(set));
      return;
    }
    if (exchange.path === "/device/code") this.ledger.addCode(exchange.form, membersOf(body));
    else if (exchange.path === "/token") this.ledger.addTokens(exchange.form, membersOf(body));
  }

  ended(exchange: Exchange, complete: boolean): void {
    const members = complete ? membersOf(exchange.delivered) : {};
    this.#answer!.members = members;
    const error = text(members.error);
    this.#view.note(
      `  -> ${exchange.status || "nothing"} ${error}${complete ? "" : " (broken off)"}`,
    );
    this.#ending = { exchange, complete, error };
  }

  aborted(exchange: Exchange): void {
    this.polls.aborted(exchange);
  }

  // security events

  readonly #sets = new Set<string>();
  #isGenuine = false;

  /** Whether the service has signed this event: what a host finds out with the service's key. */
  verifies(set: string): boolean {
    this.#isGenuine = this.#sets.has(set);
    this.#view.note(`  event ${this.#isGenuine ? "genuine" : "forged"}`);
    return this.#isGenuine;
  }

  // the user, the display, rest

  userActed(): void {
    this.polls.userActed();
  }

  shown(frame: string): void {
    // Often it is the same again.
    if (frame === this.#shownBefore) return;
    for (const part of ["pgd.", "pgr.", "pga.", this.#view.clientSecret]) {
      if (frame.includes(part)) throw new Violation("no-secret", "a secret stands on the display");
    }
    if (/[^\x20-\x7e\n]/.test(frame)) throw new Violation("display-text", "other characters");
    this.#shownBefore = frame;
  }

  /** A frame that was found to be right. */
  #shownBefore = "";

  /** The device has come to rest; `alarmMs`: when it will wake by itself. */
  atRest(frame: string, alarmMs: number): void {
    const device = this.#device;
    if (!device) return;
    this.prompt.check(device, frame, alarmMs);
    const { records } = this.#view;
    if (!records.isBusy) records.checkNoneUnread();
    if (!records.isBusy && device.state === State.SIGNED_IN) records.checkNoneSpent();
    const waits = device.state === State.SIGNED_IN && !device.inFlight && !records.isBusy;
    if (waits && records.isRefused && alarmMs - this.#view.nowMs() > OFFER_AGAIN_MS) {
      throw new Violation("offered-again", "tokens that storage refused are let be");
    }
    const isIdle = !this.#view.records.isBusy && alarmMs - this.#view.nowMs() >= 134_216_000;
    if (isIdle && device.state === State.SIGNED_OUT) this.#view.records.checkWiped();
  }

  /** Whether the device holds a session, of its own telling. */
  get isSignedIn(): boolean {
    return this.#device?.state === State.SIGNED_IN;
  }

  /** The token that stands for the session: what has to be in storage. */
  presentToken = "";

  get presentSession(): number {
    return this.#session;
  }
}
