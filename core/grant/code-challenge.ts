// Proof Key for Code Exchange (RFC 7636): the request for a code brings a challenge, and each poll the verifier that it
// was made of, so that a code is of no use to whoever has only seen it. The host makes both, fresh for each request: it
// has the random source and SHA-256, and knows whether the server wants them.

import { Command } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import type { Device } from "../device/memory.ts";
import { forget, placeRegion, setLength } from "../device/regions.ts";
import { Event, State } from "../device/states.ts";
import { Region } from "../device/tables.ts";
import { askHost } from "../records/record-keeping.ts";
import { Encoding, skip, writeByte, writeText } from "../text/form-encoder.ts";
import { finish } from "./attempt.ts";

/**
 * Gives the verifier its place, behind the name of its parameter, and the challenge, behind its own, directly in front of
 * the request for a code, which is written next: so a request with a challenge is one that begins earlier.
 */
export function placeChallenge(device: Device): void {
  writeText(device, "&code_verifier=", Encoding.NONE);
  placeRegion(device, Region.CODE_VERIFIER, device.writeAt, Limit.CODE_VERIFIER_SIZE);
  skip(device, Limit.CODE_VERIFIER_SIZE);
  writeText(device, "code_challenge_method=S256&code_challenge=", Encoding.NONE);
  skip(device, Limit.CODE_VERIFIER_SIZE);
  writeByte(device, 38); // &
}

/** Whether the host is to be asked before the next request for a code. */
export function isChallengeDue(device: Device): boolean {
  return device.capacity[Region.CODE_VERIFIER] > 0 && device.length[Region.CODE_VERIFIER] < 0;
}

/** Asks the host for a verifier, at the beginning of the range, and its challenge, at the end. */
export function askForChallenge(device: Device): Command {
  var start = device.start[Region.CODE_VERIFIER];
  var end = device.start[Region.DEVICE_AUTHORIZATION] - 1;
  return askHost(device, Command.CHALLENGE, start, end - start);
}

/**
 * The host has done what it could.
 * @param result 1: both are there; 0: none are to be sent; -1: they cannot be made, and nothing goes out without them
 */
export function takeChallenge(device: Device, result: number): void {
  setLength(device, Region.CODE_VERIFIER, result > 0 ? Limit.CODE_VERIFIER_SIZE : result);
  // The user has done something else meanwhile.
  if (device.state !== State.REQUESTING) forget(device, Region.CODE_VERIFIER);
  else if (result < 0) {
    finish(device, Event.FINAL_ERROR, ErrorCode.NO_CODE_CHALLENGE, State.FAILED);
  }
}
