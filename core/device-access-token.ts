// The device access token request and response (RFC 8628 §3.4, §3.5; the documents' 4.2): the polling
// loop. Its request is encoded once; a poll sends the same bytes again.

import { backOff, waitInterval } from "./clock.ts";
import { failAttempt, intervalOf, renewCode } from "./device-authorization.ts";
import { ErrorCode, ErrorKind, errorKind } from "./errors.ts";
import { writeByte, writeFormValue, writeFrom, writeLiteral, writeRegion } from "./form-encoder.ts";
import { Limit } from "./limits.ts";
import { type Device, Field, holds, Literal, Region } from "./memory.ts";
import { Job, startJob } from "./record-keeping.ts";
import { Event, moveTo, State } from "./states.ts";
import { RecordKind, swapRefreshTokens } from "./token-record.ts";
import { acceptTokens, isTransient, numberOf } from "./token-response.ts";

/** Starts a token request in OUTPUT: client credentials, grant, and the value of `region`. */
export function writeTokenRequest(device: Device, grant: number, region: number): void {
  var start = device.start[Region.OUTPUT];
  writeFrom(device, start, start + device.capacity[Region.OUTPUT]);
  writeRegion(device, Region.CLIENT);
  writeByte(device, 38);
  writeLiteral(device, grant);
  writeFormValue(device, region);
  device.length[Region.OUTPUT] = device.writeOverflow ? -1 : device.writeAt - start;
}

/** Makes the poll's body where it is not there yet. */
export function preparePoll(device: Device): void {
  if (!device.pollReady) {
    writeTokenRequest(device, Literal.DEVICE_CODE_GRANT, Field.DEVICE_CODE);
    // No token of an earlier session may be taken for one of this.
    device.length[Field.ACCESS_TOKEN] = -1;
    device.length[Field.REFRESH_TOKEN] = -1;
    device.length[Region.PRESENT_REFRESH_TOKEN] = -1;
    device.refreshLifeS = Limit.INTEGER_MAX;
    device.pollReady = 1;
  }
}

/** slow_down: five seconds more for good, or what the server names if that is more (§3.5). */
function slowDown(device: Device): void {
  var interval = device.intervalMs + Limit.SLOW_DOWN_STEP_MS;
  var named = numberOf(device, Field.INTERVAL);
  if (named > 0 && intervalOf(named) > interval) interval = intervalOf(named);
  if (interval > Limit.INTERVAL_MAX_MS) interval = Limit.INTERVAL_MAX_MS;
  device.intervalMs = interval;
}

function tokensReceived(device: Device): void {
  if (holds(device, Field.REFRESH_TOKEN)) swapRefreshTokens(device);
  device.codeShown = 0;
  device.length[Region.STATUS] = -1;
  device.triedPrevious = 0;
  device.renewals = 0;
  device.waitMs = 0;
  device.backoffMs = 0;
  moveTo(device, Event.TOKENS_RECEIVED, State.SIGNED_IN);
  startJob(device, Job.WRITE, RecordKind.TOKEN);
}

/** The answer to a poll has come, or failed with `error`. */
export function pollAnswered(device: Device, error: number): void {
  if (!error) error = acceptTokens(device);
  device.error = error;
  if (!error) {
    tokensReceived(device);
    return;
  }
  device.length[Field.ACCESS_TOKEN] = -1;
  device.length[Field.REFRESH_TOKEN] = -1;
  if (error === ErrorCode.AUTHORIZATION_PENDING || error === ErrorCode.SLOW_DOWN) {
    if (error === ErrorCode.SLOW_DOWN) slowDown(device);
    waitInterval(device, device.intervalMs);
    // A code from before a restart is shown once the server has confirmed it.
    if (!device.codeShown && device.codeLifeS) {
      device.codeShown = 1;
      device.frameDue = 1;
    }
  } else if (isTransient(device, error)) {
    backOff(device, device.intervalMs);
  } else if (errorKind(device, error) === ErrorKind.RENEWABLE) {
    renewCode(device);
  } else {
    failAttempt(device, Event.FINAL_ERROR, error);
  }
}
