// The ideal device, written from core/SPEC.md and the RFCs. It gets the same calls as the core, and predicts the
// results. This file has the states and their transitions: by the user, by time, and at the start. grant.ts and
// calls.ts handle responses. purposes.ts decides what is due.

import { Endpoint, ErrorCode, Event, Field, Pkce, Region, State } from "../../../core/index.ts";
import { type Settings, textsOf } from "../settings.ts";
import { Calls, Kind } from "./calls.ts";
import { Grant } from "./grant.ts";
import { Prompt } from "./prompt.ts";
import {
  Clock,
  Due,
  EXCHANGE_MS,
  Holder,
  Purpose,
  SAVE_AGAIN_MS,
  SLOW_DOWN_MS,
} from "./purposes.ts";
import { Requests } from "./requests.ts";
import { type Arrival, ENDLESS_S, errorOf, isReadable, Misfits, readingOf } from "./responses.ts";
import { bindingOf, SEQUENCES, StorageTask, type StoredRecord, sizeOf, Task } from "./storage.ts";

const START_SPREAD_MS = 5000;
const CHALLENGE_TRIES = 7;
/** The longest wait for the last poll, which follows the code's expiry. */
const LAST_POLL_MS = 64_000;

const SHARING: ReadonlySet<number> = new Set([
  ...[Field.DEVICE_CODE, Field.ACCESS_TOKEN, Field.RECEIVED_REFRESH_TOKEN],
  ...[Region.CODE_VERIFIER, Region.REFRESH_TOKEN, Region.OUTPUT],
]);

/** Properties of the core after a tick. The core chooses some moments at random, so the model must observe them. */
interface Observed {
  moves: number;
  event: number;
}

export class Ideal {
  state: number = State.STARTING;
  event: number = Event.NONE;
  moves = 0;
  error = 0;
  errorName = "";

  deviceCode: string | undefined;
  userCode = "";
  verificationUri = "";
  verificationUriComplete: string | undefined;
  verifier: string | undefined;
  challenge = "";
  codeRequestBytes = 0;
  pkce: number;
  #challengeFailures = 0;
  isCodeShown = false;
  /** Whether the code was read from a record. The age of such a code is unknown. */
  isCodeResumed = true;
  /** Whether the device has polled after the code's expiry. It does so once: the user may have decided just before. */
  isPolledAfterExpiry = false;
  renewals = 0;
  #autoStart: boolean;
  #isCancelNoted = false;
  #isSignOutNoted = false;
  #fits = false;

  accessToken: string | undefined;
  refreshToken: string | undefined;
  previousToken: string | undefined;

  readonly clock = new Clock();
  readonly storage = new StorageTask();
  readonly misfits: Misfits;
  readonly due = new Due(this);
  readonly calls: Calls;
  readonly prompt: Prompt;
  readonly requests: Requests;
  readonly #grant = new Grant(this);
  readonly binding: number;
  readonly formerBinding: number;

  holder = Holder.NOBODY;
  isInFlight = false;
  isAbortDue = false;
  purpose = Purpose.NONE;
  arrival: Arrival | undefined;

  constructor(
    readonly settings: Settings,
    readonly capacities: readonly number[],
  ) {
    const { config } = settings;
    this.#autoStart = config.autoStart === 1;
    this.pkce = config.pkce ?? Pkce.NEVER;
    this.requests = new Requests(settings);
    this.binding = bindingOf(this.requests.owner);
    this.formerBinding = bindingOf(this.requests.formerOwner);
    this.misfits = new Misfits(settings.memoryBytes);
    this.calls = new Calls(this);
    this.prompt = new Prompt(this, textsOf(config));
  }

  /** The bytes that the tokens, a code and OUTPUT share. */
  get sharedBytes(): number {
    return this.capacities[Region.OUTPUT]!;
  }

  /** Capacity of a region now. Each region of SHARING could take all bytes that the current values leave free. */
  capacity(region: number): number {
    if (!SHARING.has(region)) return this.capacities[region]!;
    const values = [this.deviceCode, this.accessToken, this.refreshToken, this.previousToken];
    values.push(this.verifier, this.challenge);
    return values.reduce<number>((left, value = "") => left - value.length, this.sharedBytes);
  }

  get hasSession(): boolean {
    return this.state === State.SIGNED_IN || this.state === State.REFRESHING;
  }

  get isResponding(): boolean {
    return this.isInFlight && this.purpose !== Purpose.CALL && this.arrival !== undefined;
  }

  /** Whether a successful response that names a token is arriving. Its bytes have overwritten the access token. */
  get #isTokenArriving(): boolean {
    const { arrival } = this;
    if (!this.isResponding || !arrival || arrival.status < 200 || arrival.status > 299)
      return false;
    const { members } = readingOf(arrival);
    return members.has("access_token") || members.has("refresh_token");
  }

  get hasAccess(): boolean {
    return !!this.accessToken && this.clock.accessLifetimeS > 0;
  }

  get #isFree(): boolean {
    return this.state < State.SIGNED_IN || this.state === State.FAILED;
  }

  get #isRefused(): boolean {
    return this.state === State.REFRESHING && this.#grant.isRefused;
  }

  /** The longest random wait after a start or before a renewed code, so that not all devices send requests at once. */
  #spreadMs(isForCode: boolean): number {
    const { startSpreadMs = START_SPREAD_MS } = this.settings.config;
    return Math.max(0, Math.min(startSpreadMs, isForCode ? 60_000 : 3_600_000) - 1);
  }

  /** The longest backoff of a refresh. A server may be overloaded until the start spread of all devices has ended. */
  get longestBackoffMs(): number {
    return Math.max(64_000, this.settings.config.startSpreadMs ?? 0);
  }

  moveTo(event: number, state: number): void {
    this.event = event;
    this.state = state;
    // While signed out, signing in or failed, the device has no tokens. Without a session, it has no target of a call.
    const isWithout = state >= State.SIGNED_OUT && state <= State.PENDING;
    if (isWithout || state === State.FAILED) this.#dropTokens();
    if (!this.hasSession) this.calls.dropTarget();
    if (state !== State.PENDING) this.dropCode();
    this.moves = (this.moves + 1) % 65_536;
    this.isCodeShown = false;
    this.clock.backoffMs = 0;
    this.requests.endFormTrial(false);
    this.prompt.turnToFirst();
  }

  #requestCode(event: number, leastMs: number, mostMs: number): void {
    this.error = ErrorCode.NONE;
    this.storage.nothingToSave();
    this.clock.wait.leastMs = leastMs;
    this.clock.wait.mostMs = mostMs;
    this.moveTo(event, State.REQUESTING);
  }

  end(event: number, error: number, state: number): void {
    // If storage refuses to erase, the device retries after this wait.
    this.clock.wait.leastMs = this.clock.wait.mostMs = SAVE_AGAIN_MS;
    this.error = error;
    this.moveTo(event, state);
    this.storage.start(Task.WIPE, this.recordKind);
  }

  endSession(error: number): void {
    this.end(Event.SESSION_ENDED, error, State.FAILED);
  }

  renewCode(): void {
    if (this.renewals++ < this.settings.config.renewalsMax) {
      this.#requestCode(Event.CODE_EXPIRED, 0, this.#spreadMs(true));
    } else {
      this.end(Event.RENEWALS_EXHAUSTED, ErrorCode.RENEWALS_EXHAUSTED, State.FAILED);
    }
  }

  refreshNow(event: number): void {
    if (!this.refreshToken) {
      this.endSession(ErrorCode.SESSION_ENDED);
      return;
    }
    this.clock.wait.leastMs = this.clock.wait.mostMs = 0;
    this.moveTo(event, State.REFRESHING);
  }

  dropCode(): void {
    this.deviceCode = undefined;
    this.dropVerifier();
  }

  dropVerifier(): void {
    this.verifier = undefined;
    this.challenge = "";
  }

  get isChallengeDue(): boolean {
    return this.pkce === Pkce.ALWAYS && this.verifier === undefined;
  }

  /** @param verifier undefined if the host could not create one */
  challengeMade(verifier: string | undefined, challenge: string): void {
    this.storage.challengeDone();
    // In any other state, the user cancelled or signed out in the meantime.
    if (this.state !== State.REQUESTING) {
      this.#challengeFailures = 0;
      return;
    }
    this.verifier = verifier;
    this.challenge = challenge;
    if (verifier !== undefined) this.#challengeFailures = 0;
    else if (++this.#challengeFailures < CHALLENGE_TRIES) this.clock.backOff(0, 0);
    else {
      this.#challengeFailures = 0;
      this.end(Event.FINAL_ERROR, ErrorCode.NO_CODE_CHALLENGE, State.FAILED);
    }
  }

  #dropTokens(): void {
    this.accessToken = this.refreshToken = this.previousToken = undefined;
    this.clock.refreshLifetimeS = ENDLESS_S;
  }

  /** Aborts the request in flight. A request for metadata continues, because it is not part of the sign-in. */
  #giveUpAttempt(): void {
    const isForMetadata = this.purpose === Purpose.CALL && this.calls.kind === Kind.METADATA;
    if (!isForMetadata) this.#giveUp();
  }

  #giveUp(): void {
    if (this.isInFlight) this.isAbortDue = true;
    this.isInFlight = false;
  }

  get isOutputFree(): boolean {
    return this.holder === Holder.NOBODY || this.holder === Holder.READ;
  }

  release(holder: Holder): void {
    if (this.holder === holder) this.holder = Holder.NOBODY;
  }

  aborted(): void {
    this.isAbortDue = false;
    this.release(Holder.REQUEST);
    this.release(Holder.RESPONSE);
  }

  /** Call this when tick has returned NONE: the host has had time to read the result of a call. */
  rested(): void {
    if (this.holder === Holder.RESPONSE && this.calls.isDone) this.holder = Holder.READ;
  }

  signIn(): void {
    this.renewals = 0;
    this.#grant.userActed();
    this.#challengeFailures = 0;
    if (this.state === State.STARTING) this.#autoStart = true;
    else if (this.#isFree) {
      this.#giveUpAttempt();
      this.#requestCode(Event.SIGN_IN, 0, 0);
    } else if (this.#isRefused && this.#grant.isTriedForUser) {
      this.#giveUpAttempt();
      this.#requestCode(Event.SIGN_IN, 0, 0);
      this.storage.start(Task.WIPE, this.recordKind);
    } else if (this.#isRefused) this.#grant.tryForUser();
  }

  cancel(): void {
    if (this.state === State.STARTING) {
      this.#autoStart = false;
      this.#isCancelNoted = true;
      return;
    }
    const isAttempt = this.#isFree && this.state !== State.SIGNED_OUT;
    if (isAttempt || this.#isRefused || this.state === State.REVOKING) {
      this.#giveUpAttempt();
      this.end(Event.CANCEL, ErrorCode.NONE, State.SIGNED_OUT);
    }
  }

  signOut(): void {
    if (this.#isFree) this.cancel();
    if (this.state === State.STARTING) this.#isSignOutNoted = true;
    if (this.#isFree || this.state === State.REVOKING) return;
    // An incomplete new token has overwritten the access token, and cannot be revoked.
    if (this.#isTokenArriving) this.accessToken = undefined;
    this.previousToken = undefined;
    this.#giveUp();
    this.#grant.revocationBegins();
    this.clock.wait.leastMs = this.clock.wait.mostMs = 0;
    this.moveTo(Event.SIGN_OUT, State.REVOKING);
    this.storage.start(Task.WRITE, this.recordKind);
  }

  /** Call this when a resource server has refused the access token in the application's own request. */
  accessTokenRefused(): void {
    // Treat the token as expired, but keep it. Without a refresh token, a sign-out revokes the access token.
    if (this.state === State.SIGNED_IN) this.clock.accessLifetimeS = this.clock.restS = 0;
  }

  /** Takes over a record. The refresh token of an earlier record becomes the previous refresh token. */
  recordRead(record: StoredRecord): void {
    [this.refreshToken, this.previousToken] = [this.previousToken, this.refreshToken];
    this.accessToken = undefined;
    this.dropCode();
    this.clock.intervalMs = record.intervalMs;
    this.clock.codeLifetimeS = record.codeLifetimeS;
    this.clock.refreshLifetimeS = record.refreshLifetimeS;
    if (record.kind % 2 === 1) this.refreshToken = undefined;
    this.#fits = this.#hasCapacity(record);
    const first = this.#fits ? record.values[0] : undefined;
    if (record.kind === State.PENDING) {
      this.deviceCode = first;
      [, this.userCode, this.verificationUri] = record.values as [string, string, string];
      this.verificationUriComplete = record.values[3];
      this.verifier = record.values[4];
    } else if (record.kind % 2 === 1) this.refreshToken = first;
    else this.accessToken = first;
  }

  /** Whether the memory has enough capacity for the record's values beside the record itself. */
  #hasCapacity(record: StoredRecord): boolean {
    const regions =
      record.kind === State.PENDING
        ? [
            Field.DEVICE_CODE,
            Field.USER_CODE,
            Field.VERIFICATION_URI,
            Field.VERIFICATION_URI_COMPLETE,
            Region.CODE_VERIFIER,
          ]
        : [record.kind % 2 === 1 ? Region.REFRESH_TOKEN : Field.ACCESS_TOKEN];
    let free = this.capacity(Region.OUTPUT) - sizeOf(record);
    return record.values.every((value = "", i) => {
      if (!SHARING.has(regions[i]!)) return value.length <= this.capacity(regions[i]!);
      free -= value.length;
      return value === "" || free >= 0;
    });
  }

  resume(): void {
    const { clock } = this;
    const found = this.storage.found;
    const kind = found && this.#fits ? found.kind : 0;
    const spread = this.#spreadMs(kind < State.SIGNED_IN);
    clock.wait.leastMs = 0;
    clock.wait.mostMs = spread;
    if (kind === 0) {
      if (this.#autoStart) this.#requestCode(Event.SIGN_IN, 0, spread);
      else this.moveTo(Event.NO_RECORD, State.SIGNED_OUT);
    } else if (kind === State.PENDING) {
      // The server may have sent slow_down after the record was written.
      clock.pollEvery(clock.intervalMs + SLOW_DOWN_MS);
      clock.wait.leastMs += clock.intervalMs;
      clock.wait.mostMs += clock.intervalMs;
      this.moveTo(Event.CODE_FOUND, State.PENDING);
    } else if (kind <= State.REFRESHING) this.moveTo(Event.TOKENS_FOUND, kind);
    else this.moveTo(Event.REVOCATION_FOUND, State.REVOKING);
    if (kind !== 0) this.storage.tidy(this.recordKind, this.previousToken !== undefined);
    if (kind !== 0 && (this.#isCancelNoted || this.#isSignOutNoted)) {
      if (this.#isSignOutNoted) this.signOut();
      else if (kind === State.PENDING) this.cancel();
      if (this.#autoStart) this.signIn();
    }
  }

  advance(elapsedMs: number): void {
    this.clock.advance(elapsedMs, this.isInFlight);
    this.prompt.advance(elapsedMs);
  }

  /** Makes the transitions that depend on time. For those at random times, `observed` shows if the core made them. */
  timeRules(observed: Observed): void {
    const { clock } = this;
    if (this.isInFlight && clock.exchangeMs === 0) {
      this.isAbortDue = true;
      this.responded(ErrorCode.UNREACHABLE);
    }
    const isRevoking = this.isInFlight && this.purpose === Purpose.REVOCATION;
    const isRevocable = this.requests.hasEndpoint(Endpoint.REVOCATION);
    if (this.state === State.REVOKING && !isRevocable && !isRevoking) {
      this.end(Event.REVOKED, ErrorCode.NONE, State.SIGNED_OUT);
    }
    if (this.state === State.PENDING && clock.codeLifetimeS === 0) {
      this.isCodeShown = false;
      const { leastMs, mostMs } = clock.wait;
      const isSeen =
        observed.moves !== this.moves &&
        (observed.event === Event.CODE_EXPIRED || observed.event === Event.RENEWALS_EXHAUSTED);
      const isTooFar = leastMs > LAST_POLL_MS || (mostMs > LAST_POLL_MS && isSeen);
      if (!this.isInFlight && (this.isPolledAfterExpiry || isTooFar)) this.renewCode();
    }
    if (this.calls.isTokenRequired) {
      this.clock.restS = 0;
      // If the application waits for a refresh, the start spread does not delay it.
      const isSpread = !this.clock.backoffMs && !this.#grant.triedPrevious;
      if (this.state === State.REFRESHING && isSpread) clock.wait.leastMs = clock.wait.mostMs = 0;
    }
    if (this.state === State.SIGNED_IN && !this.isInFlight) {
      const { least, most } = this.due.refreshDueS;
      const hasMoved = observed.moves !== this.moves;
      const isSeen =
        hasMoved &&
        (observed.event === Event.REFRESH_DUE || observed.event === Event.SESSION_ENDED);
      if (most <= 0 || (least <= 0 && isSeen)) this.refreshNow(Event.REFRESH_DUE);
    }
    this.calls.check();
  }

  /** @param failure the error of a request that fails before it is sent */
  begin(purpose: Purpose, failure: number = ErrorCode.NONE): void {
    this.purpose = purpose;
    if (purpose === Purpose.POLL && this.clock.codeLifetimeS === 0) this.isPolledAfterExpiry = true;
    this.arrival = undefined;
    this.holder = purpose === Purpose.CALL ? Holder.RESPONSE : Holder.REQUEST;
    if (purpose === Purpose.CALL) this.calls.sent();
    if (purpose === Purpose.CODE) {
      this.codeRequestBytes = Requests.sizeOf(this.due.request(purpose));
      this.challenge = "";
    }
    if (failure) {
      this.responded(failure);
      return;
    }
    this.isInFlight = true;
    this.clock.exchangeMs = EXCHANGE_MS;
  }

  storeAgain(purpose: Purpose): void {
    this.clock.wait.leastMs = this.clock.wait.mostMs = SAVE_AGAIN_MS;
    const isStored = this.refreshToken !== undefined || this.accessToken !== undefined;
    const erasing = isStored ? Task.ERASE_OLDER : Task.WIPE;
    this.storage.start(purpose === Purpose.SAVE ? Task.WRITE : erasing, this.recordKind);
  }

  record(): StoredRecord {
    const { clock } = this;
    const { kind } = this.storage;
    const values =
      kind === State.PENDING
        ? [this.deviceCode, this.userCode, this.verificationUri, this.verificationUriComplete]
        : [this.refreshToken || this.accessToken];
    if (kind === State.PENDING && this.verifier) values.push(this.verifier);
    return {
      kind,
      sequence: this.storage.sequence % SEQUENCES,
      intervalMs: clock.intervalMs,
      codeLifetimeS: clock.codeLifetimeS,
      refreshLifetimeS: clock.refreshLifetimeS,
      values,
    };
  }

  get recordKind(): number {
    return this.refreshToken ? this.state | 1 : this.state;
  }

  responded(failure: number): void {
    this.isInFlight = false;
    // The host may still read the request until it gets ABORT.
    if (!this.isAbortDue) this.release(Holder.REQUEST);
    const arrival = this.arrival ?? { status: 0, retryAfterS: 0, body: "" };
    if (this.purpose === Purpose.CALL) {
      this.calls.responded(failure, arrival);
      return;
    }
    const reading = readingOf(arrival);
    const isJson = isReadable(arrival, reading);
    let error = failure || errorOf(arrival, isJson, reading.errors, arrival.body === "");
    // In responses to requests other than polls, authorization_pending and slow_down only mean that the server is busy.
    const isOfPoll = error === ErrorCode.AUTHORIZATION_PENDING || error === ErrorCode.SLOW_DOWN;
    if (isOfPoll && this.purpose !== Purpose.POLL) error = ErrorCode.TEMPORARILY_UNAVAILABLE;
    const hasBody = this.purpose !== Purpose.REVOCATION || !this.requests.isQueryRevoked;
    if (error !== ErrorCode.UNREACHABLE && this.requests.beginFormTrial(arrival.status, hasBody)) {
      this.retry();
    } else if (this.purpose === Purpose.REVOCATION) {
      this.requests.endFormTrial(error === ErrorCode.NONE);
      this.#grant.revocationCompleted(error, arrival);
    } else this.#grant.responded(error, arrival, reading);
  }

  /** Retries at once: with the other body format, or with a code challenge. */
  retry(): void {
    this.error = ErrorCode.NONE;
    if (this.purpose === Purpose.CODE) this.dropVerifier();
    this.clock.wait.leastMs = this.clock.wait.mostMs = 0;
  }
}
