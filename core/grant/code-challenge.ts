// Proof Key for Code Exchange (RFC 7636): the request for a code brings a challenge, and each poll the verifier that it
// was made of, so that a code is of no use to whoever has only seen it. Nothing is sent unasked: by the maker's setting,
// or once the server has refused a request for a code with words that name `code_challenge`. The host makes both, fresh
// for each request: it has the random source and SHA-256.

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

/** Whether requests for a code have a code challenge. */
export interface Challenge {
  /** One of Pkce. */
  pkce: Pkce;
  /** 1 until the challenge that a server has demanded brings a code. */
  demandTrial: number;
  /** How often in a row the host could not make one. */
  challengeFailures: number;
  /** How much of `code_challenge` the answer to a request for a code ends with so far. */
  demandMatched: number;
}

export function makeChallenge(device: Challenge, pkce: Pkce): void {
  device.pkce = pkce;
  device.demandTrial = 0;
  device.challengeFailures = 0;
  device.demandMatched = 0;
}

/** The user has asked: failures are counted anew. */
export function countChallengesAnew(device: Challenge): void {
  device.challengeFailures = 0;
}

/**
 * The verifier gets its place, and behind it the challenge with its names, directly in front of the request for a code,
 * which is written next: a request with a challenge begins where the verifier ends.
 */
export function placeChallenge(device: Device): void {
  placeRegion(device, Region.CODE_VERIFIER, device.writeAt, Limit.CODE_VERIFIER_SIZE);
  skip(device, Limit.CODE_VERIFIER_SIZE);
  writeText(device, "code_challenge_method=S256&code_challenge=", Encoding.NONE);
  skip(device, Limit.CODE_VERIFIER_SIZE);
  writeByte(device, 38); // &
}

/** Whether the host is to be asked before the next request for a code. */
export function isChallengeDue(device: Device): boolean {
  return device.pkce === Pkce.ALWAYS && device.length[Region.CODE_VERIFIER] < 0;
}

/** Asks the host for a verifier, at the beginning of the range, and its challenge, at the end. */
export function requestChallenge(device: Device): Command {
  // A Retry-After of the last answer is not meant for the host.
  beginRequest(device);
  var start = device.start[Region.CODE_VERIFIER];
  var end = device.start[Region.DEVICE_AUTHORIZATION] - 1;
  return requestHost(device, Command.CHALLENGE, start, end - start);
}

/**
 * The host has done what it could. A random source may not be ready when a device starts: it is asked again for a while.
 * @param result 1: both are there; 0: they cannot be made, and nothing goes out without them
 */
export function takeChallenge(device: Device & Challenge, result: number): void {
  // The user may have done something else meanwhile.
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

/** An answer begins. */
export function beginDemand(device: Device & Challenge): void {
  device.demandMatched = 0;
}

/** A byte of the answer to a request for a code. Only what refuses it can ask for a challenge. */
export function receiveDemand(device: Device & Challenge, c: number): void {
  if (device.pkce !== Pkce.ON_DEMAND || device.httpStatus < 400 || device.httpStatus > 499) return;
  device.demandMatched = matchNext(device, Literal.CODE_CHALLENGE, device.demandMatched, c);
}

/** A trial of a challenge that a server has demanded, if there is one, ends: only a code keeps it. */
export function endDemandTrial(device: Device & Challenge, isSuccess: boolean): void {
  if (device.demandTrial && !isSuccess) device.pkce = Pkce.ON_DEMAND;
  device.demandTrial = 0;
}

/**
 * The request for a code was refused.
 * @returns whether the server demands a code challenge, and the request is to be retried with one
 */
export function takeDemand(device: Device & Challenge): boolean {
  if (device.demandMatched < device.length[Literal.CODE_CHALLENGE]) return false;
  device.demandMatched = 0;
  device.pkce = Pkce.ALWAYS;
  device.demandTrial = 1;
  return true;
}
