// Requests beyond the grant, which plug in here: API calls, metadata, security events. This file knows
// when one may be sent and what a refused token leads to; what it asks and answers is its own.

import { quotient } from "./digits.ts";
import { ErrorCode } from "./errors.ts";
import {
  type Device,
  type Errand,
  Field,
  holds,
  literalEnd,
  literalStart,
  Region,
} from "./memory.ts";
import { endSession, hasAccess, refreshNow } from "./refresh.ts";
import { Event, State } from "./states.ts";

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

/** Whether an errand is under way. */
export function isErrandBusy(device: Device): boolean {
  return device.errandState !== ErrandState.IDLE && device.errandState !== ErrandState.DONE;
}

/**
 * Starts an errand whose target is in CALL.
 * @returns 1, or 0 where another is still under way
 */
export function startErrand(device: Device, errand: Errand): number {
  if (isErrandBusy(device)) return 0;
  device.errand = errand;
  device.errandState = ErrandState.WAITING;
  device.errandRetried = 0;
  device.errandError = ErrorCode.NONE;
  device.errandStatus = 0;
  return 1;
}

/** Divides OUTPUT among the first `count` values of the answer to come. */
export function shareValues(device: Device, count: number): void {
  var size = quotient(device.capacity[Region.OUTPUT], count);
  for (var i = 0; i < count; i++) {
    device.start[Field.VALUE_A + i] = device.start[Region.OUTPUT] + i * size;
    device.capacity[Field.VALUE_A + i] = size;
    device.length[Field.VALUE_A + i] = -1;
  }
}

/** Whether the region's value is the literal. */
export function isLiteral(device: Device, region: number, literal: number): boolean {
  var start = literalStart(device, literal);
  if (device.length[region] !== literalEnd(device, literal) - start) return false;
  for (var i = 0; i < device.length[region]; i++) {
    if (device.memory[device.start[region] + i] !== device.memory[start + i]) return false;
  }
  return true;
}

/** Whether the device is signed in, with a usable access token or not. */
export function hasSession(device: Device): boolean {
  return device.state === State.SIGNED_IN || device.state === State.REFRESHING;
}

/** Whether the waiting errand can go out now. */
export function isErrandDue(device: Device): boolean {
  if (device.errandState !== ErrandState.WAITING || !device.errand) return false;
  if (!device.errand.needsToken) return true;
  return (
    (device.state === State.SIGNED_IN || device.state === State.REFRESHING) && hasAccess(device)
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

/** An errand that needs a token ends with the session. */
export function checkErrand(device: Device): void {
  if (
    device.errandState === ErrandState.WAITING &&
    device.errand &&
    device.errand.needsToken &&
    !hasSession(device)
  ) {
    device.status = 0;
    finishErrand(device, device.error ? device.error : ErrorCode.SESSION_ENDED);
  }
}

/** Takes the errand back, whatever it was at. Its request, if under way, is given up elsewhere. */
export function dropErrand(device: Device): void {
  if (device.errandState !== ErrandState.IDLE) {
    device.status = 0;
    finishErrand(device, ErrorCode.SESSION_ENDED);
  }
}

/**
 * The answer to an errand has come. 401 means that the access token is no good: it is refreshed and
 * the request sent again, exactly once (RFC 6750 §3.1).
 */
export function errandAnswered(device: Device, error: number): void {
  if (!device.errand) return;
  if (device.status === 401 && device.errand.needsToken) {
    if (!holds(device, Region.PRESENT_REFRESH_TOKEN)) {
      finishErrand(device, ErrorCode.INVALID_TOKEN);
      endSession(device, ErrorCode.SESSION_ENDED);
      return;
    }
    if (!device.errandRetried) {
      device.errandRetried = 1;
      device.errandState = ErrandState.WAITING;
      device.length[Field.ACCESS_TOKEN] = -1;
      if (device.state === State.SIGNED_IN) refreshNow(device, Event.TOKEN_REFUSED);
      return;
    }
    error = ErrorCode.INVALID_TOKEN;
  }
  device.errand.answered(device, error);
}
