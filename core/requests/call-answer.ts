// What the answer to a call leads to.

import { ErrorCode } from "../device/errors.ts";
import { redraw } from "../device/frame.ts";
import type { Bytes, Device } from "../device/memory.ts";
import { forget, OutputUse, releaseOutput } from "../device/regions.ts";
import { Event, State } from "../device/states.ts";
import { Field } from "../device/tables.ts";
import { hasSession, refreshNow } from "../grant/refresh.ts";
import {
  CallState,
  carriesToken,
  endBody,
  finishCall,
  hearChallenge,
  waitAgain,
  wantsSignIn,
} from "./call.ts";

/** Sends the refused request again once there is another access token; false where there is no session to get it. */
function waitsForToken(device: Device): boolean {
  forget(device, Field.ACCESS_TOKEN);
  // The display says that there is no connection.
  redraw(device);
  if (device.state === State.SIGNED_IN) refreshNow(device, Event.TOKEN_REFUSED);
  if (!hasSession(device)) return false;
  waitAgain(device, 1);
  // What the refusal says is of no use; the refresh needs the room.
  releaseOutput(device, OutputUse.ANSWER);
  return true;
}

/**
 * The answer to a call has come, or failed with `error`. 401 means that the access token is no good: it is
 * refreshed and the request sent again, exactly once (RFC 6750 §3.1); unless the API says that it wants another sign-in
 * (RFC 9470), which ends the call with INTERACTION_REQUIRED.
 */
export function callAnswered(device: Device, error: ErrorCode): void {
  endBody(device);
  var isRefused = device.httpStatus === 401 && carriesToken(device);
  var isStepUp = isRefused && wantsSignIn(device);
  if (isRefused && !isStepUp && !device.callRetried && waitsForToken(device)) return;
  if (isRefused) error = isStepUp ? ErrorCode.INTERACTION_REQUIRED : ErrorCode.INVALID_TOKEN;
  // What the host alone reads is a success whatever it is (204 without a body, text, an image).
  if (device.call!.isAnyBody && error === ErrorCode.MALFORMED_RESPONSE) error = ErrorCode.NONE;
  // Before finishCall, which gives lent bytes back to the host.
  if (!error) error = device.call!.take(device);
  // take may have left it VERIFYING: then eventVerified goes on.
  if (device.callState !== CallState.VERIFYING) finishCall(device, error);
}

/**
 * A piece of the challenge that an answer comes with, `bytes[from..to)`: the value of WWW-Authenticate (RFC 9110
 * §11.6.1), before responseStart; of several values one after the other. A host that cannot tell leaves it out. The
 * range stays the host's and is not kept.
 * @param requestId id that the request was sent with
 */
export function responseChallenge(
  device: Device,
  requestId: number,
  bytes: Bytes,
  from: number,
  to: number,
): void {
  if (!device.inFlight || requestId !== device.requestId || device.httpStatus) return;
  for (; from < to; from++) hearChallenge(device, bytes[from] & 255);
}
