// Codes and polls (RFC 8628): the device authorization response (§3.1, §3.2; device spec §2.1, §4.1), polls (§3.4),
// what their responses mean for the code (§3.5; device spec §4.2), and what happens when a code expires.

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

/** The state of requesting and polling a code. */
export interface Code {
  /** 1: the code is from before a restart, so its countdown is not shown. */
  codeResumed: number;
  /**
   * 1: the server has recognized the code. It has sent a response that the code is pending, or the code is from a
   * record.
   */
  codeKnown: number;
  /** 1: the code was polled after its expiry, and must not be polled again. */
  lastPollMade: number;
  /** Codes requested without user interaction since the last signIn. */
  renewals: number;
  /** The limit of `renewals`, from Config. */
  renewalsMax: number;
  /** Successful JSON responses without a code, since the last code or the last signIn. */
  unusableResponses: number;
  /** Consecutive redirects, rejections without an error code, and unusable JSON, except responses to revocations. */
  unusableStatuses: number;
  /** Consecutive codes that the server rejected with invalid_grant. A pending code or signIn resets the count. */
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

/** Call this when the user signs in. Resets the counts of renewals, unusable responses and unrecognized codes. */
export function countAnew(device: Device & Code): void {
  device.renewals = device.unusableResponses = device.unusableStatuses = device.deadCodes = 0;
}

/**
 * Counts consecutive redirects, rejections without an error code, and JSON without a code or tokens. A few may come
 * from a captive portal, which replaces the server for a while. If they persist, the setup is wrong. 408 and 425 do not
 * count, because they request a retry.
 * @returns `error`, or UNUSABLE_RESPONSES after too many consecutive ones
 */
export function countUnusable(device: Device & Code, error: ErrorCode): ErrorCode {
  var status = device.httpStatus;
  // A missing response does not reset the count.
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

/** Call this when the code cannot be used any more. Requests another code, at most `renewalsMax` times. */
export function renewCode(device: Device & Code): void {
  if (device.renewals++ < device.renewalsMax) {
    requestCode(device, Event.CODE_EXPIRED, spread(device, true));
  } else {
    finish(device, Event.RENEWALS_EXHAUSTED, ErrorCode.RENEWALS_EXHAUSTED, State.FAILED);
  }
}

/**
 * Call this when the server does not accept the code any more. The device requests another code. After a few
 * consecutive codes with invalid_grant, it reports a wrong setup instead. Examples are a client that must prove
 * possession of a key, or a server that sends invalid_grant where RFC 8628 §3.5 requires authorization_pending.
 */
export function codeRefused(device: Device & Code, error: ErrorCode): void {
  if (error === ErrorCode.INVALID_GRANT && ++device.deadCodes >= Limit.DEAD_CODES_MAX) {
    finish(device, Event.FINAL_ERROR, ErrorCode.UNUSABLE_RESPONSES, State.FAILED);
  } else renewCode(device);
}

/**
 * The server's interval in milliseconds, or the default: at least one second, and at most INTERVAL_MAX_S plus one
 * second. pollEvery handles that value as too long.
 */
function intervalOf(device: Device): number {
  var seconds = numberOf(device, Field.INTERVAL, Limit.INTERVAL_DEFAULT_S, 1);
  if (seconds > Limit.INTERVAL_MAX_S) seconds = Limit.INTERVAL_MAX_S + 1;
  return seconds ? seconds * 1000 : Limit.INTERVAL_MIN_MS;
}

/** Length of `http://` or `https://` at the start of the region's URI; 0 without these, or if nothing follows. */
export function schemeLength(device: Device, region: Field): number {
  var at = device.start[region];
  var bytes = device.memory;
  // Schemes are case-insensitive (RFC 3986 §3.1); 32 is the bit of lower case.
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
 * Whether the region's URI starts with a host name, without a scheme. A user can type such an address. A path, or a
 * name without a dot, does not count, because it may be a relative reference. Text before a colon may be a scheme.
 */
function beginsWithHost(device: Device, region: Field): boolean {
  var start = device.start[region];
  var end = start + device.length[region];
  var hasDot = false;
  var at = start;
  for (; at < end && device.memory[at] !== 47 && device.memory[at] !== 58; at++) {
    if (device.memory[at] === 46) hasDot = true;
  }
  // The address must not start with . or /, and no colon may follow its first part.
  return hasDot && device.memory[start] > 47 && (at === end || device.memory[at] === 47);
}

/**
 * Counts successful responses without a code. The device retries a few times, and then reports that the client or the
 * addresses are wrong. An empty response may come from a network that is not ready yet, so it does not count.
 */
function unusableResponse(device: Device & Code): ErrorCode {
  if (device.bodyBytes) device.unusableResponses++;
  return device.unusableResponses < Limit.UNUSABLE_RESPONSES_MAX
    ? ErrorCode.MALFORMED_RESPONSE
    : ErrorCode.UNUSABLE_RESPONSES;
}

/**
 * Processes the device authorization response. Stores the lifetime, and drops an unusable verification_uri_complete.
 * @returns NONE if the code can be shown and polled; otherwise the error, and errorField names the member
 */
export function takeCode(device: Device): ErrorCode {
  // verification_uri_complete is optional, because the user can type URI and code. A host may link to it or draw it as
  // a QR code, so only an http or https URI is accepted (RFC 8628 §3.3.1), and not `javascript:`, for example.
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
  // If the interval exceeds lifetime plus LAST_POLL_S, the code would end before its first poll. Reject the response.
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

/** Call this when a code was received. The device shows, stores and polls it. */
export function codeReceived(device: Device & Code): void {
  device.codeResumed = device.codeKnown = device.lastPollMade = 0;
  device.unusableResponses = 0;
  pollEvery(device, intervalOf(device));
  waitAtLeast(device, device.intervalMs);
  moveTo(device, Event.CODE_RECEIVED, State.PENDING);
  showCode(device);
  startJob(device, Job.WRITE);
}

export function preparePoll(device: Device & Code): void {
  // After its expiry, a code is polled only once.
  if (!device.codeLifetimeS) device.lastPollMade = 1;
  writeTokenRequest(device, Literal.DEVICE_CODE_GRANT, Field.DEVICE_CODE);
}

/**
 * Handles slow_down (§3.5): the interval becomes five seconds longer, or the server's new interval if that is longer.
 * Without a new interval, intervalOf returns five seconds, which is never longer.
 */
function slowDown(device: Device): void {
  var longer = device.intervalMs + Limit.SLOW_DOWN_STEP_MS;
  var named = intervalOf(device);
  pollEvery(device, named > longer ? named : longer);
}

/** Handles authorization_pending and slow_down: the user has not decided yet. */
export function stillPending(device: Device & Code, error: ErrorCode): void {
  if (error === ErrorCode.SLOW_DOWN) slowDown(device);
  resetBackoff(device);
  // The server recognizes this code, so reset the count of codes that it did not recognize.
  device.codeKnown = 1;
  device.deadCodes = 0;
  waitAtLeast(device, device.intervalMs);
  // The server has confirmed the code, so show a code from before a restart as valid.
  if (device.codeLifetimeS) showCode(device);
}
