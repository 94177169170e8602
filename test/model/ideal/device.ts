// The device as it should be: its own reading of core/SPEC.md and the RFCs, on strings and plain numbers.
// It is told what the host tells the core, and says what has to follow. This file has the grant; calls are
// in calls.ts, the slots in storage.ts, time in clock.ts.

import { Command, ErrorCode, Event, Field, Region, State } from "../../../core/index.ts";
import { type Settings, textsOf } from "../settings.ts";
import {
  type Arrival,
  classify,
  ENDLESS_S,
  intervalMsOf,
  isAddress,
  isPrintable,
  isVisible,
  misfitOf,
  type Reading,
  readingOf,
  secondsOf,
} from "./answers.ts";
import { Calls, Kind } from "./calls.ts";
import { Clock, EXCHANGE_MS } from "./clock.ts";
import { isRenewable, isTransient, refusesGrant } from "./errors.ts";
import { Prompt } from "./prompt.ts";
import { bindingOf, type StoredRecord, sizeOf } from "./record.ts";
import { type Request, Requests } from "./requests.ts";
import { SEQUENCES, StorageTask, Task } from "./storage.ts";

/** What a request is for. */
export enum Purpose {
  NONE = 0,
  CODE = 1,
  POLL = 2,
  REFRESH = 3,
  REVOCATION = 4,
  CALL = 5,
  /** No request: storage is offered the tokens again that it refused. */
  SAVE = 6,
  /** Nor this: it is asked again to erase what should be gone. */
  ERASE = 7,
}

const START_SPREAD_MS = 5000;
const SAVE_AGAIN_MS = 60_000;
const REVOCATION_TRIES = 4;
/** From so many bytes of memory on a verification address may be as long. */
const LONG_URI_MEMORY = 24_576;
const LONG_URI_MAX = 512;
/** A user who signs out waits for no server longer than the backoff at its longest. */
const REVOCATION_WAIT_S_MAX = 64;
const SLOW_DOWN_MS = 5000;
const INTERVAL_MS_MAX = 99_990_000;
/** RFC 8628 §3.2 requires expires_in; where it is missing a code lives as long. */
const CODE_LIFE_S = 600;
/** Answers without a code, until the device says that it is set up wrongly. */
const USELESS_ANSWERS = 5;

/** Who has the room in which requests and records are made and answers to calls are kept. */
export enum Holder {
  NOBODY = 0,
  /** A request of the grant, until it has ended or ABORT was given. */
  REQUEST = 1,
  /** A record, from LOAD or STORE until the host has done it. */
  RECORD = 2,
  /** The answer to a call, until the host has had the time to read it: until tick has answered NONE. */
  ANSWER = 3,
  /** One that the host has had the time to read. */
  READ = 4,
}

/** What the host has seen the device do in a tick, where chance decides when it does. */
export interface Observed {
  moves: number;
  event: number;
  error: number;
}

/** A command that has to come now, or may. */
export interface Expectation {
  command: number;
  /** It may also come later: chance decides. */
  isOptional: boolean;
}

export class Ideal {
  state: number = State.STARTING;
  event: number = Event.NONE;
  moves = 0;
  error = 0;
  errorField = 0;
  /** More memory would hold what did not fit. */
  isMemoryShort = false;
  /** The values that did not fit, by field. */
  misfits: (readonly [Field, string | undefined])[] = [];
  private uselessAnswers = 0;
  /** The server's own name for an error that is not known. */
  errorName = "";

  deviceCode: string | undefined;
  userCode = "";
  verificationUri = "";
  verificationUriComplete: string | undefined;
  isCodeShown = false;
  /** The code is from before a restart: nobody knows how old it is. */
  isCodeResumed = true;
  renewals = 0;
  private autoStart: boolean;
  /** What the user asks for while the records are read. */
  private isCancelNoted = false;
  private isSignOutNoted = false;

  accessToken: string | undefined;
  refreshToken: string | undefined;
  /** The one before: it is tried once before the user has to sign in again. */
  previousToken: string | undefined;
  private triedPrevious = false;
  private revocationTries = 0;

  readonly clock = new Clock();
  readonly storage = new StorageTask();
  readonly calls: Calls;
  readonly prompt: Prompt;
  readonly requests: Requests;
  readonly binding: number;

  holder = Holder.NOBODY;
  isInFlight = false;
  isAbortDue = false;
  purpose = Purpose.NONE;
  /** What has come of the answer; undefined before its status. */
  arrival: Arrival | undefined;

  constructor(
    readonly settings: Settings,
    /** Bytes that a value may have, by region. */
    readonly room: (region: number) => number,
  ) {
    const { config } = settings;
    this.autoStart = config.autoStart === 1;
    this.requests = new Requests(config);
    this.binding = bindingOf(this.requests.owner);
    this.calls = new Calls(this);
    this.prompt = new Prompt(this, textsOf(config));
  }

  get hasSession(): boolean {
    return this.state === State.SIGNED_IN || this.state === State.REFRESHING;
  }

  get hasAccess(): boolean {
    return !!this.accessToken && this.clock.accessLifeS > 0;
  }

  /** Neither a session nor the end of one: its tokens outlive a failure. */
  private get isFree(): boolean {
    return this.state < State.SIGNED_IN || (this.state === State.FAILED && !this.refreshToken);
  }

  // moves

  private moveTo(event: number, state: number): void {
    this.event = event;
    this.state = state;
    // Without a session there are no tokens, and no target of a call.
    if (state >= State.SIGNED_OUT && state <= State.PENDING) this.dropTokens();
    if (!this.hasSession) this.calls.dropTarget();
    this.moves = (this.moves + 1) % 65_536;
    this.isCodeShown = false;
    this.clock.backoffMs = 0;
    this.prompt.turnToFirst();
  }

  private requestCode(event: number, leastMs: number, mostMs: number): void {
    this.error = ErrorCode.NONE;
    this.storage.notSaved = false;
    this.clock.wait.leastMs = leastMs;
    this.clock.wait.mostMs = mostMs;
    this.moveTo(event, State.REQUESTING);
  }

  /** The attempt or session is over for good, in memory and in storage. */
  private end(event: number, error: number, state: number): void {
    // When storage is asked again to erase what it does not erase now.
    this.clock.wait.leastMs = this.clock.wait.mostMs = SAVE_AGAIN_MS;
    this.error = error;
    this.dropTokens();
    this.moveTo(event, state);
    this.storage.start(Task.WIPE, this.recordKind);
  }

  endSession(error: number): void {
    this.end(Event.SESSION_ENDED, error, State.FAILED);
  }

  private renewCode(): void {
    if (this.renewals++ < this.settings.config.renewalsMax) {
      this.requestCode(Event.CODE_EXPIRED, 0, START_SPREAD_MS - 1);
    } else {
      this.end(Event.RENEWALS_EXHAUSTED, ErrorCode.RENEWALS_EXHAUSTED, State.FAILED);
    }
  }

  /** Renews the access token now; a session without a refresh token ends. */
  refreshNow(event: number): void {
    if (!this.refreshToken) {
      this.endSession(ErrorCode.SESSION_ENDED);
      return;
    }
    this.clock.wait.leastMs = this.clock.wait.mostMs = 0;
    this.moveTo(event, State.REFRESHING);
  }

  private dropTokens(): void {
    this.accessToken = this.refreshToken = this.previousToken = undefined;
    this.clock.refreshLifeS = ENDLESS_S;
  }

  /** A request for the metadata needs no session, nor an attempt to sign in. */
  private giveUpAttempt(): void {
    const isForMetadata = this.purpose === Purpose.CALL && this.calls.kind === Kind.METADATA;
    if (!isForMetadata) this.giveUp();
  }

  private giveUp(): void {
    if (this.isInFlight) this.isAbortDue = true;
    this.isInFlight = false;
  }

  // the room

  get isRoomFree(): boolean {
    return this.holder === Holder.NOBODY || this.holder === Holder.READ;
  }

  release(holder: Holder): void {
    if (this.holder === holder) this.holder = Holder.NOBODY;
  }

  /** The host was told to give up what it is at. */
  aborted(): void {
    this.isAbortDue = false;
    this.release(Holder.REQUEST);
    this.release(Holder.ANSWER);
  }

  /** tick has answered NONE: the host has had the time to read what a call left. */
  rested(): void {
    if (this.holder === Holder.ANSWER && this.calls.isDone) this.holder = Holder.READ;
  }

  // the user

  signIn(): void {
    this.renewals = this.uselessAnswers = 0;
    if (this.state === State.STARTING) this.autoStart = true;
    else if (this.isFree) {
      this.giveUpAttempt();
      this.requestCode(Event.SIGN_IN, 0, 0);
    } else if (this.state === State.FAILED) {
      // A call that waited for the session ended with it.
      this.calls.check();
      this.error = ErrorCode.NONE;
      this.clock.wait.leastMs = this.clock.wait.mostMs = 0;
      this.moveTo(Event.SIGN_IN, State.REFRESHING);
    }
  }

  cancel(): void {
    if (this.state === State.STARTING) {
      this.autoStart = false;
      this.isCancelNoted = true;
    } else if (this.isFree && this.state !== State.SIGNED_OUT) {
      this.giveUpAttempt();
      this.end(Event.CANCEL, ErrorCode.NONE, State.SIGNED_OUT);
    }
  }

  signOut(): void {
    this.cancel();
    if (this.state === State.STARTING) this.isSignOutNoted = true;
    if (this.isFree || this.state === State.REVOKING) return;
    this.giveUp();
    this.revocationTries = 0;
    this.clock.wait.leastMs = this.clock.wait.mostMs = 0;
    this.moveTo(Event.SIGN_OUT, State.REVOKING);
    this.storage.start(Task.WRITE, this.recordKind);
  }

  /** The application's own request was refused the access token: it is renewed before it is used again. */
  accessTokenRefused(): void {
    // It counts as expired; where no refresh token came, it is still what is revoked.
    if (this.state === State.SIGNED_IN) this.clock.accessLifeS = 0;
  }

  // the start

  /** A record has been read. The refresh token that was there before becomes the one before. */
  recordRead(record: StoredRecord): void {
    [this.refreshToken, this.previousToken] = [this.previousToken, this.refreshToken];
    this.accessToken = undefined;
    this.clock.intervalMs = record.intervalMs;
    this.clock.codeLifeS = record.codeLifeS;
    this.clock.refreshLifeS = record.refreshLifeS;
    // What has no room in this memory is not there.
    const first = this.fits(record) ? record.values[0] : undefined;
    if (record.kind === State.PENDING) {
      this.deviceCode = first;
      [, this.userCode, this.verificationUri] = record.values as [string, string, string];
      this.verificationUriComplete = record.values[3];
    } else if (record.kind % 2 === 1) this.refreshToken = first;
    else this.accessToken = first;
  }

  /** Whether a record's values have room in this memory. */
  fits(record: StoredRecord): boolean {
    const regions =
      record.kind === State.PENDING
        ? [
            Field.DEVICE_CODE,
            Field.USER_CODE,
            Field.VERIFICATION_URI,
            Field.VERIFICATION_URI_COMPLETE,
          ]
        : [record.kind % 2 === 1 ? Region.PRESENT_REFRESH_TOKEN : Field.ACCESS_TOKEN];
    return record.values.every(
      (value, i) => value === undefined || Buffer.byteLength(value) <= this.room(regions[i]!),
    );
  }

  /** The slots have been read: goes on in the state that the newest record is of. */
  comeBack(): void {
    const { clock } = this;
    const found = this.storage.found;
    const kind = found && this.fits(found) ? found.kind : 0;
    const spread = START_SPREAD_MS - 1;
    clock.wait.leastMs = 0;
    clock.wait.mostMs = spread;
    if (kind === 0) {
      if (this.autoStart) this.requestCode(Event.SIGN_IN, 0, spread);
      else this.moveTo(Event.NO_RECORD, State.SIGNED_OUT);
    } else if (kind === State.PENDING) {
      clock.wait.leastMs += clock.intervalMs;
      clock.wait.mostMs += clock.intervalMs;
      this.moveTo(Event.CODE_FOUND, State.PENDING);
    } else if (kind <= State.REFRESHING) this.moveTo(Event.TOKENS_FOUND, kind);
    else {
      this.moveTo(Event.REVOCATION_FOUND, State.REVOKING);
      this.storage.start(Task.ERASE_OLDER, this.recordKind);
    }
    if (kind !== 0 && (this.isCancelNoted || this.isSignOutNoted)) {
      if (this.isSignOutNoted) this.signOut();
      else this.cancel();
      if (this.autoStart) this.signIn();
    }
  }

  // time

  advance(elapsedMs: number): void {
    this.clock.advance(elapsedMs, this.isInFlight);
    this.prompt.advance(elapsedMs);
  }

  /** Seconds until the access token is to be renewed, at the least and at the most. */
  private get refreshDueS(): { least: number; most: number } {
    const left = this.accessToken ? this.clock.accessLifeS : 0;
    if (!this.refreshToken) return { least: left, most: left };
    return { least: left - this.clock.marginMostS, most: left - this.clock.marginLeastS };
  }

  /** What time brings by itself. `observed` tells what the device did where chance decides. */
  timeRules(observed: Observed): void {
    const { clock } = this;
    if (this.isInFlight && clock.exchangeMs === 0) {
      this.isAbortDue = true;
      this.answered(ErrorCode.UNREACHABLE);
    }
    if (this.state === State.PENDING && clock.codeLifeS === 0) {
      this.isCodeShown = false;
      if (!this.isInFlight) this.renewCode();
    }
    if (this.state === State.SIGNED_IN && !this.isInFlight) {
      const { least, most } = this.refreshDueS;
      const hasMoved = observed.moves !== this.moves;
      const isSeen =
        hasMoved &&
        (observed.event === Event.REFRESH_DUE || observed.event === Event.SESSION_ENDED);
      if (most <= 0 || (least <= 0 && isSeen)) this.refreshNow(Event.REFRESH_DUE);
    }
    this.calls.check();
  }

  /** Milliseconds after which something is due at the latest. */
  nextDueMs(): number {
    const { clock } = this;
    const { command, isOptional } = this.expected();
    if (command !== Command.NONE && !isOptional) return 0;
    let due = Number.POSITIVE_INFINITY;
    const purpose = this.purposeDue();
    if (this.isInFlight || this.calls.isAsked) due = clock.exchangeMs;
    else if (purpose !== Purpose.NONE) due = clock.wait.mostMs;
    if (this.state === State.PENDING && !(this.isInFlight && clock.codeLifeS === 0)) {
      due = Math.min(due, clock.msUntil(clock.codeLifeS));
    }
    if (this.state === State.SIGNED_IN && !this.isInFlight) {
      due = Math.min(due, clock.msUntil(this.refreshDueS.most));
    }
    return Math.min(due, this.prompt.nextChangeMs());
  }

  // commands

  /** What has to come next. */
  expected(): Expectation {
    if (this.isAbortDue) return { command: Command.ABORT, isOptional: false };
    const { storage } = this;
    const isWrite = storage.task === Task.WRITE && !storage.active && this.isRoomFree;
    if (isWrite && !this.recordFits()) {
      storage.task = Task.NONE;
      storage.notSaved = true;
      this.holder = Holder.NOBODY;
    }
    const stored = storage.due();
    if (stored && (stored === Command.ERASE || this.isRoomFree))
      return { command: stored, isOptional: false };
    if (this.calls.isVerifyDue) return { command: Command.VERIFY, isOptional: false };
    if (this.prompt.isChanged()) return { command: Command.SHOW, isOptional: false };
    const purpose = this.purposeDue();
    let command: number = Command.SEND;
    if (purpose === Purpose.SAVE) command = Command.STORE;
    if (purpose === Purpose.ERASE) command = Command.ERASE;
    const isNow = purpose === Purpose.CALL;
    if (purpose === Purpose.NONE || (this.clock.wait.leastMs > 0 && !isNow)) {
      return { command: Command.NONE, isOptional: false };
    }
    // The host is still to read the answer to a call.
    if (command === Command.SEND && !this.isRoomFree) {
      return { command: Command.NONE, isOptional: false };
    }
    return { command, isOptional: this.clock.wait.mostMs > 0 && !isNow };
  }

  purposeDue(): Purpose {
    const isHeld = !this.isRoomFree && !(this.holder === Holder.ANSWER && this.calls.isDone);
    if (this.isInFlight || this.storage.isBusy || isHeld) return Purpose.NONE;
    if (this.calls.isDue) return Purpose.CALL;
    switch (this.state) {
      case State.REQUESTING:
        return Purpose.CODE;
      case State.PENDING:
        return Purpose.POLL;
      case State.REFRESHING:
        return Purpose.REFRESH;
      case State.REVOKING:
        return Purpose.REVOCATION;
      case State.SIGNED_IN:
        return this.storage.notSaved ? Purpose.SAVE : Purpose.NONE;
      case State.SIGNED_OUT:
      case State.FAILED:
        return this.storage.notErased ? Purpose.ERASE : Purpose.NONE;
      default:
        return Purpose.NONE;
    }
  }

  /** The request that goes out now. */
  request(purpose: Purpose): Request {
    switch (purpose) {
      case Purpose.CODE:
        return this.requests.deviceAuthorization();
      case Purpose.POLL:
        return this.requests.poll(this.deviceCode!);
      case Purpose.REFRESH:
        return this.requests.refresh(this.refreshToken!);
      case Purpose.REVOCATION:
        return this.requests.revocation(this.refreshToken || this.accessToken || "");
      default:
        return this.calls.request();
    }
  }

  /** Whether the request has room in the memory: what has none ends as an answer of its own would. */
  requestFits(purpose: Purpose, request: Request): boolean {
    if (purpose === Purpose.CODE) return true;
    const region = purpose === Purpose.CALL ? Region.CALL : Region.OUTPUT;
    return Requests.sizeOf(request) <= this.room(region);
  }

  /** The request is made; without room for it, that is its answer. */
  begin(purpose: Purpose, fits: boolean): void {
    this.purpose = purpose;
    this.arrival = undefined;
    this.holder = purpose === Purpose.CALL ? Holder.ANSWER : Holder.REQUEST;
    if (purpose === Purpose.CALL) this.calls.sent();
    if (!fits) {
      this.answered(ErrorCode.MEMORY_TOO_SMALL);
      return;
    }
    this.isInFlight = true;
    this.clock.exchangeMs = EXCHANGE_MS;
  }

  /** Storage is offered again what it refused. */
  storeAgain(purpose: Purpose): void {
    this.clock.wait.leastMs = this.clock.wait.mostMs = SAVE_AGAIN_MS;
    this.storage.start(purpose === Purpose.SAVE ? Task.WRITE : Task.WIPE, this.recordKind);
  }

  /** The record to be written now. */
  record(): StoredRecord {
    const { clock } = this;
    const { kind } = this.storage;
    const values =
      kind === State.PENDING
        ? [this.deviceCode, this.userCode, this.verificationUri, this.verificationUriComplete]
        : [this.refreshToken || this.accessToken];
    return {
      kind,
      sequence: this.storage.sequence % SEQUENCES,
      intervalMs: clock.intervalMs,
      codeLifeS: clock.codeLifeS,
      refreshLifeS: clock.refreshLifeS,
      values,
    };
  }

  /** The state to go on in, odd where there is a refresh token. */
  private get recordKind(): number {
    return this.refreshToken ? this.state | 1 : this.state;
  }

  private recordFits(): boolean {
    return sizeOf(this.record()) <= this.room(Region.OUTPUT);
  }

  // answers

  answered(failure: number): void {
    this.isInFlight = false;
    // A host that did not end the exchange may still be reading: ABORT comes first.
    if (!this.isAbortDue) this.release(Holder.REQUEST);
    const arrival = this.arrival ?? { status: 0, retryAfterS: 0, body: "" };
    if (this.purpose === Purpose.CALL) {
      this.calls.answered(failure, arrival);
      return;
    }
    const reading = readingOf(arrival);
    const error = failure || classify(arrival, reading);
    if (this.purpose === Purpose.REVOCATION) this.revocationAnswered(error, arrival);
    else this.grantAnswered(error, arrival, reading);
  }

  /** The answer is complete; without a status there was none. */
  ended(): void {
    this.answered(this.arrival ? ErrorCode.NONE : ErrorCode.UNREACHABLE);
  }

  private revocationAnswered(error: number, { retryAfterS }: Arrival): void {
    if (!error || ++this.revocationTries >= REVOCATION_TRIES) {
      this.end(Event.REVOKED, error, State.SIGNED_OUT);
    } else this.clock.backOff(0, Math.min(retryAfterS, REVOCATION_WAIT_S_MAX));
  }

  private grantAnswered(failure: number, arrival: Arrival, reading: Reading): void {
    const { purpose } = this;
    const isCode = purpose === Purpose.CODE;
    let error = failure;
    if (!error) error = isCode ? this.takeCode(reading) : this.takeTokens(reading);
    this.error = error;
    if (!error) {
      if (isCode) this.codeReceived(arrival, reading);
      else this.tokensReceived(reading);
      return;
    }
    // What a success of no use names of tokens has taken the place of what was there.
    if (arrival.status >= 200 && arrival.status <= 299) {
      if (reading.members.has("access_token")) this.accessToken = undefined;
      if (reading.members.has("refresh_token")) this.previousToken = undefined;
    }
    if (error === ErrorCode.UNKNOWN_ERROR) this.errorName = reading.members.get("error") ?? "";
    const isStillPending =
      error === ErrorCode.AUTHORIZATION_PENDING || error === ErrorCode.SLOW_DOWN;
    if (purpose === Purpose.POLL && isStillPending) this.stillPending(error, arrival, reading);
    else if (isTransient(error)) {
      const floor = this.state === State.PENDING ? this.clock.intervalMs : 0;
      this.clock.backOff(floor, arrival.retryAfterS);
    } else if (purpose === Purpose.REFRESH) this.refreshRefused(error);
    else if (purpose === Purpose.POLL && isRenewable(error)) this.renewCode();
    else this.end(Event.FINAL_ERROR, error, State.FAILED);
  }

  /** An interval that cannot be waited for: the code ends before it would be polled too early. */
  private pollEvery(intervalMs: number): void {
    const { clock } = this;
    clock.intervalMs = Math.min(intervalMs, INTERVAL_MS_MAX);
    if (intervalMs > INTERVAL_MS_MAX) {
      clock.codeLifeS = Math.min(clock.codeLifeS, INTERVAL_MS_MAX / 1000);
    }
  }

  private stillPending(error: number, { retryAfterS }: Arrival, { members }: Reading): void {
    const { clock } = this;
    if (error === ErrorCode.SLOW_DOWN) {
      const named = intervalMsOf(members.get("interval"));
      this.pollEvery(Math.max(clock.intervalMs + SLOW_DOWN_MS, named));
    }
    clock.backoffMs = 0;
    clock.setWait(clock.intervalMs, clock.intervalMs, retryAfterS);
    // A code from before a restart is shown once the server has confirmed it.
    if (clock.codeLifeS > 0) this.isCodeShown = true;
  }

  /** @returns what is wrong with the code that came, NONE where it can be shown and polled */
  private takeCode({ members }: Reading): number {
    const code = members.get("device_code");
    const user = members.get("user_code");
    const uri = members.get("verification_uri");
    const values = [
      [Field.DEVICE_CODE, code],
      [Field.USER_CODE, user],
      [Field.VERIFICATION_URI, uri],
    ] as const;
    if (this.isTooLong(values)) return ErrorCode.VALUE_TOO_LONG;
    const expiresIn = members.get("expires_in");
    const life = expiresIn === undefined ? CODE_LIFE_S : secondsOf(expiresIn, -1);
    this.clock.codeLifeS = life;
    if (!code || !isPrintable(user) || !isAddress(uri) || life < 0) {
      return this.uselessAnswer();
    }
    const complete = members.get("verification_uri_complete");
    const hasRoom =
      isAddress(complete) && complete.length <= this.room(Field.VERIFICATION_URI_COMPLETE);
    this.deviceCode = code;
    this.userCode = user;
    this.verificationUri = uri;
    this.verificationUriComplete = hasRoom ? complete : undefined;
    return ErrorCode.NONE;
  }

  /** @returns whether one of the values has no room; which of them, and what would help */
  private isTooLong(values: readonly (readonly [Field, string | undefined])[]): boolean {
    this.errorField = misfitOf(values, this.room);
    this.misfits = values.filter(
      ([field, value]) => value !== undefined && Buffer.byteLength(value) > this.room(field),
    );
    this.isMemoryShort = this.misfits.some(([field, value]) => this.isHelped(field, value!));
    return this.errorField !== 0;
  }

  /** Whether a value that has no room would have it in a larger memory. */
  isHelped(field: Field, value: string): boolean {
    // A code has to be shown on one line.
    if (field === Field.USER_CODE) return false;
    if (field !== Field.VERIFICATION_URI) return true;
    const { memoryBytes } = this.settings;
    return memoryBytes < LONG_URI_MEMORY && Buffer.byteLength(value) <= LONG_URI_MAX;
  }

  /** A success without a code; an empty answer may come of a network that is not up yet. */
  private uselessAnswer(): number {
    if (this.arrival?.body && this.uselessAnswers < USELESS_ANSWERS) this.uselessAnswers++;
    return this.uselessAnswers < USELESS_ANSWERS
      ? ErrorCode.MALFORMED_RESPONSE
      : ErrorCode.USELESS_ANSWERS;
  }

  private codeReceived({ retryAfterS }: Arrival, { members }: Reading): void {
    const { clock } = this;
    this.isCodeResumed = false;
    this.uselessAnswers = 0;
    this.pollEvery(intervalMsOf(members.get("interval")));
    clock.setWait(clock.intervalMs, clock.intervalMs, retryAfterS);
    this.moveTo(Event.CODE_RECEIVED, State.PENDING);
    this.isCodeShown = true;
    this.storage.start(Task.WRITE, this.recordKind);
  }

  /** @returns what is wrong with the tokens that came, NONE where they are of use (RFC 6749 §5.1) */
  private takeTokens({ members }: Reading): number {
    const { clock } = this;
    const access = members.get("access_token");
    const refresh = members.get("refresh_token");
    const values = [
      [Field.ACCESS_TOKEN, access],
      [Field.REFRESH_TOKEN, refresh],
    ] as const;
    if (this.isTooLong(values)) return ErrorCode.VALUE_TOO_LONG;
    const type = members.get("token_type");
    if (type !== undefined && type.toLowerCase() !== "bearer") {
      return ErrorCode.UNSUPPORTED_TOKEN_TYPE;
    }
    if (!isVisible(access) || (refresh && !isVisible(refresh))) {
      return ErrorCode.MALFORMED_RESPONSE;
    }
    clock.accessLifeS = Math.max(60, secondsOf(members.get("expires_in"), ENDLESS_S));
    const margin = Math.min(300, Math.floor(clock.accessLifeS / 8));
    clock.marginLeastS = margin;
    clock.marginMostS = 2 * margin - 1;
    const life = members.get("refresh_token_expires_in");
    clock.refreshLifeS = secondsOf(life, clock.refreshLifeS);
    clock.wait.leastMs = clock.wait.mostMs = SAVE_AGAIN_MS;
    this.accessToken = access;
    return ErrorCode.NONE;
  }

  private tokensReceived({ members }: Reading): void {
    const isFirst = this.purpose === Purpose.POLL;
    const refresh = members.get("refresh_token");
    const isNew = !!refresh && refresh !== this.refreshToken;
    if (isNew) {
      this.previousToken = this.refreshToken;
      this.refreshToken = refresh;
    } else if (members.has("refresh_token")) this.previousToken = refresh;
    if (isFirst) this.prompt.setStatus("");
    this.moveTo(isFirst ? Event.TOKENS_RECEIVED : Event.REFRESHED, State.SIGNED_IN);
    // A token that replaces a dead one is new to the storage, whichever it is.
    if (isNew || isFirst || this.triedPrevious || this.storage.notSaved) {
      this.storage.start(Task.WRITE, this.recordKind);
    }
    this.triedPrevious = false;
  }

  private refreshRefused(error: number): void {
    if (!refusesGrant(error)) {
      this.moveTo(Event.FINAL_ERROR, State.FAILED);
      return;
    }
    if (this.triedPrevious || !this.previousToken) {
      this.endSession(ErrorCode.SESSION_ENDED);
      return;
    }
    this.triedPrevious = true;
    // Nobody has to sign in again before that is known to be refused as well.
    this.error = ErrorCode.NONE;
    [this.refreshToken, this.previousToken] = [this.previousToken, this.refreshToken];
    this.clock.wait.leastMs = this.clock.wait.mostMs = 1000;
  }
}
