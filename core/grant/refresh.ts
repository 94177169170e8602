// Refreshing the access token (RFC 6749 §6; specification 4.3), and the end of a session that cannot be refreshed. A
// temporary failure never signs anyone out. Only a rejection of the grant does (refusal.ts), and only after the
// previous refresh token was tried, too.

import { backOff, bearRefusals, resetBackoff, restRefreshes, waitFor } from "../device/clock.ts";
import { ErrorCode, setError } from "../device/errors.ts";
import { redraw } from "../device/frame.ts";
import { Limit } from "../device/limits.ts";
import { type Device, holds, isSame } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { setLength, swapRefreshTokens, wipe } from "../device/regions.ts";
import { Event, State } from "../device/states.ts";
import { Field, Region } from "../device/tables.ts";
import { Job, startJob } from "../records/record-keeping.ts";
import { finish } from "./attempt.ts";
import { isBorne } from "./refusal.ts";
import { hasBrought } from "./token-response.ts";

/** Whether the server refuses a refresh for a reason other than the tokens. The device then keeps them. */
export enum Refused {
  NO = 0,
  /** It is retried with growing waits. */
  YES = 1,
  /** The user has had it retried at once. */
  TRIED_FOR_USER = 2,
}

/** The state of a session besides its tokens. */
export interface Session {
  /** 1: there was an access token when the current response started. */
  hadAccess: number;
  /** 1: the previous refresh token has been tried. */
  triedPrevious: number;
  /** One of Refused: whether the server refuses to refresh the tokens. The device keeps them. */
  refused: Refused;
  /** ErrorCode with which the session ends once the event is acknowledged, 0 for none. */
  endDueWith: ErrorCode;
}

export function makeSession(device: Session): void {
  device.hadAccess = 0;
  device.triedPrevious = 0;
  device.refused = Refused.NO;
  device.endDueWith = ErrorCode.NONE;
}

/** A response starts that may contain another access token: until it is complete, the present one counts. */
export function rememberAccess(device: Device & Session): void {
  device.hadAccess = holds(device, Field.ACCESS_TOKEN) ? 1 : 0;
}

/** Ends the session with this error once the event is acknowledged; NONE: it does not end. */
export function endLater(device: Device & Session, error: ErrorCode): void {
  device.endDueWith = error;
}

/** Whether the device is signed in, with or without a usable access token. */
export function hasSession(device: Device): boolean {
  return device.state === State.SIGNED_IN || device.state === State.REFRESHING;
}

/** Whether the access token can be used now. A response that is arriving does not change that. */
export function hasAccess(device: Device): boolean {
  var isArriving = device.inFlight && (device.scanSeen >> Field.ACCESS_TOKEN) & 1;
  var hasToken = isArriving ? device.hadAccess > 0 : holds(device, Field.ACCESS_TOKEN);
  return hasToken && device.accessLifetimeS > 0;
}

/** Wipes every token; the error is the reason. */
export function endSession(device: Device, error: ErrorCode): void {
  finish(device, Event.SESSION_ENDED, error, State.FAILED);
}

/** Ends the session as an event has announced, unless it has ended since. */
export function endIfDue(device: Device & Session): void {
  var error = device.endDueWith;
  device.endDueWith = ErrorCode.NONE;
  if (error && hasSession(device)) endSession(device, error);
}

/** Refreshes the access token now, or ends a session without a refresh token. */
export function refreshNow(device: Device, event: Event): void {
  if (!holds(device, Region.REFRESH_TOKEN)) endSession(device, ErrorCode.SESSION_ENDED);
  else {
    waitFor(device, 0);
    moveTo(device, event, State.REFRESHING);
  }
}

/** Seconds until the access token must be refreshed; 0 or less: now. */
export function refreshInS(device: Device): number {
  var left = holds(device, Field.ACCESS_TOKEN) ? device.accessLifetimeS : 0;
  if (!holds(device, Region.REFRESH_TOKEN)) return left;
  left -= device.refreshMarginS;
  return left > device.refreshRestS ? left : device.refreshRestS;
}

/** Tokens were received: after the user's approval (`isFirst`), or by a refresh. */
export function tokensReceived(device: Device & Session, isFirst: boolean): void {
  // At the first sign-in there is no refresh token yet, so any received one is new.
  var isNew =
    hasBrought(device, Field.RECEIVED_REFRESH_TOKEN) &&
    !isSame(device, Region.REFRESH_TOKEN, Field.RECEIVED_REFRESH_TOKEN);
  if (isNew) swapRefreshTokens(device);
  // The server has repeated the current one: it is not another one that could be tried later.
  else if (hasBrought(device, Field.RECEIVED_REFRESH_TOKEN))
    wipe(device, Field.RECEIVED_REFRESH_TOKEN);
  if (isFirst) setLength(device, Region.STATUS, -1);
  moveTo(device, isFirst ? Event.TOKENS_RECEIVED : Event.REFRESHED, State.SIGNED_IN);
  // After a fallback, storage still holds the invalid token, so the valid one is written even if it is not new. After a
  // failed write, this is the time to retry.
  if (isNew || isFirst || device.triedPrevious || device.notSaved) startJob(device, Job.WRITE);
  else if (device.notErased) startJob(device, Job.ERASE_OLDER);
  device.triedPrevious = 0;
  device.refused = Refused.NO;
  bearRefusals(device, Limit.ENDLESS);
  restRefreshes(device, isFirst ? 0 : Limit.REFRESH_REST_S);
}

/** Whether there is a session whose tokens are kept although the server refuses to refresh them. */
export function isRefused(device: Device): boolean {
  return device.state === State.REFRESHING && device.refused > Refused.NO;
}

/** The user has the rejected tokens retried at once. */
export function refreshForUser(device: Device & Session): void {
  device.refused = Refused.TRIED_FOR_USER;
  setError(device, ErrorCode.NONE);
  waitFor(device, 0);
  resetBackoff(device);
  redraw(device);
}

/** The server has rejected the refresh: the device keeps the tokens, or the session ends (refusal.ts). */
export function refreshRefused(device: Device & Session, error: ErrorCode): void {
  if (isBorne(device, error)) {
    if (!device.refused) device.refused = Refused.YES;
    backOff(device, Limit.REFUSED_BACKOFF_MAX_MS);
  } else if (device.triedPrevious || !holds(device, Field.RECEIVED_REFRESH_TOKEN)) {
    endSession(device, ErrorCode.SESSION_ENDED);
  } else {
    // The user need not sign in again before that one is rejected as well.
    setError(device, ErrorCode.NONE);
    device.triedPrevious = 1;
    swapRefreshTokens(device);
    waitFor(device, Limit.INTERVAL_MIN_MS);
  }
}
