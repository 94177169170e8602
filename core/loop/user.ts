// The user's actions.

import { restRefreshes, setAccessLifetime } from "../device/clock.ts";
import { Endpoint } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { redraw } from "../device/frame.ts";
import type { Device } from "../device/memory.ts";
import { giveUp } from "../device/request.ts";
import { Event, Noted, State } from "../device/states.ts";
import { Field } from "../device/tables.ts";
import { finish, requestCode } from "../grant/attempt.ts";
import { countChallengesAnew } from "../grant/code-challenge.ts";
import { countAnew } from "../grant/device-authorization.ts";
import { isRefused, Refused, refreshForUser } from "../grant/refresh.ts";
import { revoke } from "../grant/revocation.ts";
import { Job, startJob } from "../records/record-keeping.ts";

/** The user's actions while the device starts. */
export interface User {
  /**
   * 1: a code is requested once the records have been read, unless a stored session or code is resumed. From autoStart,
   * or the user's last action.
   */
  codeRequired: number;
  /** The user's action while the records are read: one of Noted (states.ts). */
  noted: Noted;
}

export function makeUser(device: User, autoStart: number): void {
  device.codeRequired = autoStart;
  device.noted = Noted.NOTHING;
}

/** Whether there are tokens: in a session, or during its revocation. */
function keepsTokens(device: Device): boolean {
  return device.state >= State.SIGNED_IN && device.state !== State.FAILED;
}

/** Gives up a request of the sign-in. Metadata are useful for the next one as well. */
function giveUpAttempt(device: Device): void {
  if (device.endpoint !== Endpoint.METADATA) giveUp(device);
}

/**
 * Signs in: requests a code, or a new one if a code is shown already. If the server refuses to refresh stored tokens,
 * they are retried at once; a second call discards them, without revoking them, and requests a code. It has no effect
 * in any other session.
 */
export function signIn(device: Device): void {
  countAnew(device);
  countChallengesAnew(device);
  if (device.state === State.STARTING) needCode(device);
  else if (!keepsTokens(device)) {
    giveUpAttempt(device);
    requestCode(device, Event.SIGN_IN, 0);
  } else if (isRefused(device)) {
    if (device.refused === Refused.TRIED_FOR_USER) {
      giveUpAttempt(device);
      requestCode(device, Event.SIGN_IN, 0);
      startJob(device, Job.WIPE);
    } else refreshForUser(device);
  }
}

/** Notes that the user signs in while the records are read. */
function needCode(device: Device & User): void {
  device.codeRequired = 1;
}

/** Notes that the user cancels or signs out while the records are read. */
function note(device: Device & User, requested: Noted): void {
  device.codeRequired = 0;
  // Signing out includes cancelling.
  if (requested > device.noted) device.noted = requested;
}

/** The records have been read: carries out the user's action, if any. */
export function doNoted(device: Device): void {
  // Otherwise there is nothing to cancel or sign out of.
  if (!device.noted || device.state < State.PENDING) return;
  if (device.noted === Noted.SIGN_OUT) signOut(device);
  // A code, not the action of before the restart.
  else if (device.state === State.PENDING) cancel(device);
  // Signing in was the last action.
  if (device.codeRequired) signIn(device);
}

/**
 * Cancels the current activity: the sign-in; the revocation that it waits for; or tokens that the server refuses to
 * refresh, without revoking them. It has no effect in any other session.
 */
export function cancel(device: Device): void {
  var isWaiting = device.state === State.REVOKING || isRefused(device);
  if (device.state === State.STARTING) note(device, Noted.CANCEL);
  else if (isWaiting || (!keepsTokens(device) && device.state > State.SIGNED_OUT)) {
    giveUpAttempt(device);
    finish(device, Event.CANCEL, ErrorCode.NONE, State.SIGNED_OUT);
  }
}

/** Signs out: revokes the tokens at the server and wipes everything here. Where there is no session, as cancel. */
export function signOut(device: Device): void {
  if (device.state === State.STARTING) note(device, Noted.SIGN_OUT);
  else if (!keepsTokens(device)) cancel(device);
  else if (device.state !== State.REVOKING) {
    // An incomplete token that is arriving cannot be revoked.
    if (device.inFlight && (device.scanSeen >> Field.ACCESS_TOKEN) & 1)
      setAccessLifetime(device, 0);
    giveUp(device);
    revoke(device);
    startJob(device, Job.WRITE);
  }
}

/**
 * A request of the application with the access token, outside the core's calls, had the response 401: the token is
 * refreshed before it is used again (RFC 6750 §3.1). No effect during a refresh, or without a session.
 */
export function accessTokenRefused(device: Device): void {
  if (device.state === State.SIGNED_IN) {
    // It counts as expired, so a refresh is due. Its bytes stay: a call in flight may still contain them.
    setAccessLifetime(device, 0);
    restRefreshes(device, 0);
    redraw(device);
  }
}
