// Requests beyond the grant (protected resources, metadata, security events), one at a time. This file knows
// when one may be begun and sent, what a refused token leads to, and how it ends. What an answer has to hold is known to
// the file that asked, which hands a CallKind in.

import { limitExchange } from "../device/clock.ts";
import { Authorization, Command, Endpoint, handOver } from "../device/command.ts";
import { quotient } from "../device/digits.ts";
import { ErrorCode } from "../device/errors.ts";
import { redraw } from "../device/frame.ts";
import { type Bytes, type CallKind, type Device, holds, matchNext } from "../device/memory.ts";
import {
  endTarget,
  OutputUse,
  placeRegion,
  releaseOutput,
  setLength,
  wipe,
} from "../device/regions.ts";
import { addressRequest, clearResponse, fillRequest, requestAbort } from "../device/request.ts";
import { lastTooLong } from "../device/sizing.ts";
import { Event, State } from "../device/states.ts";
import { Field, Fields, Literal, Region } from "../device/tables.ts";
import { endIfDue, hasAccess, hasSession, refreshNow } from "../grant/refresh.ts";
import { isSuccess } from "../grant/token-response.ts";
import { scanBegin, scanByte } from "../text/json-scanner.ts";

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
  /** The host is verifying it. */
  REQUESTED = 2,
}

/** How many values a refusal has: the error's name, its reason, its message. */
var REFUSAL_VALUES = 3;

/** An error object is four deep: error.errors[0].reason. */
var REFUSAL_DEPTH = 4;

/** The last request beyond the grant. */
export interface Call {
  /** What it is for; null where there was none, as ever in a build of the grant alone. */
  call: CallKind | null;
  /** Endpoint of the call. */
  callEndpoint: number;
  /** 1 for GET, 0 for POST. */
  callIsGet: number;
  /** One of CallState. */
  callState: CallState;
  /** 1: the call was sent again after a 401. */
  callRetried: number;
  /** One of ErrorCode: how the last call went. */
  callError: ErrorCode;
  /** The field that callError is about. */
  callErrorField: Field;
  /** HTTP status of the last call, 0 without an answer. */
  callStatus: number;
  /** The body of the request under way, where it is the host's. */
  callBody: Bytes | null;
  /** Of SEND with `callBody`: its first byte there. */
  callBodyFrom: number;
  /** Of SEND with `callBody`: where it ends, exclusively. */
  callBodyTo: number;
  /** What the host lends to a call until it is done: a body, an issuer; null: nothing. */
  lent: Bytes | null;
  /** First byte of what is lent. */
  lentFrom: number;
  /** End of what is lent, exclusively. */
  lentTo: number;
  /** One of Verification. */
  verification: Verification;
  /** How much of `insufficient_user_authentication` the challenge of the answer ends with so far. */
  stepUpMatched: number;
}

export function makeCall(device: Call): void {
  device.call = null;
  device.callEndpoint = 0;
  device.callIsGet = 0;
  device.callState = CallState.IDLE;
  device.callRetried = 0;
  device.callError = 0;
  device.callErrorField = 0;
  device.callStatus = 0;
  device.callBody = null;
  device.callBodyFrom = 0;
  device.callBodyTo = 0;
  device.lent = null;
  device.lentFrom = 0;
  device.lentTo = 0;
  device.verification = Verification.NONE;
  device.stepUpMatched = 0;
}

/** Whether a call is under way. */
function isUnderWay(device: Device): boolean {
  return device.callState !== CallState.IDLE && device.callState !== CallState.DONE;
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
 * @returns whether it is started: not where another is under way, or there is no session
 */
export function startCall(
  device: Device & Call,
  kind: CallKind,
  endpoint: number,
  isGet: number,
): boolean {
  if (!mayBeginCall(device, endpoint)) return false;
  // The host has had its time with the answer to the last one.
  releaseOutput(device, OutputUse.RESPONSE);
  releaseOutput(device, OutputUse.RESPONSE_SHOWN);
  device.call = kind;
  device.callEndpoint = endpoint;
  device.callIsGet = isGet;
  device.callState = CallState.WAITING;
  device.callRetried = 0;
  device.callError = ErrorCode.NONE;
  device.callErrorField = Field.NONE;
  device.callStatus = 0;
  endTarget(device);
  device.lent = null;
  return true;
}

/** The call that was just started has bytes of the host's: lent until it is done. */
export function lend(device: Device & Call, bytes: Bytes | null, from: number, to: number): void {
  device.lent = bytes;
  device.lentFrom = from;
  device.lentTo = to;
}

/** Divides OUTPUT from `at` on among `count` values, the first of them `field`. */
export function shareValues(device: Device, at: number, field: Field, count: number): void {
  var size = quotient(device.start[Region.OUTPUT] + device.capacity[Region.OUTPUT] - at, count);
  while (count-- > 0) {
    placeRegion(device, field, at, size - 1);
    setLength(device, field++, -1);
    at += size;
  }
}

/** Whether the access token goes along: protected resource requests only. */
function carriesToken(device: Device): boolean {
  return device.callEndpoint >= Endpoint.RESOURCE;
}

/** Whether the API wants another sign-in, and takes the token for good (RFC 9470 §3): no refresh would help. */
function needsSignIn(device: Device): boolean {
  return device.stepUpMatched === device.length[Literal.STEP_UP];
}

/** A byte of the challenge that an answer comes with, before its status. */
function receiveChallenge(device: Device & Call, c: number): void {
  device.stepUpMatched = matchNext(device, Literal.STEP_UP, device.stepUpMatched, c);
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
    !needsSignIn(device) &&
    holds(device, Region.REFRESH_TOKEN)
  );
}

/** Whether somebody wants to use the access token: a call waits for one. */
export function needsToken(device: Device): boolean {
  return device.callState === CallState.WAITING && carriesToken(device);
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
export function prepareCall(device: Device & Call): boolean {
  var endpoint = device.callEndpoint;
  var size = endpoint === Endpoint.METADATA ? 0 : device.length[Region.CALL];
  addressRequest(
    device,
    endpoint,
    device.callIsGet,
    carriesToken(device) ? Authorization.BEARER : Authorization.NONE,
  );
  fillRequest(device, device.start[Region.CALL], size, endpoint !== Endpoint.EVENTS);
  if (carriesToken(device)) {
    device.callBody = device.lent;
    device.callBodyFrom = device.lentFrom;
    device.callBodyTo = device.lentTo;
  }
  device.callState = CallState.SENT;
  device.stepUpMatched = 0;
  return size >= 0;
}

/**
 * An answer begins, whose status is known: its values are placed in OUTPUT. A success may have members that are
 * named like an error's.
 */
export function resetApiResponse(device: Device): void {
  var kind = device.call!;
  if (isSuccess(device)) {
    shareValues(device, device.start[Region.OUTPUT], Field.VALUE_A, kind.values);
    scanBegin(device, kind.names, Fields.VALUES, kind.depth, Field.NONE);
  } else {
    shareValues(device, device.start[Region.OUTPUT], Field.VALUE_A, REFUSAL_VALUES);
    scanBegin(device, Literal.REFUSAL_MEMBERS, Fields.VALUES, REFUSAL_DEPTH, Field.VALUE_A);
  }
}

/** Takes in one byte of the answer. What refuses a call is read alike for all. */
export function scanResponse(device: Device, c: number): void {
  if (isSuccess(device)) device.call!.scan(device, c);
  else scanByte(device, c);
}

/** The host is to verify the event in the answer. */
export function verify(device: Device & Call): Command {
  device.verification = Verification.REQUESTED;
  limitExchange(device);
  handOver(device, device.start[Field.VALUE_A], device.length[Field.VALUE_A]);
  return Command.VERIFY;
}

/**
 * Whether a value of the answer does not fit. Then the call ends with VALUE_TOO_LONG, and callErrorField says which.
 */
export function isResponseTooLong(device: Device): boolean {
  noteCallField(device, lastTooLong(device, Fields.VALUES));
  return device.callErrorField !== Field.NONE;
}

/** What is wrong with the call is about this field. */
export function noteCallField(device: Device & Call, field: Field): void {
  device.callErrorField = field;
}

/** The answer to the call is another kind's: it is taken by that one. */
export function responseAs(device: Device & Call, kind: CallKind): void {
  device.call = kind;
}

/** The call waits to be sent again. @param isRetry after a 401, which happens once */
export function waitAgain(device: Device & Call, isRetry: boolean): void {
  device.callRetried = isRetry ? 1 : 0;
  device.callState = CallState.WAITING;
}

/** The event in the answer waits for the host to verify it. */
export function requestVerification(device: Device & Call): void {
  device.callState = CallState.VERIFYING;
  device.verification = Verification.DUE;
}

/** The host has verified the event. */
export function endVerify(device: Device & Call): void {
  device.verification = Verification.NONE;
}

/** Ends the call with what the host is to know of it. */
export function finishCall(device: Device & Call, error: ErrorCode): void {
  device.callState = CallState.DONE;
  device.callError = error;
  device.callStatus = device.httpStatus;
  device.callBody = device.lent = null;
  // The host must not go on reading what it verifies.
  if (isVerifying(device)) requestAbort(device);
  device.verification = Verification.NONE;
  endIfDue(device);
}

/** Whether the host is at VERIFY. It has EXCHANGE_MS_MAX for it, like a request. */
export function isVerifying(device: Device): boolean {
  return device.verification === Verification.REQUESTED;
}

/** A call ends with the session, when its request was given up, and where the host does not end VERIFY. */
export function checkCall(device: Device): void {
  if (isVerifying(device) && !device.exchangeMs) finishCall(device, ErrorCode.UNREACHABLE);
  if (
    (device.callState === CallState.SENT && !device.inFlight) ||
    (isUnderWay(device) && !maySend(device, device.callEndpoint))
  ) {
    clearResponse(device);
    // Where an error ended the session, that error; where the user did, SESSION_ENDED.
    var error = ErrorCode.SESSION_ENDED;
    if (device.state === State.FAILED) error = device.error;
    finishCall(device, error);
  }
}

/** Sends the refused request again once there is another access token; false where there is no session to get it. */
function waitsForToken(device: Device): boolean {
  wipe(device, Field.ACCESS_TOKEN);
  // The display says that there is no connection.
  redraw(device);
  if (device.state === State.SIGNED_IN) refreshNow(device, Event.TOKEN_REFUSED);
  if (!hasSession(device)) return false;
  waitAgain(device, true);
  // What the refusal says is of no use; the refresh needs the room.
  releaseOutput(device, OutputUse.RESPONSE);
  return true;
}

/**
 * The answer to a call has come, or failed with `error`. 401 means that the access token is no good: it is
 * refreshed and the request sent again, exactly once (RFC 6750 §3.1); unless the API says that it wants another sign-in
 * (RFC 9470), which ends the call with INTERACTION_REQUIRED.
 */
export function callCompleted(device: Device & Call, error: ErrorCode): void {
  device.callBody = null;
  var isRefused = device.httpStatus === 401 && carriesToken(device);
  var isStepUp = isRefused && needsSignIn(device);
  if (isRefused && !isStepUp && !device.callRetried && waitsForToken(device)) return;
  if (isRefused) error = isStepUp ? ErrorCode.INTERACTION_REQUIRED : ErrorCode.INVALID_TOKEN;
  // What the host alone reads is a success whatever it is (204 without a body, text, an image).
  if (device.call!.isAnyBody && error === ErrorCode.MALFORMED_RESPONSE) error = ErrorCode.NONE;
  // Before finishCall, which gives lent bytes back to the host.
  if (!error) error = device.call!.take(device);
  // take may have left it VERIFYING: then eventVerified goes on.
  if (device.callState !== CallState.VERIFYING) finishCall(device, error);
}

/**
 * A piece of the challenge that an answer comes with, `bytes[from..to)`: the value of WWW-Authenticate (RFC 9110
 * §11.6.1), before responseStart; of several values one after the other. A host that cannot tell leaves it out. The
 * range stays the host's and is not kept.
 * @param requestId id that the request was sent with
 */
export function responseChallenge(
  device: Device,
  requestId: number,
  bytes: Bytes,
  from: number,
  to: number,
): void {
  if (!device.inFlight || requestId !== device.requestId || device.httpStatus) return;
  for (; from < to; from++) receiveChallenge(device, bytes[from] & 255);
}
