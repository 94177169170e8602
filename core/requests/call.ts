// Requests beyond the grant (protected resources, metadata, security events), one at a time. This file knows
// when one may be begun and sent and how it ends. What an answer has to hold is known to the file that asked,
// which hands a CallKind in; what a refused token leads to is in call-answer.ts.

import { Authorization, Command, Endpoint } from "../device/command.ts";
import { quotient } from "../device/digits.ts";
import { ErrorCode } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Bytes, type CallKind, type Device, Field, holds, Region } from "../device/memory.ts";
import { OutputUse, releaseOutput } from "../device/regions.ts";
import { State } from "../device/states.ts";
import { endIfDue, hasAccess, hasSession } from "../grant/refresh.ts";
import { isSuccess } from "../grant/token-response.ts";
import { scanBegin, scanByte } from "../text/json-scanner.ts";
import { RequestLiteral } from "./literals.ts";

/** How far the last call has come. */
export enum CallState {
  /** There was none. */
  IDLE = 0,
  /** To be sent as soon as storage, network and tokens allow. */
  WAITING = 1,
  /** It is under way. */
  SENT = 2,
  /** Its error and status are there; a new one may be started. */
  DONE = 3,
  /** A security event waits for the host to check its signature. */
  VERIFYING = 4,
}

/** How far the check of the event in a call's answer has come. */
export enum Verification {
  NONE = 0,
  /** The command VERIFY is due. */
  DUE = 1,
  /** The host is at it. */
  ASKED = 2,
}

export enum CallFields {
  /** The four values: which of them an answer may name, its literal says. */
  WANTED = (1 << Field.VALUE_A) |
    (1 << Field.VALUE_B) |
    (1 << Field.VALUE_C) |
    (1 << Field.VALUE_D),
}

/** How many values a refusal has: the error's name, its reason, its message. */
var REFUSAL_VALUES = 3;

/** An error object is four deep: error.errors[0].reason. */
var REFUSAL_DEPTH = 4;

/** Whether a call is under way. */
function isUnderWay(device: Device): boolean {
  return (
    device.callState === CallState.WAITING ||
    device.callState === CallState.SENT ||
    device.callState === CallState.VERIFYING
  );
}

/** Whether there is the session that all endpoints but that of the metadata want. */
function maySend(device: Device, endpoint: number): boolean {
  return endpoint === Endpoint.METADATA || hasSession(device);
}

/** Whether a call to this endpoint can be begun. */
export function mayBeginCall(device: Device, endpoint: number): boolean {
  return maySend(device, endpoint) && !isUnderWay(device);
}

/**
 * Starts a call. It claims no bytes yet: its target or body, if any, is in CALL, and OUTPUT becomes its own when
 * it is sent.
 * @param kind what its answer has to hold
 * @returns 1, or 0 where another is under way, or nobody is signed in
 */
export function startCall(device: Device, kind: CallKind, endpoint: number, isGet: number): number {
  if (!mayBeginCall(device, endpoint)) return 0;
  // The host has had its time with the answer to the last one.
  releaseOutput(device, OutputUse.ANSWER);
  releaseOutput(device, OutputUse.ANSWER_SHOWN);
  device.call = kind;
  device.callEndpoint = endpoint;
  device.callIsGet = isGet;
  device.callState = CallState.WAITING;
  device.callRetried = 0;
  device.callError = ErrorCode.NONE;
  device.callErrorField = Field.NONE;
  device.callStatus = 0;
  device.isBuilding = 0;
  device.hasNextPage = 0;
  device.lent = null;
  return 1;
}

/** The call that was just started has bytes of the host's: lent until it is done. */
export function lend(device: Device, bytes: Bytes | null, from: number, to: number): void {
  device.lent = bytes;
  device.lentFrom = from;
  device.lentTo = to;
}

/** Divides OUTPUT from `at` on among `count` values, the first of them `field`. */
export function shareValues(device: Device, at: number, field: number, count: number): void {
  var size = quotient(device.start[Region.OUTPUT] + device.capacity[Region.OUTPUT] - at, count);
  while (count-- > 0) {
    device.start[field] = at;
    device.capacity[field] = size - 1;
    device.length[field++] = -1;
    at += size;
  }
}

/** Whether the access token goes along: protected resource requests only. */
export function carriesToken(device: Device): boolean {
  return device.callEndpoint >= Endpoint.RESOURCE;
}

/**
 * Whether 401 is not the last word of the answer: the access token is refreshed and the request sent again, exactly
 * once (RFC 6750 §3.1).
 */
export function isRetried(device: Device): boolean {
  return (
    device.httpStatus === 401 &&
    carriesToken(device) &&
    !device.callRetried &&
    holds(device, Region.PRESENT_REFRESH_TOKEN)
  );
}

/** Whether the call waits, and can go out now; one that lost its session has been ended by then. */
export function isCallDue(device: Device): boolean {
  return device.callState === CallState.WAITING && (!carriesToken(device) || hasAccess(device));
}

/**
 * Makes the call's request. CALL holds its target, or for EVENTS its body; the body of a resource request is what
 * was lent.
 * @returns whether it fits
 */
export function prepareCall(device: Device): boolean {
  var endpoint = device.callEndpoint;
  var size = endpoint === Endpoint.METADATA ? 0 : device.length[Region.CALL];
  device.endpoint = endpoint;
  device.isGet = device.callIsGet;
  device.authorization = carriesToken(device) ? Authorization.BEARER : Authorization.NONE;
  device.target = device.body = device.start[Region.CALL];
  device.targetLength = endpoint === Endpoint.EVENTS ? 0 : size;
  device.bodyLength = endpoint === Endpoint.EVENTS ? size : 0;
  if (carriesToken(device)) {
    device.callBody = device.lent;
    device.callBodyFrom = device.lentFrom;
    device.callBodyTo = device.lentTo;
  }
  device.callState = CallState.SENT;
  return size >= 0;
}

/**
 * An answer begins, whose status is known: its values are placed in OUTPUT. A success may have members that are
 * named like an error's.
 */
export function beginAnswer(device: Device): void {
  var kind = device.call!;
  if (isSuccess(device)) {
    shareValues(device, device.start[Region.OUTPUT], Field.VALUE_A, kind.values);
    scanBegin(device, kind.names, CallFields.WANTED, kind.depth, Field.NONE);
  } else {
    shareValues(device, device.start[Region.OUTPUT], Field.VALUE_A, REFUSAL_VALUES);
    scanBegin(
      device,
      RequestLiteral.REFUSAL_MEMBERS,
      CallFields.WANTED,
      REFUSAL_DEPTH,
      Field.VALUE_A,
    );
  }
}

/** Takes in one byte of the answer. What refuses a call is read alike for all. */
export function scanAnswer(device: Device, c: number): void {
  if (isSuccess(device)) device.call!.scan(device, c);
  else scanByte(device, c);
}

/** The host is to verify the event in the answer. */
export function verify(device: Device): Command {
  device.verification = Verification.ASKED;
  device.exchangeMs = Limit.EXCHANGE_MS_MAX;
  device.data = device.start[Field.VALUE_A];
  device.dataLength = device.length[Field.VALUE_A];
  return Command.VERIFY;
}

/** The host has had time to read the answer of a call that is done: whoever needs OUTPUT may have it. */
export function showAnswer(device: Device): void {
  if (device.outputUse === OutputUse.ANSWER && device.callState === CallState.DONE) {
    device.outputUse = OutputUse.ANSWER_SHOWN;
  }
}

/** Ends the call with what the host is to know of it. */
export function finishCall(device: Device, error: number): void {
  device.callState = CallState.DONE;
  device.callError = error;
  device.callStatus = device.httpStatus;
  device.callBody = device.lent = null;
  // The host must not go on reading what it verifies.
  if (isVerifying(device)) device.abortDue = 1;
  device.verification = Verification.NONE;
  endIfDue(device);
}

/** Whether the host is at VERIFY. It has EXCHANGE_MS_MAX for it, like a request. */
export function isVerifying(device: Device): boolean {
  return device.verification === Verification.ASKED;
}

/** A call ends with the session, when its request was given up, and where the host does not end VERIFY. */
export function checkCall(device: Device): void {
  if (isVerifying(device) && !device.exchangeMs) finishCall(device, ErrorCode.UNREACHABLE);
  if (
    (device.callState === CallState.SENT && !device.inFlight) ||
    (isUnderWay(device) && !maySend(device, device.callEndpoint))
  ) {
    device.httpStatus = 0;
    // Where an error ended the session, that error; where the user did, SESSION_ENDED.
    var error: number = ErrorCode.SESSION_ENDED;
    if (device.state === State.FAILED) error = device.error;
    finishCall(device, error);
  }
}
