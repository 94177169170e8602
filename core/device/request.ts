// The current request: its content for SEND, and the state of its response. loop/exchange.ts decides which request is
// due, and which function processes its response.

import { must } from "./assertion.ts";
import { limitExchange } from "./clock.ts";
import { Authorization } from "./command.ts";
import { Limit } from "./limits.ts";
import type { Device } from "./memory.ts";

/** The current request and its response. */
export interface Request {
  /** The id with which the host reports the result of SEND or VERIFY. */
  requestId: number;
  /** The endpoint to which SEND sends the request, one of Endpoint. */
  endpoint: number;
  /** First byte of the target for SEND in `memory`: path and query after the endpoint's address. */
  target: number;
  /** Length of the target for SEND; 0: none. */
  targetLength: number;
  /** First byte of the body for SEND in `memory`. */
  body: number;
  /** Length of the body for SEND; 0: none. */
  bodyLength: number;
  /** The method of the request that SEND sends: 1 for GET, 0 for POST. */
  isGet: number;
  /** The Authorization header for SEND. */
  authorization: Authorization;
  /** The format of a grant request's body: 1 for a JSON object of the form parameters, 0 for the form itself. */
  isJson: number;
  /** 1: the current or next request tries the other body format (JSON or a form). */
  formTrial: number;
  /** A bit for each Endpoint that the server has. */
  endpoints: number;
  /** 1 while a request is in flight. */
  inFlight: number;
  /** 1: ABORT is due. */
  abortDue: number;
  /** HTTP status of the last response, 100..599; 0 before it has arrived. */
  httpStatus: number;
  /** Retry-After of the last response in seconds, -1 if absent; 0 before the response has arrived. */
  retryAfterS: number;
  /** Number of bytes of the response's body so far; BODY_MAX + 1 if the body is longer than BODY_MAX. */
  bodyBytes: number;
}

export function makeRequest(device: Request, isJson: number): void {
  device.requestId = 0;
  device.endpoint = 0;
  device.target = 0;
  device.targetLength = 0;
  device.body = 0;
  device.bodyLength = 0;
  device.isGet = 0;
  device.authorization = Authorization.NONE;
  device.isJson = isJson;
  device.formTrial = 0;
  device.endpoints = Limit.ENDPOINTS;
  device.inFlight = 0;
  device.abortDue = 0;
  device.httpStatus = 0;
  device.retryAfterS = 0;
  device.bodyBytes = 0;
}

export function offerEndpoints(device: Device & Request, endpoints: number): void {
  device.endpoints = endpoints & Limit.ENDPOINTS;
}

export function hasEndpoint(device: Device, endpoint: number): boolean {
  return endpoint < 27 && ((device.endpoints >> endpoint) & 1) > 0;
}

/**
 * Call this when a grant request has got a response. If the server rejects the body format (415, RFC 9110 §15.5.16), it
 * may accept the other one.
 * @returns whether the request must be retried in the other format
 */
export function beginFormTrial(device: Device & Request): boolean {
  if (device.formTrial || device.httpStatus !== 415 || !device.bodyLength) return false;
  device.isJson = 1 - device.isJson;
  device.formTrial = 1;
  return true;
}

/** Ends a trial of the other body format, if there is one. The device keeps the other format only after a success. */
export function endFormTrial(device: Device & Request, isSuccess: boolean): void {
  if (device.formTrial && !isSuccess) device.isJson = 1 - device.isJson;
  device.formTrial = 0;
}

export function beginRequest(device: Device & Request): void {
  device.httpStatus = 0;
  device.retryAfterS = 0;
  device.bodyBytes = 0;
}

export function addressRequest(
  device: Device & Request,
  endpoint: number,
  isGet: number,
  authorization: Authorization,
): void {
  device.endpoint = endpoint;
  device.isGet = isGet;
  device.authorization = authorization;
}

/** Sets the content of a request: `length` bytes of `memory` from `start`, as target or as body. */
export function fillRequest(
  device: Device & Request,
  start: number,
  length: number,
  isTarget: boolean,
): void {
  ASSERT: must(
    start >= 0 && start + length <= device.memory.length,
    "a request lies in the memory",
  );
  device.target = device.body = start;
  device.targetLength = isTarget ? length : 0;
  device.bodyLength = isTarget ? 0 : length;
}

/** Sends the request under a new id, with a time limit. */
export function sendRequest(device: Device & Request): void {
  ASSERT: must(device.inFlight === 0, "one request at a time");
  ASSERT: must(device.abortDue === 0, "no request goes out before an end that is due");
  device.requestId = (device.requestId + 1) & 65535;
  device.inFlight = 1;
  limitExchange(device);
}

/** Call this when the response head has arrived. The host may pass any numbers. */
export function beginResponse(device: Device & Request, status: number, retryAfterS: number): void {
  ASSERT: must(device.inFlight === 1, "a response has a request");
  device.httpStatus = status > 99 && status < 600 ? status | 0 : Limit.STATUS_OTHER;
  if (retryAfterS > Limit.RETRY_AFTER_MAX_S) retryAfterS = Limit.RETRY_AFTER_MAX_S;
  device.retryAfterS = retryAfterS >= 0 ? retryAfterS | 0 : -1;
}

export function countByte(device: Device & Request): void {
  if (device.bodyBytes <= Limit.BODY_MAX) device.bodyBytes++;
}

/** Call this when the exchange has ended, with or without a response. */
export function endRequest(device: Device & Request): void {
  device.inFlight = 0;
}

export function clearResponse(device: Device & Request): void {
  device.httpStatus = 0;
}

/** Makes the host abort the current request or VERIFY, and stop reading its bytes. */
export function requestAbort(device: Device & Request): void {
  device.abortDue = 1;
}

/** Ends the current request and drops its response. The host may still read the request's bytes until ABORT. */
export function giveUp(device: Device & Request): void {
  device.abortDue |= device.inFlight;
  device.inFlight = 0;
}

export function abortGiven(device: Device & Request): void {
  device.abortDue = 0;
}
