// Refreshes the access token (RFC 6749 §6; device spec §4.3), and ends a session that cannot be refreshed. A temporary
// failure does not end the session. A rejection of the grant ends it at once, and most other rejections end it after a
// day (refusal.ts). Before that, the device tries the previous refresh token, if there is one.

import {
  backOff,
  resetBackoff,
  restRefreshes,
  tolerateRefusals,
  waitFor,
} from "../device/clock.ts";
import { ErrorCode, setError } from "../device/errors.ts";
import { redraw } from "../device/frame.ts";
import { Limit } from "../device/limits.ts";
import { type Device, holds, isSame } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { setLength, swapRefreshTokens, wipe } from "../device/regions.ts";
import { Event, State } from "../device/states.ts";
import { Field, Fields, Region } from "../device/tables.ts";
import { Job, startJob } from "../records/record-keeping.ts";
import { finish } from "./attempt.ts";
import { isTolerated } from "./refusal.ts";

/** Whether the server refuses to refresh for a reason other than the tokens. The device then keeps the tokens. */
export enum Refused {
  NO = 0,
  /** The device retries with growing waits. */
  YES = 1,
  /** The device has retried at once because of a signIn. */
  TRIED_FOR_USER = 2,
}

/** The state of a session, except its tokens. */
export interface Session {
  /** 1: there was an access token when the current response started. */
  hadAccess: number;
  /** 1: the server has rejected the refresh token, and the device tries the previous one. */
  triedPrevious: number;
  /** Whether the server refuses to refresh the tokens, one of Refused. */
  refused: Refused;
  /** ErrorCode with which the session ends when the last security event has been acknowledged; NONE: no end is due. */
  endDueWith: ErrorCode;
}

export function makeSession(device: Session): void {
  device.hadAccess = 0;
  device.triedPrevious = 0;
  device.refused = Refused.NO;
  device.endDueWith = ErrorCode.NONE;
}

/** Call this when a response starts. While tokens arrive, hasAccess still depends on the token from before. */
export function rememberAccess(device: Device & Session): void {
  device.hadAccess = holds(device, Field.ACCESS_TOKEN) ? 1 : 0;
}

/** Makes the session end with this error when the last security event has been acknowledged; NONE: no end is due. */
export function endLater(device: Device & Session, error: ErrorCode): void {
  device.endDueWith = error;
}

/** Whether the device is signed in, with or without a usable access token. */
export function hasSession(device: Device): boolean {
  return device.state === State.SIGNED_IN || device.state === State.REFRESHING;
}

/** Whether the access token can be used now. A response that is still arriving does not change that. */
export function hasAccess(device: Device): boolean {
  var isArriving = device.inFlight && device.scanSeen & Fields.OF_SESSION;
  var hasToken = isArriving ? device.hadAccess > 0 : holds(device, Field.ACCESS_TOKEN);
  return hasToken && device.accessLifetimeS > 0;
}

export function endSession(device: Device, error: ErrorCode): void {
  finish(device, Event.SESSION_ENDED, error, State.FAILED);
}

/** Ends the session if an acknowledged security event requires that, and the session has not ended in the meantime. */
export function endIfDue(device: Device & Session): void {
  var error = device.endDueWith;
  device.endDueWith = ErrorCode.NONE;
  if (error && hasSession(device)) endSession(device, error);
}

/** Refreshes the access token now. Without a refresh token, ends the session. */
export function refreshNow(device: Device, event: Event): void {
  if (!holds(device, Region.REFRESH_TOKEN)) endSession(device, ErrorCode.SESSION_ENDED);
  else {
    waitFor(device, 0);
    moveTo(device, event, State.REFRESHING);
  }
}

/** Seconds until a refresh is due, or without a refresh token, until the access token expires; 0 or less: now. */
export function refreshInS(device: Device): number {
  var left = holds(device, Field.ACCESS_TOKEN) ? device.accessLifetimeS : 0;
  if (!holds(device, Region.REFRESH_TOKEN)) return left;
  left -= device.refreshMarginS;
  return left > device.refreshRestS ? left : device.refreshRestS;
}

/** Call this when tokens were received: after the user's approval (`isFirst`), or by a refresh. */
export function tokensReceived(device: Device & Session, isFirst: boolean): void {
  // In the response to a poll, a received refresh token is always new, because the device has no other.
  var isNew =
    holds(device, Field.RECEIVED_REFRESH_TOKEN) &&
    !isSame(device, Region.REFRESH_TOKEN, Field.RECEIVED_REFRESH_TOKEN);
  if (isNew) swapRefreshTokens(device);
  // The server has sent the current refresh token again, or none. So there is no previous token to try later.
  else wipe(device, Field.RECEIVED_REFRESH_TOKEN);
  if (isFirst) setLength(device, Region.STATUS, -1);
  moveTo(device, isFirst ? Event.TOKENS_RECEIVED : Event.REFRESHED, State.SIGNED_IN);
  // After a fallback to the previous token, storage still contains the rejected one. So store the token that works,
  // even if it is not new. If an earlier write has failed, retry it now.
  if (isNew || isFirst || device.triedPrevious || device.notSaved) startJob(device, Job.WRITE);
  else if (device.notErased) startJob(device, Job.ERASE_OLDER);
  device.triedPrevious = 0;
  device.refused = Refused.NO;
  tolerateRefusals(device, Limit.ENDLESS);
  restRefreshes(device, isFirst ? 0 : Limit.REFRESH_REST_S);
}

/** Whether the server refuses to refresh the tokens of a session, and the device keeps them. */
export function isRefused(device: Device): boolean {
  return device.state === State.REFRESHING && device.refused > Refused.NO;
}

/** Retries the refused refresh at once, because of a user action. */
export function refreshForUser(device: Device & Session): void {
  device.refused = Refused.TRIED_FOR_USER;
  setError(device, ErrorCode.NONE);
  waitFor(device, 0);
  resetBackoff(device);
  redraw(device);
}

/** After a rejected refresh, retries later if that is tolerated, else tries the previous token or ends the session. */
export function refreshRefused(device: Device & Session, error: ErrorCode): void {
  if (isTolerated(device, error)) {
    if (!device.refused) device.refused = Refused.YES;
    backOff(device, Limit.REFUSED_BACKOFF_MAX_MS);
  } else if (device.triedPrevious || !holds(device, Field.RECEIVED_REFRESH_TOKEN)) {
    endSession(device, ErrorCode.SESSION_ENDED);
  } else {
    // Report no error yet: the user must sign in again only if the previous token is rejected as well.
    setError(device, ErrorCode.NONE);
    device.triedPrevious = 1;
    swapRefreshTokens(device);
    waitFor(device, Limit.INTERVAL_MIN_MS);
  }
}
