// How a device comes back: what the records hold decides where it goes on.

import { jitter } from "./clock.ts";
import { requestCode } from "./device-authorization.ts";
import { Limit } from "./limits.ts";
import { type Device, holds, Region } from "./memory.ts";
import { finishStorage, Job, startJob } from "./record-keeping.ts";
import { revoke } from "./revocation.ts";
import { Event, moveTo, State } from "./states.ts";
import { RecordKind } from "./token-record.ts";

/** Age and lifetime of the access token are unknown after a restart: it is renewed first. */
function resumeSession(device: Device): void {
  if (holds(device, Region.PRESENT_REFRESH_TOKEN)) {
    device.waitMs = jitter(device, Limit.BOOT_SPREAD_MS);
    moveTo(device, Event.TOKENS_FOUND, State.REFRESHING);
  } else {
    device.accessLifeS = Limit.INTEGER_MAX;
    moveTo(device, Event.TOKENS_FOUND, State.SIGNED_IN);
  }
}

/** The last poll may have been just before the power went: a whole interval passes first. */
function resumeCode(device: Device): void {
  if (device.codeLifeS === 0) {
    requestCode(device, Event.CODE_EXPIRED, jitter(device, Limit.BOOT_SPREAD_MS));
    return;
  }
  device.codeResumed = 1;
  device.waitMs = device.intervalMs + jitter(device, Limit.BOOT_SPREAD_MS);
  moveTo(device, Event.CODE_FOUND, State.PENDING);
}

/**
 * The host has finished the last LOAD, STORE or ERASE.
 * @param result of LOAD the record's length in bytes (0: slot empty, -1: cannot be read), of STORE and
 *   ERASE 1 for done and durable, 0 for failed
 */
export function storageDone(device: Device, result: number): void {
  var kind = finishStorage(device, result);
  if (kind < 0) return;
  if (kind === RecordKind.TOKEN) resumeSession(device);
  else if (kind === RecordKind.CODE) resumeCode(device);
  else if (kind === RecordKind.REVOCATION) {
    revoke(device, Event.REVOCATION_FOUND);
    startJob(device, Job.ERASE_OLDER, RecordKind.NONE);
  } else if (device.autoStart) {
    requestCode(device, Event.SIGN_IN, jitter(device, Limit.BOOT_SPREAD_MS));
  } else moveTo(device, Event.NO_RECORD, State.SIGNED_OUT);
}
