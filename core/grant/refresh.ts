// Refreshing the access token (RFC 6749 §6; the documents' 4.3), and the end of a session that can not
// be refreshed. A passing failure never signs anyone out; only a refusal of the grant does (refusal.ts), and only after
// the refresh token before the present one was tried too.

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

/** Whether the server refuses to refresh the tokens, for a reason that is not theirs: they are kept. */
export enum Refused {
  NO = 0,
  /** It is tried again with growing waits. */
  YES = 1,
  /** The user has had it tried again at once. */
  TRIED_FOR_USER = 2,
}

/** What is known of a session beside its tokens. */
export interface Session {
  /** 1: there was an access token when the answer under way began. */
  hadAccess: number;
  /** 1: the refresh token before the present one has been tried. */
  triedPrevious: number;
  /** One of Refused: whether the server refuses to refresh the tokens, which are kept. */
  refused: Refused;
  /** ErrorCode that an event ends the session with as soon as it is acknowledged, 0 for none. */
  endDueWith: ErrorCode;
}

export function makeSession(device: Session): void {
  device.hadAccess = 0;
  device.triedPrevious = 0;
  device.refused = Refused.NO;
  device.endDueWith = ErrorCode.NONE;
}

/** An answer begins that may name another access token: what counts until it is taken is what there is now. */
export function rememberAccess(device: Device & Session): void {
  device.hadAccess = holds(device, Field.ACCESS_TOKEN) ? 1 : 0;
}

/** The session ends with this error as soon as the event that told so is acknowledged; NONE: it does not. */
export function endLater(device: Device & Session, error: ErrorCode): void {
  device.endDueWith = error;
}

/** Whether the device is signed in, with a usable access token or not. */
export function hasSession(device: Device): boolean {
  return device.state === State.SIGNED_IN || device.state === State.REFRESHING;
}

/** Whether the access token can be used now. An answer that is arriving, and may yet be refused, does not change that. */
export function hasAccess(device: Device): boolean {
  var isArriving = device.inFlight && (device.scanSeen >> Field.ACCESS_TOKEN) & 1;
  var hasToken = isArriving ? device.hadAccess > 0 : holds(device, Field.ACCESS_TOKEN);
  return hasToken && device.accessLifetimeS > 0;
}

/** Wipes every token and says why. */
export function endSession(device: Device, error: ErrorCode): void {
  finish(device, Event.SESSION_ENDED, error, State.FAILED);
}

/** Ends the session where an event has told so, unless it has ended since. */
export function endIfDue(device: Device & Session): void {
  var error = device.endDueWith;
  device.endDueWith = ErrorCode.NONE;
  if (error && hasSession(device)) endSession(device, error);
}

/** Refreshes the access token now, or ends the session where there is nothing to refresh it with. */
export function refreshNow(device: Device, event: Event): void {
  if (!holds(device, Region.REFRESH_TOKEN)) endSession(device, ErrorCode.SESSION_ENDED);
  else {
    waitFor(device, 0);
    moveTo(device, event, State.REFRESHING);
  }
}

/** Seconds until the access token of a session must be refreshed; 0 or less: now. */
export function refreshInS(device: Device): number {
  var left = holds(device, Field.ACCESS_TOKEN) ? device.accessLifetimeS : 0;
  if (!holds(device, Region.REFRESH_TOKEN)) return left;
  left -= device.refreshMarginS;
  return left > device.refreshRestS ? left : device.refreshRestS;
}

/** Tokens have come: the user has allowed it (`isFirst`), or they have been refreshed. */
export function tokensReceived(device: Device & Session, isFirst: boolean): void {
  // At first sign-in there is no present refresh token, so any that came is new.
  var isNew =
    hasBrought(device, Field.RECEIVED_REFRESH_TOKEN) &&
    !isSame(device, Region.REFRESH_TOKEN, Field.RECEIVED_REFRESH_TOKEN);
  if (isNew) swapRefreshTokens(device);
  // The one in use, said once more: it is not another one that could be tried when it is refused.
  else if (hasBrought(device, Field.RECEIVED_REFRESH_TOKEN))
    wipe(device, Field.RECEIVED_REFRESH_TOKEN);
  if (isFirst) setLength(device, Region.STATUS, -1);
  moveTo(device, isFirst ? Event.TOKENS_RECEIVED : Event.REFRESHED, State.SIGNED_IN);
  // After a fallback, storage still holds the dead token, so the live one is written even if it is not new.
  // If an earlier write failed, this is the moment to try again.
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

/** The user wants refused tokens to be tried again at once. */
export function refreshForUser(device: Device & Session): void {
  device.refused = Refused.TRIED_FOR_USER;
  setError(device, ErrorCode.NONE);
  waitFor(device, 0);
  resetBackoff(device);
  redraw(device);
}

/** The server has refused the refresh: the tokens are kept, or the session ends (refusal.ts). */
export function refreshRefused(device: Device & Session, error: ErrorCode): void {
  if (isBorne(device, error)) {
    if (!device.refused) device.refused = Refused.YES;
    backOff(device, Limit.REFUSED_BACKOFF_MAX_MS);
  } else if (device.triedPrevious || !holds(device, Field.RECEIVED_REFRESH_TOKEN)) {
    endSession(device, ErrorCode.SESSION_ENDED);
  } else {
    // The user need not sign in again before that one is refused as well.
    setError(device, ErrorCode.NONE);
    device.triedPrevious = 1;
    swapRefreshTokens(device);
    waitFor(device, Limit.INTERVAL_MIN_MS);
  }
}
