// Malformed responses, with the reason that every host reports (platform/display/reasons.ts): the adapter for Node in
// its sentence, the C parser by its number.

import { type Reason, reasons } from "../platform/display/reasons.ts";

const NAMES = ["cutOff", "headTooLong", "notHttp", "tooLong", "unknownCoding"];
const [CUT_OFF, HEAD_TOO_LONG, NOT_HTTP, TOO_LONG, UNKNOWN_CODING] = NAMES.map(
  (name) => reasons.find((reason) => reason.name === name)!,
) as [Reason, Reason, Reason, Reason, Reason];

/** Body limit in these tests. */
export const BODY_MAX = 100;

export const head = (...lines: string[]): string =>
  [["HTTP/1.1 200 OK", ...lines].map((line) => `${line}\r\n`).join(""), "\r\n"].join("");

const CHUNKED = "Transfer-Encoding: chunked";

/** The connection ends after each of them. */
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
