// The device authorization request and response (RFC 8628 §3.1, §3.2; the documents' 2.1 and 4.1), and
// what happens when a code has lived its time.

import { backOff, jitter, lifetime } from "./clock.ts";
import { ErrorCode } from "./errors.ts";
import { Limit } from "./limits.ts";
import { type Device, Field, holds } from "./memory.ts";
import { Job, startJob } from "./record-keeping.ts";
import { Event, moveTo, State } from "./states.ts";
import { RecordKind } from "./token-record.ts";
import { isTransient, isVisible, numberOf, tooLong } from "./token-response.ts";

export enum CodeFields {
  MASK = (1 << Field.DEVICE_CODE) |
    (1 << Field.USER_CODE) |
    (1 << Field.VERIFICATION_URI) |
    (1 << Field.VERIFICATION_URI_COMPLETE),
  WANTED = MASK | (1 << Field.ERROR) | (1 << Field.EXPIRES_IN) | (1 << Field.INTERVAL),
}

/** Gives up whatever code there is and asks for a new one after `waitMs`. */
export function requestCode(device: Device, event: Event, waitMs: number): void {
  device.codeShown = 0;
  device.pollReady = 0;
  device.backoffMs = 0;
  device.waitMs = waitMs;
  device.error = ErrorCode.NONE;
  moveTo(device, event, State.REQUESTING);
}

/** Ends the attempt for good; no restart takes it up. */
export function endAttempt(device: Device, event: Event, error: number, state: State): void {
  device.codeShown = 0;
  device.error = error;
  moveTo(device, event, state);
  startJob(device, Job.WIPE_OLDER, RecordKind.NONE);
}

/** Ends the attempt with an error that is shown until the user acts. */
export function failAttempt(device: Device, event: Event, error: number): void {
  endAttempt(device, event, error, State.FAILED);
}

/** The code cannot be used any more: asks for another by itself, up to the cap. */
export function renewCode(device: Device): void {
  device.renewals++;
  if (device.renewals > device.renewalsMax) {
    failAttempt(device, Event.RENEWALS_EXHAUSTED, ErrorCode.RENEWALS_EXHAUSTED);
  } else {
    requestCode(device, Event.CODE_EXPIRED, jitter(device, Limit.INTERVAL_DEFAULT_MS));
  }
}

/** An interval of the server's in milliseconds: its own word, clamped, or the default. */
export function intervalOf(seconds: number): number {
  if (seconds < 0) return Limit.INTERVAL_DEFAULT_MS;
  if (seconds > Limit.INTERVAL_MAX_S) seconds = Limit.INTERVAL_MAX_S;
  return seconds * 1000 < Limit.INTERVAL_MIN_MS ? Limit.INTERVAL_MIN_MS : seconds * 1000;
}

function acceptCode(device: Device): ErrorCode {
  if (tooLong(device, CodeFields.MASK & ~(1 << Field.VERIFICATION_URI_COMPLETE))) {
    return ErrorCode.VALUE_TOO_LONG;
  }
  // Only a convenience: a display shows the other two.
  if (
    (device.scanOverflow >> Field.VERIFICATION_URI_COMPLETE) & 1 ||
    !isVisible(device, Field.VERIFICATION_URI_COMPLETE)
  ) {
    device.length[Field.VERIFICATION_URI_COMPLETE] = -1;
  }
  var life = numberOf(device, Field.EXPIRES_IN);
  if (
    !holds(device, Field.DEVICE_CODE) ||
    !isVisible(device, Field.USER_CODE) ||
    !isVisible(device, Field.VERIFICATION_URI) ||
    life < 0
  ) {
    return ErrorCode.MALFORMED_RESPONSE;
  }
  device.codeLifeS = lifetime(life);
  device.intervalMs = intervalOf(numberOf(device, Field.INTERVAL));
  return ErrorCode.NONE;
}

/** The answer to a device authorization request has come, or failed with `error`. */
export function codeAnswered(device: Device, error: number): void {
  if (!error) error = acceptCode(device);
  device.error = error;
  device.frameDue = 1;
  if (!error) {
    device.codeShown = 1;
    device.codeResumed = 0;
    device.backoffMs = 0;
    device.waitMs = device.intervalMs;
    moveTo(device, Event.CODE_RECEIVED, State.PENDING);
    startJob(device, Job.WRITE, RecordKind.CODE);
  } else if (isTransient(device, error)) {
    backOff(device, Limit.INTERVAL_MIN_MS);
  } else {
    failAttempt(device, Event.FINAL_ERROR, error);
  }
}
