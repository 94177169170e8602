// An answer in a few words: what its body says is wrong, else what its status is called.
import { clean, reasonOf } from "./mask.ts";

/** Names of the statuses that a device meets (RFC 9110 §15, RFC 6585). */
const PHRASES: Readonly<Record<number, string>> = {
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  428: "Precondition Required",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
const LENGTH_MAX = 40;

/**
 * "OK" for a status of success with a body that can be read, and for nothing else.
 * @param body as text
 */
export function wordsOf(status: number, body: string): string {
  const isGood = status >= 200 && status < 300;
  const phrase = isGood ? "OK" : (PHRASES[status] ?? "not a success");
  if (body === "") return phrase;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return isGood ? "not JSON" : `${phrase}, not JSON`;
  }
  return errorIn(value) || phrase;
}

/** RFC 6749 §5.2, the documents' `error_code`, and the error object of a resource API. */
function errorIn(answer: unknown): string {
  if (typeof answer !== "object" || answer === null) return "";
  const { error, error_code: code } = answer as { error?: unknown; error_code?: unknown };
  const name = typeof error === "object" && error !== null ? named(error) : (error ?? code);
  return typeof name === "string" ? clean(name).slice(0, LENGTH_MAX) : "";
}

function named(error: object): string {
  const { status } = error as { status?: unknown };
  return reasonOf(error) || (typeof status === "string" ? status : "");
}
