// What the user of the device can ask for.

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

/** What the user asks for while the device starts. */
export interface User {
  /**
   * 1: a code is asked for once the records are read, unless what they hold goes on. The maker's autoStart, or what the
   * user has asked for last.
   */
  codeRequired: number;
  /** What the user has asked for while the records are read: one of Noted (states.ts). */
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

/** Gives up a request of the attempt to sign in. The metadata are of use to the next one as well. */
function giveUpAttempt(device: Device): void {
  if (device.endpoint !== Endpoint.METADATA) giveUp(device);
}

/**
 * Signs in: asks for a code, or for a new one where one is shown already. Where the server refuses to refresh tokens
 * that are kept, they are tried again at once; asked once more, the device gives them up, untold to the server, and
 * asks for a code. Nothing happens in any other session.
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

/** Keeps in mind that the user signs in while the records are read. */
function needCode(device: Device & User): void {
  device.codeRequired = 1;
}

/** Keeps in mind what the user gives up while the records are read. */
function note(device: Device & User, requested: Noted): void {
  device.codeRequired = 0;
  // To sign out is more than to cancel.
  if (requested > device.noted) device.noted = requested;
}

/** The records have been read: does what the user has asked for meanwhile, where there was one. */
export function doNoted(device: Device): void {
  // Else there is nothing to be cancelled, nor to be signed out of.
  if (!device.noted || device.state < State.PENDING) return;
  if (device.noted === Noted.SIGN_OUT) signOut(device);
  // A code, and not what was asked for before the restart.
  else if (device.state === State.PENDING) cancel(device);
  // To sign in was the last of it.
  if (device.codeRequired) signIn(device);
}

/**
 * Gives up what the device is at: the attempt to sign in; the revocation that it waits for; or tokens that the server
 * refuses to refresh, which it is not told. Nothing happens in any other session.
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
    // Half a token that is arriving is none that could be revoked.
    if (device.inFlight && (device.scanSeen >> Field.ACCESS_TOKEN) & 1)
      setAccessLifetime(device, 0);
    giveUp(device);
    revoke(device);
    startJob(device, Job.WRITE);
  }
}

/**
 * The application's own request, made with the access token but not by a call of the core, was answered 401: the
 * token is no good any more, and is refreshed before it is used again (RFC 6750 §3.1). Nothing happens where it is
 * being refreshed already, or there is no session.
 */
export function accessTokenRefused(device: Device): void {
  if (device.state === State.SIGNED_IN) {
    // It counts as expired, so that a refresh is due. Its bytes stay: a call under way may still carry them.
    setAccessLifetime(device, 0);
    restRefreshes(device, 0);
    redraw(device);
  }
}
