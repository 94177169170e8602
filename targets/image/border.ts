// The numbers of the border between core and host, and their digest.

import { createHash } from "node:crypto";
import { CallState } from "../../core/complete.ts";
import {
  Authorization,
  ClientAuthentication,
  Command,
  Endpoint,
  ErrorCode,
  Event,
  Field,
  Property,
  Region,
  State,
} from "../../core/index.ts";
import { BORDER_BYTES } from "./format.ts";

export type Enum = Record<string, string | number>;

/** The enums of the border, under the names that they have in C. */
export const enums: Readonly<Record<string, Enum>> = {
  AUTHORIZATION: Authorization,
  CLIENT_AUTHENTICATION: ClientAuthentication,
  COMMAND: Command,
  ENDPOINT: Endpoint,
  FIELD: Field,
  REGION: Region,
  STATE: State,
  EVENT: Event,
  ERROR_CODE: ErrorCode,
  CALL_STATE: CallState,
};

/** Members of an enum with their numbers. */
export function membersOf(numbers: Enum): [string, number][] {
  return Object.entries(numbers).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
}

/**
 * The border's version: a digest of all its numbers. A core and a host that differ in one of them must
 * not meet: a store would be an erasure (targets/image/FORMAT.md).
 */
export function borderDigest(numbers: Readonly<Record<string, Enum>> = enums): Uint8Array {
  const places = Object.entries(Property).map(([name], place) => `PROPERTY ${name} ${place}\n`);
  const lines = Object.entries(numbers).flatMap(([name, members]) =>
    membersOf(members).map(([member, value]) => `${name} ${member} ${value}\n`),
  );
  const hash = createHash("sha256")
    .update([...lines, ...places].sort().join(""))
    .digest();
  return new Uint8Array(hash.subarray(0, BORDER_BYTES));
}
