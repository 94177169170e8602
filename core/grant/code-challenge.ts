// Proof Key for Code Exchange (RFC 7636). The request for a code contains a challenge, and each poll contains the
// verifier. Somebody who knows only the device code cannot poll with it. The setting `pkce` selects when requests have
// a challenge: always, never, or after the server has rejected a request with a message that contains `code_challenge`.
// The host creates challenge and verifier for each request, because it has the random source and SHA-256.

import { backOff } from "../device/clock.ts";
import { Pkce } from "../device/config.ts";
import { ErrorCode } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Device, holds, matchNext } from "../device/memory.ts";
import {
  OutputUse,
  placeConstant,
  releaseOutput,
  setLength,
  settle,
  wipe,
} from "../device/regions.ts";
import { Event, State } from "../device/states.ts";
import { Literal, Region } from "../device/tables.ts";
import { Encoding, endWrite, writeByte, writeRegion, writeTo } from "../text/form-encoder.ts";
import { finish } from "./attempt.ts";

/** Whether device authorization requests have a code challenge. */
export interface Challenge {
  /** One of Pkce. */
  pkce: Pkce;
  /** 1 from the server's demand for a challenge until the next device authorization request has ended. */
  demandTrial: number;
  /** Consecutive failures of the host to create a code challenge. */
  challengeFailures: number;
  /** Progress of the search for `code_challenge` in the response: the number of its bytes that the last bytes match. */
  demandMatched: number;
}

export function makeChallenge(device: Challenge, pkce: Pkce): void {
  device.pkce = pkce;
  device.demandTrial = 0;
  device.challengeFailures = 0;
  device.demandMatched = 0;
}

/** Call this when the user signs in. */
export function countChallengesAnew(device: Challenge): void {
  device.challengeFailures = 0;
}

/** Writes the device authorization request, with the challenge if there is one. */
export function prepareCodeRequest(device: Device): void {
  writeTo(device, Region.OUTPUT);
  if (holds(device, Region.CODE_VERIFIER)) {
    writeRegion(device, Literal.CODE_CHALLENGE, Encoding.NONE);
    // The region has the verifier and then the challenge. Write the challenge to the request. Then `wipe` overwrites
    // the challenge in the region, and moves the verifier to its place.
    var challenge = device.start[Region.CODE_VERIFIER] + Limit.CODE_VERIFIER_SIZE;
    placeConstant(device, Region.CODE_VERIFIER, challenge, Limit.CODE_VERIFIER_SIZE);
    writeRegion(device, Region.CODE_VERIFIER, Encoding.NONE);
    wipe(device, Region.CODE_VERIFIER);
    setLength(device, Region.CODE_VERIFIER, Limit.CODE_VERIFIER_SIZE);
    writeByte(device, 38); // &
  }
  writeRegion(device, Region.DEVICE_AUTHORIZATION, Encoding.NONE);
  endWrite(device, Region.OUTPUT);
}

/** Whether the host must create a challenge before the next device authorization request. */
export function isChallengeDue(device: Device): boolean {
  return device.pkce === Pkce.ALWAYS && device.length[Region.CODE_VERIFIER] < 0;
}

/**
 * Handles the host's result of CHALLENGE. After a failure, the device retries: right after a start, the host's random
 * source may not be ready.
 * @param result 1: the host has created verifier and challenge; 0: it cannot, and the device sends no request
 */
export function takeChallenge(device: Device & Challenge, result: number): void {
  // The challenge is only needed if the user has not cancelled in the meantime.
  var isRequired = device.state === State.REQUESTING;
  if (result > 0 && isRequired) {
    placeConstant(device, Region.CODE_VERIFIER, device.start[Region.OUTPUT], Limit.CHALLENGE_SIZE);
    settle(device, Region.CODE_VERIFIER);
  }
  releaseOutput(device, OutputUse.REQUEST);
  if (result < 1 && isRequired) {
    if (++device.challengeFailures < Limit.CHALLENGE_TRIES) {
      backOff(device, Limit.BACKOFF_MAX_MS);
      return;
    }
    finish(device, Event.FINAL_ERROR, ErrorCode.NO_CODE_CHALLENGE, State.FAILED);
  }
  device.challengeFailures = 0;
}

/** Call this when a response starts. The search for `code_challenge` starts again. */
export function beginDemand(device: Device & Challenge): void {
  device.demandMatched = 0;
}

/** Processes a byte of the response to a device authorization request. Only a rejection can demand a challenge. */
export function receiveDemand(device: Device & Challenge, c: number): void {
  if (device.pkce !== Pkce.ON_DEMAND || device.httpStatus < 400 || device.httpStatus > 499) return;
  if (device.demandMatched < Limit.DEMAND_SIZE) {
    device.demandMatched = matchNext(device, Literal.CODE_CHALLENGE, device.demandMatched, c);
  }
}

/** Ends the trial of a demanded challenge, if there is one. Without success, the next requests have no challenge. */
export function endDemandTrial(device: Device & Challenge, isSuccess: boolean): void {
  if (device.demandTrial && !isSuccess) device.pkce = Pkce.ON_DEMAND;
  device.demandTrial = 0;
}

/**
 * Call this when the device authorization request was rejected.
 * @returns whether the server demands a code challenge, so that the request must be retried with one
 */
export function takeDemand(device: Device & Challenge): boolean {
  if (device.demandMatched < Limit.DEMAND_SIZE) return false;
  device.demandMatched = 0;
  device.pkce = Pkce.ALWAYS;
  device.demandTrial = 1;
  return true;
}
