// Time as the core sees it: milliseconds that the host says have passed, counted down in small
// integers. Also the wait before the next request: interval, backoff, jitter, Retry-After.

import { must } from "./assertion.ts";
import { countDown, quotient } from "./digits.ts";
import { agePage, redrawSeconds } from "./frame.ts";
import { Limit } from "./limits.ts";
import type { Device } from "./memory.ts";
import { State } from "./states.ts";

/** Everything that is counted down, and what the next wait is made of. */
export interface Clock {
  /** Milliseconds until what is due is done (the next request). A call does not wait for it. */
  waitMs: number;
  /** Milliseconds between two polls: what the server asks for. */
  intervalMs: number;
  /** The last backoff in milliseconds. */
  backoffMs: number;
  /** The first request after a start, or for another code, waits for less than so many milliseconds: see Config. */
  startSpreadMs: number;
  /** State of the jitter. */
  random: number;
  /** Milliseconds that the request or VERIFY may still take. */
  exchangeMs: number;
  /** Milliseconds that have passed of the second that the lifetimes below count next. */
  carryMs: number;
  /** Seconds that the code lives on; 100000000: unknown; -1: no number came, so that there is no code. */
  codeLifetimeS: number;
  /** Seconds that the access token lives on; 0: it has to be refreshed before it is used; 100000000: unknown. */
  accessLifetimeS: number;
  /** Seconds that the refresh token lives on; 100000000: unknown. */
  refreshLifetimeS: number;
  /** Seconds for which refusals of a refresh are still borne (grant/refusal.ts); 100000000: there was none. */
  refusalsLeftS: number;
  /** Seconds ahead of the end at which the access token is refreshed. */
  refreshMarginS: number;
  /** Seconds for which the access token is not refreshed unless somebody wants to use it. */
  refreshRestS: number;
}

export function makeClock(device: Clock, seed: number, startSpreadMs: number): void {
  device.waitMs = 0;
  device.intervalMs = Limit.INTERVAL_DEFAULT_MS;
  device.backoffMs = 0;
  device.startSpreadMs = startSpreadMs;
  device.random = seed % 32749;
  device.exchangeMs = 0;
  device.carryMs = 0;
  device.codeLifetimeS = 0;
  device.accessLifetimeS = Limit.ENDLESS;
  device.refreshLifetimeS = Limit.ENDLESS;
  device.refusalsLeftS = Limit.ENDLESS;
  device.refreshMarginS = 0;
  device.refreshRestS = 0;
}

/** Lets `elapsedMs` pass on every clock. The wait stands still while a request is under way. */
export function advance(device: Device & Clock, elapsedMs: number): void {
  // NaN fails this test, too.
  if (!(elapsedMs > 0)) return;
  if (elapsedMs > Limit.ELAPSED_MS_MAX) elapsedMs = Limit.ELAPSED_MS_MAX;
  if (!device.inFlight) device.waitMs = countDown(device.waitMs, elapsedMs);
  device.exchangeMs = countDown(device.exchangeMs, elapsedMs);
  agePage(device, elapsedMs);
  elapsedMs += device.carryMs;
  var seconds = quotient(elapsedMs, 1000);
  device.carryMs = elapsedMs - seconds * 1000;
  device.codeLifetimeS = countDown(device.codeLifetimeS, seconds);
  if (seconds) redrawSeconds(device);
  device.accessLifetimeS = countDown(device.accessLifetimeS, seconds);
  device.refreshLifetimeS = countDown(device.refreshLifetimeS, seconds);
  device.refusalsLeftS = countDown(device.refusalsLeftS, seconds);
  device.refreshRestS = countDown(device.refreshRestS, seconds);
}

/** A number from 0 to `below` - 1, about evenly; for jitter only. Beyond 65535 it comes in steps of 64. */
export function jitter(device: Device & Clock, below: number): number {
  var steps = below > 65535 ? below >> 6 : below;
  ASSERT: must(steps >= 0 && steps <= 65535, "jitter has 16 bits");
  // A small congruential generator: its products stay below 2^27.
  device.random = (device.random * 171 + 11213) % 32749;
  // The 15 bits of the number times the steps, in two parts: at once the product would pass 2^27.
  var step = ((device.random * (steps >> 6)) >> 9) + ((device.random * (steps & 63)) >> 15);
  return steps < below ? step << 6 : step;
}

/** A wait within the spread of devices that start together; shorter where a person waits for a code. */
export function spread(device: Device & Clock, isForCode: boolean): number {
  var most = device.startSpreadMs;
  return jitter(
    device,
    isForCode && most > Limit.CODE_SPREAD_MAX_MS ? Limit.CODE_SPREAD_MAX_MS : most,
  );
}

/** Sets the wait before the next request, whatever the server has asked for. */
export function waitFor(device: Device & Clock, ms: number): void {
  ASSERT: must(ms >= 0 && ms <= Limit.ENDLESS, "a wait is a time");
  device.waitMs = ms;
}

/** Sets the wait before the next request: at least what a Retry-After asked for. */
export function waitAtLeast(device: Device, ms: number): void {
  var requested = device.retryAfterS * 1000;
  waitFor(device, requested > ms ? requested : ms);
}

/**
 * Sets the wait after a failure: doubled each time up to `mostMs`, half of it random so that devices do not
 * come back together; a poll never before its interval (RFC 8628 §3.5).
 */
export function backOff(device: Device & Clock, mostMs: number): void {
  device.backoffMs = device.backoffMs ? device.backoffMs * 2 : Limit.BACKOFF_MIN_MS;
  if (device.backoffMs > mostMs) device.backoffMs = mostMs;
  var backoff = device.backoffMs >> 1;
  backoff += jitter(device, backoff);
  waitAtLeast(
    device,
    device.state === State.PENDING && backoff < device.intervalMs ? device.intervalMs : backoff,
  );
}

/** Sets for how long refusals of a refresh are borne from now on; ENDLESS: there was none. */
export function bearRefusals(device: Device & Clock, seconds: number): void {
  device.refusalsLeftS = seconds;
}

/** The failures are over: the next one waits the shortest time. */
export function resetBackoff(device: Device & Clock): void {
  device.backoffMs = 0;
}

/** Sets the time between two polls. */
export function setInterval(device: Device & Clock, ms: number): void {
  ASSERT: must(ms >= Limit.INTERVAL_MIN_MS && ms <= Limit.ENDLESS, "no poll comes before a second");
  device.intervalMs = ms;
}

/**
 * The code is polled at this interval. Where it is too long to be waited for, the code ends before a poll that
 * would be too early (RFC 8628 §3.5).
 */
export function pollEvery(device: Device, ms: number): void {
  setInterval(device, ms);
  if (ms > Limit.INTERVAL_MAX_MS) {
    setInterval(device, Limit.INTERVAL_MAX_MS);
    if (device.codeLifetimeS > Limit.UNPOLLED_LIFETIME_S)
      setCodeLifetime(device, Limit.UNPOLLED_LIFETIME_S);
  }
}

/** The code lives for `seconds` from now on. */
export function setCodeLifetime(device: Device & Clock, seconds: number): void {
  device.codeLifetimeS = seconds;
}

/** The access token lives for `seconds` from now on; 0: it is not used before it has been refreshed. */
export function setAccessLifetime(device: Device & Clock, seconds: number): void {
  ASSERT: must(seconds >= 0 && seconds <= Limit.ENDLESS, "an access token lives for a time");
  device.accessLifetimeS = seconds;
}

/** The access token is refreshed `seconds` ahead of its end. */
export function setRefreshMargin(device: Device & Clock, seconds: number): void {
  device.refreshMarginS = seconds;
}

/** For `seconds` the access token is not refreshed unless somebody wants to use it; 0: it is as soon as it has to be. */
export function restRefreshes(device: Device & Clock, seconds: number): void {
  device.refreshRestS = seconds;
}

/** The refresh token lives for `seconds` from now on. */
export function setRefreshLifetime(device: Device & Clock, seconds: number): void {
  ASSERT: must(seconds >= 0 && seconds <= Limit.ENDLESS, "a refresh token lives for a time");
  device.refreshLifetimeS = seconds;
}

/** The request or the VERIFY that begins now has so much time. */
export function limitExchange(device: Device & Clock): void {
  device.exchangeMs = Limit.EXCHANGE_MS_MAX;
}
