// How responses change the device: device authorization and access token responses (RFC 8628 §3.2 and §3.5), refresh
// (RFC 6749 §6) and revocation (RFC 7009 §2.2). responses.ts classifies the responses first.

import { ErrorCode, Event, Field, Pkce, State } from "../../../core/index.ts";
import type { Ideal } from "./device.ts";
import { type Document, textOf } from "./json.ts";
import { Purpose, REFUSED_MS_MAX, SAVE_AGAIN_MS, SLOW_DOWN_MS } from "./purposes.ts";
import { Requests } from "./requests.ts";
import {
  type Arrival,
  ENDLESS_S,
  intervalMsOf,
  isAddress,
  isPrintable,
  isReadable,
  isRenewable,
  isServers,
  isTransient,
  isTyped,
  isUnusable,
  isVisible,
  type Kept,
  keptOf,
  type Reading,
  refusesGrant,
  secondsOf,
} from "./responses.ts";
import { Task } from "./storage.ts";

const TOKENS: ReadonlyMap<string, Field> = new Map([
  ["access_token", Field.ACCESS_TOKEN],
  ["refresh_token", Field.RECEIVED_REFRESH_TOKEN],
]);
const REVOCATION_TRIES = 4;
/** The longest Retry-After that the device obeys before it retries a revocation, because the user is waiting. */
const REVOCATION_WAIT_S_MAX = 64;
/** The lifetime of a code if expires_in is 0, or missing although RFC 8628 §3.2 requires it. */
const CODE_LIFETIME_S = 600;
/** After this many responses without a usable code, the device reports a wrong setup. */
const UNUSABLE_RESPONSES = 5;
/**
 * After this many consecutive redirects, refusals without an error name, or unusable JSON, the setup counts as wrong.
 */
const UNUSABLE_STATUSES = 10;
/** The device stops after this many consecutive codes that the server does not know. */
const DEAD_CODES = 3;
/** The time after which rejected refreshes end the session, if no error refuses the client or the grant. */
const TIMEOUT_S = 24 * 60 * 60;
/** After a refresh, the device refreshes only on demand until this time has passed. */
const REST_S = 600;
/** The device may poll for the last time up to this long after the code's expiry. */
const LAST_POLL_S = 64;

export class Grant {
  #unusableResponses = 0;
  #unusableStatuses = 0;
  #deadCodes = 0;
  #isDemandTried = false;
  isCodeKnown = true;
  isRefused = false;
  isTriedForUser = false;
  triedPrevious = false;
  #revocationTries = 0;
  #refreshOutcome: number | undefined;

  constructor(readonly device: Ideal) {}

  userActed(): void {
    this.#unusableResponses = this.#unusableStatuses = this.#deadCodes = 0;
  }

  tryForUser(): void {
    const device = this.device;
    this.isTriedForUser = true;
    device.error = ErrorCode.NONE;
    device.clock.backoffMs = device.clock.wait.leastMs = device.clock.wait.mostMs = 0;
  }

  revocationBegins(): void {
    this.#revocationTries = 0;
    this.#refreshOutcome = undefined;
  }

  /** After the refresh token, revokes the access token too, unless one request revokes both (RFC 7009 §2.1, §2.2.1). */
  revocationCompleted(failure: number, { retryAfterS }: Arrival): void {
    const device = this.device;
    // An invalid token needs no revocation (RFC 7009 §2.2).
    const error = failure === ErrorCode.INVALID_TOKEN ? ErrorCode.NONE : failure;
    const isFinal = error === ErrorCode.NONE || error === ErrorCode.UNSUPPORTED_TOKEN_TYPE;
    device.error = isFinal ? ErrorCode.NONE : error;
    const isAccessLeft = device.hasAccess && !device.requests.isQueryRevoked;
    if (device.refreshToken && isFinal && isAccessLeft) {
      this.#refreshOutcome = error;
      device.refreshToken = undefined;
      device.clock.wait.leastMs = device.clock.wait.mostMs = 0;
      return;
    }
    let result = error;
    // Once the refresh token is revoked, a refusal to revoke the access token does not matter.
    if (this.#refreshOutcome === ErrorCode.NONE && !isTransient(error)) result = ErrorCode.NONE;
    else if (this.#refreshOutcome && !error) result = this.#refreshOutcome;
    const isOver = isFinal || result === ErrorCode.NONE;
    if (isOver || ++this.#revocationTries >= REVOCATION_TRIES) {
      device.end(Event.REVOKED, result, State.SIGNED_OUT);
    } else device.clock.backOff(0, Math.min(retryAfterS, REVOCATION_WAIT_S_MAX));
  }

  responded(failure: number, arrival: Arrival, reading: Reading): void {
    const device = this.device;
    const { purpose } = device;
    const isCode = purpose === Purpose.CODE;
    let error = failure;
    device.misfits.errorField = Field.NONE;
    if (!error) error = isCode ? this.#takeCode(reading) : this.#takeTokens(reading);
    error = this.#named(error, arrival, reading);
    if (isUnusable(error, arrival, reading.document)) {
      if (this.#unusableStatuses < UNUSABLE_STATUSES) this.#unusableStatuses++;
      if (this.#unusableStatuses === UNUSABLE_STATUSES) error = ErrorCode.UNUSABLE_RESPONSES;
    } else if (error !== ErrorCode.UNREACHABLE) this.#unusableStatuses = 0;
    device.error = error;
    const isStillPending =
      error === ErrorCode.AUTHORIZATION_PENDING || error === ErrorCode.SLOW_DOWN;
    device.requests.endFormTrial(!error || isStillPending);
    if (!error) {
      if (isCode) this.#codeReceived(arrival, reading);
      else this.#tokensReceived(reading);
      return;
    }
    // Even an unusable 2xx response that names a token has overwritten access token and previous refresh token.
    const isNamed = reading.members.has("access_token") || reading.members.has("refresh_token");
    if (!isCode && arrival.status >= 200 && arrival.status <= 299 && isNamed)
      device.accessToken = device.previousToken = undefined;
    if (isCode) device.dropVerifier();
    if (isCode && this.#demandsChallenge(error, arrival)) {
      device.pkce = Pkce.ALWAYS;
      this.#isDemandTried = true;
      device.retry();
      return;
    }
    // The request with a challenge has failed too, so ignore the demand, which may have come from a proxy.
    if (isCode && this.#isDemandTried) device.pkce = Pkce.ON_DEMAND;
    if (isCode) this.#isDemandTried = false;
    // The name in an incomplete document may be cut off as well.
    const isName = error === ErrorCode.UNKNOWN_ERROR && isReadable(arrival, reading);
    device.errorName = (isName && reading.errors.name) || "";
    // Whether the server has recognized this code before, and now refuses it with an unknown error name.
    const isPurged = error === ErrorCode.UNKNOWN_ERROR && this.isCodeKnown;
    if (isStillPending) this.#stillPending(error, arrival, reading);
    else if (isTransient(error)) {
      const floor = device.state === State.PENDING ? device.clock.intervalMs : 0;
      const most = purpose === Purpose.REFRESH ? device.longestBackoffMs : undefined;
      device.clock.backOff(floor, arrival.retryAfterS, most);
      const isRefresh = purpose === Purpose.REFRESH;
      if (isRefresh && device.storage.notSaved) device.storage.start(Task.WRITE, device.recordKind);
    } else if (purpose === Purpose.REFRESH) this.#refreshRefused(error, arrival);
    else if (purpose === Purpose.POLL && (isRenewable(error) || isPurged)) this.#codeRefused(error);
    else device.end(Event.FINAL_ERROR, error, State.FAILED);
  }

  /** RFC 7636 §4.4.1: whether the server refuses a request without a challenge, and names code_challenge. */
  #demandsChallenge(error: number, { status, body }: Arrival): boolean {
    const isRefusal = status >= 400 && status < 500 && error !== ErrorCode.UNREACHABLE;
    return isRefusal && this.device.pkce === Pkce.ON_DEMAND && body.includes("code_challenge");
  }

  /** Chooses the error of a response without an error name that refuses the client's credentials or a refresh. */
  #named(error: number, { status }: Arrival, { document, members }: Reading): number {
    const device = this.device;
    const isPlain = error === ErrorCode.UNAVAILABLE;
    if (isPlain && status === 401) {
      const isTaken = device.purpose === Purpose.POLL && this.isCodeKnown;
      if (device.settings.config.clientAuthentication !== 0 && !isTaken) {
        return ErrorCode.INVALID_CLIENT;
      }
    }
    if (device.purpose !== Purpose.REFRESH) return error;
    const isRefusal = isPlain && status >= 400 && status < 500 && ![408, 425].includes(status);
    const isTokenless = !members.has("access_token") && !members.has("refresh_token");
    const isNo = isRefusal || (error === ErrorCode.MALFORMED_RESPONSE && isTokenless);
    const isWellFormed = document.isComplete && isNo;
    return isWellFormed || (isPlain && status === 401) ? ErrorCode.UNKNOWN_ERROR : error;
  }

  #codeRefused(error: number): void {
    const device = this.device;
    if (error === ErrorCode.INVALID_GRANT && ++this.#deadCodes === DEAD_CODES) {
      device.end(Event.FINAL_ERROR, ErrorCode.UNUSABLE_RESPONSES, State.FAILED);
    } else device.renewCode();
  }

  #stillPending(error: number, { retryAfterS }: Arrival, { members }: Reading): void {
    const device = this.device;
    const { clock } = device;
    if (error === ErrorCode.SLOW_DOWN) {
      const named = intervalMsOf(members.get("interval"));
      clock.pollEvery(Math.max(clock.intervalMs + SLOW_DOWN_MS, named));
    }
    clock.backoffMs = 0;
    this.#deadCodes = 0;
    this.isCodeKnown = true;
    clock.setWait(clock.intervalMs, clock.intervalMs, retryAfterS);
    // The server has confirmed the code, so show it, even if it is from a record.
    if (clock.codeLifetimeS > 0) device.isCodeShown = true;
  }

  /** @returns the first error in the received code, or NONE if the code can be shown and polled */
  #takeCode({ members }: Reading): number {
    const device = this.device;
    const code = members.get("device_code");
    const user = members.get("user_code");
    const uri = members.get("verification_uri");
    const values = [
      [Field.DEVICE_CODE, code],
      [Field.USER_CODE, user],
      [Field.VERIFICATION_URI, uri],
    ] as const;
    const kept = keptOf(
      values,
      (field) =>
        device.capacity(field) - (field === Field.DEVICE_CODE ? device.codeRequestBytes : 0),
    );
    const poll = device.requests.poll(code ?? "", device.verifier ?? "");
    const next = `${code ?? ""}${device.verifier ?? ""}`.length + Requests.sizeOf(poll);
    const misfit = device.misfits.note(kept, next - device.sharedBytes);
    if (misfit) return misfit;
    const expiresIn = members.get("expires_in");
    const lifetime = (expiresIn === undefined ? 0 : secondsOf(expiresIn, -1)) || CODE_LIFETIME_S;
    device.clock.codeLifetimeS = lifetime;
    const isShown = isAddress(uri) || isTyped(uri);
    // With an interval this long, the code would expire before its first poll.
    const isUnpolled = intervalMsOf(members.get("interval")) > (lifetime + LAST_POLL_S) * 1000;
    if (!code || !isPrintable(user) || !isShown || lifetime < 0 || isUnpolled) {
      device.misfits.errorField = !code
        ? Field.DEVICE_CODE
        : !isPrintable(user)
          ? Field.USER_CODE
          : !isShown
            ? Field.VERIFICATION_URI
            : lifetime < 0
              ? Field.EXPIRES_IN
              : Field.INTERVAL;
      return this.#unusableResponse();
    }
    const complete = members.get("verification_uri_complete");
    const hasCapacity =
      isAddress(complete) && complete.length <= device.capacity(Field.VERIFICATION_URI_COMPLETE);
    device.deviceCode = code;
    device.userCode = user;
    device.verificationUri = uri;
    device.verificationUriComplete = hasCapacity ? complete : undefined;
    return ErrorCode.NONE;
  }

  #unusableResponse(): number {
    const device = this.device;
    if (device.arrival?.body && this.#unusableResponses < UNUSABLE_RESPONSES)
      this.#unusableResponses++;
    return this.#unusableResponses < UNUSABLE_RESPONSES
      ? ErrorCode.MALFORMED_RESPONSE
      : ErrorCode.UNUSABLE_RESPONSES;
  }

  #codeReceived({ retryAfterS }: Arrival, { members }: Reading): void {
    const device = this.device;
    const { clock } = device;
    device.isCodeResumed = false;
    device.isPolledAfterExpiry = false;
    this.isCodeKnown = false;
    this.#isDemandTried = false;
    this.#unusableResponses = 0;
    clock.pollEvery(intervalMsOf(members.get("interval")));
    clock.setWait(clock.intervalMs, clock.intervalMs, retryAfterS);
    device.moveTo(Event.CODE_RECEIVED, State.PENDING);
    device.isCodeShown = true;
    device.storage.start(Task.WRITE, device.recordKind);
  }

  /**
   * Finds tokens of the response that do not fit. A token's capacity is the memory that is left by the request, by the
   * current refresh token or code, and by a token that precedes it in the response.
   */
  #misfit({ root }: Document): ErrorCode {
    const device = this.device;
    const request = device.due.request(device.purpose);
    const inUse = `${device.deviceCode ?? device.refreshToken ?? ""}${device.verifier ?? ""}`;
    const free = device.sharedBytes - Requests.sizeOf(request) - inUse.length;
    const values = new Map<Field, Kept>();
    let token = "";
    for (const { name, value } of root?.kind === "object" ? root.members : []) {
      const field = TOKENS.get(name);
      if (!field) continue;
      const text = textOf(value);
      values.delete(field);
      if (field === Field.RECEIVED_REFRESH_TOKEN) token = text ?? "";
      if (text === undefined) continue;
      const [other] = values.values();
      const sent = text.length;
      values.set(field, { sent, kept: Math.min(sent, free - (other?.kept ?? 0)) });
    }
    const access = values.get(Field.ACCESS_TOKEN)?.sent ?? 0;
    // The bytes for the next refresh: for the refresh token, the request with it, and new tokens of the same lengths.
    let next = access + (2 * token.length || access);
    next += Requests.sizeOf(device.requests.refresh(token));
    if (!token && device.refreshToken) next = 0;
    return device.misfits.note(values, next - device.sharedBytes);
  }

  /** @returns the first error in the received tokens, or NONE if they are valid (RFC 6749 §5.1) */
  #takeTokens({ members, document }: Reading): number {
    const device = this.device;
    const { clock } = device;
    const access = members.get("access_token");
    const refresh = members.get("refresh_token");
    const misfit = this.#misfit(document);
    if (misfit) return misfit;
    const type = members.get("token_type");
    if (type && !/^bearer(?:token)?$/i.test(type)) {
      return ErrorCode.UNSUPPORTED_TOKEN_TYPE;
    }
    if (!isVisible(access) || (refresh && !isPrintable(refresh))) {
      device.misfits.errorField = isVisible(access)
        ? Field.RECEIVED_REFRESH_TOKEN
        : Field.ACCESS_TOKEN;
      return ErrorCode.MALFORMED_RESPONSE;
    }
    clock.accessLifetimeS = secondsOf(members.get("expires_in"), ENDLESS_S) || ENDLESS_S;
    const margin = Math.min(300, Math.floor(clock.accessLifetimeS / 8));
    clock.marginLeastS = margin;
    clock.marginMostS = 2 * margin - 1;
    const lifetime = members.get("refresh_token_expires_in");
    clock.refreshLifetimeS = secondsOf(lifetime, clock.refreshLifetimeS) || ENDLESS_S;
    clock.wait.leastMs = clock.wait.mostMs = SAVE_AGAIN_MS;
    device.accessToken = access;
    return ErrorCode.NONE;
  }

  #tokensReceived({ members }: Reading): void {
    const device = this.device;
    const isFirst = device.purpose === Purpose.POLL;
    const refresh = members.get("refresh_token");
    const isNew = !!refresh && refresh !== device.refreshToken;
    // If the server sends no new refresh token, it has accepted the current one, so the previous one is discarded.
    device.previousToken = isNew ? device.refreshToken : undefined;
    if (isNew) device.refreshToken = refresh;
    if (isFirst) device.prompt.setStatus("");
    device.moveTo(isFirst ? Event.TOKENS_RECEIVED : Event.REFRESHED, State.SIGNED_IN);
    // After a fallback to the previous token, store it even if it is not new, because storage contains the refused one.
    if (isNew || isFirst || this.triedPrevious || device.storage.notSaved) {
      device.storage.start(Task.WRITE, device.recordKind);
    } else if (device.storage.notErased) {
      device.storage.start(Task.ERASE_OLDER, device.recordKind);
    }
    this.triedPrevious = this.isRefused = this.isTriedForUser = false;
    device.clock.timeoutS = ENDLESS_S;
    device.clock.restS = isFirst ? 0 : REST_S;
  }

  #refreshRefused(error: number, { retryAfterS }: Arrival): void {
    const device = this.device;
    const { clock } = device;
    // INVALID_CLIENT refuses the client, not the grant. Errors that the device itself detects are not refusals.
    const isOwn = !refusesGrant(error) && !isServers(error);
    if (error === ErrorCode.INVALID_CLIENT) clock.timeoutS = ENDLESS_S;
    else if (!isOwn && !refusesGrant(error) && clock.timeoutS === ENDLESS_S)
      clock.timeoutS = TIMEOUT_S;
    if (isOwn || (!refusesGrant(error) && clock.timeoutS > 0)) {
      this.isRefused = true;
      clock.backOff(0, retryAfterS, REFUSED_MS_MAX);
      return;
    }
    if (this.triedPrevious || !device.previousToken) {
      device.endSession(ErrorCode.SESSION_ENDED);
      return;
    }
    this.triedPrevious = true;
    // The user only has to sign in again if the previous token is refused too.
    device.error = ErrorCode.NONE;
    [device.refreshToken, device.previousToken] = [device.previousToken, device.refreshToken];
    device.clock.wait.leastMs = device.clock.wait.mostMs = 1000;
  }
}
