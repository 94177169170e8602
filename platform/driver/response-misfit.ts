// Explains an unusable response: which value did not fit, and how much memory it needs, or which member was missing.

import { type Device, ErrorCode, Field, Region } from "../../core/index.ts";

/**
 * Memory for a code challenge (RFC 7636), rounded up to a step of the regions. A device without it gets it in a larger
 * memory, in addition to what is missing.
 */
const CHALLENGE_BYTES = 160;

/**
 * Names the value, its length, and the memory that it needs, or the largest size that any memory allows; "" if nothing
 * is missing.
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

/** The member that a response lacks, or has in an invalid form; "" if none. */
export function lackingMemberOf({ error, errorField }: Device): string {
  const isUnusable =
    error === ErrorCode.MALFORMED_RESPONSE || error === ErrorCode.UNUSABLE_RESPONSES;
  return isUnusable && errorField > 0 ? nameOf(errorField) : "";
}

export function missingMemberOf(device: Device): string {
  const member = lackingMemberOf(device);
  return member && `there is no ${member} in the response that can be used`;
}

function nameOf(field: number): string {
  return (Field[field] ?? "").toLowerCase().replace("received_", "");
}
