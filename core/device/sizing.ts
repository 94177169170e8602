// Values that did not fit, and the memory that a device would need for them.

import { ErrorCode } from "./errors.ts";
import { Limit } from "./limits.ts";
import { type Device, isTooLong, overflowOf } from "./memory.ts";
import { Field, Fields } from "./tables.ts";

/** The last value, request or record of the grant that did not fit. Calls do not change it. */
export interface Misfit {
  /** The field that did not fit (VALUE_TOO_LONG), or was missing or invalid in an unusable response; NONE: no field. */
  errorField: Field;
  /** Length in bytes of the value that `errorField` names, if it is too long. */
  errorLength: number;
  /**
   * Memory in bytes that the device would need for the value, request or record of the grant that did not fit. 0:
   * everything fits, or more memory does not help.
   */
  memoryNeeded: number;
}

export function makeMisfit(device: Misfit): void {
  device.errorField = 0;
  device.errorLength = 0;
  device.memoryNeeded = 0;
}

/** Makes memoryNeeded at least the memory's size plus `missing`. At LONG_URI_MEMORY bytes, address regions grow too. */
export function noteNeed(device: Device & Misfit, missing: number): void {
  var bytes = device.memory.length + missing;
  if (device.memory.length < Limit.LONG_URI_MEMORY && bytes >= Limit.LONG_URI_MEMORY) {
    bytes += Limit.LONG_URIS_SIZE;
  }
  if (missing > 0 && bytes > device.memoryNeeded) device.memoryNeeded = bytes;
}

export function noteField(device: Device & Misfit, field: Field): void {
  device.errorField = field;
}

/** The first of these fields whose value is too long for its region; NONE if all fit. */
export function firstTooLong(device: Device, fields: number): Field {
  for (var field = 1; fields >> field; field++) {
    if ((fields >> field) & 1 && isTooLong(device, field)) return field;
  }
  return Field.NONE;
}

/**
 * Finds the fields of a grant response that are too long. Sets errorField and errorLength to the first of them, and
 * memoryNeeded to the memory in which all of them would fit.
 * @param missing bytes of memory that the next request lacks (missingBytes)
 * @returns VALUE_TOO_LONG or MEMORY_TOO_SMALL; NONE if everything fits
 */
export function misfitError(device: Device & Misfit, missing: number): ErrorCode {
  var address = Field.VERIFICATION_URI;
  var field = firstTooLong(device, Fields.CODE_MUST_FIT | Fields.TOKENS_MUST_FIT);
  device.errorField = field;
  device.errorLength = field && device.length[field] + device.excess[field];
  device.memoryNeeded = 0;
  noteNeed(device, missing);
  var overflow = overflowOf(device, Field.DEVICE_CODE) + overflowOf(device, Field.ACCESS_TOKEN);
  noteNeed(device, overflow + overflowOf(device, Field.RECEIVED_REFRESH_TOKEN));
  if (isTooLong(device, address) && device.memoryNeeded < Limit.LONG_URI_MEMORY) {
    device.memoryNeeded = Limit.LONG_URI_MEMORY;
  }
  // The user code and the address have a maximum size. If one exceeds it, more memory does not help.
  if (
    isTooLong(device, Field.USER_CODE) ||
    device.length[address] + overflowOf(device, address) > Limit.LONG_URI_MAX
  ) {
    device.memoryNeeded = 0;
  }
  if (field) return ErrorCode.VALUE_TOO_LONG;
  return missing > 0 ? ErrorCode.MEMORY_TOO_SMALL : ErrorCode.NONE;
}
