// How a device comes back: what the records hold decides where it goes on.

import { jitter } from "../device/clock.ts";
import { Limit } from "../device/limits.ts";
import type { Device } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { Event, State } from "../device/states.ts";
import { requestCode } from "../grant/device-authorization.ts";
import { finishStorage, Job, startJob } from "../records/record-keeping.ts";

/**
 * Goes on in the state that the newest record is of. The access token's age is unknown now: with a
 * refresh token it is renewed first, without one it counts as endless.
 */
function comeBack(device: Device): void {
  device.waitMs = jitter(device, Limit.BOOT_SPREAD_MS);
  // The last poll may have been just before the power went: a whole interval passes first.
  if (device.recordKind === State.PENDING) device.waitMs += device.intervalMs;
  if (!device.recordKind && device.autoStart) requestCode(device, Event.SIGN_IN, device.waitMs);
  else {
    // The events of records found are numbered as the states that they lead to.
    moveTo(
      device,
      Event.NO_RECORD + (device.recordKind >> 1),
      device.recordKind > State.REVOKING ? State.REVOKING : device.recordKind || State.SIGNED_OUT,
    );
    if (device.recordKind > State.REFRESHING) startJob(device, Job.ERASE_OLDER);
  }
}

/**
 * The host has finished the last LOAD, STORE or ERASE.
 * @param result of LOAD the record's size in bytes (0: slot empty, -1: cannot be read), of STORE and
 *   ERASE 1 for done and durable, 0 for failed
 */
export function storageDone(device: Device, result: number): void {
  finishStorage(device, result);
  if (!device.state && !device.job) comeBack(device);
}
