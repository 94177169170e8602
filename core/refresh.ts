// Refreshing the access token (RFC 6749 §6; the documents' 4.3), and the end of a session that can not
// be refreshed. A passing failure never signs anyone out; only invalid_grant does, and only after the
// refresh token before the present one was tried too.

import { backOff } from "./clock.ts";
import { ErrorCode } from "./errors.ts";
import { Limit } from "./limits.ts";
import { type Device, Field, holds, Region } from "./memory.ts";
import { Job, startJob } from "./record-keeping.ts";
import { Event, moveTo, State } from "./states.ts";
import { RecordKind, swapRefreshTokens } from "./token-record.ts";
import { acceptTokens, isRotated, isTransient } from "./token-response.ts";

/** Whether the access token can be used now. */
export function hasAccess(device: Device): boolean {
  return holds(device, Field.ACCESS_TOKEN) && device.accessLifeS > 0;
}

/** Wipes every token, in memory and in storage, and says why. */
export function endSession(device: Device, error: number): void {
  device.length[Field.ACCESS_TOKEN] = -1;
  device.length[Field.REFRESH_TOKEN] = -1;
  device.length[Region.PRESENT_REFRESH_TOKEN] = -1;
  device.error = error;
  moveTo(device, Event.SESSION_ENDED, State.FAILED);
  startJob(device, Job.WIPE_OLDER, RecordKind.NONE);
}

/** Renews the access token now, or ends the session where there is nothing to renew it with. */
export function refreshNow(device: Device, event: Event): void {
  if (!holds(device, Region.PRESENT_REFRESH_TOKEN)) {
    endSession(device, ErrorCode.SESSION_ENDED);
    return;
  }
  device.waitMs = 0;
  device.backoffMs = 0;
  moveTo(device, event, State.REFRESHING);
}

/** What time brings about in a session: refreshing ahead of expiry. */
export function checkAccess(device: Device): void {
  if (
    device.accessLifeS === 0 ||
    (holds(device, Region.PRESENT_REFRESH_TOKEN) &&
      (device.accessLifeS <= device.refreshMarginS || !holds(device, Field.ACCESS_TOKEN)))
  ) {
    refreshNow(device, Event.REFRESH_DUE);
  }
}

function refreshed(device: Device): void {
  var rotated = isRotated(device);
  if (rotated) swapRefreshTokens(device);
  device.waitMs = 0;
  device.backoffMs = 0;
  // A token that replaces a dead one is new to the storage even if it is the one before.
  if (rotated || device.triedPrevious) startJob(device, Job.WRITE, RecordKind.TOKEN);
  device.triedPrevious = 0;
  moveTo(device, Event.REFRESHED, State.SIGNED_IN);
}

/** The answer to a refresh has come, or failed with `error`. */
export function refreshAnswered(device: Device, error: number): void {
  var seen = device.scanSeen;
  if (!error) error = acceptTokens(device);
  device.error = error;
  device.frameDue = 1;
  if (!error) {
    refreshed(device);
    return;
  }
  // Whatever of an unusable answer was copied is not a token.
  if ((seen >> Field.ACCESS_TOKEN) & 1) device.length[Field.ACCESS_TOKEN] = -1;
  if ((seen >> Field.REFRESH_TOKEN) & 1) device.length[Field.REFRESH_TOKEN] = -1;
  if (error === ErrorCode.INVALID_GRANT) {
    if (!device.triedPrevious && holds(device, Field.REFRESH_TOKEN)) {
      device.triedPrevious = 1;
      swapRefreshTokens(device);
      device.waitMs = Limit.INTERVAL_MIN_MS;
    } else {
      endSession(device, ErrorCode.SESSION_ENDED);
    }
  } else if (isTransient(device, error)) {
    backOff(device, Limit.INTERVAL_MIN_MS);
  } else {
    moveTo(device, Event.FINAL_ERROR, State.FAILED);
  }
}
