// Time as the core sees it: milliseconds that the host says have passed, counted down in small
// integers. Also the wait before the next request: interval, backoff, jitter, Retry-After.

import { quotient } from "./digits.ts";
import { Limit } from "./limits.ts";
import type { Device } from "./memory.ts";
import { State } from "./states.ts";

/** `value` less `step`, not below zero; an unknown lifetime stays unknown. */
function countDown(value: number, step: number): number {
  if (value === Limit.ENDLESS) return value;
  return value > step ? value - step : 0;
}

/** Lets `elapsedMs` pass on every clock. The wait stands still while a request is under way. */
export function advance(device: Device, elapsedMs: number): void {
  // NaN fails this test, too.
  if (!(elapsedMs > 0)) return;
  if (elapsedMs > Limit.ELAPSED_MS_MAX) elapsedMs = Limit.ELAPSED_MS_MAX;
  if (!device.inFlight) device.waitMs = countDown(device.waitMs, elapsedMs);
  device.exchangeMs = countDown(device.exchangeMs, elapsedMs);
  device.pageMs = countDown(device.pageMs, elapsedMs);
  elapsedMs += device.carryMs;
  var seconds = quotient(elapsedMs, 1000);
  device.carryMs = elapsedMs - seconds * 1000;
  device.codeLifeS = countDown(device.codeLifeS, seconds);
  // The countdown, and warnings whose time has come.
  if (seconds) device.frameDue = 1;
  device.accessLifeS = countDown(device.accessLifeS, seconds);
  device.refreshLifeS = countDown(device.refreshLifeS, seconds);
}

/** A number from 0 to `below` - 1, about evenly; for jitter only. `below` is at most 65535. */
export function jitter(device: Device, below: number): number {
  // A small congruential generator: its products stay below 2^27.
  device.random = (device.random * 171 + 11213) % 32749;
  // The 15 bits of the number times below, in two parts: at once the product would pass 2^27.
  return ((device.random * (below >> 6)) >> 9) + ((device.random * (below & 63)) >> 15);
}

/** Sets the wait before the next request: at least what a Retry-After asked for. */
export function waitAtLeast(device: Device, ms: number): void {
  var asked: number =
    device.retryAfterS > Limit.RETRY_AFTER_MAX_S
      ? Limit.RETRY_AFTER_MAX_MS
      : device.retryAfterS * 1000;
  device.waitMs = asked > ms ? asked : ms;
}

/**
 * Sets the wait after a failure that passes by itself: doubled each time up to the cap, half of it
 * random so that devices do not come back together; a poll never before its interval (RFC 8628 §3.5).
 */
export function backOff(device: Device): void {
  if (!device.backoffMs) device.backoffMs = Limit.BACKOFF_MIN_MS;
  else if (device.backoffMs < Limit.BACKOFF_MAX_MS) device.backoffMs *= 2;
  var backoff = device.backoffMs >> 1;
  backoff += jitter(device, backoff);
  waitAtLeast(
    device,
    device.state === State.PENDING && backoff < device.intervalMs ? device.intervalMs : backoff,
  );
}
