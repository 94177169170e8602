// A code and its polls (RFC 8628): the answer to the device authorization request (§3.1, §3.2; the documents' 2.1 and
// 4.1), the device access token request and what its answers say of the code (§3.4, §3.5; the documents' 4.2), and what
// happens when a code has lived its time.

import { pollEvery, resetBackoff, setCodeLifetime, spread, waitAtLeast } from "../device/clock.ts";
import { ErrorCode } from "../device/errors.ts";
import { showCode } from "../device/frame.ts";
import { Limit } from "../device/limits.ts";
import { type Device, holds, isTooLong } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { setLength } from "../device/regions.ts";
import { noteField } from "../device/sizing.ts";
import { Event, State } from "../device/states.ts";
import { Field, Literal } from "../device/tables.ts";
import { Job, startJob } from "../records/record-keeping.ts";
import { Scan } from "../text/tables.ts";
import { finish, requestCode } from "./attempt.ts";
import { writeTokenRequest } from "./client-authentication.ts";
import { holdsPrintable, holdsVisible, numberOf } from "./token-response.ts";

/** The attempts to get a code. */
export interface Code {
  /** 1 until a code is received: the countdown of one from before a restart is never shown. */
  codeResumed: number;
  /** 1: the server has said that it knows the code: it was pending, or is from before a restart. */
  codeKnown: number;
  /** 1: the code was polled after its end, and is not polled again. */
  lastPollMade: number;
  /** Codes that the device has asked for by itself since the last signIn. */
  renewals: number;
  /** As in Config. */
  renewalsMax: number;
  /** Answers to the code request without a code, since the last code or the user's last command. */
  unusableResponses: number;
  /** Redirects, refusals that name no error, and JSON of no use, in a row: to any request of the grant. */
  unusableStatuses: number;
  /** Codes that the server did not know, since one was pending or the user's last command. */
  deadCodes: number;
}

export function makeCode(device: Code, renewalsMax: number): void {
  device.codeResumed = 1;
  device.codeKnown = 1;
  device.lastPollMade = 0;
  device.renewals = 0;
  device.renewalsMax = renewalsMax;
  device.unusableResponses = 0;
  device.unusableStatuses = 0;
  device.deadCodes = 0;
}

/** The user has asked: renewals, useless answers and dead codes are counted anew. */
export function countAnew(device: Device & Code): void {
  device.renewals = device.unusableResponses = device.unusableStatuses = device.deadCodes = 0;
}

/**
 * Redirects and refusals that name no error pass where something stands in the place of the server for a while. When
 * they come again and again the setup is wrong. 408 and 425 ask for another try themselves. JSON of no use (an ID token
 * in the place of an access token) counts as well: no further poll or refresh would fare better.
 * @returns the error, or UNUSABLE_RESPONSES where there were too many of these answers in a row
 */
export function countUnusable(device: Device & Code, error: ErrorCode): ErrorCode {
  var status = device.httpStatus;
  // No answer says nothing of the ones before.
  if (error === ErrorCode.UNREACHABLE) return error;
  var isUnusable =
    error === ErrorCode.UNAVAILABLE
      ? status > 299 && status < 500 && status !== 408 && status !== 425
      : error === ErrorCode.MALFORMED_RESPONSE && device.scanState === Scan.END;
  if (!isUnusable) {
    device.unusableStatuses = 0;
    return error;
  }
  if (device.unusableStatuses < Limit.UNUSABLE_STATUSES_MAX) device.unusableStatuses++;
  return device.unusableStatuses < Limit.UNUSABLE_STATUSES_MAX
    ? error
    : ErrorCode.UNUSABLE_RESPONSES;
}

/** The code cannot be used any more: asks for another by itself, up to the cap. */
export function renewCode(device: Device & Code): void {
  if (device.renewals++ < device.renewalsMax) {
    requestCode(device, Event.CODE_EXPIRED, spread(device, true));
  } else {
    finish(device, Event.RENEWALS_EXHAUSTED, ErrorCode.RENEWALS_EXHAUSTED, State.FAILED);
  }
}

/**
 * The server does not accept the code any more. One that it did not know as soon as it was polled is not the user's
 * doing: after a few of them the setup is wrong (a client that has to prove a key of its own; a server that says
 * invalid_grant where RFC 8628 §3.5 has authorization_pending).
 */
export function codeRefused(device: Device & Code, error: ErrorCode): void {
  if (error === ErrorCode.INVALID_GRANT && ++device.deadCodes >= Limit.DEAD_CODES_MAX) {
    finish(device, Event.FINAL_ERROR, ErrorCode.UNUSABLE_RESPONSES, State.FAILED);
  } else renewCode(device);
}

/**
 * The server's interval, in milliseconds: at least one second, and at most one second above the longest that
 * can be waited for. The default where none is named.
 */
function intervalOf(device: Device): number {
  var seconds = numberOf(device, Field.INTERVAL, Limit.INTERVAL_DEFAULT_S, 1);
  if (seconds > Limit.INTERVAL_MAX_S) seconds = Limit.INTERVAL_MAX_S + 1;
  return seconds ? seconds * 1000 : Limit.INTERVAL_MIN_MS;
}

/** Length of the `http://` or `https://` that the region's URI begins with; 0 for any other. */
export function schemeLength(device: Device, region: Field): number {
  var at = device.start[region];
  var bytes = device.memory;
  // Schemes are the same in both cases (RFC 3986 §3.1); 32 is the bit that tells them apart.
  if ((bytes[at] | 32) !== 104) return 0; // h
  if ((bytes[at + 1] | 32) !== 116) return 0; // t
  if ((bytes[at + 2] | 32) !== 116) return 0; // t
  if ((bytes[at + 3] | 32) !== 112) return 0; // p
  var length = (bytes[at + 4] | 32) === 115 ? 5 : 4; // s
  at += length;
  if (bytes[at] !== 58 || bytes[at + 1] !== 47 || bytes[at + 2] !== 47) return 0; // ://
  return device.length[region] > length + 3 ? length + 3 : 0;
}

/**
 * Whether the region's URI begins with the name of a host, and not with a scheme: a person types such a one as it is.
 * A name without a dot, or a path, could be relative to any address. Before a colon there may be any scheme.
 */
function beginsWithHost(device: Device, region: Field): boolean {
  var start = device.start[region];
  var end = start + device.length[region];
  var hasDot = false;
  var at = start;
  for (; at < end && device.memory[at] !== 47 && device.memory[at] !== 58; at++) {
    if (device.memory[at] === 46) hasDot = true;
  }
  // Not . or / at the beginning, and no : behind the name.
  return hasDot && device.memory[start] > 47 && (at === end || device.memory[at] === 47);
}

/**
 * A success that is no code: it is asked for again a few times, then the maker has to look at how client
 * and addresses are set up. An empty answer may come of a network that is not up yet, and does not count.
 */
function unusableResponse(device: Device & Code): ErrorCode {
  if (device.bodyBytes) device.unusableResponses++;
  return device.unusableResponses < Limit.UNUSABLE_RESPONSES_MAX
    ? ErrorCode.MALFORMED_RESPONSE
    : ErrorCode.UNUSABLE_RESPONSES;
}

/**
 * Takes the answer to the request for a code: its lifetime, and a complete URI only where it is of use.
 * @returns NONE where the code can be shown and polled, or what is wrong with the answer: of the member that errorField
 *   names
 */
export function takeCode(device: Device): ErrorCode {
  // Optional: the user can type the address and the code. A host may link to it or draw it as a QR code, so it is a URI
  // of the web (RFC 8628 §3.3.1): what any other scheme does (`javascript:`) is not for a code to decide.
  if (
    isTooLong(device, Field.VERIFICATION_URI_COMPLETE) ||
    !holdsVisible(device, Field.VERIFICATION_URI_COMPLETE) ||
    !schemeLength(device, Field.VERIFICATION_URI_COMPLETE)
  ) {
    setLength(device, Field.VERIFICATION_URI_COMPLETE, -1);
  }
  var lifetime =
    device.length[Field.EXPIRES_IN] < 0 ? 0 : numberOf(device, Field.EXPIRES_IN, -1, 0);
  setCodeLifetime(device, lifetime || Limit.CODE_LIFETIME_DEFAULT_S);
  var lacks = Field.NONE;
  // Such a code would end without one poll, and the user would be blamed.
  var interval = numberOf(device, Field.INTERVAL, Limit.INTERVAL_DEFAULT_S, 1);
  if (interval > device.codeLifetimeS + Limit.LAST_POLL_S) lacks = Field.INTERVAL;
  if (device.codeLifetimeS < 0) lacks = Field.EXPIRES_IN;
  if (
    !holdsVisible(device, Field.VERIFICATION_URI) ||
    !(
      schemeLength(device, Field.VERIFICATION_URI) || beginsWithHost(device, Field.VERIFICATION_URI)
    )
  ) {
    lacks = Field.VERIFICATION_URI;
  }
  if (!holdsPrintable(device, Field.USER_CODE)) lacks = Field.USER_CODE;
  if (!holds(device, Field.DEVICE_CODE)) lacks = Field.DEVICE_CODE;
  noteField(device, lacks);
  return lacks ? unusableResponse(device) : ErrorCode.NONE;
}

/** A code has come: it is shown, kept, and polled. */
export function codeReceived(device: Device & Code): void {
  device.codeResumed = device.codeKnown = device.lastPollMade = 0;
  device.unusableResponses = 0;
  pollEvery(device, intervalOf(device));
  waitAtLeast(device, device.intervalMs);
  moveTo(device, Event.CODE_RECEIVED, State.PENDING);
  showCode(device);
  startJob(device, Job.WRITE);
}

/** Makes the poll's body. */
export function preparePoll(device: Device & Code): void {
  // After the code's end one is made, and no other.
  if (!device.codeLifetimeS) device.lastPollMade = 1;
  writeTokenRequest(device, Literal.DEVICE_CODE_GRANT, Field.DEVICE_CODE);
}

/**
 * slow_down: five seconds more for as long as the code lives, or what the server names if that is more
 * (§3.5). An interval that it does not name counts as five seconds, which is less in any case.
 */
function slowDown(device: Device): void {
  var longer = device.intervalMs + Limit.SLOW_DOWN_STEP_MS;
  var named = intervalOf(device);
  pollEvery(device, named > longer ? named : longer);
}

/** authorization_pending or slow_down: the user has not decided yet. */
export function stillPending(device: Device & Code, error: ErrorCode): void {
  if (error === ErrorCode.SLOW_DOWN) slowDown(device);
  resetBackoff(device);
  // The server knows the code: the ones before it do not count any more.
  device.codeKnown = 1;
  device.deadCodes = 0;
  waitAtLeast(device, device.intervalMs);
  // A code from before a restart is shown once the server has confirmed it.
  if (device.codeLifetimeS) showCode(device);
}
