// Revokes the tokens at the server (RFC 7009; device spec §4.4) and wipes them in the device. The device first revokes
// the refresh token, which has the longest lifetime. The server need not end the access token with it (RFC 7009 §2.1
// has SHOULD), so the device then revokes a valid access token. A revocation by device spec §4.4 ends both.

import { backOff, waitFor } from "../device/clock.ts";
import { ErrorCode, ErrorKind, errorKind, setError } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Device, holds } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { wipe } from "../device/regions.ts";
import { Event, State } from "../device/states.ts";
import { Field, Literal, Region } from "../device/tables.ts";
import { Encoding, endWrite, goTo, writeByte, writeRegion, writeTo } from "../text/form-encoder.ts";
import { finish } from "./attempt.ts";
import { revokesByQuery } from "./client-authentication.ts";

/** The progress of a revocation. */
export interface Revocation {
  /** Failed attempts to revoke, for both tokens together. */
  revocationTries: number;
  /** The ErrorCode of the refresh token's revocation, while the access token is being revoked; -1: none yet. */
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
  wipe(device, Field.RECEIVED_REFRESH_TOKEN);
  waitFor(device, 0);
  moveTo(device, Event.SIGN_OUT, State.REVOKING);
}

/** Writes the part of the query or the body before the token. */
function writeStart(device: Device): void {
  if (revokesByQuery(device))
    writeByte(device, 63); // ?token=
  else {
    writeRegion(device, Region.CLIENT, Encoding.NONE);
    writeByte(device, 38); // &token=
  }
  writeRegion(device, Literal.TOKEN_PARAMETER, Encoding.NONE);
}

/**
 * Writes the query or the body of a revocation.
 * @returns 0: the request is in OUTPUT, or does not fit (the length of OUTPUT is then -1). Otherwise the position in
 * `memory` of a request that ends with the access token, which stays in its place
 */
export function prepareRevocation(device: Device): number {
  // A session without a refresh token has only an access token.
  var hasRefresh = holds(device, Region.REFRESH_TOKEN);
  var start = device.start[Region.OUTPUT];
  writeTo(device, Region.OUTPUT);
  writeStart(device);
  writeRegion(device, hasRefresh ? Region.REFRESH_TOKEN : Field.ACCESS_TOKEN, Encoding.FORM);
  endWrite(device, Region.OUTPUT);
  var at = device.memory.length - device.writeAt + start;
  if (device.length[Region.OUTPUT] >= 0 || hasRefresh || at < start) return 0;
  // The access token is the only token, at the memory's end. If encoding does not change it, it need not be copied.
  goTo(device, at);
  writeStart(device);
  return device.writeAt === device.start[Field.ACCESS_TOKEN] ? at : 0;
}

/** Whether the access token may still be valid after the refresh token's revocation. */
function isAccessLeft(device: Device): boolean {
  return (
    device.accessLifetimeS > 0 &&
    holds(device, Region.REFRESH_TOKEN) &&
    holds(device, Field.ACCESS_TOKEN) &&
    !revokesByQuery(device)
  );
}

/**
 * Call this when a revocation has ended, with `error` or with a response. A success may have no body (RFC 7009 §2.2).
 * An HTML body is an error, because it may come from a captive portal. The device retries a few times with growing
 * waits. Then it signs out anyway, because the user is waiting. If the server does not revoke tokens of this type
 * (§2.2.1), the device does not retry.
 */
export function revocationCompleted(device: Device & Revocation, error: ErrorCode): void {
  // After the refresh token's revocation, a final error for the access token does not matter, because the server has
  // usually ended that token too. An error which says that a token is invalid already (§2.2) does not matter either.
  var isMoot = device.refreshOutcome === ErrorCode.NONE || error === ErrorCode.INVALID_TOKEN;
  if (isMoot && errorKind(device, error) !== ErrorKind.TRANSIENT) error = ErrorCode.NONE;
  var isFinal = !error || error === ErrorCode.UNSUPPORTED_TOKEN_TYPE;
  setError(device, isFinal ? ErrorCode.NONE : error);
  if (isFinal && isAccessLeft(device)) {
    device.refreshOutcome = error;
    wipe(device, Region.REFRESH_TOKEN);
    waitFor(device, 0);
  } else if (isFinal || ++device.revocationTries >= Limit.REVOCATION_TRIES) {
    if (!error && device.refreshOutcome > 0) error = device.refreshOutcome;
    finish(device, Event.REVOKED, error, State.SIGNED_OUT);
  } else {
    backOff(device, Limit.BACKOFF_MAX_MS);
    // The user waits for the end of the sign-out, so limit the wait even if Retry-After is longer.
    if (device.waitMs > Limit.BACKOFF_MAX_MS) waitFor(device, Limit.BACKOFF_MAX_MS);
  }
}
