// Time as the core sees it: milliseconds that the host says have passed, counted down in small
// integers. Also the wait before the next request: interval, backoff, jitter, Retry-After.

import { quotient } from "./digits.ts";
import { Limit } from "./limits.ts";
import type { Device } from "./memory.ts";

function less(value: number, step: number): number {
  return value > step ? value - step : 0;
}

/** A lifetime in seconds as a server names it; unknown (-1) counts as endless. */
export function lifetime(seconds: number): number {
  return seconds < 0 || seconds > Limit.INTEGER_MAX ? Limit.INTEGER_MAX : seconds;
}

function countDown(life: number, seconds: number): number {
  return life === Limit.INTEGER_MAX ? life : less(life, seconds);
}

/** Lets `elapsedMs` pass on every clock. The wait stands still while a request is under way. */
export function advance(device: Device, elapsedMs: number): void {
  if (!(elapsedMs > 0)) return;
  if (elapsedMs > Limit.ELAPSED_MS_MAX - 1000) elapsedMs = Limit.ELAPSED_MS_MAX - 1000;
  if (device.inFlight) device.exchangeMs = less(device.exchangeMs, elapsedMs);
  else device.waitMs = less(device.waitMs, elapsedMs);
  device.jobMs = less(device.jobMs, elapsedMs);
  device.pageMs = less(device.pageMs, elapsedMs);
  var total = device.carryMs + elapsedMs;
  if (total < 1000) {
    device.carryMs = total;
    return;
  }
  var seconds = quotient(total, 1000);
  device.carryMs = total - seconds * 1000;
  device.codeLifeS = countDown(device.codeLifeS, seconds);
  device.accessLifeS = countDown(device.accessLifeS, seconds);
  device.refreshLifeS = countDown(device.refreshLifeS, seconds);
  device.uptimeS =
    device.uptimeS > Limit.INTEGER_MAX - seconds ? Limit.INTEGER_MAX : device.uptimeS + seconds;
}

/**
 * A number from 0 to `below` - 1, for jitter only. Two small generators are combined (Wichmann and
 * Hill's), since the products must stay below 2^27.
 */
export function jitter(device: Device, below: number): number {
  var high = device.random >> 13;
  var low = device.random & 8191;
  high = (high * 171 + 11) % 8179;
  low = (low * 172 + 7) % 8171;
  device.random = (high << 13) | low;
  if (below < 2) return 0;
  // 13 bits are enough for milliseconds up to 8 s; scaled beyond that.
  return below < 8192 ? (high + low) % below : (((high + low) & 8191) * (below >> 13)) % below;
}

/** Sets the wait that follows an answer which is no failure of the transport. */
export function waitInterval(device: Device, intervalMs: number): void {
  device.backoffMs = 0;
  device.waitMs = intervalMs;
  honourRetryAfter(device);
}

/**
 * Sets the wait after a failure that passes by itself: doubled each time up to the cap, half of it
 * random so that devices do not come back together, never below the interval (RFC 8628 §3.5).
 */
export function backOff(device: Device, intervalMs: number): void {
  var backoff = device.backoffMs * 2;
  if (backoff < Limit.BACKOFF_MIN_MS) backoff = Limit.BACKOFF_MIN_MS;
  if (backoff > Limit.BACKOFF_MAX_MS) backoff = Limit.BACKOFF_MAX_MS;
  device.backoffMs = backoff;
  backoff = (backoff >> 1) + jitter(device, backoff >> 1);
  device.waitMs = backoff < intervalMs ? intervalMs : backoff;
  honourRetryAfter(device);
}

function honourRetryAfter(device: Device): void {
  var seconds = device.retryAfterS;
  if (seconds > Limit.RETRY_AFTER_MAX_S) seconds = Limit.RETRY_AFTER_MAX_S;
  if (seconds * 1000 > device.waitMs) device.waitMs = seconds * 1000;
}

/** Minutes of the host's calendar now; 0 where the host has none. */
export function calendarMinutes(device: Device): number {
  return device.bootMinutes ? device.bootMinutes + quotient(device.uptimeS, 60) : 0;
}
