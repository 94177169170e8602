// The core's clocks. The host reports elapsed milliseconds, and the core counts its waits and lifetimes down. This file
// also determines the wait before the next request, from interval, backoff, jitter and Retry-After.

import { must } from "./assertion.ts";
import { countDown, quotient } from "./digits.ts";
import { agePage, redrawSeconds } from "./frame.ts";
import { Limit } from "./limits.ts";
import type { Device } from "./memory.ts";
import { State } from "./states.ts";

/** All countdowns, and the values from which the next wait is computed. */
export interface Clock {
  /** Milliseconds until the grant's next request or the next retry of a storage operation. API calls do not wait. */
  waitMs: number;
  /** Milliseconds between two polls. */
  intervalMs: number;
  /** The last backoff in milliseconds, which the next failure doubles; 0: the next backoff is the shortest one. */
  backoffMs: number;
  /** Maximum milliseconds of the random wait before the first request after a start, and before a code is renewed. */
  startSpreadMs: number;
  /** State of the random generator for jitter. */
  random: number;
  /** Milliseconds until the current request or VERIFY times out. */
  exchangeMs: number;
  /** Elapsed milliseconds that are not a whole second yet. Lifetimes are counted in whole seconds. */
  carryMs: number;
  /** Seconds until the code expires; 100000000: over three years; -1: `expires_in` is invalid, so there is no code. */
  codeLifetimeS: number;
  /** Seconds until the access token expires; 0: it must be refreshed before it is used; 100000000: unknown. */
  accessLifetimeS: number;
  /** Seconds until the refresh token expires; 100000000: unknown. */
  refreshLifetimeS: number;
  /** Seconds for which rejected refreshes do not end the session; 100000000: a day from the next rejection on. */
  refusalsLeftS: number;
  /** The access token is refreshed this many seconds before its expiry. */
  refreshMarginS: number;
  /** Seconds during which no refresh is due, unless a call or the application needs the access token. */
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

/** Advances every clock by `elapsedMs`. While a request is in flight, `waitMs` does not advance. */
export function advance(device: Device & Clock, elapsedMs: number): void {
  // The comparison is also false for NaN.
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

/**
 * Returns a roughly uniform random number below `below`, or 0 if `below` is 0. If `below` exceeds 65535, the number is
 * a multiple of 64.
 */
export function jitter(device: Device & Clock, below: number): number {
  var steps = below > 65535 ? below >> 6 : below;
  ASSERT: must(steps >= 0 && steps <= 65535, "jitter has 16 bits");
  // A small congruential generator, whose products stay below 2^27.
  device.random = (device.random * 171 + 11213) % 32749;
  // The random number has 15 bits. Multiply it by `steps` in two parts, because the whole product could exceed 2^27.
  var step = ((device.random * (steps >> 6)) >> 9) + ((device.random * (steps & 63)) >> 15);
  return steps < below ? step << 6 : step;
}

/** A random wait, so that devices do not send at the same time; at most a minute if a user waits for a code. */
export function spread(device: Device & Clock, isForCode: boolean): number {
  var most = device.startSpreadMs;
  return jitter(
    device,
    isForCode && most > Limit.CODE_SPREAD_MAX_MS ? Limit.CODE_SPREAD_MAX_MS : most,
  );
}

/** Sets `waitMs`, the wait before the next request or storage retry, ignoring Retry-After. */
export function waitFor(device: Device & Clock, ms: number): void {
  ASSERT: must(ms >= 0 && ms <= Limit.ENDLESS, "a wait is a time");
  device.waitMs = ms;
}

/** Sets the wait before the next request to `ms`, or to Retry-After if that is longer. */
export function waitAtLeast(device: Device, ms: number): void {
  var requested = device.retryAfterS * 1000;
  waitFor(device, requested > ms ? requested : ms);
}

/**
 * Sets the wait after a failure: half of the backoff, plus a random part of the other half, so that devices do not
 * retry together. Each failure doubles the backoff, up to `mostMs`. A poll waits at least for the polling interval (RFC
 * 8628 §3.5). The wait is also at least Retry-After.
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

/** Sets for how many seconds rejected refreshes do not end the session; ENDLESS: a day from the next rejection on. */
export function tolerateRefusals(device: Device & Clock, seconds: number): void {
  device.refusalsLeftS = seconds;
}

export function resetBackoff(device: Device & Clock): void {
  device.backoffMs = 0;
}

export function setInterval(device: Device & Clock, ms: number): void {
  ASSERT: must(ms >= Limit.INTERVAL_MIN_MS && ms <= Limit.ENDLESS, "no poll comes before a second");
  device.intervalMs = ms;
}

/**
 * Sets the polling interval, at most INTERVAL_MAX_MS. If the server requires a longer one, a poll after INTERVAL_MAX_MS
 * would be too early (RFC 8628 §3.5). So the code then gets a shorter lifetime, and expires before that poll.
 */
export function pollEvery(device: Device, ms: number): void {
  setInterval(device, ms);
  if (ms > Limit.INTERVAL_MAX_MS) {
    setInterval(device, Limit.INTERVAL_MAX_MS);
    if (device.codeLifetimeS > Limit.UNPOLLED_LIFETIME_S)
      setCodeLifetime(device, Limit.UNPOLLED_LIFETIME_S);
  }
}

export function setCodeLifetime(device: Device & Clock, seconds: number): void {
  device.codeLifetimeS = seconds;
}

export function setAccessLifetime(device: Device & Clock, seconds: number): void {
  ASSERT: must(seconds >= 0 && seconds <= Limit.ENDLESS, "an access token lives for a time");
  device.accessLifetimeS = seconds;
}

export function setRefreshMargin(device: Device & Clock, seconds: number): void {
  device.refreshMarginS = seconds;
}

/** Sets `refreshRestS`; 0: a refresh is due `refreshMarginS` seconds before the access token expires. */
export function restRefreshes(device: Device & Clock, seconds: number): void {
  device.refreshRestS = seconds;
}

export function setRefreshLifetime(device: Device & Clock, seconds: number): void {
  ASSERT: must(seconds >= 0 && seconds <= Limit.ENDLESS, "a refresh token lives for a time");
  device.refreshLifetimeS = seconds;
}

export function limitExchange(device: Device & Clock): void {
  device.exchangeMs = Limit.EXCHANGE_MS_MAX;
}
