// Parses `Retry-After` for adapters whose HTTP client provides headers as text. Runs on every engine with regular
// expressions and Date.UTC.

/** Longest wait that is reported: the limit of the core's integers. */
const LONGEST_S = 134_217_727;

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
/** RFC 9110 §5.6.7: the current date format and the two obsolete ones. */
const IMF_FIXDATE = /^.{3}, (\d{2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const RFC_850 = /^[^,]{6,9}, (\d{2})-(\w{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const ASCTIME = /^.{3} (\w{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/;

/**
 * RFC 9110 §10.2.3.
 * @param value of the header; undefined if absent
 * @param date the `Date` header of the same response: the reference for a date, so that a device needs no clock
 * @param wallClockMs the reference without `Date`: milliseconds since 1970, or undefined
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

/** Milliseconds since 1970; undefined if the text is no HTTP date or before 1970. */
export function parseHttpDate(text: string): number | undefined {
  let match = IMF_FIXDATE.exec(text);
  if (match !== null) return utc(match[3], match[2], match[1], match[4], match[5], match[6]);
  match = RFC_850.exec(text);
  if (match !== null) {
    // Two-digit years: without a clock, the window 1970..2069 is closest to RFC 9110.
    const year = Number(match[3]) < 70 ? `20${match[3]}` : `19${match[3]}`;
    return utc(year, match[2], match[1], match[4], match[5], match[6]);
  }
  match = ASCTIME.exec(text);
  if (match !== null) return utc(match[6], match[1], match[2], match[3], match[4], match[5]);
  return undefined;
}

function utc(
  year: string | undefined,
  month: string | undefined,
  ...rest: (string | undefined)[]
): number | undefined {
  const at = MONTHS.indexOf(month ?? "?");
  const [day, hour, minute, second] = rest.map(Number);
  if (at < 0 || at % 3 !== 0 || Number(year) < 1970) return undefined;
  if (day! < 1 || day! > 31 || hour! > 23 || minute! > 59 || second! > 60) return undefined;
  return Date.UTC(Number(year), at / 3, day, hour, minute, second);
}
