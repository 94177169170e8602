// What each error means to a device: RFC 6749 §4.1.2.1, §5.2, RFC 8628 §3.5, RFC 6750 §3.1. Names, kinds and texts
// are those of the rows that are written out by hand for all tests.

import { Message } from "../../../core/device/errors.ts";
import { ErrorCode } from "../../../core/index.ts";
import { ERROR_ROWS, type ErrorRow } from "../../error-rows.ts";

const BY_NUMBER: ReadonlyMap<number, ErrorRow> = new Map(
  ERROR_ROWS.map((row) => [row.number, row]),
);
const rowOf = (error: number): ErrorRow | undefined => BY_NUMBER.get(error);

/** What a server's name for an error stands for. */
const NAMES: ReadonlyMap<string, ErrorCode> = new Map(
  ERROR_ROWS.flatMap(({ number, wire }) => wire.map((name) => [name, number])),
);

/** Names that a server may use; "" and unknown ones are the generator's to add. */
export const ERROR_NAMES: readonly string[] = [...NAMES.keys()];

export function errorNamed(name: string): ErrorCode {
  return NAMES.get(name) ?? ErrorCode.UNKNOWN_ERROR;
}

export const isTransient = (error: number): boolean => rowOf(error)?.kind === "transient";

/** Named by a server, and only the maker can mend it. */
export const isMakers = (error: number): boolean =>
  error === ErrorCode.UNKNOWN_ERROR ||
  (rowOf(error)?.kind === "maker" && rowOf(error)!.wire.length > 0);

/** The code is of no use any more, and another one can be had. */
export const isRenewable = (error: number): boolean => rowOf(error)?.kind === "renewable";

const REFUSES_GRANT: ReadonlySet<number> = new Set([
  ErrorCode.EXPIRED_TOKEN,
  ErrorCode.INVALID_GRANT,
  ErrorCode.ACCESS_DENIED,
  ErrorCode.INVALID_TOKEN,
  ErrorCode.TOKEN_REVOKED,
  ErrorCode.INTERACTION_REQUIRED,
]);

/** At a refresh: the grant is over, and only signing in again helps (RFC 6749 §5.2, and what is said instead). */
export const refusesGrant = (error: number): boolean => REFUSES_GRANT.has(error);

/** The display text for an error. */
export const messageOf = (error: number): Message => Message[rowOf(error)!.text];
