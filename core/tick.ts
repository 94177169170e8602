// The heart: lets time pass and says what the host is to do next. A host calls tick until it answers
// NONE, then sleeps for at most wakeIn or until something happens.

import { advance } from "./clock.ts";
import { Command } from "./command.ts";
import { renewCode } from "./device-authorization.ts";
import { checkErrand } from "./errand.ts";
import { checkExchange, duePurpose, nextRequest, Purpose } from "./exchange.ts";
import { Limit } from "./limits.ts";
import { type Device, holds, Region } from "./memory.ts";
import { Job, nextStorageCommand } from "./record-keeping.ts";
import { checkAccess } from "./refresh.ts";
import { State } from "./states.ts";
import { drawFrame } from "./verification-prompt.ts";

function checkTime(device: Device): void {
  checkExchange(device);
  if (device.state === State.PENDING && device.codeLifeS === 0) {
    // The answer under way may still bring the tokens; the code is shown no longer.
    if (device.inFlight) {
      if (device.codeShown) device.frameDue = 1;
      device.codeShown = 0;
    } else renewCode(device);
  }
  if (device.state === State.SIGNED_IN && !device.inFlight) checkAccess(device);
  checkErrand(device);
}

/**
 * Lets time pass and returns the next command.
 * @param elapsedMs milliseconds since the last call, 0..134217727; longer sleeps count as that.
 *   Several calls in a row pass 0 from the second on.
 * @returns a Command; its data (see inspect) is valid until the next call of the core
 */
export function tick(device: Device, elapsedMs: number): Command {
  var before = device.codeLifeS;
  advance(device, elapsedMs);
  checkTime(device);
  if (device.codeShown && before !== device.codeLifeS) device.frameDue = 1;
  if (device.abortDue) {
    device.abortDue = 0;
    return Command.ABORT;
  }
  var command = nextStorageCommand(device);
  if (command !== Command.NONE) return command;
  if (device.verifyDue) {
    device.verifyDue = 0;
    return Command.VERIFY;
  }
  if (drawFrame(device)) return Command.SHOW;
  return nextRequest(device);
}

function earlier(a: number, b: number): number {
  return a < b ? a : b;
}

/** Milliseconds until a clock that has `seconds` left has run down. */
function untilSeconds(device: Device, seconds: number): number {
  return seconds > 134000 ? Limit.ELAPSED_MS_MAX : seconds * 1000 - device.carryMs;
}

/**
 * Milliseconds until the next tick is of use, 0..134217727. The host may sleep as long, and tick
 * earlier without harm.
 */
export function wakeIn(device: Device): number {
  var wake = Limit.ELAPSED_MS_MAX as number;
  if (device.abortDue || device.frameDue || device.verifyDue) return 0;
  if (device.job !== Job.NONE && !device.jobActive) wake = device.jobMs;
  if (device.pages > 1) wake = earlier(wake, device.pageMs);
  if (device.inFlight) wake = earlier(wake, device.exchangeMs);
  else if (duePurpose(device) === Purpose.ERRAND) wake = 0;
  else if (duePurpose(device) !== Purpose.NONE) wake = earlier(wake, device.waitMs);
  if (device.state === State.PENDING) {
    // The countdown on the display.
    wake = earlier(
      wake,
      device.codeShown && !device.codeResumed
        ? 1000 - device.carryMs
        : untilSeconds(device, device.codeLifeS),
    );
  }
  if (device.state === State.SIGNED_IN && !device.inFlight) {
    var due = holds(device, Region.PRESENT_REFRESH_TOKEN)
      ? device.accessLifeS - device.refreshMarginS
      : device.accessLifeS;
    wake = earlier(wake, untilSeconds(device, due < 0 ? 0 : due));
  }
  return wake < 0 ? 0 : wake;
}
