// The core's main function: lets time pass, and returns the host's next command. A host calls tick until it returns
// NONE, then sleeps for at most wakeIn or until something happens.
//
// Theory of operation. The core has no list of tasks. Each tick examines the device and finds the task with the highest
// priority:
//
//   1. Advance all clocks, and end an exchange, a code, an access token or a call that has expired.
//   2. ABORT, after which the device can reuse the bytes of the aborted request.
//   3. LOAD, STORE or ERASE: new data is stored before it is used. A job in progress continues.
//   4. VERIFY for a received event.
//   5. SHOW, if a cell of the display has changed.
//   6. SEND, if a request is due and has waited long enough (exchange.ts); CHALLENGE, if a request for a code needs one
//      first; STORE or ERASE, if storage has failed and its wait is over.
//
// Each task changes the device, so that the next tick finds another one. wakeIn predicts by the same rules when a task
// is due. If the rules differed, the host would sleep too long, or not at all. The model in test/model checks this.

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
 * Call this when the code has expired. Hides the code. The user may have decided since the last poll, so the server may
 * still send the tokens. So the device polls one more time, unless the wait for that poll is too long.
 */
function codeEnded(device: Device): void {
  var isLast = device.lastPollMade || device.waitMs > Limit.LAST_POLL_MS;
  hideCode(device);
  // If the last poll is in flight, wait for its response, which may contain the tokens.
  if (isLast && !device.inFlight) renewCode(device);
}

/** Whether the device signs out without revoking the tokens, because the server has no revocation endpoint. */
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
    // A call waits for the token, so do not wait for the start spread.
    if (device.state === State.REFRESHING && !device.backoffMs && !device.triedPrevious)
      waitFor(device, 0);
  }
  if (device.state === State.SIGNED_IN && !device.inFlight && refreshInS(device) <= 0) {
    refreshNow(device, Event.REFRESH_DUE);
  }
  if (device.call) checkCall(device);
}

/**
 * Advances time and returns the next command.
 * @param elapsedMs milliseconds since the last call, 0..100000000; a longer time counts as 100000000. In a series of
 * calls without sleep, pass 0 from the second call on.
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
  // The host can read the response of a finished call until its next tick.
  if (!command && device.callState === CallState.DONE) offerOutput(device);
  return command;
}

function isAtOnce(device: Device, purpose: Due): boolean {
  return (
    device.abortDue > 0 ||
    device.frameDue > 0 ||
    device.verification === Verification.DUE ||
    (device.call !== null && purpose === Due.CALL) ||
    // ERASE uses no bytes of OUTPUT, so an arriving response does not delay it.
    (device.job > 0 &&
      !device.storageCommand &&
      !isReadingLater(device) &&
      (device.job > Job.WRITE || !isOutputHeld(device)))
  );
}

/** Seconds until the display of a code changes, or the code expires. ENDLESS after the code has expired. */
function codeChangesInS(device: Device): number {
  if (device.codeConfirmed && device.hasCountdown) return 1;
  // The time until the countdown appears.
  var left = device.codeConfirmed ? device.codeLifetimeS - Limit.COUNTDOWN_MAX_S + 1 : 0;
  return left > 0 ? left : device.codeLifetimeS || Limit.ENDLESS;
}

/** Seconds until a session must be refreshed, or its display changes. */
function sessionChangesInS(device: Device): number {
  // During a request, or in REFRESHING, no refresh can become due. Only the display can change, to report that there is
  // no connection.
  var isIdle = device.state === State.SIGNED_IN && !device.inFlight;
  var seconds = isIdle ? refreshInS(device) : device.accessLifetimeS || Limit.ENDLESS;
  // Without an access token, wake up when the display must report that there is none.
  var rest = device.refreshRestS;
  if (!isIdle && rest > 0 && rest < seconds) seconds = rest;
  var warning = device.refreshLifetimeS - Limit.EXPIRY_WARNING_S + 1;
  return warning > 0 && warning < seconds ? warning : seconds;
}

/** Milliseconds until the next tick may have an effect, 0..100000000. The host may sleep that long. */
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
  // A part of the current second has already passed.
  if (seconds <= Limit.ELAPSED_S_MAX && seconds * 1000 - device.carryMs < wake) {
    wake = seconds * 1000 - device.carryMs;
  }
  return wake > 0 ? wake : 0;
}
