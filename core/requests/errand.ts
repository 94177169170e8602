// Requests beyond the grant: API calls, offers, metadata, security events; one at a time. This file knows
// when one may be begun and sent and how it ends; what its answer leads to is in errand-answer.ts.

import { Endpoint } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { type Device, Field, Region } from "../device/memory.ts";
import { CompleteLiteral } from "../documents/literals.ts";
import { endAsTold, hasAccess, hasSession } from "../grant/refresh.ts";
import { quotient } from "../text/digits.ts";
import { scanBegin } from "../text/json-scanner.ts";

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

export enum ErrandFields {
  /** ERROR, MESSAGE and the four values: which of them an answer may name, its literal says. */
  WANTED = 0b111100011000000000,
}

/** Whether an errand is under way. */
function isBusy(device: Device): boolean {
  // IDLE and DONE are the multiples of 3.
  return device.errandState % 3 !== 0;
}

/** Whether there is the session that all endpoints but that of the metadata want. */
function maySend(device: Device, endpoint: number): boolean {
  return endpoint === Endpoint.METADATA || hasSession(device);
}

/** Whether an errand to this endpoint can be begun. */
export function isFree(device: Device, endpoint: number): boolean {
  return maySend(device, endpoint) && !isBusy(device);
}

/**
 * Starts an errand whose target is in CALL.
 * @param names literal with the member names of a success; it also tells whose errand this is
 * @param values number of values that the answer may hold; they share OUTPUT
 * @returns 1, or 0 where another is under way, or nobody is signed in
 */
export function startErrand(
  device: Device,
  names: number,
  endpoint: number,
  isGet: number,
  values: number,
): number {
  if (!isFree(device, endpoint)) return 0;
  device.errand = names;
  device.errandEndpoint = endpoint;
  device.errandIsGet = isGet;
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
  var size = quotient(device.at[Region.OUTPUT] + device.room[Region.OUTPUT] - at, count);
  while (count-- > 0) {
    device.at[field] = at;
    device.room[field] = size - 1;
    device.size[field++] = -1;
    at += size;
  }
}

/** Whether the access token goes along: API calls only. */
function carriesToken(device: Device): boolean {
  return (
    device.errandEndpoint === Endpoint.VIDEO_API || device.errandEndpoint === Endpoint.PUBLISHER_API
  );
}

/** Whether the errand waits, and can go out now; one that lost its session has been ended by then. */
export function isErrandDue(device: Device): boolean {
  return device.errandState === ErrandState.WAITING && (!carriesToken(device) || hasAccess(device));
}

/** Makes the errand's request, whose region it returns. */
export function prepareErrand(device: Device): number {
  device.endpoint = device.errandEndpoint;
  device.isGet = device.errandIsGet;
  device.bearer = +carriesToken(device);
  device.errandState = ErrandState.SENT;
  return Region.CALL;
}

/** An answer begins, whose status is known. */
export function beginAnswer(device: Device): void {
  if (device.status < 200 || device.status > 299) {
    // An error object is four deep: error.errors[0].reason.
    scanBegin(device, CompleteLiteral.ERROR_MEMBERS, ErrandFields.WANTED, 4);
  } else {
    // What is nested in a resource is not the resource's; of a poll's answer each event is a member.
    var depth = device.errand === CompleteLiteral.EVENT_POLL_MEMBERS ? 2 : 1;
    scanBegin(device, device.errand!, ErrandFields.WANTED, depth);
  }
}

/** Ends the errand with what the host is to know of it. */
export function finishErrand(device: Device, error: number): void {
  device.errandState = ErrandState.DONE;
  device.errandError = error;
  device.errandStatus = device.status;
  device.errandBody = null;
  device.verifyDue = 0;
  endAsTold(device);
}

/** An errand ends with the session, and when its request was given up. */
export function checkErrand(device: Device): void {
  var mayGoOn = maySend(device, device.errandEndpoint);
  // CALL, with the target, lies on the next codes.
  if (!mayGoOn) device.hasNextPage = 0;
  if (
    (device.errandState === ErrandState.SENT && !device.inFlight) ||
    (isBusy(device) && !mayGoOn)
  ) {
    device.status = 0;
    finishErrand(device, device.error || ErrorCode.SESSION_ENDED);
  }
}
