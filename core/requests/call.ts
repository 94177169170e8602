// Makes calls: requests in addition to the grant (protected resources, metadata, security events), one at a time.
// Decides when a call may start and be sent, handles a rejected token, and ends the call. Each kind of call has a file,
// whose CallKind defines what a response must contain.

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
import { firstTooLong } from "../device/sizing.ts";
import { Event, State } from "../device/states.ts";
import { Field, Fields, Literal, Region } from "../device/tables.ts";
import { endIfDue, hasAccess, hasSession, refreshNow } from "../grant/refresh.ts";
import { isSuccess } from "../grant/token-response.ts";
import { scanBegin, scanByte } from "../text/json-scanner.ts";

/** The progress of the last call. */
export enum CallState {
  /** No call has been made since the start. */
  IDLE = 0,
  /** The call will be sent as soon as storage, network and tokens allow it. */
  WAITING = 1,
  /** The request has been sent. */
  SENT = 2,
  /** The call's error and status are available. A new call may start. */
  DONE = 3,
  /** A security event waits until the host has verified it. */
  VERIFYING = 4,
}

/** The progress of verifying the event in a response. */
export enum Verification {
  NONE = 0,
  /** The command VERIFY is due. */
  DUE = 1,
  /** The host is verifying the event. */
  REQUESTED = 2,
}

/** The number of values that are read from a rejection: the error's name, reason and message. */
var REFUSAL_VALUES = 3;

/** The members of a rejection are looked up to this depth: `error.errors[0].reason` is at depth 4. */
var REFUSAL_DEPTH = 4;

/** The last call. */
export interface Call {
  /** The kind of the last call; null before the first call, and in a build of the grant alone. */
  call: CallKind | null;
  /** The call's Endpoint. */
  callEndpoint: number;
  /** 1 for GET, 0 for POST. */
  callIsGet: number;
  /** The state of the call, one of CallState. */
  callState: CallState;
  /** 1: the call was repeated after a 401. */
  callRetried: number;
  /** The result of the last call, one of ErrorCode. */
  callError: ErrorCode;
  /** The field that callError concerns; NONE: no field. */
  callErrorField: Field;
  /** HTTP status of the last call, 0 without a response. */
  callStatus: number;
  /** The body of the current request, if the host provides it; otherwise null. */
  callBody: Bytes | null;
  /** The start of the body in `callBody`, for SEND. */
  callBodyFrom: number;
  /** The end of the body in `callBody` (exclusive), for SEND. */
  callBodyTo: number;
  /** Bytes of the host that the call uses until the call is done: a body or an issuer; null: none. */
  lent: Bytes | null;
  /** The start of the lent bytes. */
  lentFrom: number;
  /** The end of the lent bytes, exclusive. */
  lentTo: number;
  /** The state of the verification of an event, one of Verification. */
  verification: Verification;
  /** How many bytes at the start of `insufficient_user_authentication` match the last bytes of the challenge so far. */
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

function isUnderWay(device: Device): boolean {
  return device.callState !== CallState.IDLE && device.callState !== CallState.DONE;
}

/** Whether a call to this endpoint may be sent. Only a metadata request needs no session. */
function maySend(device: Device, endpoint: number): boolean {
  return endpoint === Endpoint.METADATA || hasSession(device);
}

export function mayBeginCall(device: Device, endpoint: number): boolean {
  return maySend(device, endpoint) && !isUnderWay(device);
}

/**
 * Starts a call. A target is already in CALL. An event poll writes its body to CALL after startCall. The call claims
 * OUTPUT when it is sent.
 * @param kind what the response must contain
 * @returns whether the call has started: false if another call is in progress, or if a session is needed and missing
 */
export function startCall(
  device: Device & Call,
  kind: CallKind,
  endpoint: number,
  isGet: number,
): boolean {
  if (!mayBeginCall(device, endpoint)) return false;
  // The host has had time to read the response of the last call.
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

/** Lends bytes of the host to the new call until the call is done. */
export function lend(device: Device & Call, bytes: Bytes | null, from: number, to: number): void {
  device.lent = bytes;
  device.lentFrom = from;
  device.lentTo = to;
}

/** Divides OUTPUT, from the position `at` on, equally among `count` fields. `field` is the first of them. */
export function shareValues(device: Device, at: number, field: Field, count: number): void {
  var size = quotient(device.start[Region.OUTPUT] + device.capacity[Region.OUTPUT] - at, count);
  while (count-- > 0) {
    placeRegion(device, field, at, size);
    setLength(device, field++, -1);
    at += size;
  }
}

/** Whether the request of the call contains the access token. Only requests to resource servers do. */
function carriesToken(device: Device): boolean {
  return device.callEndpoint >= Endpoint.RESOURCE;
}

/** Whether the API has required another sign-in (RFC 9470 §3). A refresh then does not help. */
function needsSignIn(device: Device): boolean {
  return device.stepUpMatched === device.length[Literal.STEP_UP];
}

/** Processes a byte of the challenge (WWW-Authenticate). The host passes the challenge before the status. */
function receiveChallenge(device: Device & Call, c: number): void {
  device.stepUpMatched = matchNext(device, Literal.STEP_UP, device.stepUpMatched, c);
}

/** Whether the device refreshes the token and repeats the call, as it does once after a 401 (RFC 6750 §3.1). */
export function isRetried(device: Device): boolean {
  return (
    device.httpStatus === 401 &&
    carriesToken(device) &&
    !device.callRetried &&
    !needsSignIn(device) &&
    holds(device, Region.REFRESH_TOKEN)
  );
}

export function needsToken(device: Device): boolean {
  return device.callState === CallState.WAITING && carriesToken(device);
}

/** Whether a waiting call can be sent now. Without a session, checkCall has already ended a call that needs one. */
export function isCallDue(device: Device): boolean {
  return device.callState === CallState.WAITING && (!carriesToken(device) || hasAccess(device));
}

/**
 * Sets up the call's request. CALL contains the target, or for EVENTS the body. The host provides any other body.
 * @returns false if the target or the body did not fit into CALL
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
 * Call this when the response to a call starts. Divides OUTPUT among the values to read. The status determines which
 * members are looked up, because a success may have members with the same names as a rejection.
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

/** Processes a byte of the response. Rejections are parsed in the same way for all kinds of calls. */
export function scanResponse(device: Device, c: number): void {
  if (isSuccess(device)) device.call!.scan(device, c);
  else scanByte(device, c);
}

/** Makes the host verify the event in the response. */
export function verify(device: Device & Call): Command {
  device.verification = Verification.REQUESTED;
  limitExchange(device);
  handOver(device, device.start[Field.VALUE_A], device.length[Field.VALUE_A]);
  return Command.VERIFY;
}

/** Whether a value of the response is too long. If so, callErrorField names it. End the call with VALUE_TOO_LONG. */
export function isResponseTooLong(device: Device): boolean {
  noteCallField(device, firstTooLong(device, Fields.VALUES));
  return device.callErrorField !== Field.NONE;
}

export function noteCallField(device: Device & Call, field: Field): void {
  device.callErrorField = field;
}

/** Makes another kind of call handle the response. */
export function responseAs(device: Device & Call, kind: CallKind): void {
  device.call = kind;
}

/** Makes the call wait to be sent again. @param isRetry whether the call is repeated after a 401 */
export function waitAgain(device: Device & Call, isRetry: boolean): void {
  device.callRetried = isRetry ? 1 : 0;
  device.callState = CallState.WAITING;
}

/** Makes the event in the response wait until the host has verified it. */
export function requestVerification(device: Device & Call): void {
  device.callState = CallState.VERIFYING;
  device.verification = Verification.DUE;
}

export function endVerify(device: Device & Call): void {
  device.verification = Verification.NONE;
}

export function finishCall(device: Device & Call, error: ErrorCode): void {
  device.callState = CallState.DONE;
  device.callError = error;
  device.callStatus = device.httpStatus;
  device.callBody = device.lent = null;
  // If the host is verifying the event, it must stop reading the event's bytes.
  if (isVerifying(device)) requestAbort(device);
  device.verification = Verification.NONE;
  endIfDue(device);
}

/** Whether the host is verifying an event. The host has as much time for that as for a request. */
export function isVerifying(device: Device): boolean {
  return device.verification === Verification.REQUESTED;
}

/** Ends the call if the session that it needs has ended, the request was aborted, or VERIFY has timed out. */
export function checkCall(device: Device): void {
  if (isVerifying(device) && !device.exchangeMs) finishCall(device, ErrorCode.UNREACHABLE);
  if (
    (device.callState === CallState.SENT && !device.inFlight) ||
    (isUnderWay(device) && !maySend(device, device.callEndpoint))
  ) {
    clearResponse(device);
    // If the session has failed, the call gets the same error. If the user has ended the session, it is SESSION_ENDED.
    var error = ErrorCode.SESSION_ENDED;
    if (device.state === State.FAILED) error = device.error;
    finishCall(device, error);
  }
}

/**
 * Makes the device send the rejected call again as soon as it has a new access token.
 * @returns false if the session has ended, for example because there is no refresh token
 */
function waitsForToken(device: Device): boolean {
  wipe(device, Field.ACCESS_TOKEN);
  // Without an access token, the display shows the text CONNECTING.
  redraw(device);
  if (device.state === State.SIGNED_IN) refreshNow(device, Event.TOKEN_REFUSED);
  if (!hasSession(device)) return false;
  waitAgain(device, true);
  // Nobody needs the values of the rejection, and the refresh needs their space in OUTPUT.
  releaseOutput(device, OutputUse.RESPONSE);
  return true;
}

/**
 * Call this when the response to a call has arrived, or the call has failed with `error`. After an API's 401, the device
 * refreshes the access token and repeats the request, but only once (RFC 6750 §3.1). If the API requires another sign-in
 * (RFC 9470), the call ends with INTERACTION_REQUIRED instead.
 */
export function callCompleted(device: Device & Call, error: ErrorCode): void {
  device.callBody = null;
  var isRefused = device.httpStatus === 401 && carriesToken(device);
  var isStepUp = isRefused && needsSignIn(device);
  if (isRefused && !isStepUp && !device.callRetried && waitsForToken(device)) return;
  if (isRefused) error = isStepUp ? ErrorCode.INTERACTION_REQUIRED : ErrorCode.INVALID_TOKEN;
  // The response is for the application and may have any format: no body (204), text, an image.
  if (device.call!.isAnyBody && error === ErrorCode.MALFORMED_RESPONSE) error = ErrorCode.NONE;
  // `take` may read bytes of the host, so call it before finishCall, which returns these bytes to the host.
  if (!error) error = device.call!.take(device);
  // If the call is VERIFYING now, eventVerified continues it.
  if (device.callState !== CallState.VERIFYING) finishCall(device, error);
}

/**
 * Passes a piece of the header WWW-Authenticate (RFC 9110 §11.6.1), `bytes[from..to)`. Call this before responseStart.
 * If there are several values, pass one after the other. A host that cannot read headers does not call this. The core
 * only reads the bytes, and only during this call.
 * @param requestId id of the request
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
