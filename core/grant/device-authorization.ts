// The device authorization request and response (RFC 8628 §3.1, §3.2; the documents' 2.1 and 4.1), and
// what happens when a code has lived its time.

import { jitter, pollEvery, setCodeLife, waitAtLeast, waitFor } from "../device/clock.ts";
import { ErrorCode, setError } from "../device/errors.ts";
import { showCode } from "../device/frame.ts";
import { Limit } from "../device/limits.ts";
import { type Device, equals, Field, holds, isTooLong, Literal } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { dropTokens, setLength } from "../device/regions.ts";
import { Event, State } from "../device/states.ts";
import { Job, nothingToSave, startJob } from "../records/record-keeping.ts";
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

/** The attempts to get a code. */
export interface Code {
  /** 1 until a code is received: the countdown of one from before a restart is never shown. */
  codeResumed: number;
  /** 1: the code was polled after its end, and is not polled again. */
  lastPollMade: number;
  /** Codes that the device has asked for by itself since the last signIn. */
  renewals: number;
  /** As in Config. */
  renewalsMax: number;
  /** Answers to the code request without a code, since the last code or the user's last command. */
  uselessAnswers: number;
}

/** No code has been asked for. */
export function makeCode(device: Code, renewalsMax: number): void {
  device.codeResumed = 1;
  device.lastPollMade = 0;
  device.renewals = 0;
  device.renewalsMax = renewalsMax;
  device.uselessAnswers = 0;
}

/** The user has asked: renewals and useless answers are counted anew. */
export function countAnew(device: Device & Code): void {
  device.renewals = device.uselessAnswers = 0;
}

/** The poll that is made now comes after the code's end: it is the last one. */
export function lastPoll(device: Device & Code): void {
  device.lastPollMade = 1;
}

/** Gives up whatever code there is and asks for a new one after `waitMs`. */
export function requestCode(device: Device, event: Event, waitMs: number): void {
  setError(device, ErrorCode.NONE);
  nothingToSave(device);
  waitFor(device, waitMs);
  moveTo(device, event, State.REQUESTING);
}

/** Ends the attempt or session for good, in memory and in storage; the error, if any, is shown. */
export function finish(device: Device, event: Event, error: number, state: State): void {
  setError(device, error);
  dropTokens(device);
  moveTo(device, event, state);
  // If storage does not erase now, it is asked again after this, whatever Retry-After said.
  waitFor(device, Limit.SAVE_AGAIN_MS);
  startJob(device, Job.WIPE);
}

/** The code cannot be used any more: asks for another by itself, up to the cap. */
export function renewCode(device: Device & Code): void {
  if (device.renewals++ < device.renewalsMax) {
    requestCode(device, Event.CODE_EXPIRED, jitter(device, device.startSpreadMs));
  } else {
    finish(device, Event.RENEWALS_EXHAUSTED, ErrorCode.RENEWALS_EXHAUSTED, State.FAILED);
  }
}

/**
 * The server's interval, in milliseconds: at least one second, and at most one second above the longest that
 * can be waited for. The default where none is named.
 */
export function intervalOf(device: Device): number {
  var seconds = numberOf(device, Field.INTERVAL, Limit.INTERVAL_DEFAULT_S, 1);
  if (seconds > Limit.INTERVAL_MAX_S) seconds = Limit.INTERVAL_MAX_S + 1;
  return seconds ? seconds * 1000 : Limit.INTERVAL_MIN_MS;
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
function uselessAnswer(device: Device & Code): ErrorCode {
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
    setLength(device, Field.VERIFICATION_URI_COMPLETE, -1);
  }
  setCodeLife(
    device,
    device.length[Field.EXPIRES_IN] < 0
      ? Limit.CODE_LIFE_DEFAULT_S
      : numberOf(device, Field.EXPIRES_IN, -1, 0),
  );
  return holds(device, Field.DEVICE_CODE) &&
    isPrintable(device, Field.USER_CODE) &&
    isAddress(device, Field.VERIFICATION_URI) &&
    device.codeLifeS >= 0
    ? ErrorCode.NONE
    : uselessAnswer(device);
}

/** A code has come: it is shown, kept, and polled. */
export function codeReceived(device: Device & Code): void {
  device.codeResumed = device.lastPollMade = 0;
  device.uselessAnswers = 0;
  pollEvery(device, intervalOf(device));
  waitAtLeast(device, device.intervalMs);
  moveTo(device, Event.CODE_RECEIVED, State.PENDING);
  showCode(device);
  startJob(device, Job.WRITE);
}
