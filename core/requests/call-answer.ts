// What the answer to a call leads to.

import { ErrorCode } from "../device/errors.ts";
import { redraw } from "../device/frame.ts";
import type { Device } from "../device/memory.ts";
import { forget, OutputUse, releaseOutput } from "../device/regions.ts";
import { Event, State } from "../device/states.ts";
import { Field } from "../device/tables.ts";
import { hasSession, refreshNow } from "../grant/refresh.ts";
import { CallState, carriesToken, endBody, finishCall, retryCall, waitAgain } from "./call.ts";

/** Sends the refused request again once there is another access token; false where there is no session to get it. */
function waitsForToken(device: Device): boolean {
  retryCall(device);
  forget(device, Field.ACCESS_TOKEN);
  // The display says that there is no connection.
  redraw(device);
  if (device.state === State.SIGNED_IN) refreshNow(device, Event.TOKEN_REFUSED);
  if (!hasSession(device)) return false;
  waitAgain(device);
  // What the refusal says is of no use; the refresh needs the room.
  releaseOutput(device, OutputUse.ANSWER);
  return true;
}

/**
 * The answer to a call has come, or failed with `error`. 401 means that the access token is no good: it is
 * refreshed and the request sent again, exactly once (RFC 6750 §3.1).
 */
export function callAnswered(device: Device, error: number): void {
  endBody(device);
  var isRefused = device.httpStatus === 401 && carriesToken(device);
  if (isRefused && !device.callRetried && waitsForToken(device)) return;
  if (isRefused) error = ErrorCode.INVALID_TOKEN;
  // What the host alone reads is a success whatever it is (204 without a body, text, an image).
  if (device.call!.isAnyBody && error === ErrorCode.MALFORMED_RESPONSE) error = ErrorCode.NONE;
  // Before finishCall, which gives lent bytes back to the host.
  if (!error) error = device.call!.take(device);
  // take may have left it VERIFYING: then eventVerified goes on.
  if (device.callState !== CallState.VERIFYING) finishCall(device, error);
}
