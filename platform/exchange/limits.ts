// The limits of an exchange, and functions that bound a response's values before these are passed to another API.
// platform/README.md lists all such values.

/** Milliseconds for a whole exchange and for connecting, and bytes of a response's head and body. A session's `fetch` has no
 * limit for the whole exchange. Instead, `silenceLimitMs` limits the time in which no data arrives. */
export const EXCHANGE_LIMITS = {
  timeLimitMs: 30_000,
  connectLimitMs: 10_000,
  headLimitBytes: 65_536,
  sizeLimitBytes: 65_536,
  silenceLimitMs: 300_000,
} as const;

/** The longest time that an idle connection stays open, even if the server allows more. */
export const IDLE_MAX_MS = 600_000;

/** Returns 200 to 599 unchanged, 500 for 600 to 999 (RFC 9110 §15), and 0 for an interim or invalid status. */
export function finalStatus(status = 0): number {
  if (status < 200 || status > 999) return 0;
  return status > 599 ? 500 : status;
}

/**
 * Returns how long an idle connection stays open: a second less than the server allows, because the next request needs
 * time to arrive, and at most IDLE_MAX_MS. Returns undefined if the server does not state a time.
 */
export function keepAliveMs(header: string | undefined): number | undefined {
  const [, seconds] = /^timeout=(\d+)/.exec(header ?? "") ?? [];
  if (seconds === undefined) return undefined;
  return Math.min(Math.max(0, Number(seconds) * 1000 - 1000), IDLE_MAX_MS);
}

// Reasons for which an adapter rejects a response, in messages to developers. Displays have other texts (reasons.ts).

export const NOT_HTTP = "the server does not speak HTTP/1.1";
export const TOO_LONG = "the response is longer than the limit of this device";
export const CUT_OFF = "the connection ended before the response was complete";
export const UNKNOWN_CODING = "the response has a coding that was not requested";
export const HEAD_TOO_LONG = "the head of the response is longer than 64 KiB";

// The functions below parse dates and `Retry-After` for adapters. They need only regular expressions and Date.UTC.

/** The longest wait that is reported: the largest integer of the core. */
const LONGEST_S = 134_217_727;

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
/** The date formats of RFC 9110 §5.6.7: the current one, the one of RFC 850 with two-digit years, and asctime's. */
const HTTP_DATE = /^\w+, ([ \d]\d)[ -](\w{3})[ -](\d\d|\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;
const ASCTIME = /^(\w+) (\w{3}) ([ \d]\d) ([\d:]{8}) (\d{4})$/;

/**
 * Parses `Retry-After` (RFC 9110 §10.2.3).
 * @param date the `Date` header of the same response. A date counts from it, so a device needs no clock
 * @param wallClockMs used if `Date` is absent or invalid: milliseconds since 1970, or undefined
 * @returns seconds 0..134217727, clamped; -1 if absent or invalid
 */
export function retryAfterSeconds(
  value: string | undefined,
  date: string | undefined,
  wallClockMs: number | undefined,
): number {
  if (value === undefined) return -1;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), LONGEST_S);
  const until = parseHttpDate(text);
  const from = date === undefined ? undefined : parseHttpDate(date.trim());
  const fromMs = from ?? wallClockMs;
  if (until === undefined || fromMs === undefined) return -1;
  return Math.min(Math.max(0, Math.ceil((until - fromMs) / 1000)), LONGEST_S);
}

/** Returns milliseconds since 1970; undefined if the text is not an HTTP date or is before 1970. */
export function parseHttpDate(text: string): number | undefined {
  const match = HTTP_DATE.exec(text.replace(ASCTIME, "$1, $3 $2 $5 $4 GMT"));
  if (match === null) return undefined;
  const [day, , digits, hour, minute, second] = match.slice(1).map(Number);
  const month = MONTHS.indexOf(match[2]!) / 3;
  // Two digits stand for a year in 1970..2069. Without a clock, this is closest to the rule of RFC 9110.
  const century = match[3]!.length > 2 ? 0 : digits! < 70 ? 2000 : 1900;
  const year = digits! + century;
  if (!Number.isInteger(month) || year < 1970) return undefined;
  if (day! < 1 || day! > 31 || hour! > 23 || minute! > 59 || second! > 60) return undefined;
  return Date.UTC(year, month, day, hour, minute, second);
}
