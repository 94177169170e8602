// The request that is under way: what it consists of, for SEND, and what is known of its answer so far.
// Which one is due, and who takes its answer, is decided in loop/exchange.ts.

import { must } from "./assertion.ts";
import { limitExchange } from "./clock.ts";
import { Authorization } from "./command.ts";
import { Limit } from "./limits.ts";
import type { Device } from "./memory.ts";

/** One request at a time, and the answer to it. */
export interface Request {
  /** Of SEND and VERIFY: the number that the answer is given with. */
  requestId: number;
  /** Of SEND: one of Endpoint, where the request goes. */
  endpoint: number;
  /** Of SEND: first byte in `memory` of what follows the address: path and query. */
  target: number;
  /** Of SEND: bytes of the target; 0: none. */
  targetLength: number;
  /** Of SEND: first byte of the body in `memory`. */
  body: number;
  /** Of SEND: bytes of the body; 0: none. */
  bodyLength: number;
  /** Of SEND: 1 for GET, 0 for POST. */
  isGet: number;
  /** Of SEND: the header that goes along. */
  authorization: Authorization;
  /** Of SEND: 1: the body's form parameters go out as a JSON object; 0: as they are. */
  isJson: number;
  /** 1: the request that is under way, or due, is a trial of the other form of a body. */
  formTrial: number;
  /** A bit for each Endpoint that the server has. */
  endpoints: number;
  /** 1 while a request is under way. */
  inFlight: number;
  abortDue: number;
  /** HTTP status of the last answer, 100..599; 0 until one begins. */
  httpStatus: number;
  /** Its Retry-After in seconds, -1 where absent, 0 until an answer begins. */
  retryAfterS: number;
  /** Bytes of its body so far. */
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

/** The server has these endpoints, a bit for each, and no others. */
export function offerEndpoints(device: Device & Request, endpoints: number): void {
  device.endpoints = endpoints & Limit.ENDPOINTS;
}

/** Whether the server has the endpoint. */
export function hasEndpoint(device: Device, endpoint: number): boolean {
  return endpoint < 27 && ((device.endpoints >> endpoint) & 1) > 0;
}

/**
 * A response to a request of the grant has come. A server that rejects bodies of one form may take the other (RFC 9110
 * §15.5.16).
 * @returns whether the request is to be retried in the other form
 */
export function beginFormTrial(device: Device & Request): boolean {
  if (device.formTrial || device.httpStatus !== 415 || !device.bodyLength) return false;
  device.isJson = 1 - device.isJson;
  device.formTrial = 1;
  return true;
}

/** A trial of the other form, if there is one, ends: only a success keeps that form. */
export function endFormTrial(device: Device & Request, isSuccess: boolean): void {
  if (device.formTrial && !isSuccess) device.isJson = 1 - device.isJson;
  device.formTrial = 0;
}

/** A request is made: nothing is known of its answer. */
export function beginRequest(device: Device & Request): void {
  device.httpStatus = 0;
  device.retryAfterS = 0;
  device.bodyBytes = 0;
}

/** Where the request goes, and with what Authorization header. */
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

/** What the request consists of: `length` bytes of `memory` from `start` on, as its target or else as its body. */
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

/** The request goes out: its answer is given with a number of its own, within a limit of time. */
export function sendRequest(device: Device & Request): void {
  ASSERT: must(device.inFlight === 0, "one request at a time");
  ASSERT: must(device.abortDue === 0, "no request goes out before an end that is due");
  device.requestId = (device.requestId + 1) & 65535;
  device.inFlight = 1;
  limitExchange(device);
}

/** Status and headers of the answer have come, as the host reports them: any number. */
export function beginResponse(device: Device & Request, status: number, retryAfterS: number): void {
  ASSERT: must(device.inFlight === 1, "an answer has a request");
  device.httpStatus = status > 99 && status < 600 ? status | 0 : Limit.STATUS_OTHER;
  if (retryAfterS > Limit.RETRY_AFTER_MAX_S) retryAfterS = Limit.RETRY_AFTER_MAX_S;
  device.retryAfterS = retryAfterS >= 0 ? retryAfterS | 0 : -1;
}

/** A byte of the body has come. They are counted up to what is too long. */
export function countByte(device: Device & Request): void {
  if (device.bodyBytes <= Limit.BODY_MAX) device.bodyBytes++;
}

/** The exchange is over, with an answer or without. */
export function endRequest(device: Device & Request): void {
  device.inFlight = 0;
}

/** There is no answer. */
export function clearResponse(device: Device & Request): void {
  device.httpStatus = 0;
}

/** The host is to end what it is doing, and to read none of its bytes any more. */
export function requestAbort(device: Device & Request): void {
  device.abortDue = 1;
}

/** Gives up the request under way; whatever still comes of it is dropped. Its bytes are the host's until ABORT. */
export function giveUp(device: Device & Request): void {
  device.abortDue |= device.inFlight;
  device.inFlight = 0;
}

export function abortGiven(device: Device & Request): void {
  device.abortDue = 0;
}
