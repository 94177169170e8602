// Signing out: the token is revoked at the server (RFC 7009; the documents' 4.4) and wiped here. The
// documents' service takes the token in the query string, others only in the body: what a server
// refuses one way is tried the other way.

import { backOff } from "./clock.ts";
import { ErrorCode } from "./errors.ts";
import { writeByte, writeFormValue, writeFrom, writeLiteral, writeRegion } from "./form-encoder.ts";
import { Limit } from "./limits.ts";
import { type Device, Field, Literal, Region } from "./memory.ts";
import { Job, startJob } from "./record-keeping.ts";
import { Event, moveTo, State } from "./states.ts";
import { RecordKind, sessionToken } from "./token-record.ts";
import { isTransient } from "./token-response.ts";

/** Starts the revocation of the session's token. */
export function revoke(device: Device, event: Event): void {
  device.revocationTries = 0;
  device.revokeOther = 0;
  device.waitMs = 0;
  device.backoffMs = 0;
  device.error = ErrorCode.NONE;
  moveTo(device, event, State.REVOKING);
}

/** Whether the token goes into the query string now. */
export function revokesByQuery(device: Device): boolean {
  return device.revokeInBody === device.revokeOther;
}

/** Makes the query or the body in OUTPUT. */
export function prepareRevocation(device: Device): void {
  var start = device.start[Region.OUTPUT];
  writeFrom(device, start, start + device.capacity[Region.OUTPUT]);
  if (revokesByQuery(device)) writeByte(device, 63);
  writeLiteral(device, Literal.TOKEN_PARAMETER);
  writeFormValue(device, sessionToken(device));
  if (!revokesByQuery(device)) {
    writeByte(device, 38);
    writeRegion(device, Region.CLIENT);
  }
  device.length[Region.OUTPUT] = device.writeOverflow ? -1 : device.writeAt - start;
}

/** The device is signed out: nothing of the session is left. */
export function finishRevocation(device: Device): void {
  device.length[Field.ACCESS_TOKEN] = -1;
  device.length[Field.REFRESH_TOKEN] = -1;
  device.length[Region.PRESENT_REFRESH_TOKEN] = -1;
  moveTo(device, Event.REVOKED, State.SIGNED_OUT);
  startJob(device, Job.WIPE_OLDER, RecordKind.NONE);
}

/**
 * The answer to a revocation has come, or failed with `error`. A success needs no body (RFC 7009
 * §2.2); a page of HTML is a captive portal's. A user who signs out is signed out: failures are tried
 * again a few times, then let be.
 */
export function revocationAnswered(device: Device, error: number): void {
  device.revocationTries++;
  if (error === ErrorCode.MALFORMED_RESPONSE && !device.bodyBytes) error = ErrorCode.NONE;
  if (!error || device.revocationTries >= Limit.REVOCATION_TRIES) {
    device.error = error;
    finishRevocation(device);
  } else if (isTransient(device, error)) {
    backOff(device, Limit.INTERVAL_MIN_MS);
  } else if (!device.revokeOther) {
    device.revokeOther = 1;
  } else {
    finishRevocation(device);
  }
}
