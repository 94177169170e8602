// both exist; 0: the host cannot create them, and nothing is sent without them => 1: the host has created both; 0: it
// cannot, and the device sends no request without them

import { backOff } from "../device/clock.ts";
import { Command } from "../device/command.ts";
import { Pkce } from "../device/config.ts";
import { ErrorCode } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Device, matchNext } from "../device/memory.ts";
import { placeRegion, setLength, wipe } from "../device/regions.ts";
import { beginRequest } from "../device/request.ts";
import { Event, State } from "../device/states.ts";
import { Literal, Region } from "../device/tables.ts";
import { requestHost } from "../records/record-keeping.ts";
import { Encoding, skip, writeByte, writeText } from "../text/form-encoder.ts";
import { finish } from "./attempt.ts";

/** Whether device authorization requests have a code challenge. */
export interface Challenge {
  /** One of Pkce. */
  pkce: Pkce;
  /** 1 from the server's demand for a challenge until a challenge has led to a code. */
  demandTrial: number;
  /** The number of times in a row that the host failed to create a code challenge. */
  challengeFailures: number;
  /** The number of bytes of `code_challenge` that the end of the response so far matches. */
  demandMatched: number;
}

export function makeChallenge(device: Challenge, pkce: Pkce): void {
  device.pkce = pkce;
  device.demandTrial = 0;
  device.challengeFailures = 0;
  device.demandMatched = 0;
}

/** Resets the failures after a user action. */
export function countChallengesAnew(device: Challenge): void {
  device.challengeFailures = 0;
}

/**
 * Reserves space directly before the device authorization request, which is written next: for the verifier, and for the
 * challenge with its parameter names. A request with a challenge starts where the verifier ends.
 */
export function placeChallenge(device: Device): void {
  placeRegion(device, Region.CODE_VERIFIER, device.writeAt, Limit.CODE_VERIFIER_SIZE);
  skip(device, Limit.CODE_VERIFIER_SIZE);
  writeText(device, "code_challenge_method=S256&code_challenge=", Encoding.NONE);
  skip(device, Limit.CODE_VERIFIER_SIZE);
  writeByte(device, 38); // &
}

/** Whether the host must create a challenge before the next device authorization request. */
export function isChallengeDue(device: Device): boolean {
  return device.pkce === Pkce.ALWAYS && device.length[Region.CODE_VERIFIER] < 0;
}

/** Requests the verifier at the start of the range, and the challenge at its end. */
export function requestChallenge(device: Device): Command {
  // A Retry-After of the last response must not delay the host's task.
  beginRequest(device);
  var start = device.start[Region.CODE_VERIFIER];
  var end = device.start[Region.DEVICE_AUTHORIZATION] - 1;
  return requestHost(device, Command.CHALLENGE, start, end - start);
}

/**
 * Handles the host's result. At the start of a device, its random source may not be ready, so the device retries for a
 * while.
 * @param result 1: both exist; 0: the host cannot create them, and nothing is sent without them
 */
export function takeChallenge(device: Device & Challenge, result: number): void {
  // The user may have acted in the meantime.
  var isRequired = device.state === State.REQUESTING;
  setLength(device, Region.CODE_VERIFIER, Limit.CODE_VERIFIER_SIZE);
  if (result < 1 || !isRequired) wipe(device, Region.CODE_VERIFIER);
  if (result > 0 || !isRequired) device.challengeFailures = 0;
  else if (++device.challengeFailures < Limit.CHALLENGE_TRIES) {
    backOff(device, Limit.BACKOFF_MAX_MS);
  } else {
    device.challengeFailures = 0;
    finish(device, Event.FINAL_ERROR, ErrorCode.NO_CODE_CHALLENGE, State.FAILED);
  }
}

/** Call this when a response starts. */
export function beginDemand(device: Device & Challenge): void {
  device.demandMatched = 0;
}

/** Processes a byte of the response to a device authorization request. Only a rejection can demand a challenge. */
export function receiveDemand(device: Device & Challenge, c: number): void {
  if (device.pkce !== Pkce.ON_DEMAND || device.httpStatus < 400 || device.httpStatus > 499) return;
  device.demandMatched = matchNext(device, Literal.CODE_CHALLENGE, device.demandMatched, c);
}

/** Ends the trial of a demanded challenge, if there is one. It succeeds only if there is a code. */
export function endDemandTrial(device: Device & Challenge, isSuccess: boolean): void {
  if (device.demandTrial && !isSuccess) device.pkce = Pkce.ON_DEMAND;
  device.demandTrial = 0;
}

/**
 * Call this when the device authorization request was rejected.
 * @returns whether the server demands a code challenge, so that the request must be retried with one
 */
export function takeDemand(device: Device & Challenge): boolean {
  if (device.demandMatched < device.length[Literal.CODE_CHALLENGE]) return false;
  device.demandMatched = 0;
  device.pkce = Pkce.ALWAYS;
  device.demandTrial = 1;
  return true;
}
