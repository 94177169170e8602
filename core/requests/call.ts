// Requests beyond the grant: API calls, offers, metadata, security events; one at a time. This file knows
// when one may be begun and sent and how it ends; what its answer leads to is in call-answer.ts.

import { Authorization, Endpoint } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { type Device, Field, Region } from "../device/memory.ts";
import { CompleteLiteral } from "../documents/literals.ts";
import { endAsTold, hasAccess, hasSession } from "../grant/refresh.ts";
import { quotient } from "../text/digits.ts";
import { scanBegin } from "../text/json-scanner.ts";

export enum CallState {
  IDLE = 0,
  /** To be sent as soon as storage, network and tokens allow. */
  WAITING = 1,
  SENT = 2,
  /** Its error and status are there; a new one may be started. */
  DONE = 3,
  /** A security event waits for the host to check its signature. */
  VERIFYING = 4,
}

export enum CallFields {
  /** ERROR, MESSAGE and the four values: which of them an answer may name, its literal says. */
  WANTED = 0b111100011000000000,
}

/** Whether a call is under way. */
function isBusy(device: Device): boolean {
  // IDLE and DONE are the multiples of 3.
  return device.callState % 3 !== 0;
}

/** Whether there is the session that all endpoints but that of the metadata want. */
function maySend(device: Device, endpoint: number): boolean {
  return endpoint === Endpoint.METADATA || hasSession(device);
}

/** Whether a call to this endpoint can be begun. */
export function mayBeginCall(device: Device, endpoint: number): boolean {
  return maySend(device, endpoint) && !isBusy(device);
}

/**
 * Starts a call whose target is in CALL.
 * @param names literal with the member names of a success; it also tells whose call this is
 * @param values number of values that the answer may hold; they share OUTPUT
 * @returns 1, or 0 where another is under way, or nobody is signed in
 */
export function startCall(
  device: Device,
  names: number,
  endpoint: number,
  isGet: number,
  values: number,
): number {
  if (!mayBeginCall(device, endpoint)) return 0;
  device.call = names;
  device.callEndpoint = endpoint;
  device.callIsGet = isGet;
  device.callState = CallState.WAITING;
  device.callRetried = 0;
  device.callError = ErrorCode.NONE;
  device.callStatus = 0;
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

/** Whether the access token goes along: protected resource requests only. */
function carriesToken(device: Device): boolean {
  return device.callEndpoint >= Endpoint.RESOURCE;
}

/** Whether the call waits, and can go out now; one that lost its session has been ended by then. */
export function isCallDue(device: Device): boolean {
  return device.callState === CallState.WAITING && (!carriesToken(device) || hasAccess(device));
}

/** Makes the call's request, whose region it returns. */
export function prepareCall(device: Device): number {
  device.endpoint = device.callEndpoint;
  device.isGet = device.callIsGet;
  device.authorization = carriesToken(device) ? Authorization.BEARER : Authorization.NONE;
  device.callState = CallState.SENT;
  return Region.CALL;
}

/** An answer begins, whose status is known. */
export function beginAnswer(device: Device): void {
  if (device.status < 200 || device.status > 299) {
    // An error object is four deep: error.errors[0].reason.
    scanBegin(device, CompleteLiteral.ERROR_MEMBERS, CallFields.WANTED, 4);
  } else {
    // What is nested in a resource is not the resource's; of a poll's answer each event is a member.
    var depth = device.call === CompleteLiteral.EVENT_POLL_MEMBERS ? 2 : 1;
    scanBegin(device, device.call!, CallFields.WANTED, depth);
  }
}

/** Ends the call with what the host is to know of it. */
export function finishCall(device: Device, error: number): void {
  device.callState = CallState.DONE;
  device.callError = error;
  device.callStatus = device.status;
  device.callBody = null;
  device.verifyDue = 0;
  endAsTold(device);
}

/** A call ends with the session, and when its request was given up. */
export function checkCall(device: Device): void {
  var mayGoOn = maySend(device, device.callEndpoint);
  // CALL, with the target, lies on the next codes.
  if (!mayGoOn) device.hasNextPage = 0;
  if ((device.callState === CallState.SENT && !device.inFlight) || (isBusy(device) && !mayGoOn)) {
    device.status = 0;
    finishCall(device, device.error || ErrorCode.SESSION_ENDED);
  }
}
