// Resumes after a start: the records determine the state of the device.

import { pollEvery, spread, waitFor } from "../device/clock.ts";
import { Command } from "../device/command.ts";
import { Limit } from "../device/limits.ts";
import type { Device } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { Event, State } from "../device/states.ts";
import { requestCode } from "../grant/attempt.ts";
import { takeChallenge } from "../grant/code-challenge.ts";
import { dropSpentCode, finishStorage, Job, startJob } from "../records/record-keeping.ts";
import { RecordKind } from "../records/token-record.ts";
import { doNoted } from "./user.ts";

/**
 * Resumes in the state of the newest record. A device with a refresh token refreshes first. Without one, the lifetime
 * of the access token counts as endless, because its age is unknown.
 */
function resume(device: Device): void {
  waitFor(device, spread(device, device.recordKind < RecordKind.ACCESS_TOKEN));
  switch (device.recordKind) {
    case RecordKind.CODE:
      // The server may have sent slow_down after the record was written, and slow_down applies to all later polls (RFC
      // 8628 §3.5).
      pollEvery(device, device.intervalMs + Limit.SLOW_DOWN_STEP_MS);
      // The last poll may have been right before the power failed, so wait for a whole interval.
      waitFor(device, device.waitMs + device.intervalMs);
      moveTo(device, Event.CODE_FOUND, State.PENDING);
      startJob(device, Job.ERASE_OLDER);
      break;
    case RecordKind.ACCESS_TOKEN:
    case RecordKind.REFRESH_TOKEN:
      moveTo(
        device,
        Event.TOKENS_FOUND,
        device.recordKind === RecordKind.REFRESH_TOKEN ? State.REFRESHING : State.SIGNED_IN,
      );
      dropSpentCode(device);
      break;
    case RecordKind.REVOKED_ACCESS_TOKEN:
    case RecordKind.REVOKED_REFRESH_TOKEN:
      moveTo(device, Event.REVOCATION_FOUND, State.REVOKING);
      startJob(device, Job.ERASE_OLDER);
      break;
    default:
      if (device.codeRequired) requestCode(device, Event.SIGN_IN, device.waitMs);
      else moveTo(device, Event.NO_RECORD, State.SIGNED_OUT);
  }
  // Write a record that has the server's former name again, with its current name.
  if (device.hasFormer && device.recordKind) startJob(device, Job.WRITE);
  doNoted(device);
}

/**
 * Call this when the host has finished the last LOAD, STORE, ERASE or CHALLENGE.
 * @param result of LOAD: the record's size in bytes (0: the slot is empty, -1: it is unreadable); of STORE and ERASE: 1
 * if durably done, 0 if failed; of CHALLENGE: 1 if created, 0 if the host cannot create verifier and challenge
 */
export function storageDone(device: Device, result: number): void {
  var isChallenge = device.storageCommand === Command.CHALLENGE;
  finishStorage(device, result);
  if (isChallenge) takeChallenge(device, result);
  else if (device.state === State.STARTING && !device.job) resume(device);
}
