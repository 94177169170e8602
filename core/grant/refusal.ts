// Decides what a grant response means for a caller that waits for a token. This depends on the response, on earlier
// responses of the server, and on how long the server has rejected requests:
//
//   response                                          the caller        the session
//   none, cut off, HTML, empty, a redirect, 5xx, 429  waits             stays: a temporary problem
//   a rejection of the grant, by its error code       must sign in      ends (RFC 6749 §5.2)
//   a rejection of the client: `invalid_client`, or
//     a 401 to the client's credentials               gets an error     stays: the developer can fix it for all devices
//   any other rejection, with or without error code   gets an error     ends after a day
//   an error that the device itself finds             gets an error     stays

import { tolerateRefusals } from "../device/clock.ts";
import { ClientAuthentication } from "../device/config.ts";
import { ErrorCode, ErrorKind, errorKind } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import type { Device } from "../device/memory.ts";
import { State } from "../device/states.ts";
import { Fields } from "../device/tables.ts";
import { Scan } from "../text/tables.ts";

/** What must happen before a caller that waits for a token can get one. */
export enum Outcome {
  NONE = 0,
  /** The caller waits: the network or the server has a temporary problem, or the user has not decided yet. */
  NETWORK = 1,
  /** The user must sign in again. */
  USER = 2,
  /** The administrator or the developer can fix it. In REFRESHING, the device keeps the tokens and retries. */
  REFUSED = 3,
}

/** What the current error means for a caller that waits for a token, one of Outcome. */
export function outcome(device: Device): Outcome {
  if (!device.error) return Outcome.NONE;
  var kind = errorKind(device, device.error);
  if (kind === ErrorKind.TRANSIENT) return Outcome.NETWORK;
  return kind === ErrorKind.RENEWABLE || kind === ErrorKind.USER ? Outcome.USER : Outcome.REFUSED;
}

/**
 * Classifies a rejection without an error code.
 * @param error the error of the response so far
 * @returns INVALID_CLIENT for a 401 to the client's credentials, UNKNOWN_ERROR for a rejected refresh; else `error`
 */
export function nameRefusal(device: Device, error: ErrorCode): ErrorCode {
  var status = device.httpStatus;
  var isUnauthorized = error === ErrorCode.UNAVAILABLE && status === 401;
  var isPublic = device.clientAuthentication === ClientAuthentication.NONE;
  // The server has recognized this code, so it has accepted the client's credentials. The 401 has another reason.
  var isTaken = device.state === State.PENDING && device.codeKnown > 0;
  if (isUnauthorized && !isPublic && !isTaken) return ErrorCode.INVALID_CLIENT;
  if (device.state !== State.REFRESHING) return error;
  // A response without any token is a rejection, even if its status is a success.
  var isRefusal =
    error === ErrorCode.UNAVAILABLE
      ? status > 399 && status < 500 && status !== 408 && status !== 425
      : error === ErrorCode.MALFORMED_RESPONSE && !(device.scanSeen & Fields.OF_SESSION);
  // Only complete JSON counts as the server's own response.
  var isMeant = isRefusal && device.scanState === Scan.END;
  return isUnauthorized || isMeant ? ErrorCode.UNKNOWN_ERROR : error;
}

/** Whether the error comes from the server. UNSUPPORTED_TOKEN_TYPE does not: the device rejects tokens of that type. */
function isServers(error: ErrorCode): boolean {
  if (error === ErrorCode.UNSUPPORTED_TOKEN_TYPE) return false;
  return error < ErrorCode.UNREACHABLE || error === ErrorCode.UNKNOWN_ERROR;
}

/**
 * Whether the device keeps the tokens although the server refuses to refresh them. After a day of rejections, the next
 * one counts as a rejection of the grant. The day is counted in memory only, so a restart begins it again.
 * INVALID_CLIENT is always tolerated, and resets the day. Errors that the device finds neither start nor end the day.
 */
export function isTolerated(device: Device, error: ErrorCode): boolean {
  var kind = errorKind(device, error);
  if (kind === ErrorKind.RENEWABLE || kind === ErrorKind.USER) return false;
  if (!isServers(error)) return true;
  if (error === ErrorCode.INVALID_CLIENT) tolerateRefusals(device, Limit.ENDLESS);
  else if (device.refusalsLeftS === Limit.ENDLESS) tolerateRefusals(device, Limit.REFUSALS_S);
  return device.refusalsLeftS > 0;
}

/**
 * Whether this response to a poll means that the code has ended, so that the device can request a new one. After the
 * server has recognized a code, an unknown error counts too: the server may have purged the code.
 */
export function endsCode(device: Device, error: ErrorCode): boolean {
  return (
    errorKind(device, error) === ErrorKind.RENEWABLE ||
    (error === ErrorCode.UNKNOWN_ERROR && device.codeKnown > 0)
  );
}
