// Signing out: the tokens are revoked at the server (RFC 7009; the documents' 4.4) and wiped here. The refresh token
// comes first, since it lives longest. That the access token ends with it is what a server only should do (RFC 7009
// §2.1), so that one is revoked as well; by the documents' own rule one revocation ends both.

import { backOff, waitFor } from "../device/clock.ts";
import { ErrorCode, ErrorKind, errorKind } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Device, Field, holds, Literal, Region } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { forget } from "../device/regions.ts";
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
import { hasAccess } from "./refresh.ts";

/** What the server has said of the refresh token. */
export enum RefreshOutcome {
  /** Nothing yet, or there is none. */
  OPEN = 0,
  REVOKED = 1,
  /** It does not revoke such tokens (RFC 7009 §2.2.1). */
  UNSUPPORTED = 2,
}

/** How far a revocation has come. */
export interface Revocation {
  /** Tries of the revocation that have failed so far. */
  revocationTries: number;
  /** One of RefreshOutcome: what the server has said of the refresh token. */
  refreshOutcome: number;
}

/** Nothing is being revoked. */
export function makeRevocation(device: Revocation): void {
  device.revocationTries = 0;
  device.refreshOutcome = RefreshOutcome.OPEN;
}

/** Starts the revocation of the session's tokens. */
export function revoke(device: Device & Revocation): void {
  device.revocationTries = 0;
  device.refreshOutcome = RefreshOutcome.OPEN;
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
 * What is still wrong when the server has said its last word of the last token, NONE for nothing. Of an access token
 * whose refresh token is revoked no refusal matters: it has ended with that, or lives its minutes out.
 */
function outcome(device: Device, error: number): number {
  if (!error && device.refreshOutcome === RefreshOutcome.UNSUPPORTED)
    return ErrorCode.UNSUPPORTED_TOKEN_TYPE;
  var isMoot =
    device.refreshOutcome === RefreshOutcome.REVOKED &&
    error &&
    errorKind(device, error) !== ErrorKind.TRANSIENT;
  return isMoot ? ErrorCode.NONE : error;
}

/**
 * The answer to a revocation has come, or failed with `error`. A success needs no body (RFC 7009
 * §2.2); a page of HTML is a captive portal's. A user who signs out is signed out: failures are tried
 * again a few times with a growing wait, then let be. A token of a type that the server does not revoke is not
 * tried again (§2.2.1).
 */
export function revocationAnswered(device: Device & Revocation, error: number): void {
  error = outcome(device, error);
  var isOver = !error || error === ErrorCode.UNSUPPORTED_TOKEN_TYPE;
  if (
    isOver &&
    holds(device, Region.REFRESH_TOKEN) &&
    hasAccess(device) &&
    !revokesByQuery(device)
  ) {
    device.refreshOutcome = error ? RefreshOutcome.UNSUPPORTED : RefreshOutcome.REVOKED;
    forget(device, Region.REFRESH_TOKEN);
    waitFor(device, 0);
  } else if (isOver || ++device.revocationTries >= Limit.REVOCATION_TRIES) {
    finish(device, Event.REVOKED, error, State.SIGNED_OUT);
  } else {
    backOff(device, Limit.BACKOFF_MAX_MS);
    // However long the server asks to wait: the user has signed out, and waits to see that done.
    if (device.waitMs > Limit.BACKOFF_MAX_MS) waitFor(device, Limit.BACKOFF_MAX_MS);
  }
}
