// The device authorization request and response (RFC 8628 §3.1, §3.2; the documents' 2.1 and 4.1), and
// what happens when a code has lived its time.

import { jitter, waitAtLeast } from "../device/clock.ts";
import { ErrorCode } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Device, equals, Field, holds, isTooLong, Literal } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { dropTokens } from "../device/regions.ts";
import { Event, State } from "../device/states.ts";
import { Job, startJob } from "../records/record-keeping.ts";
import { isPrintable, isVisible, numberOf } from "./token-response.ts";

/** Of the response: what must fit, and all that is looked for. */
export enum CodeFields {
  MUST_FIT = (1 << Field.DEVICE_CODE) | (1 << Field.USER_CODE) | (1 << Field.VERIFICATION_URI),
  WANTED = MUST_FIT |
    (1 << Field.VERIFICATION_URI_COMPLETE) |
    (1 << Field.ERROR) |
    (1 << Field.EXPIRES_IN) |
    (1 << Field.INTERVAL),
}

/** Gives up whatever code there is and asks for a new one after `waitMs`. */
export function requestCode(device: Device, event: Event, waitMs: number): void {
  device.error = ErrorCode.NONE;
  device.notSaved = 0;
  device.waitMs = waitMs;
  moveTo(device, event, State.REQUESTING);
}

/** Ends the attempt or session for good, in memory and in storage; the error, if any, is shown. */
export function finish(device: Device, event: Event, error: number, state: State): void {
  device.error = error;
  dropTokens(device);
  moveTo(device, event, state);
  // If storage does not erase now, it is asked again after this, whatever Retry-After said.
  device.waitMs = Limit.SAVE_AGAIN_MS;
  startJob(device, Job.WIPE);
}

/** The code cannot be used any more: asks for another by itself, up to the cap. */
export function renewCode(device: Device): void {
  if (device.renewals++ < device.renewalsMax) {
    requestCode(device, Event.CODE_EXPIRED, jitter(device, Limit.BOOT_SPREAD_MS));
  } else {
    finish(device, Event.RENEWALS_EXHAUSTED, ErrorCode.RENEWALS_EXHAUSTED, State.FAILED);
  }
}

/**
 * The server's interval, in milliseconds: at least one second, and at most one second above the longest that
 * can be waited for. The default where none is named.
 */
export function intervalOf(device: Device): number {
  var seconds = numberOf(device, Field.INTERVAL, Limit.INTERVAL_DEFAULT_S);
  if (seconds > Limit.INTERVAL_MAX_S) seconds = Limit.INTERVAL_MAX_S + 1;
  return seconds ? seconds * 1000 : Limit.INTERVAL_MIN_MS;
}

/**
 * The code is polled at this interval. Where it is too long to be waited for, the code ends before a poll that
 * would be too early (RFC 8628 §3.5).
 */
export function pollEvery(device: Device, intervalMs: number): void {
  device.intervalMs = intervalMs;
  if (intervalMs > Limit.INTERVAL_MAX_MS) {
    device.intervalMs = Limit.INTERVAL_MAX_MS;
    if (device.codeLifeS > Limit.UNPOLLED_LIFE_S) device.codeLifeS = Limit.UNPOLLED_LIFE_S;
  }
}

/** Length of the `http://` or `https://` that the region's URI begins with; 0 for any other. */
export function schemeLength(device: Device, region: number): number {
  var at = device.start[region];
  var bytes = device.memory;
  // Schemes are the same in both cases (RFC 3986 §3.1); 32 is the bit that tells them apart.
  if ((bytes[at] | 32) !== 104) return 0; // h
  if ((bytes[at + 1] | 32) !== 116) return 0; // t
  if ((bytes[at + 2] | 32) !== 116) return 0; // t
  if ((bytes[at + 3] | 32) !== 112) return 0; // p
  var length = (bytes[at + 4] | 32) === 115 ? 5 : 4; // s
  var isScheme = equals(device, Literal.AUTHORITY, at + length, 3);
  return isScheme && device.length[region] > length + 3 ? length + 3 : 0;
}

/**
 * Whether the region holds an address of the web (RFC 8628 §3.2 asks for a URI): a host may link to it or draw
 * it as a QR code, and what any other scheme does (`javascript:`) is not for a code to decide.
 */
function isAddress(device: Device, region: number): boolean {
  return isVisible(device, region) && schemeLength(device, region) > 0;
}

/**
 * A success that is no code: it is asked for again a few times, then somebody has to look at how client
 * and addresses are set up. An empty answer may come of a network that is not up yet, and does not count.
 */
function uselessAnswer(device: Device): ErrorCode {
  if (device.bodyBytes) device.uselessAnswers++;
  return device.uselessAnswers < Limit.USELESS_ANSWERS_MAX
    ? ErrorCode.MALFORMED_RESPONSE
    : ErrorCode.USELESS_ANSWERS;
}

/** @returns NONE where the answer is a code that can be shown and polled, or what is wrong with it */
export function checkCode(device: Device): ErrorCode {
  // Optional: the user can type the address and the code.
  if (
    isTooLong(device, Field.VERIFICATION_URI_COMPLETE) ||
    !isAddress(device, Field.VERIFICATION_URI_COMPLETE)
  ) {
    device.length[Field.VERIFICATION_URI_COMPLETE] = -1;
  }
  device.codeLifeS =
    device.length[Field.EXPIRES_IN] < 0
      ? Limit.CODE_LIFE_DEFAULT_S
      : numberOf(device, Field.EXPIRES_IN, -1);
  return holds(device, Field.DEVICE_CODE) &&
    isPrintable(device, Field.USER_CODE) &&
    isAddress(device, Field.VERIFICATION_URI) &&
    device.codeLifeS >= 0
    ? ErrorCode.NONE
    : uselessAnswer(device);
}

/** A code has come: it is shown, kept, and polled. */
export function codeReceived(device: Device): void {
  device.codeResumed = device.lastPollMade = 0;
  device.uselessAnswers = 0;
  pollEvery(device, intervalOf(device));
  waitAtLeast(device, device.intervalMs);
  moveTo(device, Event.CODE_RECEIVED, State.PENDING);
  device.codeShown = 1;
  startJob(device, Job.WRITE);
}
