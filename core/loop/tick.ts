// The heart: lets time pass and says what the host is to do next. A host calls tick until it answers
// NONE, then sleeps for at most wakeIn or until something happens.
//
// Theory of operation. The core has no list of what is to be done. Each tick looks at the device as it is and finds
// the one thing that comes first:
//
//   1. Time passes on all clocks, and what it ends is ended: an exchange, a code, an access token, a call.
//   2. ABORT, so that the host lets go of bytes that are needed.
//   3. LOAD, STORE or ERASE: what is new is kept before it is used. A job that is under way goes on.
//   4. VERIFY, for an event that has come.
//   5. SHOW, where a cell of the display has changed.
//   6. SEND, where a request is due and has waited long enough (exchange.ts); before the request for a code CHALLENGE,
//      and in the place of a request STORE or ERASE, where storage refused something and is asked again.
//
// What is done changes the device, so that the next tick finds something else: there is no list in which something
// could be forgotten. wakeIn asks the same questions of the future. Where the two disagree the host would sleep too
// long, or never: the model in test/model holds them against each other.

import { advance, restRefreshes, waitFor } from "../device/clock.ts";
import { Command, Endpoint } from "../device/command.ts";
import { ErrorCode } from "../device/errors.ts";
import { hideCode, takeFrame } from "../device/frame.ts";
import { Limit } from "../device/limits.ts";
import type { Device } from "../device/memory.ts";
import { offerOutput } from "../device/regions.ts";
import { hasEndpoint } from "../device/request.ts";
import { Event, State } from "../device/states.ts";
import { drawFrame } from "../display/verification-prompt.ts";
import { finish } from "../grant/attempt.ts";
import { renewCode } from "../grant/device-authorization.ts";
import { hasSession, refreshInS, refreshNow } from "../grant/refresh.ts";
import { isReadingLater, Job, nextStorageCommand } from "../records/record-keeping.ts";
import {
  CallState,
  checkCall,
  isVerifying,
  needsToken,
  Verification,
  verify,
} from "../requests/call.ts";
import {
  abortExchange,
  checkExchange,
  Due,
  isOutputHeld,
  nextRequest,
  whatIsDue,
} from "./exchange.ts";

/**
 * The code has lived its time and is shown no longer. The user may have decided since the last poll, and only a
 * code that was not decided expires at the server: one last poll is made, when its interval allows it.
 */
function codeEnded(device: Device): void {
  var isLast = device.lastPollMade || device.waitMs > Limit.LAST_POLL_MS;
  hideCode(device);
  // The answer under way may still bring the tokens.
  if (isLast && !device.inFlight) renewCode(device);
}

/** Whether there is no server to revoke the tokens at: the device is signed out, but a request under way ends first. */
function isRevocationMoot(device: Device): boolean {
  var isUnderWay = device.inFlight > 0 && device.purpose === Due.REVOCATION;
  return (
    device.state === State.REVOKING && !isUnderWay && !hasEndpoint(device, Endpoint.REVOCATION)
  );
}

function checkTime(device: Device): void {
  checkExchange(device);
  if (isRevocationMoot(device)) {
    finish(device, Event.REVOKED, ErrorCode.NONE, State.SIGNED_OUT);
  }
  if (device.state === State.PENDING && !device.codeLifetimeS) codeEnded(device);
  if (device.call && needsToken(device)) {
    restRefreshes(device, 0);
    // The spread of a start is for devices that nobody uses.
    if (device.state === State.REFRESHING && !device.backoffMs && !device.triedPrevious)
      waitFor(device, 0);
  }
  if (device.state === State.SIGNED_IN && !device.inFlight && refreshInS(device) <= 0) {
    refreshNow(device, Event.REFRESH_DUE);
  }
  if (device.call) checkCall(device);
}

/**
 * Lets time pass and returns the next command.
 * @param elapsedMs milliseconds since the last call, 0..100000000; longer sleeps count as that.
 *   Several calls in a row pass 0 from the second on.
 * @returns a Command; its data (properties of the device) is valid until the next call of the core
 */
export function tick(device: Device, elapsedMs: number): Command {
  advance(device, elapsedMs);
  checkTime(device);
  if (device.abortDue) return abortExchange(device);
  var command = nextStorageCommand(device);
  if (command) return command;
  if (device.call && device.verification === Verification.DUE) return verify(device);
  drawFrame(device);
  if (takeFrame(device)) return Command.SHOW;
  command = nextRequest(device);
  // The host has time to read the answer of a call that is done, until it ticks again.
  if (!command && device.callState === CallState.DONE) offerOutput(device);
  return command;
}

/** Whether something is to be done at once. */
function isAtOnce(device: Device, purpose: Due): boolean {
  return (
    device.abortDue > 0 ||
    device.frameDue > 0 ||
    device.verification === Verification.DUE ||
    (device.call !== null && purpose === Due.CALL) ||
    // To erase takes no bytes: an answer that is arriving does not hold it up.
    (device.job > 0 &&
      !device.storageCommand &&
      !isReadingLater(device) &&
      (device.job > Job.WRITE || !isOutputHeld(device)))
  );
}

/** Seconds until a code is to be shown otherwise, or has ended: then nothing but an answer or the wait matters. */
function codeChangesInS(device: Device): number {
  if (device.codeConfirmed && device.hasCountdown) return 1;
  // When its countdown begins to be shown.
  var left = device.codeConfirmed ? device.codeLifetimeS - Limit.COUNTDOWN_MAX_S + 1 : 0;
  return left > 0 ? left : device.codeLifetimeS || Limit.ENDLESS;
}

/** Seconds until a session has to be refreshed, or is to be shown otherwise. */
function sessionChangesInS(device: Device): number {
  // While a request is under way, or in REFRESHING, only the display changes: it says that there is no connection.
  var isIdle = device.state === State.SIGNED_IN && !device.inFlight;
  var seconds = isIdle ? refreshInS(device) : device.accessLifetimeS || Limit.ENDLESS;
  // Without an access token, when the display no longer hides that.
  var rest = device.refreshRestS;
  if (!isIdle && rest > 0 && rest < seconds) seconds = rest;
  var warning = device.refreshLifetimeS - Limit.EXPIRY_WARNING_S + 1;
  return warning > 0 && warning < seconds ? warning : seconds;
}

/**
 * Milliseconds until the next tick is of use, 0..100000000. The host may sleep as long, and tick
 * earlier without harm.
 */
export function wakeIn(device: Device): number {
  var purpose = whatIsDue(device);
  var wake: number = Limit.ELAPSED_MS_MAX;
  var seconds: number = Limit.ENDLESS;
  if (isAtOnce(device, purpose)) return 0;
  if (device.inFlight || isVerifying(device)) wake = device.exchangeMs;
  else if (purpose || isReadingLater(device)) wake = device.waitMs;
  if (device.pageMs < wake) wake = device.pageMs;
  if (device.state === State.PENDING) seconds = codeChangesInS(device);
  else if (hasSession(device)) seconds = sessionChangesInS(device);
  // The second that is counted has begun already.
  if (seconds <= Limit.ELAPSED_S_MAX && seconds * 1000 - device.carryMs < wake) {
    wake = seconds * 1000 - device.carryMs;
  }
  return wake > 0 ? wake : 0;
}
