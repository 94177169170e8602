// The heart: lets time pass and says what the host is to do next. A host calls tick until it answers
// NONE, then sleeps for at most wakeIn or until something happens.

import { advance } from "../device/clock.ts";
import { Command } from "../device/command.ts";
import { hideCode, takeFrame } from "../device/frame.ts";
import { Limit } from "../device/limits.ts";
import type { Device } from "../device/memory.ts";
import { Event, State } from "../device/states.ts";
import { drawFrame } from "../display/verification-prompt.ts";
import { renewCode } from "../grant/device-authorization.ts";
import { hasSession, refreshInS, refreshNow } from "../grant/refresh.ts";
import { nextStorageCommand } from "../records/record-keeping.ts";
import { checkCall, isVerifying, showAnswer, Verification, verify } from "../requests/call.ts";
import {
  abort,
  checkExchange,
  duePurpose,
  isOutputHeld,
  nextRequest,
  Purpose,
} from "./exchange.ts";

/**
 * The code has lived its time and is shown no longer. Somebody may have decided since the last poll, and only a
 * code that nobody has decided expires at the server: one last poll is made, when its interval allows it.
 */
function codeEnded(device: Device): void {
  var isLast = device.lastPollMade || device.waitMs > Limit.LAST_POLL_MS;
  hideCode(device);
  // The answer under way may still bring the tokens.
  if (isLast && !device.inFlight) renewCode(device);
}

function checkTime(device: Device): void {
  checkExchange(device);
  if (device.state === State.PENDING && !device.codeLifeS) codeEnded(device);
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
  if (device.abortDue) return abort(device);
  var command = nextStorageCommand(device);
  if (command) return command;
  if (device.call && device.verification === Verification.DUE) return verify(device);
  drawFrame(device);
  if (takeFrame(device)) return Command.SHOW;
  command = nextRequest(device);
  if (!command) showAnswer(device);
  return command;
}

/**
 * Milliseconds until the next tick is of use, 0..100000000. The host may sleep as long, and tick
 * earlier without harm.
 */
export function wakeIn(device: Device): number {
  var purpose = duePurpose(device);
  var wake: number = Limit.ELAPSED_MS_MAX;
  var seconds: number = Limit.ENDLESS;
  if (
    device.abortDue ||
    device.frameDue ||
    device.verification === Verification.DUE ||
    (device.call && purpose === Purpose.CALL) ||
    (device.job && !device.storageCommand && !isOutputHeld(device))
  ) {
    return 0;
  }
  if (device.inFlight || isVerifying(device)) wake = device.exchangeMs;
  else if (purpose) wake = device.waitMs;
  if (device.pageMs < wake) wake = device.pageMs;
  if (device.state === State.PENDING) {
    // Each second while its countdown is shown, or else when that begins. A code without one: at its end. After that
    // nothing but an answer or the wait matters.
    var untilCountdown = device.codeLifeS - Limit.COUNTDOWN_MAX_S + 1;
    if (device.codeShown && device.hasCountdown) seconds = 1;
    else if (device.codeShown && untilCountdown > 0) seconds = untilCountdown;
    else if (device.codeLifeS) seconds = device.codeLifeS;
  } else if (device.state === State.REFRESHING) {
    // From then on the display says that nobody is connected.
    seconds = device.accessLifeS || seconds;
  } else if (device.state === State.SIGNED_IN) {
    // During a request only the display changes: from then on it says that nobody is connected.
    seconds = device.inFlight ? device.accessLifeS || seconds : refreshInS(device);
  }
  if (hasSession(device)) {
    var warning = device.refreshLifeS - Limit.EXPIRY_WARNING_S + 1;
    if (warning > 0 && warning < seconds) seconds = warning;
  }
  if (seconds <= Limit.ELAPSED_S_MAX && seconds * 1000 - device.carryMs < wake) {
    wake = seconds * 1000 - device.carryMs;
  }
  return wake > 0 ? wake : 0;
}
