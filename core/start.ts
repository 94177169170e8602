// How a device comes back: what the records hold decides where it goes on.

import { jitter } from "./clock.ts";
import { requestCode } from "./device-authorization.ts";
import { Limit } from "./limits.ts";
import type { Device } from "./memory.ts";
import { finishStorage, Job, startJob } from "./record-keeping.ts";
import { revoke } from "./revocation.ts";
import { Event, moveTo, State } from "./states.ts";
import { RecordKind } from "./token-record.ts";

/**
 * The host has finished the last LOAD, STORE or ERASE.
 * @param result of LOAD the record's size in bytes (0: slot empty, -1: cannot be read), of STORE and
 *   ERASE 1 for done and durable, 0 for failed
 */
export function storageDone(device: Device, result: number): void {
  if (!finishStorage(device, result)) return;
  device.waitMs = jitter(device, Limit.BOOT_SPREAD_MS);
  switch (device.recordKind) {
    case RecordKind.CODE:
      // The last poll may have been just before the power went: a whole interval passes first.
      device.waitMs += device.intervalMs;
      device.codeResumed = 1;
      moveTo(device, Event.CODE_FOUND, State.PENDING);
      break;
    case RecordKind.TOKEN:
      // Age and lifetime of the access token are unknown after a restart: it is renewed first.
      moveTo(device, Event.TOKENS_FOUND, State.REFRESHING);
      break;
    case RecordKind.ACCESS_TOKEN:
      device.accessLifeS = Limit.ENDLESS_S;
      moveTo(device, Event.TOKENS_FOUND, State.SIGNED_IN);
      break;
    case RecordKind.REVOCATION:
      revoke(device, Event.REVOCATION_FOUND);
      startJob(device, Job.ERASE_OLDER, RecordKind.NONE);
      break;
    default:
      if (device.autoStart) requestCode(device, Event.SIGN_IN, device.waitMs);
      else moveTo(device, Event.NO_RECORD, State.SIGNED_OUT);
  }
}
