// What the answer to a call leads to: what a refused token does, and whose answer it is. What each
// of them has to hold is known to the file that asked.

import { Authorization } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { type Device, Field } from "../device/memory.ts";
import { Event, State } from "../device/states.ts";
import { CompleteLiteral } from "../documents/literals.ts";
import { takeEvent } from "../documents/security-event.ts";
import { checkOffer } from "../documents/subscription-offer.ts";
import { hasSession, refreshNow } from "../grant/refresh.ts";
import { misfit } from "../grant/token-response.ts";
import { CallFields, CallState, finishCall } from "./call.ts";
import { checkMetadata } from "./metadata.ts";
import { keepPageToken } from "./protected-resource.ts";

/** @returns NONE where a success holds what was asked for, or what is wrong with it */
function useAnswer(device: Device): ErrorCode {
  if (device.call === CompleteLiteral.LIST_MEMBERS) keepPageToken(device);
  else if (device.call === CompleteLiteral.OFFER_ANSWER) return checkOffer(device);
  else if (misfit(device, CallFields.WANTED)) return ErrorCode.VALUE_TOO_LONG;
  else if (device.call === CompleteLiteral.METADATA_MEMBERS) return checkMetadata(device);
  else takeEvent(device);
  return ErrorCode.NONE;
}

/**
 * The answer to a call has come, or failed with `error`. 401 means that the access token is no good: it is
 * refreshed and the request sent again, exactly once (RFC 6750 §3.1).
 */
export function callAnswered(device: Device, error: number): void {
  if (device.status === 401 && device.authorization === Authorization.BEARER) {
    error = ErrorCode.INVALID_TOKEN;
    if (!device.callRetried) {
      device.callRetried = 1;
      device.size[Field.ACCESS_TOKEN] = -1;
      if (device.state === State.SIGNED_IN) refreshNow(device, Event.TOKEN_REFUSED);
      if (hasSession(device)) {
        device.callState = CallState.WAITING;
        return;
      }
    }
  }
  finishCall(device, error);
  if (!error) device.callError = useAnswer(device);
}
