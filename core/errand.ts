// Requests beyond the grant, which plug in here: API calls, metadata, security events. This file knows
// when one may be sent and what a refused token leads to; what it asks and answers is its own.

import { quotient } from "./digits.ts";
import { ErrorCode } from "./errors.ts";
import { type Device, type Errand, Field, holds, Region } from "./memory.ts";
import { endSession, hasAccess, refreshNow } from "./refresh.ts";
import { Event, State } from "./states.ts";
import { classify } from "./token-response.ts";

export enum ErrandState {
  IDLE = 0,
  /** To be sent as soon as storage, network and tokens allow. */
  WAITING = 1,
  SENT = 2,
  /** Its error and status are there; a new one may be started. */
  DONE = 3,
  /** A security event waits for the host to check its signature. */
  VERIFYING = 4,
}

/** An errand of this kind; what is its own is filled in by the module. */
export function newErrand(
  endpoint: number,
  isGet: number,
  needsToken: number,
  names: number,
  wanted: number,
  depth: number,
  finish: (device: Device, error: number) => void,
): Errand {
  return {
    endpoint: endpoint,
    isGet: isGet,
    needsToken: needsToken,
    names: names,
    wanted: wanted,
    depth: depth,
    isDue: isErrandDue,
    check: checkErrand,
    answered: errandAnswered,
    finish: finish,
  };
}

/** Whether an errand is under way. */
function isBusy(device: Device): boolean {
  return device.errandState !== ErrandState.IDLE && device.errandState !== ErrandState.DONE;
}

/** Whether the device is signed in, with a usable access token or not. */
export function hasSession(device: Device): boolean {
  return device.state === State.SIGNED_IN || device.state === State.REFRESHING;
}

/** Whether a call can be begun: somebody is signed in, no errand is under way. */
export function isFree(device: Device): boolean {
  return hasSession(device) && !isBusy(device);
}

/**
 * Starts an errand whose target is in CALL.
 * @param values number of values that its answer may hold; they share OUTPUT
 * @returns 1, or 0 where another is still under way
 */
export function startErrand(device: Device, errand: Errand, values: number): number {
  if (isBusy(device)) return 0;
  device.errand = errand;
  device.errandState = ErrandState.WAITING;
  device.errandRetried = 0;
  device.errandError = ErrorCode.NONE;
  device.errandStatus = 0;
  device.hasNextPage = 0;
  // The values of the answer go where a poll's body may be; it is made again.
  device.pollReady = 0;
  shareValues(device, device.at[Region.OUTPUT], Field.VALUE_A, values);
  return 1;
}

/** Divides OUTPUT from `at` on among `count` values, the first of them `field`. */
export function shareValues(device: Device, at: number, field: number, count: number): void {
  var size = quotient(device.at[Region.OUTPUT] + device.room[Region.OUTPUT] - at, 10 * count) * 10;
  while (count-- > 0) {
    device.at[field] = at;
    device.room[field] = size - 1;
    device.size[field++] = -1;
    at += size;
  }
}

/** Whether the waiting errand can go out now. */
function isErrandDue(device: Device): boolean {
  return (
    device.errandState === ErrandState.WAITING &&
    (!device.errand!.needsToken ||
      (hasSession(device) && (device.errand!.needsToken === 2 || hasAccess(device))))
  );
}

/** Ends the errand with what the host is to know of it. */
export function finishErrand(device: Device, error: number): void {
  device.errandState = ErrandState.DONE;
  device.errandError = error;
  device.errandStatus = device.status;
  device.errandBody = null;
  device.verifyDue = 0;
}

/** An errand ends with the session, and when its request was given up. */
function checkErrand(device: Device): void {
  if (
    (device.errandState === ErrandState.SENT && !device.inFlight) ||
    (isBusy(device) && device.errand!.needsToken && !hasSession(device))
  ) {
    device.status = 0;
    finishErrand(device, device.error ? device.error : ErrorCode.SESSION_ENDED);
  }
}

/**
 * The answer to an errand has come, or failed with `error`. 401 means that the access token is no
 * good: it is refreshed and the request sent again, exactly once (RFC 6750 §3.1).
 */
function errandAnswered(device: Device, error: number): void {
  var errand = device.errand!;
  if (device.status >= 200 && device.status < 300 && error !== ErrorCode.UNREACHABLE) {
    // Members of a resource may be named like an error's; 204 needs no body.
    device.size[Field.ERROR] = -1;
    error = device.bodyBytes ? classify(device) : ErrorCode.NONE;
  }
  if (device.status === 401 && errand.needsToken === 1) {
    error = ErrorCode.INVALID_TOKEN;
    if (!holds(device, Region.PRESENT_REFRESH_TOKEN)) {
      finishErrand(device, error);
      endSession(device, ErrorCode.SESSION_ENDED);
      return;
    }
    if (!device.errandRetried) {
      device.errandRetried = 1;
      device.errandState = ErrandState.WAITING;
      device.size[Field.ACCESS_TOKEN] = -1;
      if (device.state === State.SIGNED_IN) refreshNow(device, Event.TOKEN_REFUSED);
      return;
    }
  }
  errand.finish(device, error);
}
