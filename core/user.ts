// What the user of the device can ask for.

import { endAttempt, requestCode } from "./device-authorization.ts";
import { dropErrand } from "./errand.ts";
import { ErrorCode } from "./errors.ts";
import { giveUp } from "./exchange.ts";
import { type Device, holds, Region } from "./memory.ts";
import { Job, startJob } from "./record-keeping.ts";
import { refreshNow } from "./refresh.ts";
import { revoke } from "./revocation.ts";
import { Event, State } from "./states.ts";
import { RecordKind } from "./token-record.ts";

function hasSession(device: Device): boolean {
  switch (device.state) {
    case State.SIGNED_IN:
    case State.REFRESHING:
      return true;
    case State.FAILED:
      return holds(device, Region.PRESENT_REFRESH_TOKEN);
    default:
      return false;
  }
}

/**
 * Signs in: asks for a code, or for a new one where one is shown already. After a failure that left
 * the tokens alone, tries them again. Nothing happens in a session.
 */
export function signIn(device: Device): void {
  switch (device.state) {
    case State.STARTING:
      device.autoStart = 1;
      break;
    case State.FAILED:
      device.renewals = 0;
      if (holds(device, Region.PRESENT_REFRESH_TOKEN)) refreshNow(device, Event.SIGN_IN);
      else requestCode(device, Event.SIGN_IN, 0);
      break;
    case State.SIGNED_OUT:
    case State.REQUESTING:
    case State.PENDING:
      giveUp(device);
      device.renewals = 0;
      requestCode(device, Event.SIGN_IN, 0);
      break;
    default:
  }
}

/** Gives up the attempt to sign in. Nothing happens in a session, nor to its tokens. */
export function cancel(device: Device): void {
  if (
    hasSession(device) ||
    (device.state !== State.REQUESTING &&
      device.state !== State.PENDING &&
      device.state !== State.FAILED)
  ) {
    return;
  }
  giveUp(device);
  endAttempt(device, Event.CANCEL, ErrorCode.NONE, State.SIGNED_OUT);
}

/**
 * Signs out: revokes the token at the server and wipes everything here. Where there is no session, as
 * cancel.
 */
export function signOut(device: Device): void {
  if (!hasSession(device)) {
    cancel(device);
    return;
  }
  giveUp(device);
  dropErrand(device);
  revoke(device, Event.SIGN_OUT);
  startJob(device, Job.WRITE, RecordKind.REVOCATION);
}
