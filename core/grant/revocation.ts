// Signing out: the token is revoked at the server (RFC 7009; the documents' 4.4) and wiped here.

import { backOff, waitFor } from "../device/clock.ts";
import { Limit } from "../device/limits.ts";
import { type Device, Field, holds, Literal, Region } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { Event, State } from "../device/states.ts";
import {
  Encoding,
  endWrite,
  writeByte,
  writeLiteral,
  writeRegion,
  writeTo,
} from "../text/form-encoder.ts";
import { revokesByQuery } from "./client-authentication.ts";
import { finish } from "./device-authorization.ts";

/** How far a revocation has come. */
export interface Revocation {
  /** Tries of the revocation so far. */
  revocationTries: number;
}

/** Nothing is being revoked. */
export function makeRevocation(device: Revocation): void {
  device.revocationTries = 0;
}

/** Starts the revocation of the session's token. */
export function revoke(device: Device & Revocation): void {
  device.revocationTries = 0;
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

/**
 * The answer to a revocation has come, or failed with `error`. A success needs no body (RFC 7009
 * §2.2); a page of HTML is a captive portal's. A user who signs out is signed out: failures are tried
 * again a few times with a growing wait, then let be.
 */
export function revocationAnswered(device: Device & Revocation, error: number): void {
  if (!error || ++device.revocationTries >= Limit.REVOCATION_TRIES) {
    finish(device, Event.REVOKED, error, State.SIGNED_OUT);
  } else {
    backOff(device, Limit.BACKOFF_MAX_MS);
    // However long the server asks to wait: the user has signed out, and waits to see that done.
    if (device.waitMs > Limit.BACKOFF_MAX_MS) waitFor(device, Limit.BACKOFF_MAX_MS);
  }
}
