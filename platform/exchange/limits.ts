// The limits of an exchange, and the bounds of every value that a response passes to another API: platform/README.md
// lists them.

/** Milliseconds for a whole exchange, and for connecting; bytes of the response's head and body; and for a session's
 * `fetch`, which has no limit as a whole, how long nothing may come. */
export const EXCHANGE_LIMITS = {
  timeLimitMs: 30_000,
  connectLimitMs: 10_000,
  headLimitBytes: 65_536,
  sizeLimitBytes: 65_536,
  silenceLimitMs: 300_000,
} as const;

/** The longest time for which a connection stays open, whatever the server allows. */
export const IDLE_MAX_MS = 600_000;

/** RFC 9110 §15: a status above 599 counts as a server error. @returns 200 to 599; 0 if it is no final status */
export function finalStatus(status = 0): number {
  if (status < 200 || status > 999) return 0;
  return status > 599 ? 500 : status;
}

/**
 * How long a connection stays open: a second less than the server allows, because a request takes time to arrive.
 * Undefined if the server does not say.
 */
export function keepAliveMs(header: string | undefined): number | undefined {
  const [, seconds] = /^timeout=(\d+)/.exec(header ?? "") ?? [];
  if (seconds === undefined) return undefined;
  return Math.min(Math.max(0, Number(seconds) * 1000 - 1000), IDLE_MAX_MS);
}
