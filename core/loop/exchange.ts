// Makes one request at a time: decides which one is due, writes it, and passes its response to the code that processes
// it. Each response has the id of its request. The device drops a late response to a request that it has given up.
//
// Theory of operation. There is no queue. A request is due because of the state (dueInState) or because a call waits. A
// request goes through these steps, each with its functions:
//
//   due ---- whatIsDue: no exchange and no storage job is in progress, and OUTPUT is free
//    |
//   made --- nextRequest: OUTPUT is claimed, the bytes are written, SEND
//    |
//   sent --- responseStart, responseBody ...: the scanner extracts the required members (of a call: see its CallKind)
//    |
//   over --- responseEnd, responseFailed, or checkExchange after the time limit
//    |
//   taken -- takeResponse: the purpose decides who processes the response; then OUTPUT is released, except for a call's
//            response, which the application reads, and while ABORT is due
//
// There are two exceptions. A request that does not fit, or whose endpoint the server does not have, fails: it goes to
// "taken" at once. And giveUp (device/request.ts) ends a request when the user does something else. The host may still
// read that request, so its bytes stay claimed until ABORT (abortExchange).

import { backOff, waitFor } from "../device/clock.ts";
import { Command, Endpoint } from "../device/command.ts";
import { ErrorCode, ErrorKind, errorKind, setError } from "../device/errors.ts";
import { redraw } from "../device/frame.ts";
import { Limit } from "../device/limits.ts";
import type { Bytes, Device } from "../device/memory.ts";
import {
  claimOutput,
  clearUnread,
  dropCode,
  isOutputFree,
  OutputUse,
  releaseOutput,
} from "../device/regions.ts";
import {
  abortGiven,
  addressRequest,
  beginFormTrial,
  beginRequest,
  beginResponse,
  countByte,
  endFormTrial,
  endRequest,
  fillRequest,
  hasEndpoint,
  offerEndpoints,
  requestAbort,
  sendRequest,
} from "../device/request.ts";
import { misfitError, noteField, noteNeed } from "../device/sizing.ts";
import { Event, State } from "../device/states.ts";
import { Field, Fields, Literal, Region } from "../device/tables.ts";
import { finish } from "../grant/attempt.ts";
import {
  clientAuthorization,
  missingBytes,
  revokesByQuery,
  writeTokenRequest,
} from "../grant/client-authentication.ts";
import {
  beginDemand,
  endDemandTrial,
  isChallengeDue,
  prepareCodeRequest,
  receiveDemand,
  takeDemand,
} from "../grant/code-challenge.ts";
import {
  codeReceived,
  codeRefused,
  countUnusable,
  preparePoll,
  stillPending,
  takeCode,
} from "../grant/device-authorization.ts";
import { refreshRefused, rememberAccess, tokensReceived } from "../grant/refresh.ts";
import { endsCode, nameRefusal } from "../grant/refusal.ts";
import { prepareRevocation, revocationCompleted } from "../grant/revocation.ts";
import { classify, dropBrought, isSuccess, takeTokens } from "../grant/token-response.ts";
import { Job, nextStorageCommand, requestHost, startJob } from "../records/record-keeping.ts";
import {
  CallState,
  callCompleted,
  isCallDue,
  isRetried,
  prepareCall,
  resetApiResponse,
  scanResponse,
} from "../requests/call.ts";
import { discardNames, isMark, scanBegin, scanByte } from "../text/json-scanner.ts";

/** The next step: a request, or a retry of a storage operation. */
export enum Due {
  NONE = 0,
  CODE = 1,
  POLL = 2,
  REFRESH = 3,
  REVOCATION = 4,
  CALL = 5,
  /** Write the tokens again. */
  SAVE = 6,
  /** Erase again. */
  ERASE = 7,
}

/** The purpose of the current exchange. */
export interface Exchange {
  /** The purpose of the last request, one of Due. */
  purpose: Due;
}

export function makeExchange(device: Exchange): void {
  device.purpose = Due.NONE;
}

/** The step that is due in this state after waitMs. */
function dueInState(device: Device): Due {
  var state = device.state;
  if (state === State.REQUESTING) return Due.CODE;
  if (state === State.PENDING) return Due.POLL;
  if (state === State.REFRESHING) return Due.REFRESH;
  if (state === State.REVOKING) return Due.REVOCATION;
  // If the tokens are not saved, save them first. The older record is erased after that.
  if (device.notSaved) return state === State.SIGNED_IN ? Due.SAVE : Due.NONE;
  // STARTING erases nothing, so notErased is 0 there.
  return device.notErased ? Due.ERASE : Due.NONE;
}

/** Whether OUTPUT is in use. A finished call does not count: when tick returns NONE, others may claim its bytes. */
export function isOutputHeld(device: Device): boolean {
  return (
    !isOutputFree(device) &&
    !(device.outputUse === OutputUse.RESPONSE && device.callState === CallState.DONE)
  );
}

/** The step that is due, now or after waitMs, or NONE. A call does not wait for waitMs. */
export function whatIsDue(device: Device): Due {
  if (device.inFlight || device.job || device.storageCommand || isOutputHeld(device)) {
    return Due.NONE;
  }
  if (device.call && isCallDue(device)) return Due.CALL;
  return dueInState(device);
}

/** Writes a request of the grant, and returns whether it fits. */
function prepareGrant(device: Device, purpose: Due): boolean {
  var endpoint = Endpoint.TOKEN;
  var inPlace = 0;
  if (purpose === Due.CODE) {
    endpoint = Endpoint.DEVICE_AUTHORIZATION;
    prepareCodeRequest(device);
  } else if (purpose === Due.POLL) preparePoll(device);
  else if (purpose === Due.REFRESH) {
    writeTokenRequest(device, Literal.REFRESH_TOKEN_GRANT, Region.REFRESH_TOKEN);
  } else {
    endpoint = Endpoint.REVOCATION;
    inPlace = prepareRevocation(device);
  }
  var start = inPlace || device.start[Region.OUTPUT];
  var size = inPlace ? device.memory.length - inPlace : device.length[Region.OUTPUT];
  var isTarget = purpose === Due.REVOCATION && revokesByQuery(device);
  addressRequest(device, endpoint, 0, clientAuthorization(device));
  fillRequest(device, start, size, isTarget);
  if (size >= 0) return true;
  noteNeed(device, device.writeAt - device.writeEnd);
  return false;
}

export function nextRequest(device: Device & Exchange): Command {
  var purpose = whatIsDue(device);
  var isCall = device.call && purpose === Due.CALL;
  if (!purpose || (device.waitMs > 0 && !isCall)) return Command.NONE;
  if (purpose === Due.SAVE || purpose === Due.ERASE) {
    waitFor(device, Limit.SAVE_AGAIN_MS);
    // If there are tokens, erase only the older record; otherwise everything.
    var erasing = device.state === State.SIGNED_IN ? Job.ERASE_OLDER : Job.WIPE;
    startJob(device, purpose === Due.SAVE ? Job.WRITE : erasing);
    return nextStorageCommand(device);
  }
  // OUTPUT may still hold the response of a finished call, which the host reads before the next tick.
  if (!claimOutput(device, isCall ? OutputUse.RESPONSE : OutputUse.REQUEST)) return Command.NONE;
  beginRequest(device);
  if (purpose === Due.CODE && isChallengeDue(device)) {
    var start = device.start[Region.OUTPUT];
    return requestHost(device, Command.CHALLENGE, start, Limit.CHALLENGE_SIZE);
  }
  device.purpose = purpose;
  // Discard the fields of the last response, because this request may get no response.
  discardNames(device, -1);
  var fits = isCall ? prepareCall(device) : prepareGrant(device, purpose);
  if (!fits || !hasEndpoint(device, device.endpoint)) {
    takeResponse(device, fits ? ErrorCode.UNREACHABLE : ErrorCode.MEMORY_TOO_SMALL);
    return Command.NONE;
  }
  sendRequest(device);
  return Command.SEND;
}

/**
 * Sets which endpoints the server has; initially, it has all of them. A request in flight continues. Without a
 * revocation endpoint, a revocation succeeds at once. Without its endpoint, any other request fails with UNREACHABLE.
 * @param endpoints a bit for each Endpoint, for example `1 << Endpoint.TOKEN`
 */
export function setEndpoints(device: Device, endpoints: number): void {
  offerEndpoints(device, endpoints);
}

/** Whether this is the id of the current request. The device drops a late response to an earlier request. */
function isCurrent(device: Device, requestId: number): boolean {
  return device.inFlight > 0 && requestId === device.requestId;
}

/** The members to extract from a grant response with this status. */
function requiredFields(device: Device): number {
  if (device.purpose === Due.CODE) return Fields.CODE;
  // The response to a revocation must not overwrite the token that is still to be revoked.
  return device.purpose === Due.REVOCATION || !isSuccess(device) ? Fields.REFUSAL : Fields.TOKENS;
}

/**
 * Reports the response head.
 * @param requestId id of the request
 * @param status 100..599; anything else counts as 599
 * @param retryAfterSeconds value of Retry-After; a negative one counts as absent
 * @returns 1 if the host may also pass the body to its application, 0 if only the core reads it
 */
export function responseStart(
  device: Device,
  requestId: number,
  status: number,
  retryAfterSeconds: number,
): number {
  if (isCurrent(device, requestId)) {
    beginResponse(device, status, retryAfterSeconds);
    if (device.call && device.purpose === Due.CALL) {
      resetApiResponse(device);
      return isRetried(device) ? 0 : 1;
    }
    rememberAccess(device);
    beginDemand(device);
    // The response may overwrite the server's error name (Field.ERROR). Lay out the display again without it.
    redraw(device);
    scanBegin(device, Literal.MEMBERS, requiredFields(device), 1, Field.ERROR);
  }
  return 0;
}

/**
 * Passes a piece of the body: `bytes[from..to)`, of any length. The result does not depend on how the body is divided.
 * The core only reads the bytes, and only during this call.
 */
export function responseBody(
  device: Device,
  requestId: number,
  bytes: Bytes,
  from: number,
  to: number,
): void {
  if (!isCurrent(device, requestId) || !device.httpStatus) return;
  for (; from < to; from++) {
    // The host may pass a plain array, which may contain any number.
    var byte = bytes[from] & 255;
    countByte(device);
    if (isMark(device, byte)) continue;
    if (device.call && device.purpose === Due.CALL) scanResponse(device, byte);
    else scanByte(device, byte);
    if (device.purpose === Due.CODE) receiveDemand(device, byte);
  }
}

/** Call this when the response is complete. */
export function responseEnd(device: Device, requestId: number): void {
  if (isCurrent(device, requestId)) {
    var error = device.httpStatus ? classify(device) : ErrorCode.UNREACHABLE;
    // RFC 8628 §3.5 defines these two errors for polls. In response to any other request, they mean that the server is
    // busy.
    var isOfPoll = error === ErrorCode.AUTHORIZATION_PENDING || error === ErrorCode.SLOW_DOWN;
    if (isOfPoll && device.purpose !== Due.POLL) error = ErrorCode.TEMPORARILY_UNAVAILABLE;
    takeResponse(device, error);
  }
}

/** Call this when there is no complete response: no connection, a truncated response, or a timeout. */
export function responseFailed(device: Device, requestId: number): void {
  if (isCurrent(device, requestId)) takeResponse(device, ErrorCode.UNREACHABLE);
}

/** If the host has not ended the exchange within the time limit, requests ABORT and handles the exchange as failed. */
export function checkExchange(device: Device): void {
  if (device.inFlight && !device.exchangeMs) {
    requestAbort(device);
    takeResponse(device, ErrorCode.UNREACHABLE);
  }
}

/** Handles the end of the exchange: a failure with `error`, or a successful response (NONE). */
function takeResponse(device: Device, error: ErrorCode): void {
  endRequest(device);
  // If ABORT is due, the host may still read the request, so do not release its bytes yet.
  if (!device.abortDue) releaseOutput(device, OutputUse.REQUEST);
  if (device.call && device.purpose === Due.CALL) callCompleted(device, error);
  else if (error !== ErrorCode.UNREACHABLE && beginFormTrial(device)) retry(device);
  else if (device.purpose === Due.REVOCATION) {
    endFormTrial(device, !error);
    revocationCompleted(device, error);
  } else {
    noteField(device, Field.NONE);
    if (!error) {
      var isCode = device.purpose === Due.CODE;
      error = misfitError(device, missingBytes(device, isCode));
      if (!error) error = isCode ? takeCode(device) : takeTokens(device);
    }
    grantCompleted(device, error);
  }
  clearUnread(device);
}

/** Retries the request at once: in the other body format, or with the code challenge that the server requires. */
function retry(device: Device): void {
  setError(device, ErrorCode.NONE);
  redraw(device);
  if (device.purpose === Due.CODE) dropCode(device);
  waitFor(device, 0);
}

/** Processes the response to a device authorization request, a poll or a refresh. */
function grantCompleted(device: Device, error: ErrorCode): void {
  var purpose = device.purpose;
  error = countUnusable(device, nameRefusal(device, error));
  setError(device, error);
  redraw(device);
  var isPending = error === ErrorCode.AUTHORIZATION_PENDING || error === ErrorCode.SLOW_DOWN;
  endFormTrial(device, !error || isPending);
  if (purpose === Due.CODE) endDemandTrial(device, !error);
  if (!error) {
    if (purpose === Due.CODE) codeReceived(device);
    else tokensReceived(device, purpose === Due.POLL);
    return;
  }
  if (purpose === Due.CODE) dropCode(device);
  else dropBrought(device);
  if (purpose === Due.CODE && error !== ErrorCode.UNREACHABLE && takeDemand(device)) {
    retry(device);
    return;
  }
  // The developer allows the start spread to delay a refresh. So after a temporary failure, a refresh may wait as long.
  var most = purpose === Due.REFRESH ? device.startSpreadMs : 0;
  if (isPending) stillPending(device, error);
  else if (errorKind(device, error) === ErrorKind.TRANSIENT) {
    backOff(device, most > Limit.BACKOFF_MAX_MS ? most : Limit.BACKOFF_MAX_MS);
    // The tokens must not be lost if there is no connection for long.
    if (purpose === Due.REFRESH && device.notSaved) startJob(device, Job.WRITE);
  } else if (purpose === Due.REFRESH) refreshRefused(device, error);
  else if (purpose === Due.POLL && endsCode(device, error)) codeRefused(device, error);
  else finish(device, Event.FINAL_ERROR, error, State.FAILED);
}

/** Returns ABORT, after which the host must not read the request or event any more. Releases their bytes. */
export function abortExchange(device: Device): Command {
  abortGiven(device);
  clearUnread(device);
  releaseOutput(device, OutputUse.REQUEST);
  releaseOutput(device, OutputUse.RESPONSE);
  return Command.ABORT;
}
