// Lists malformed responses, with the reason that every host reports (platform/display/reasons.ts): the adapter for Node
// as text, the C parser as a number.

import { type Reason, reasons } from "../platform/display/reasons.ts";

const NAMES = ["cutOff", "headTooLong", "notHttp", "tooLong", "unknownCoding"];
const [CUT_OFF, HEAD_TOO_LONG, NOT_HTTP, TOO_LONG, UNKNOWN_CODING] = NAMES.map(
  (name) => reasons.find((reason) => reason.name === name)!,
) as [Reason, Reason, Reason, Reason, Reason];

export const BODY_MAX = 100;

export const head = (...lines: string[]): string =>
  [["HTTP/1.1 200 OK", ...lines].map((line) => `${line}\r\n`).join(""), "\r\n"].join("");

const CHUNKED = "Transfer-Encoding: chunked";

/** The rows. After each of these responses, the server closes the connection. */
export const REFUSED: readonly (readonly [what: string, bytes: string, reason: Reason])[] = [
  ["§6.3 two lengths", head("Content-Length: 2", "Content-Length: 3"), NOT_HTTP],
  ["§6.3 a length and chunks", head("Content-Length: 2", CHUNKED), NOT_HTTP],
  ["a length that is not a number", head("Content-Length: +2"), NOT_HTTP],
  ["§5.1 a space before the colon", head("Content-Length : 2"), NOT_HTTP],
  ["a header without a colon", head("Content-Length"), NOT_HTTP],
  ["§2.2 a CR inside a line", head("X: a\rb"), NOT_HTTP],
  ["a NUL", head("X: a\0b"), NOT_HTTP],
  ["§7.1 a chunk without a size", `${head(CHUNKED)}\r\n`, NOT_HTTP],
  ["§7.1 a chunk size that is not a number", `${head(CHUNKED)}-1\r\n`, NOT_HTTP],
  ["bytes between chunks", `${head(CHUNKED)}1\r\na!\r\n`, NOT_HTTP],
  ["RFC 9110 §15.2.2 another protocol", "HTTP/1.1 101 Switching\r\n\r\n", NOT_HTTP],
  ["no HTTP", "SSH-2.0-OpenSSH\r\n", NOT_HTTP],
  ["another version of it", "HTTP/2 200\r\n\r\n", NOT_HTTP],
  ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", NOT_HTTP],
  ["§6.1 another coding", head("Transfer-Encoding: gzip, chunked"), UNKNOWN_CODING],
  ["another coding alone", `${head("Transfer-Encoding: gzip")}a`, UNKNOWN_CODING],
  ["a length beyond the limit", head(`Content-Length: ${BODY_MAX + 1}`), TOO_LONG],
  ["a length beyond most integers", head("Content-Length: 999999999999999"), TOO_LONG],
  ["a head without an end", head().slice(0, -2) + "X: y\r\n".repeat(40_000), HEAD_TOO_LONG],
  ["no response at all", "", CUT_OFF],
  ["half a status line", "HTTP/1.1 20", CUT_OFF],
  ["half a head", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", CUT_OFF],
  ["only an interim response", "HTTP/1.1 100 Continue\r\n\r\n", CUT_OFF],
  ["half a body", `${head("Content-Length: 2")}a`, CUT_OFF],
  ["half a chunk", `${head(CHUNKED)}2\r\na`, CUT_OFF],
  ["chunks without the last one", `${head(CHUNKED)}1\r\na\r\n`, CUT_OFF],
];

const NOON = "Tue, 15 Nov 1994 12:00:00 GMT";
/** The host's time, nine seconds before BY_CLOCK. */
const CLOCK_S = Date.UTC(2026, 0, 1) / 1000;
const BY_CLOCK = "Thu, 01 Jan 2026 00:00:09 GMT";

/** RFC 9110 §10.2.3 on every host: `Retry-After`, `Date` ("": none), the host's clock (0: none), expected seconds. */
export const RETRY_AFTER: readonly (readonly [
  ...[what: string, value: string, date: string, clockS: number, seconds: number],
])[] = [
  ["seconds", "12", "", 0, 12],
  ["seconds beside a Date that is none", "12", "nonsense", 0, 12],
  ["seconds beyond what the core holds", "999999999999", "", 0, 134_217_727],
  ["seconds with a fraction", "1.5", "", CLOCK_S, -1],
  ["seconds in hexadecimal", "0x10", "", CLOCK_S, -1],
  ["a date", "Tue, 15 Nov 1994 12:01:00 GMT", NOON, CLOCK_S, 60],
  ["§5.6.7 a date of RFC 850", "Tuesday, 15-Nov-94 13:00:00 GMT", NOON, 0, 3600],
  ["§5.6.7 a date of asctime", "Wed Nov 16 12:00:00 1994", NOON, 0, 86_400],
  [
    "a date across a leap day",
    ...(["Fri, 01 Mar 2024 00:00:00 GMT", "Wed, 28 Feb 2024 00:00:00 GMT", 0, 172_800] as const),
  ],
  ["a date that has passed", "Tue, 15 Nov 1994 11:00:00 GMT", NOON, 0, 0],
  ["a date without Date, by the clock", BY_CLOCK, "", CLOCK_S, 9],
  ["a date without Date or clock", BY_CLOCK, "", 0, -1],
  ["a date with a Date that is none", BY_CLOCK, "nonsense", 0, -1],
  ["the own Date", BY_CLOCK, "Thu, 01 Jan 1970 00:00:00 GMT", CLOCK_S, 134_217_727],
  ["a date before 1970", "Sun, 31 Dec 1950 23:59:59 GMT", NOON, 0, -1],
  ["no date", "soon", NOON, 0, -1],
  ["a day that is none", "Sun, 32 Nov 1994 12:01:00 GMT", NOON, 0, -1],
  ["a month that is none", "Tue, 15 Nox 1994 12:01:00 GMT", NOON, 0, -1],
  ["an hour that is none", "Tue, 15 Nov 1994 25:01:00 GMT", NOON, 0, -1],
];
