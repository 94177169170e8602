// One request at a time: which one is due, what it consists of, and who takes its answer. An answer
// belongs to the request whose id it carries; one that comes late, to a request given up, is dropped.

import { Command, Endpoint } from "./command.ts";
import { pollAnswered, preparePoll, writeTokenRequest } from "./device-access-token.ts";
import { CodeFields, codeAnswered } from "./device-authorization.ts";
import { ErrandState, errandAnswered, isErrandDue } from "./errand.ts";
import { ErrorCode } from "./errors.ts";
import { scanBegin, scanByte } from "./json-scanner.ts";
import { Limit } from "./limits.ts";
import { type Bytes, type Device, Field, Literal, Region } from "./memory.ts";
import { isKept } from "./record-keeping.ts";
import { refreshAnswered } from "./refresh.ts";
import { prepareRevocation, revocationAnswered, revokesByQuery } from "./revocation.ts";
import { State } from "./states.ts";
import { classify, TokenFields } from "./token-response.ts";

export enum Purpose {
  NONE = 0,
  CODE = 1,
  POLL = 2,
  REFRESH = 3,
  REVOCATION = 4,
  ERRAND = 5,
}

/** What the present state wants to send, once its wait is over. */
function purposeOf(device: Device): Purpose {
  if (isErrandDue(device)) return Purpose.ERRAND;
  switch (device.state) {
    case State.REQUESTING:
      return Purpose.CODE;
    case State.PENDING:
      return Purpose.POLL;
    case State.REFRESHING:
      return Purpose.REFRESH;
    case State.REVOKING:
      return Purpose.REVOCATION;
    default:
      return Purpose.NONE;
  }
}

/** The purpose of the request that waitMs holds back, NONE where nothing is to be sent. */
export function duePurpose(device: Device): Purpose {
  return device.inFlight || device.errandState === ErrandState.VERIFYING || !isKept(device)
    ? Purpose.NONE
    : purposeOf(device);
}

/** Says where the request's bytes are: behind the endpoint's address, or in the body. */
function place(device: Device, region: number, isTarget: boolean): void {
  device.target = device.start[region];
  device.targetLength = isTarget ? device.length[region] : 0;
  device.bodyLength = isTarget ? 0 : device.length[region];
  device.body = device.start[region];
}

/** Makes the request. False: there is no room for it. */
function prepare(device: Device, purpose: number): boolean {
  var region: number = Region.OUTPUT;
  device.length[region] = purpose === Purpose.POLL ? device.length[region] : 0;
  device.isGet = 0;
  device.bearer = 0;
  device.endpoint = Endpoint.TOKEN;
  if (purpose === Purpose.POLL) {
    preparePoll(device);
  } else if (purpose === Purpose.REFRESH) {
    writeTokenRequest(device, Literal.REFRESH_TOKEN_GRANT, Region.PRESENT_REFRESH_TOKEN);
  } else if (purpose === Purpose.REVOCATION) {
    device.endpoint = Endpoint.REVOCATION;
    prepareRevocation(device);
  } else if (purpose === Purpose.CODE) {
    device.endpoint = Endpoint.DEVICE_AUTHORIZATION;
    region = Region.DEVICE_AUTHORIZATION;
  } else if (device.errand) {
    region = Region.CALL;
    device.endpoint = device.errand.endpoint;
    device.isGet = device.errand.isGet;
    device.bearer = device.errand.needsToken;
    device.errandState = ErrandState.SENT;
  }
  place(
    device,
    region,
    purpose === Purpose.ERRAND || (purpose === Purpose.REVOCATION && revokesByQuery(device)),
  );
  return device.length[region] >= 0;
}

/** The next request, if one is due. */
export function nextRequest(device: Device): Command {
  var purpose = duePurpose(device);
  if (purpose === Purpose.NONE || (device.waitMs > 0 && purpose !== Purpose.ERRAND)) {
    return Command.NONE;
  }
  device.purpose = purpose;
  device.status = 0;
  device.retryAfterS = -1;
  device.bodyBytes = 0;
  device.scanSeen = 0;
  if (!prepare(device, purpose)) {
    takeAnswer(device, ErrorCode.MEMORY_TOO_SMALL);
    return Command.NONE;
  }
  device.requestId = (device.requestId + 1) & 65535;
  device.inFlight = 1;
  device.exchangeMs = Limit.EXCHANGE_MS_MAX;
  return Command.SEND;
}

function isCurrent(device: Device, requestId: number): boolean {
  return device.inFlight === 1 && requestId === device.requestId;
}

/**
 * Status and headers of the answer have come.
 * @param requestId id that the request was sent with
 * @param status 100..599
 * @param retryAfterSeconds value of Retry-After, -1 where absent
 * @returns 1 where the body is of use to the caller of an API too, 0 where only to the core
 */
export function responseStart(
  device: Device,
  requestId: number,
  status: number,
  retryAfterSeconds: number,
): number {
  if (!isCurrent(device, requestId)) return 0;
  device.status = status;
  device.retryAfterS = retryAfterSeconds;
  if (device.purpose === Purpose.ERRAND && device.errand) {
    scanBegin(device, device.errand.names, device.errand.wanted, device.errand.depth);
    return status === 401 && !device.errandRetried ? 0 : 1;
  }
  scanBegin(
    device,
    Literal.MEMBERS,
    device.purpose === Purpose.CODE ? CodeFields.WANTED : TokenFields.WANTED,
    1,
  );
  return 0;
}

/**
 * A piece of the body: `bytes[from..to)`, of any length. The outcome does not depend on the cuts.
 * The range stays the host's and is not kept.
 */
export function responseBody(
  device: Device,
  requestId: number,
  bytes: Bytes,
  from: number,
  to: number,
): void {
  if (!isCurrent(device, requestId)) return;
  for (var at = from; at < to && device.bodyBytes <= Limit.BODY_MAX; at++) {
    device.bodyBytes++;
    scanByte(device, bytes[at]);
  }
}

/** The answer is complete. */
export function responseEnd(device: Device, requestId: number): void {
  if (!isCurrent(device, requestId)) return;
  takeAnswer(device, device.status ? classify(device) : ErrorCode.UNREACHABLE);
}

/** No (complete) answer came: no connection, cut off, time limit. */
export function responseFailed(device: Device, requestId: number): void {
  if (!isCurrent(device, requestId)) return;
  takeAnswer(device, ErrorCode.UNREACHABLE);
}

/** The host did not end the exchange in time: it is told to, and the wait begins. */
export function checkExchange(device: Device): void {
  if (device.inFlight && device.exchangeMs === 0) {
    device.abortDue = 1;
    takeAnswer(device, ErrorCode.UNREACHABLE);
  }
}

function takeAnswer(device: Device, error: number): void {
  device.inFlight = 0;
  device.errorField = Field.NONE;
  switch (device.purpose) {
    case Purpose.CODE:
      codeAnswered(device, error);
      break;
    case Purpose.POLL:
      pollAnswered(device, error);
      break;
    case Purpose.REFRESH:
      refreshAnswered(device, error);
      break;
    case Purpose.REVOCATION:
      revocationAnswered(device, error);
      break;
    default:
      errandAnswered(device, error);
  }
}

/** Gives up the request under way; whatever still comes of it is dropped. */
export function giveUp(device: Device): void {
  if (device.inFlight) {
    device.inFlight = 0;
    device.abortDue = 1;
  }
}
