// What an answer of the grant means to whoever waits for it. One table, by what the answer is, what this server said
// before, and for how long it has said so; core, display, session and command all read it.
//
//   the answer                                        whoever waits     the session
//   none, cut off, HTML, empty, a redirect, 5xx, 429  waits             stays: the network's
//   a refusal of the grant, by a name for that        signs in again    ends (RFC 6749 §5.2)
//   a refusal of the client: `invalid_client`, or
//     401 to its credentials                          is refused        stays: the maker mends it for all devices
//   any other refusal: by another name, or by none    is refused        ends when it has lasted for a day
//   what the device itself finds                      is refused        stays

import { bearRefusals } from "../device/clock.ts";
import { ClientAuthentication } from "../device/config.ts";
import { ErrorCode, ErrorKind, errorKind } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import type { Device } from "../device/memory.ts";
import { State } from "../device/states.ts";
import { Fields } from "../device/tables.ts";
import { Scan } from "../text/tables.ts";

/** What a device with an error waits for, or does not. */
export enum Outcome {
  /** There is no error. */
  NONE = 0,
  /** It waits: the network, or a server that is not well. */
  NETWORK = 1,
  /** A new sign-in helps, and nothing else does. */
  USER = 2,
  /** The server refuses: the administrator or the maker can mend that. Tokens that are kept are tried again. */
  REFUSED = 3,
}

/** What the device's present error means to whoever waits. */
export function outcome(device: Device): Outcome {
  if (!device.error) return Outcome.NONE;
  var kind = errorKind(device, device.error);
  if (kind === ErrorKind.TRANSIENT) return Outcome.NETWORK;
  return kind === ErrorKind.RENEWABLE || kind === ErrorKind.USER ? Outcome.USER : Outcome.REFUSED;
}

/**
 * What an answer that names no error amounts to.
 * @param error what it is by its status alone
 * @returns INVALID_CLIENT, or at a refresh UNKNOWN_ERROR, where it is a refusal
 */
export function nameRefusal(device: Device, error: ErrorCode): ErrorCode {
  var status = device.httpStatus;
  var isUnauthorized = error === ErrorCode.UNAVAILABLE && status === 401;
  var isPublic = device.clientAuthentication === ClientAuthentication.NONE;
  // Once the server has taken the client for this code, it is not the client that it refuses.
  var isTaken = device.state === State.PENDING && device.codeKnown > 0;
  if (isUnauthorized && !isPublic && !isTaken) return ErrorCode.INVALID_CLIENT;
  if (device.state !== State.REFRESHING) return error;
  // Half a success is none; one that brings no token at all says no.
  var isRefusal =
    error === ErrorCode.UNAVAILABLE
      ? status > 399 && status < 500 && status !== 408 && status !== 425
      : error === ErrorCode.MALFORMED_RESPONSE && !(device.scanSeen & Fields.OF_SESSION);
  // JSON to its end is from a server that means it.
  var isMeant = isRefusal && device.scanState === Scan.END;
  return isUnauthorized || isMeant ? ErrorCode.UNKNOWN_ERROR : error;
}

/** Whether a server has refused, and not the device: which types of tokens are of use the device decides. */
function isServers(error: ErrorCode): boolean {
  if (error === ErrorCode.UNSUPPORTED_TOKEN_TYPE) return false;
  return error < ErrorCode.UNREACHABLE || error === ErrorCode.UNKNOWN_ERROR;
}

/**
 * Whether the tokens are kept although the server refuses to refresh them. What it refuses for a day counts as the grant.
 * What the device itself finds in between does not count, neither way. The day is counted in memory alone, so that a restart begins it anew: whoever restarts the device can also sign in
 * again.
 */
export function isBorne(device: Device, error: ErrorCode): boolean {
  var kind = errorKind(device, error);
  if (kind === ErrorKind.RENEWABLE || kind === ErrorKind.USER) return false;
  if (!isServers(error)) return true;
  if (error === ErrorCode.INVALID_CLIENT) bearRefusals(device, Limit.ENDLESS);
  else if (device.refusalsLeftS === Limit.ENDLESS) bearRefusals(device, Limit.REFUSALS_S);
  return device.refusalsLeftS > 0;
}

/** Whether a poll's answer means that its code is over (a server may have purged it), and another can be had. */
export function endsCode(device: Device, error: ErrorCode): boolean {
  return (
    errorKind(device, error) === ErrorKind.RENEWABLE ||
    (error === ErrorCode.UNKNOWN_ERROR && device.codeKnown > 0)
  );
}
