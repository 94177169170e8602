// What was wrong with an answer, in words: what the device had no room for, for whoever gave it its memory, and which
// member was missing.

import { type Device, ErrorCode, Field, Region } from "../../core/index.ts";

/**
 * What the room for a code challenge takes (RFC 7636), in steps of the regions' shares. A device that had none for it
 * will have it in a larger memory, and what is missing lies beyond that.
 */
const CHALLENGE_BYTES = 160;

/**
 * Names the value, how long it was, and how much memory would do, or the most that any memory has room for; "" where
 * nothing is missing.
 */
export function missingCapacityOf(device: Device): string {
  const { error, errorField, errorLength, memoryNeeded } = device;
  const isMisfit = error === ErrorCode.VALUE_TOO_LONG && errorField > 0;
  if (memoryNeeded === 0 && !isMisfit) return "";
  const name = isMisfit ? nameOf(errorField) : "";
  const what = name === "" ? "a request or a record" : `${name} of ${errorLength} bytes`;
  const needed = memoryNeeded + (device.capacity[Region.CODE_VERIFIER]! > 0 ? 0 : CHALLENGE_BYTES);
  const remedy =
    memoryNeeded === 0
      ? `at most ${device.capacity[errorField]} are taken`
      : `${needed} bytes of memory would do`;
  return `no room for ${what}; ${remedy}`;
}

/** The member that an answer lacks, or has in a form that is of no use; "" where it is none. */
export function lackingMemberOf({ error, errorField }: Device): string {
  const isUnusable =
    error === ErrorCode.MALFORMED_RESPONSE || error === ErrorCode.UNUSABLE_RESPONSES;
  return isUnusable && errorField > 0 ? nameOf(errorField) : "";
}

/** The same in words. */
export function missingMemberOf(device: Device): string {
  const member = lackingMemberOf(device);
  return member && `there is no ${member} in the answer that can be used`;
}

/** As the server names it. */
function nameOf(field: number): string {
  return (Field[field] ?? "").toLowerCase().replace("received_", "");
}
