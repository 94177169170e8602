// The user's actions.

import { restRefreshes, setAccessLifetime } from "../device/clock.ts";
import { Endpoint } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { redraw } from "../device/frame.ts";
import type { Device } from "../device/memory.ts";
import { giveUp } from "../device/request.ts";
import { Event, Noted, State } from "../device/states.ts";
import { finish, requestCode } from "../grant/attempt.ts";
import { countChallengesAnew } from "../grant/code-challenge.ts";
import { countAnew } from "../grant/device-authorization.ts";
import { isRefused, Refused, refreshForUser } from "../grant/refresh.ts";
import { revoke } from "../grant/revocation.ts";
import { dropBrought } from "../grant/token-response.ts";
import { Job, startJob } from "../records/record-keeping.ts";

/** What the user has requested while the device starts. */
export interface User {
  /**
   * 1: request a code when the records have been read, unless a stored session or code is resumed. Set by autoStart, or
   * by the user's last action.
   */
  codeRequired: number;
  /** The user's request while the records are read, one of Noted (states.ts). */
  noted: Noted;
}

export function makeUser(device: User, autoStart: number): void {
  device.codeRequired = autoStart;
  device.noted = Noted.NOTHING;
}

/** Whether the device has tokens: in a session, and while it revokes them. */
function keepsTokens(device: Device): boolean {
  return device.state >= State.SIGNED_IN && device.state !== State.FAILED;
}

/** Ends the current request of the sign-in. A metadata request continues: the next sign-in needs it. */
function giveUpAttempt(device: Device): void {
  if (device.endpoint !== Endpoint.METADATA) giveUp(device);
}

/**
 * Signs in: requests a code, or a new one if a code is already shown. If the server refuses to refresh stored tokens,
 * the device retries the refresh at once. A second signIn then discards the tokens without revoking them, and requests
 * a code. In a session without such a refusal, and while tokens are revoked, signIn has no effect.
 */
export function signIn(device: Device): void {
  countAnew(device);
  countChallengesAnew(device);
  var isRefusedAgain = isRefused(device) && device.refused === Refused.TRIED_FOR_USER;
  if (device.state === State.STARTING) needCode(device);
  else if (isRefusedAgain || !keepsTokens(device)) {
    giveUpAttempt(device);
    requestCode(device, Event.SIGN_IN, 0);
    if (isRefusedAgain) startJob(device, Job.WIPE);
  } else if (isRefused(device)) refreshForUser(device);
}

/** Notes that the user wants to sign in while the stored records are being read. */
function needCode(device: Device & User): void {
  device.codeRequired = 1;
}

/** Notes that the user cancels or signs out while the stored records are being read. */
function note(device: Device & User, requested: Noted): void {
  device.codeRequired = 0;
  // Signing out includes cancelling.
  if (requested > device.noted) device.noted = requested;
}

/** Carries out what the user has requested, when the records have been read. */
export function doNoted(device: Device): void {
  // Without a code or tokens, there is nothing to cancel or to sign out of.
  if (!device.noted || device.state < State.PENDING) return;
  if (device.noted === Noted.SIGN_OUT) signOut(device);
  // There is a stored code instead of tokens, so cancel it.
  else if (device.state === State.PENDING) cancel(device);
  // If the user wanted to sign in after that, sign in.
  if (device.codeRequired) signIn(device);
}

/**
 * Cancels the sign-in or the revocation. In FAILED, cancel clears the error. If the server refuses to refresh the
 * tokens, cancel discards them without revoking them. In any other session, cancel has no effect.
 */
export function cancel(device: Device): void {
  var isWaiting = device.state === State.REVOKING || isRefused(device);
  if (device.state === State.STARTING) note(device, Noted.CANCEL);
  else if (isWaiting || (!keepsTokens(device) && device.state > State.SIGNED_OUT)) {
    giveUpAttempt(device);
    finish(device, Event.CANCEL, ErrorCode.NONE, State.SIGNED_OUT);
  }
}

/** Signs out: revokes the tokens at the server, then wipes memory and storage. Without tokens, it acts like cancel. */
export function signOut(device: Device): void {
  if (device.state === State.STARTING) note(device, Noted.SIGN_OUT);
  else if (!keepsTokens(device)) cancel(device);
  else if (device.state !== State.REVOKING) {
    // A token that is only partly received cannot be revoked.
    if (device.inFlight) dropBrought(device);
    giveUp(device);
    revoke(device);
    startJob(device, Job.WRITE);
  }
}

/**
 * Call this when a request that the application itself has sent with the access token got a 401. The device then
 * refreshes the token before it is used again (RFC 6750 §3.1). Without a refresh token, the session ends. This function
 * has no effect during a refresh, or without a session.
 */
export function accessTokenRefused(device: Device): void {
  if (device.state === State.SIGNED_IN) {
    // Treat the token as expired, so that a refresh is due. Keep the token's bytes, because a request may still contain
    // them.
    setAccessLifetime(device, 0);
    restRefreshes(device, 0);
    redraw(device);
  }
}
