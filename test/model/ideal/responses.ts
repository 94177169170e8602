// Classifies a response by its body, and then by its status.

import { Message } from "../../../core/device/errors.ts";
import { ErrorCode, Field, Outcome } from "../../../core/index.ts";
import { ERROR_ROWS, type ErrorRow } from "../../error-rows.ts";
import {
  type Document,
  type Member,
  membersOf,
  membersWithin,
  readResponse,
  textOf,
} from "./json.ts";

/** The part of a response that has arrived. */
export interface Arrival {
  status: number;
  retryAfterS: number;
  body: string;
  challenge?: string;
}

export const ENDLESS_S = 100_000_000;
const BODY_MAX = 65_536;

const ALIASES: Readonly<Record<string, string>> = {
  verification_url: "verification_uri",
  error_code: "error",
};

export interface Reading {
  document: Document;
  errors: Errors;
  members: Map<string, string | undefined>;
}

export function readingOf(arrival: Arrival): Reading {
  const document = readResponse(arrival.body);
  const members = membersOf(document, ALIASES);
  const { root } = document;
  const named = root?.kind === "object" ? root.members : [];
  const errors = errorsOf(named.filter(({ name }) => (ALIASES[name] ?? name) === "error"));
  // Error names of the grant are case-insensitive. The error names of APIs are case-sensitive (refusalOf).
  errors.name = errors.name?.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (members.has("error")) members.set("error", errors.name);
  return { document, members, errors };
}

interface Errors {
  name: string | undefined;
  isNumbered: boolean;
}

/**
 * Some servers send a number beside or instead of the error name. A text whose first character is at most "9" counts as
 * a number.
 */
const isName = (text: string | undefined): boolean => !!text && text.charCodeAt(0) > 57;

function errorsOf(members: readonly Member[]): Errors {
  const texts = members.map(({ value }) => textOf(value));
  const at = texts.findIndex(isName);
  const before = texts.slice(0, at < 0 ? -1 : at);
  const isNumbered = before.some((text) => !!text && !isName(text) && !text.startsWith("0"));
  return { name: at < 0 ? texts.at(-1) : texts[at], isNumbered };
}

/** RFC 9110 §15.5: these statuses mean that the method, type or length is wrong. The same request would fail again. */
const WRONG_REQUEST: ReadonlySet<number> = new Set([405, 406, 411, 413, 414, 415]);
/** RFC 9110 §15.5.9, RFC 8470 §5.2: these statuses ask for the same request again. */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 425]);

/** Whether the response is a redirect, a refusal without an error name, or JSON without the required members. */
export const isUnusable = (
  error: number,
  { status }: Arrival,
  { isComplete }: Document,
): boolean =>
  error === ErrorCode.MALFORMED_RESPONSE
    ? isComplete
    : error === ErrorCode.UNAVAILABLE && /^[34]/.test(`${status}`) && !RETRIED_STATUSES.has(status);

/** The error of a response (RFC 6749 §5.2), or NONE for a success. */
export function errorOf(
  arrival: Arrival,
  isJson: boolean,
  { name, isNumbered }: Errors,
  isEmpty: boolean,
): number {
  const { status } = arrival;
  // Some servers send 0 or "" if there is no error.
  if (isJson && (isNumbered || (name && !/^0+(?:\.[\d.]*)?$/.test(name)))) {
    const error = errorNamed(name ?? "");
    // A 5xx with an unknown error name counts as unavailable. A 429 is temporary, so the developer need not fix it.
    const isBlamed = error !== ErrorCode.UNKNOWN_ERROR || status < 500;
    if (status === 429 ? !isManufacturers(error) : isBlamed) return error;
  }
  if (status === 429) return ErrorCode.RATE_LIMIT_EXCEEDED;
  if (WRONG_REQUEST.has(status)) return ErrorCode.REQUEST_REFUSED;
  if (status < 200 || status > 299) return ErrorCode.UNAVAILABLE;
  return isJson || isEmpty ? ErrorCode.NONE : ErrorCode.MALFORMED_RESPONSE;
}

/** Whether the response is a complete document that does not exceed the maximum length. */
export const isReadable = ({ body }: Arrival, { document }: Reading): boolean =>
  document.isComplete && body.length <= BODY_MAX;

/** Reads whole seconds. @returns `otherwise` if the text is not a number */
export function secondsOf(text: string | undefined, otherwise: number): number {
  if (!text || !/^[\d.]+$/.test(text)) return otherwise;
  return Math.min(ENDLESS_S, Math.floor(Number(/^\d*/.exec(text)![0])));
}

/** The poll interval in milliseconds. A fraction of a second is rounded up. */
export function intervalMsOf(text: string | undefined): number {
  const seconds = secondsOf(text, 5);
  const hasFraction = text !== undefined && /^\d*\.[\d.]*[1-9]/.test(text);
  return Math.max(1000, (seconds + (hasFraction && /^[\d.]+$/.test(text) ? 1 : 0)) * 1000);
}

/** Whether the text is printable ASCII without spaces, and not empty. */
export const isVisible = (text: string | undefined): text is string =>
  text !== undefined && /^[\x21-\x7e]+$/.test(text);

/** The error, message and reason of an API's response, at most four levels deep. The outermost object is level 1. */
export interface Refusal {
  errors: Errors;
  message: string | undefined;
  reason: string | undefined;
}

export function refusalOf(document: Document): Refusal {
  const members = membersWithin(document, 4);
  const textOfLast = (required: string): string | undefined =>
    textOf(members.findLast(({ name }) => name === required)?.value);
  return {
    errors: errorsOf(members.filter(({ name }) => name === "error" || name === "status")),
    message: textOfLast("message"),
    reason: textOfLast("reason"),
  };
}

/** Whether the address is https, or http while address and issuer are on the device (RFC 8414 §2, RFC 8252 §7.3). */
export function isSecure(address: string | undefined, issuer: string): boolean {
  if (!isVisible(address) || address.includes("@")) return false;
  if (address.startsWith("https://")) return address.length > "https://".length;
  return isOnDevice(issuer) && isOnDevice(address);
}

function isOnDevice(address: string): boolean {
  return /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?:[:/]|$)/.test(address);
}

/** Whether the text is printable ASCII and not only spaces, so that a user can copy it from a display. */
export const isPrintable = (text: string | undefined): text is string =>
  text !== undefined && /^[\x20-\x7e]*[\x21-\x7e][\x20-\x7e]*$/.test(text);

/** Whether the text is a web address (RFC 8628 §3.2 requires a URI). */
export const isAddress = (text: string | undefined): text is string =>
  isVisible(text) && /^https?:\/\/./i.test(text);

export const isTyped = (text: string | undefined): text is string =>
  isVisible(text) && /^(?![!-/])[^:/]*\.[^:/]*(?:\/|$)/.test(text);

// How a device must react to each error (RFC 6749 §4.1.2.1, §5.2, RFC 8628 §3.5, RFC 6750 §3.1), by
// the table in error-rows.ts.

const BY_NUMBER: ReadonlyMap<number, ErrorRow> = new Map(
  ERROR_ROWS.map((row) => [row.number, row]),
);
const rowOf = (error: number): ErrorRow | undefined => BY_NUMBER.get(error);

const NAMES: ReadonlyMap<string, ErrorCode> = new Map(
  ERROR_ROWS.flatMap(({ number, wire }) => wire.map((name) => [name, number])),
);

/** Error names that a server may send. Random responses also contain "" and unknown names. */
export const ERROR_NAMES: readonly string[] = [...NAMES.keys()];

function errorNamed(name: string): ErrorCode {
  return NAMES.get(name) ?? ErrorCode.UNKNOWN_ERROR;
}

export const isTransient = (error: number): boolean => rowOf(error)?.kind === "transient";

/** Whether the server reported the error. The device itself checks token types. */
export const isServers = (error: number): boolean =>
  error === ErrorCode.UNKNOWN_ERROR ||
  (rowOf(error)!.wire.length > 0 && error !== ErrorCode.UNSUPPORTED_TOKEN_TYPE);

const isManufacturers = (error: number): boolean =>
  error === ErrorCode.UNKNOWN_ERROR ||
  (rowOf(error)?.kind === "developer" && rowOf(error)!.wire.length > 0);

export const isRenewable = (error: number): boolean => rowOf(error)?.kind === "renewable";

const REFUSES_GRANT: ReadonlySet<number> = new Set([
  ErrorCode.EXPIRED_TOKEN,
  ErrorCode.INVALID_GRANT,
  ErrorCode.ACCESS_DENIED,
  ErrorCode.INVALID_TOKEN,
  ErrorCode.TOKEN_REVOKED,
  ErrorCode.INTERACTION_REQUIRED,
]);

/** Whether the error ends the grant at a refresh (RFC 6749 §5.2, and the error names of other servers). */
export const refusesGrant = (error: number): boolean => REFUSES_GRANT.has(error);

/** The outcome of an error (core/SPEC.md, Errors). */
export function outcomeOf(error: number): Outcome {
  if (error === ErrorCode.NONE) return Outcome.NONE;
  if (isTransient(error)) return Outcome.NETWORK;
  return isRenewable(error) || rowOf(error)!.kind === "user" ? Outcome.USER : Outcome.REFUSED;
}

export const messageOf = (error: number): Message => Message[rowOf(error)!.text];

// Which values of a response do not fit, and whether more memory would help (core/SPEC.md, "The loop").

const ADDRESS_BYTES_MAX = 512;

type Value = readonly [field: Field, text: string | undefined];

/** The number of bytes that a value had, and the number that fitted. */
export interface Kept {
  readonly sent: number;
  readonly kept: number;
}

/** The values that are present, and how many bytes of each fit. */
export function keptOf(
  values: readonly Value[],
  capacity: (field: number) => number,
): Map<Field, Kept> {
  const kept = new Map<Field, Kept>();
  for (const [field, value] of values) {
    const sent = value?.length ?? 0;
    if (value !== undefined) kept.set(field, { sent, kept: Math.min(sent, capacity(field)) });
  }
  return kept;
}

export function misfitOf(values: ReadonlyMap<Field, Kept>): Field {
  const cut = [...values].filter(([, { sent, kept }]) => sent > kept);
  return cut.length > 0 ? Math.min(...cut.map(([field]) => field)) : Field.NONE;
}

/** From this size of memory on, long addresses fit. LONG_ADDRESSES_BYTES are their additional bytes. */
const LONG_FROM_BYTES = 24_576;
const LONG_ADDRESSES_BYTES = 512 - 128 + 768 - 176;

export class Misfits {
  errorField = 0;
  errorLength = 0;
  memoryNeeded = 0;

  constructor(readonly memoryBytes: number) {}

  note(values: ReadonlyMap<Field, Kept>, lacking: number): ErrorCode {
    const cut = [...values].filter(([, { sent, kept }]) => sent > kept);
    this.errorField = misfitOf(values);
    this.errorLength = values.get(this.errorField)?.sent ?? 0;
    const isAddressLong = cut.some(([field]) => field === Field.VERIFICATION_URI);
    const isHelped = cut.every(
      ([field, { sent }]) =>
        field !== Field.USER_CODE &&
        (field !== Field.VERIFICATION_URI ||
          (sent <= ADDRESS_BYTES_MAX && this.memoryBytes < LONG_FROM_BYTES)),
    );
    const fixed: readonly number[] = [Field.USER_CODE, Field.VERIFICATION_URI];
    const missing = cut
      .filter(([field]) => !fixed.includes(field))
      .reduce((sum, [, { sent, kept }]) => sum + sent - kept, 0);
    const needs = [missing, lacking].map((bytes) => this.#with(bytes));
    if (isAddressLong) needs.push(LONG_FROM_BYTES);
    this.memoryNeeded = isHelped ? Math.max(...needs) : 0;
    if (this.errorField !== Field.NONE) return ErrorCode.VALUE_TOO_LONG;
    return lacking > 0 ? ErrorCode.MEMORY_TOO_SMALL : ErrorCode.NONE;
  }

  #with(missing: number): number {
    if (missing <= 0) return 0;
    const bytes = this.memoryBytes + missing;
    const isPassed = this.memoryBytes < LONG_FROM_BYTES && bytes >= LONG_FROM_BYTES;
    return isPassed ? bytes + LONG_ADDRESSES_BYTES : bytes;
  }
}
