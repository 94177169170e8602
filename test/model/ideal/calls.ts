// Models requests other than those of the grant. The device sends one at a time, and all but metadata requests need a
// session. Only resource servers get the access token. After a 401 the device refreshes the token and retries once (RFC
// 6750 §3.1), unless the server requires a new sign-in (RFC 9470).

import {
  CallState,
  Endpoint,
  ErrorCode,
  Event,
  Field,
  OfferError,
  Region,
  State,
} from "../../../core/complete.ts";
import type { Ideal } from "./device.ts";
import { textOf } from "./json.ts";
import { Holder } from "./purposes.ts";
import { formEncoded, type Request } from "./requests.ts";
import {
  type Arrival,
  errorOf,
  isReadable,
  isSecure,
  keptOf,
  misfitOf,
  type Reading,
  type Refusal,
  readingOf,
  refusalOf,
} from "./responses.ts";
import {
  claimsOf,
  type EventClaims,
  offerTarget,
  payloadOf,
  SeenEvents,
  wrongBody,
  wrongName,
} from "./specifications.ts";

export enum Kind {
  NONE = 0,
  LIST = 1,
  OFFER = 2,
  METADATA = 3,
  EVENTS = 4,
}

export interface Addresses {
  device: string;
  token: string;
  revocation: string | undefined;
}

export interface Outcome {
  refusal: Refusal | undefined;
  addresses: Addresses | undefined;
  /** Whether there was no response. All values must then be absent, also those of an earlier call. */
  isNothing: boolean;
}

/**
 * Stands for the Authorization header, which gets the current access token when the request is sent (RFC 6750 §2.1).
 */
const BEARER = "Bearer";
/** The maximum number of event polls after the first poll of a run. */
const EVENT_POLLS = 32;

/** RFC 9470 §3: the server accepts the token, but requires a new sign-in. */
const needsSignIn = ({ challenge = "" }: Arrival): boolean =>
  challenge.includes("insufficient_user_authentication");

export class Calls {
  state: number = CallState.IDLE;
  error = 0;
  status = 0;
  outcome: Outcome | undefined;
  hasNextPage = false;
  errorField = 0;
  target: string | undefined;
  kind = Kind.NONE;
  #made: Request | undefined;
  #base = "";
  #nextTarget = "";
  #isRetried = false;
  issuerRequested = "";

  isVerifying = false;
  isVerifyDue = false;
  set = "";
  pollsLeft = 0;
  outputBytes = 0;
  #endsWith = 0;
  readonly #seen = new SeenEvents();

  constructor(readonly device: Ideal) {}

  get isBusy(): boolean {
    return this.state !== CallState.IDLE && this.state !== CallState.DONE;
  }

  #maySend(kind: Kind): boolean {
    return kind === Kind.METADATA || this.device.hasSession;
  }

  mayBegin(kind: Kind): boolean {
    return this.#maySend(kind) && !this.isBusy;
  }

  get isRequested(): boolean {
    return this.isVerifying && !this.isVerifyDue;
  }

  get isDone(): boolean {
    return this.state === CallState.DONE;
  }

  #start(kind: Kind, request: Request): void {
    this.device.release(Holder.RESPONSE);
    this.device.release(Holder.READ);
    this.target = undefined;
    this.errorField = 0;
    this.kind = kind;
    this.#made = request;
    this.state = CallState.WAITING;
    this.error = this.status = 0;
    this.#isRetried = false;
    this.hasNextPage = false;
    this.outcome = undefined;
  }

  get isTokenRequired(): boolean {
    return this.state === CallState.WAITING && this.#made!.authorization !== undefined;
  }

  get isDue(): boolean {
    if (this.state !== CallState.WAITING) return false;
    return this.#made!.authorization === undefined || this.device.hasAccess;
  }

  request(): Request {
    const made = this.#made!;
    if (made.authorization === undefined) return made;
    return { ...made, authorization: `Bearer ${this.device.accessToken}` };
  }

  sent(): void {
    this.state = CallState.SENT;
  }

  /** @returns whether a new target can be built now. If so, discards the previous target and its next page. */
  begin(): boolean {
    if (!this.mayBegin(Kind.LIST)) return false;
    this.hasNextPage = false;
    this.target = "";
    return true;
  }

  add(part: string): void {
    if (this.target !== undefined) this.target += part;
  }

  send(endpoint: number, isGet: boolean, body: string | undefined): boolean {
    const { target } = this;
    if (target === undefined || endpoint < Endpoint.RESOURCE) return false;
    const fits = target.length <= this.device.capacity(Region.CALL);
    if (!fits || !this.mayBegin(Kind.LIST)) return false;
    const isBodyLent = body !== undefined;
    const authorization = BEARER;
    this.#start(Kind.LIST, {
      endpoint,
      isGet,
      target,
      body: body ?? "",
      authorization,
      isBodyLent,
    });
    this.#base = target;
    return true;
  }

  nextPage(): boolean {
    if (!this.hasNextPage || !this.mayBegin(Kind.LIST)) return false;
    this.#start(Kind.LIST, {
      ...this.#made!,
      isGet: true,
      target: this.#nextTarget,
      body: "",
      isBodyLent: false,
    });
    return true;
  }

  dropTarget(): void {
    this.hasNextPage = false;
    this.target = undefined;
  }

  discover(issuer: string): boolean {
    if (!this.mayBegin(Kind.METADATA)) return false;
    this.#start(Kind.METADATA, this.device.requests.metadata());
    this.issuerRequested = issuer;
    return true;
  }

  createOffer(names: string, body: string, endpoint: number): OfferError {
    const device = this.device;
    if (!this.mayBegin(Kind.OFFER) || !device.isOutputFree) return OfferError.NOT_NOW;
    device.holder = Holder.NOBODY;
    this.dropTarget();
    const lines = names.split("\n");
    const wrong = wrongName(lines, device.capacity(Region.CALL));
    if (wrong) return wrong;
    const mismatch = wrongBody(lines, body, device.capacity(Region.OUTPUT) / 4);
    if (mismatch) return mismatch;
    this.#start(Kind.OFFER, {
      endpoint,
      isGet: false,
      target: offerTarget(lines),
      body,
      authorization: BEARER,
      isBodyLent: true,
    });
    return OfferError.NONE;
  }

  pollEvents(): boolean {
    if (!this.mayBegin(Kind.EVENTS)) return false;
    this.#start(Kind.EVENTS, this.device.requests.eventPoll(undefined));
    this.pollsLeft = EVENT_POLLS;
    return true;
  }

  #finish(error: number, status: number): void {
    this.state = CallState.DONE;
    this.error = error;
    this.status = status;
    // If the host is verifying an event, it must stop, because the event's bytes will be reused.
    if (this.isRequested) this.device.isAbortDue = true;
    this.isVerifying = this.isVerifyDue = false;
    this.#endAsReported();
  }

  #endAsReported(): void {
    const endsWith = this.#endsWith;
    this.#endsWith = 0;
    if (endsWith && this.device.hasSession) this.device.endSession(endsWith);
  }

  check(): void {
    if (this.isRequested && this.device.clock.exchangeMs === 0) {
      this.#finish(ErrorCode.UNREACHABLE, this.status);
    }
    const mayGoOn = this.kind === Kind.NONE || this.#maySend(this.kind);
    const isLost = this.state === CallState.SENT && !this.device.isInFlight;
    if (isLost || (this.isBusy && !mayGoOn)) {
      this.outcome = undefined;
      this.#finish(this.#reasonOfEnd(), 0);
    }
  }

  #reasonOfEnd(): number {
    const device = this.device;
    const isEndOfSession = device.state === State.FAILED && device.error !== ErrorCode.NONE;
    return isEndOfSession ? device.error : ErrorCode.SESSION_ENDED;
  }

  isMadeAgain(arrival: Arrival): boolean {
    const isWithToken = this.#made?.authorization !== undefined;
    const isRetried = isWithToken && !this.#isRetried && !needsSignIn(arrival);
    return isRetried && this.device.refreshToken !== undefined;
  }

  responded(failure: number, arrival: Arrival): void {
    const device = this.device;
    const reading = readingOf(arrival);
    let error = failure;
    const isRefusal = arrival.status < 200 || arrival.status > 299;
    const refusal = isRefusal && arrival.status > 0 ? refusalOf(reading.document) : undefined;
    if (!error) {
      const isEmpty = arrival.body === "";
      const errors = refusal?.errors ?? { name: undefined, isNumbered: false };
      error = errorOf(arrival, isReadable(arrival, reading), errors, isEmpty);
      const isOfPoll = error === ErrorCode.AUTHORIZATION_PENDING || error === ErrorCode.SLOW_DOWN;
      if (isOfPoll) error = ErrorCode.TEMPORARILY_UNAVAILABLE;
      // A resource server's response may have any format, so only the application knows whether it is valid.
      if (this.kind === Kind.LIST && error === ErrorCode.MALFORMED_RESPONSE) error = ErrorCode.NONE;
    }
    if (arrival.status === 401 && this.#made!.authorization !== undefined) {
      error = needsSignIn(arrival) ? ErrorCode.INTERACTION_REQUIRED : ErrorCode.INVALID_TOKEN;
      if (!this.#isRetried && !needsSignIn(arrival)) {
        this.#isRetried = true;
        device.accessToken = undefined;
        if (device.state === State.SIGNED_IN) device.refreshNow(Event.TOKEN_REFUSED);
        if (device.hasSession) {
          this.state = CallState.WAITING;
          device.release(Holder.RESPONSE);
          return;
        }
      }
    }
    // The core drops the error's name in a document that is cut off or too long.
    if (refusal && !isReadable(arrival, reading)) refusal.errors.name = undefined;
    const isWhole = arrival.status === 0 || reading.document.isComplete;
    this.outcome = isWhole
      ? { refusal, addresses: undefined, isNothing: arrival.status === 0 }
      : undefined;
    this.status = arrival.status;
    if (!error) error = this.#use(reading);
    if (this.state !== CallState.VERIFYING) this.#finish(error, arrival.status);
  }

  #use(reading: Reading): number {
    const { members } = reading;
    if (this.kind === Kind.LIST) return this.#keepPage(reading);
    if (this.kind === Kind.OFFER) {
      return members.get("state") === "DRAFT" ? ErrorCode.NONE : ErrorCode.UNEXPECTED_STATE;
    }
    return this.kind === Kind.METADATA ? this.#takeMetadata(members) : this.#takeEvent(reading);
  }

  /** A page token that does not fit is an error, because the rest of the list could not be requested. */
  #keepPage({ document, members }: Reading): number {
    const device = this.device;
    const token = document.isComplete ? members.get("nextPageToken") : undefined;
    if (!this.#made!.isGet || !token) return ErrorCode.NONE;
    const joint = this.#base.includes("?") ? "&" : "?";
    this.#nextTarget = `${this.#base}${joint}pageToken=${formEncoded(token)}`;
    this.hasNextPage =
      token.length <= this.#valueCapacity(1) &&
      this.#nextTarget.length <= device.capacity(Region.CALL);
    if (this.hasNextPage) return ErrorCode.NONE;
    this.errorField = Field.VALUE_A;
    return ErrorCode.VALUE_TOO_LONG;
  }

  /** The capacity of each of `count` values that share the output buffer. */
  #valueCapacity(count: number): number {
    return Math.floor(this.outputBytes / count);
  }

  #takeMetadata(members: Map<string, string | undefined>): number {
    const device = members.get("device_authorization_endpoint");
    const token = members.get("token_endpoint");
    const revocation = members.get("revocation_endpoint");
    const issuer = members.get("issuer");
    const capacity = this.#valueCapacity(4);
    this.errorField = misfitOf(
      keptOf(
        [
          [Field.VALUE_A, issuer],
          [Field.VALUE_B, device],
          [Field.VALUE_C, token],
          [Field.VALUE_D, revocation],
        ],
        () => capacity,
      ),
    );
    if (this.errorField) return ErrorCode.VALUE_TOO_LONG;
    const isRight =
      issuer === this.issuerRequested &&
      isSecure(device, issuer) &&
      isSecure(token, issuer) &&
      (revocation === undefined || isSecure(revocation, issuer));
    if (!isRight) return ErrorCode.MALFORMED_RESPONSE;
    this.outcome!.addresses = { device: device!, token: token!, revocation };
    return ErrorCode.NONE;
  }

  #takeEvent({ document }: Reading): number {
    const sets =
      document.root?.kind === "object"
        ? document.root.members.filter(({ name }) => name === "sets").pop()?.value
        : undefined;
    // If a response contains several events, take only the last one. The server sends the others again.
    const set = sets?.kind === "object" ? textOf(sets.members.at(-1)?.value) : undefined;
    if (set !== undefined && set.length > this.#valueCapacity(1)) {
      this.errorField = Field.VALUE_A;
      return ErrorCode.VALUE_TOO_LONG;
    }
    // This response confirms the acknowledgement of the last event, so the session can end now.
    this.#endAsReported();
    // After the last poll of a run, leave the event on the server.
    if (!set || !this.device.hasSession || this.pollsLeft <= 0) return ErrorCode.NONE;
    this.state = CallState.VERIFYING;
    this.isVerifying = this.isVerifyDue = true;
    this.set = set;
    return ErrorCode.NONE;
  }

  eventVerified(isGenuine: boolean): void {
    if (!this.isVerifying || this.isVerifyDue) return;
    this.isVerifying = false;
    if (!this.device.hasSession) return;
    const claims = claimsOf(payloadOf(this.set));
    if (!claims) {
      this.#finish(ErrorCode.MALFORMED_RESPONSE, this.status);
      return;
    }
    if (isGenuine && !this.#seen.isRepeated(claims.id)) {
      this.#apply(claims, false, this.set.length);
    }
    this.pollsLeft--;
    this.#made = this.device.requests.eventPoll({ isAccepted: isGenuine, id: claims.id });
    this.state = CallState.WAITING;
    this.device.release(Holder.RESPONSE);
  }

  /** @returns false if the text is no event, its identifier is too long, or the device cannot process events now */
  applySecurityEvent(json: string): boolean {
    const device = this.device;
    if (!device.hasSession || !device.isOutputFree) return false;
    device.holder = Holder.NOBODY;
    const claims = claimsOf(json);
    const capacity = Math.floor(device.capacity(Region.OUTPUT) / 2);
    if (!claims || claims.id.length > capacity) return false;
    if (!this.#seen.isRepeated(claims.id)) this.#apply(claims, true, capacity);
    return true;
  }

  /**
   * Applies an event to the session. If the event came from a poll and ends the session, the device acknowledges it
   * first. The buffer has `used` bytes of other data, and a token in the event is compared only if it fits into half of
   * the rest.
   */
  #apply(claims: EventClaims, isAtOnce: boolean, used: number): void {
    const device = this.device;
    const end = (error: number): void => {
      if (!isAtOnce) this.#endsWith = error;
      // An earlier event still has to be acknowledged before it ends the session.
      else if (!this.#endsWith) device.endSession(error);
    };
    const capacity = Math.floor((device.capacity(Region.OUTPUT) - used) / 2);
    const hasCapacity = capacity >= "prefix".length && (claims.token ?? "").length <= capacity;
    const isComparable = claims.algorithm === "prefix" && hasCapacity;
    if (claims.isAccountDisabled) end(ErrorCode.ACCOUNT_DISABLED);
    else if (
      claims.isTokenRevoked &&
      (!claims.isTokenNamed || (isComparable && this.#isOurs(claims)))
    ) {
      end(ErrorCode.TOKEN_REVOKED);
    } else if (claims.isSessionsRevoked || (claims.isTokenRevoked && !isComparable)) {
      if (device.refreshToken) {
        device.accessToken = undefined;
        device.refreshNow(Event.SESSIONS_REVOKED);
      } else end(ErrorCode.SESSION_ENDED);
    }
  }

  #isOurs({ token }: EventClaims): boolean {
    const { refreshToken = "", accessToken = "" } = this.device;
    if (!token) return false;
    return refreshToken.startsWith(token) || accessToken.startsWith(token);
  }

  static readonly VALUES = [Field.VALUE_A, Field.VALUE_B, Field.VALUE_C, Field.VALUE_D] as const;
}
