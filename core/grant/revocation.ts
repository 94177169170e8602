// Signing out: the tokens are revoked at the server (RFC 7009; the documents' 4.4) and wiped here. The refresh token
// comes first, since it lives longest. That the access token ends with it is what a server only should do (RFC 7009
// §2.1), so that one is revoked as well; by the documents' own rule one revocation ends both.

import { backOff, waitFor } from "../device/clock.ts";
import { ErrorCode, ErrorKind, errorKind } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Device, holds } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { wipe } from "../device/regions.ts";
import { Event, State } from "../device/states.ts";
import { Field, Literal, Region } from "../device/tables.ts";
import {
  Encoding,
  endWrite,
  writeByte,
  writeLiteral,
  writeRegion,
  writeTo,
} from "../text/form-encoder.ts";
import { finish } from "./attempt.ts";
import { revokesByQuery } from "./client-authentication.ts";

/** How far a revocation has come. */
export interface Revocation {
  /** Tries of the revocation that have failed so far. */
  revocationTries: number;
  /** What the server has said of the refresh token when there was an access token to revoke, too; -1: nothing. */
  refreshOutcome: number;
}

export function makeRevocation(device: Revocation): void {
  device.revocationTries = 0;
  device.refreshOutcome = -1;
}

/** Starts the revocation of the session's tokens. */
export function revoke(device: Device & Revocation): void {
  device.revocationTries = 0;
  device.refreshOutcome = -1;
  waitFor(device, 0);
  moveTo(device, Event.SIGN_OUT, State.REVOKING);
}

/** Makes the query or the body in OUTPUT. */
export function prepareRevocation(device: Device): void {
  writeTo(device, Region.OUTPUT);
  if (revokesByQuery(device))
    writeByte(device, 63); // ?token=
  else {
    writeRegion(device, Region.CLIENT, Encoding.NONE);
    writeByte(device, 38); // &token=
  }
  writeLiteral(device, Literal.TOKEN_PARAMETER);
  // A session has an access token alone where no refresh token came.
  writeRegion(
    device,
    holds(device, Region.REFRESH_TOKEN) ? Region.REFRESH_TOKEN : Field.ACCESS_TOKEN,
    Encoding.FORM,
  );
  endWrite(device, Region.OUTPUT);
}

/** Whether the access token still lives behind the refresh token, and the server may not have ended it with that. */
function isAccessLeft(device: Device): boolean {
  return (
    device.accessLifetimeS > 0 &&
    holds(device, Region.REFRESH_TOKEN) &&
    holds(device, Field.ACCESS_TOKEN) &&
    !revokesByQuery(device)
  );
}

/**
 * The answer to a revocation has come, or failed with `error`. A success needs no body (RFC 7009
 * §2.2); a page of HTML is a captive portal's. A user who signs out is signed out: failures are tried
 * again a few times with a growing wait, then let be. A token of a type that the server does not revoke is not
 * tried again (§2.2.1).
 */
export function revocationCompleted(device: Device & Revocation, error: ErrorCode): void {
  // It has ended with its refresh token, or lives its minutes out.
  var isMoot = error && device.refreshOutcome === ErrorCode.NONE;
  if (isMoot && errorKind(device, error) !== ErrorKind.TRANSIENT) error = ErrorCode.NONE;
  var isFinal = !error || error === ErrorCode.UNSUPPORTED_TOKEN_TYPE;
  if (isFinal && isAccessLeft(device)) {
    device.refreshOutcome = error;
    wipe(device, Region.REFRESH_TOKEN);
    waitFor(device, 0);
  } else if (isFinal || ++device.revocationTries >= Limit.REVOCATION_TRIES) {
    if (!error && device.refreshOutcome > 0) error = device.refreshOutcome;
    finish(device, Event.REVOKED, error, State.SIGNED_OUT);
  } else {
    backOff(device, Limit.BACKOFF_MAX_MS);
    // However long the server asks to wait: the user has signed out, and waits to see that done.
    if (device.waitMs > Limit.BACKOFF_MAX_MS) waitFor(device, Limit.BACKOFF_MAX_MS);
  }
}
