// The device authorization request and response (RFC 8628 §3.1, §3.2; the documents' 2.1 and 4.1), and
// what happens when a code has lived its time.

import { jitter, wait } from "../device/clock.ts";
import { ErrorCode } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Device, Field, holds, isTooLong } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { dropTokens } from "../device/regions.ts";
import { Event, State } from "../device/states.ts";
import { Job, startJob } from "../records/record-keeping.ts";
import { isVisible, numberOf } from "./token-response.ts";

/** Fields of the response that must fit, and all that are looked for. */
export enum CodeFields {
  MUST_FIT = 0b1110,
  WANTED = 0b10101000011110,
}

/** Gives up whatever code there is and asks for a new one after `waitMs`. */
export function requestCode(device: Device, event: Event, waitMs: number): void {
  device.error = ErrorCode.NONE;
  device.waitMs = waitMs;
  moveTo(device, event, State.REQUESTING);
}

/** Ends the attempt or session for good, in memory and in storage; the error, if any, is shown. */
export function end(device: Device, event: Event, error: number, state: State): void {
  device.error = error;
  dropTokens(device);
  moveTo(device, event, state);
  startJob(device, Job.WIPE);
}

/** The code cannot be used any more: asks for another by itself, up to the cap. */
export function renewCode(device: Device): void {
  if (device.renewals++ < device.renewalsMax) {
    requestCode(device, Event.CODE_EXPIRED, jitter(device, Limit.BOOT_SPREAD_MS));
  } else {
    end(device, Event.RENEWALS_EXHAUSTED, ErrorCode.RENEWALS_EXHAUSTED, State.FAILED);
  }
}

/** The interval that the server names, clamped to what is sensible; the default where it names none. */
export function intervalOf(device: Device): number {
  var seconds = numberOf(device, Field.INTERVAL, Limit.INTERVAL_DEFAULT_S);
  if (seconds > Limit.INTERVAL_MAX_S) seconds = Limit.INTERVAL_MAX_S;
  return seconds ? seconds * 1000 : Limit.INTERVAL_MIN_MS;
}

/** @returns NONE where the answer is a code that can be shown and polled, or what is wrong with it */
export function checkCode(device: Device): ErrorCode {
  // Only a convenience: a display shows the other two.
  if (
    !isVisible(device, Field.VERIFICATION_URI_COMPLETE) ||
    isTooLong(device, Field.VERIFICATION_URI_COMPLETE)
  ) {
    device.size[Field.VERIFICATION_URI_COMPLETE] = -1;
  }
  device.codeLifeS = numberOf(device, Field.EXPIRES_IN, -1);
  return holds(device, Field.DEVICE_CODE) &&
    isVisible(device, Field.USER_CODE) &&
    isVisible(device, Field.VERIFICATION_URI) &&
    device.codeLifeS >= 0
    ? ErrorCode.NONE
    : ErrorCode.MALFORMED_RESPONSE;
}

/** A code has come: it is shown, kept, and polled. */
export function codeReceived(device: Device): void {
  device.codeResumed = 0;
  device.intervalMs = intervalOf(device);
  wait(device, device.intervalMs);
  moveTo(device, Event.CODE_RECEIVED, State.PENDING);
  device.codeShown = 1;
  startJob(device, Job.WRITE);
}
