// The device access token request and response (RFC 8628 §3.4, §3.5; the documents' 4.2): the polling
// loop.

import { pollEvery, resetBackoff, waitAtLeast } from "../device/clock.ts";
import { ErrorCode } from "../device/errors.ts";
import { showCode } from "../device/frame.ts";
import { Limit } from "../device/limits.ts";
import type { Device } from "../device/memory.ts";
import { Field, Literal } from "../device/tables.ts";
import { writeTokenRequest } from "./client-authentication.ts";
import { codeIsKnown, intervalOf, lastPoll } from "./device-authorization.ts";

/** Makes the poll's body. */
export function preparePoll(device: Device): void {
  if (!device.codeLifeS) lastPoll(device);
  writeTokenRequest(device, Literal.DEVICE_CODE_GRANT, Field.DEVICE_CODE);
}

/**
 * slow_down: five seconds more for as long as the code lives, or what the server names if that is more
 * (§3.5). An interval that it does not name counts as five seconds, which is less in any case.
 */
function slowDown(device: Device): void {
  var longer = device.intervalMs + Limit.SLOW_DOWN_STEP_MS;
  var named = intervalOf(device);
  pollEvery(device, named > longer ? named : longer);
}

/** authorization_pending or slow_down: the user has not decided yet. */
export function stillPending(device: Device, error: ErrorCode): void {
  if (error === ErrorCode.SLOW_DOWN) slowDown(device);
  resetBackoff(device);
  codeIsKnown(device);
  waitAtLeast(device, device.intervalMs);
  // A code from before a restart is shown once the server has confirmed it.
  if (device.codeLifeS) showCode(device);
}
