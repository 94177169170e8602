// Values that did not fit, and the memory that a device would need for them. create.ts divides the memory between the
// regions by the same limits.

import { quotient } from "./digits.ts";
import { Limit } from "./limits.ts";
import { type Device, isTooLong, type Place } from "./memory.ts";
import { Field, Region } from "./tables.ts";

/** The last value, request or record of the grant that did not fit. Calls do not change it. */
export interface Misfit {
  /** The field of VALUE_TOO_LONG, or the one that an unusable response lacks; NONE if there is none. */
  errorField: Field;
  /** Length in bytes of the value that `errorField` names. */
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

/** How many 32ths of additional memory a region gets; 0 if its size is fixed. */
function shareOf(region: Place): number {
  if (region === Field.ACCESS_TOKEN) return Limit.ACCESS_TOKEN_SHARE;
  // A device code shares the place of the refresh token (regions.ts).
  if (region === Field.RECEIVED_REFRESH_TOKEN || region === Field.DEVICE_CODE) {
    return Limit.REFRESH_TOKEN_SHARE;
  }
  return region === Region.OUTPUT ? Limit.OUTPUT_SHARE : 0;
}

/** Bytes of memory with which the region could hold `length` bytes; 0 if more memory does not help. */
function memoryFor(device: Device, region: Place, length: number): number {
  var bytes = device.memory.length;
  var isSmall = bytes < Limit.LONG_URI_MEMORY;
  var share = shareOf(region);
  if (!share) {
    var helps = isSmall && region === Field.VERIFICATION_URI && length <= Limit.LONG_URI_MAX;
    return helps ? Limit.LONG_URI_MEMORY : 0;
  }
  // A region grows by its share of every 32 bytes.
  var missing = length - device.capacity[region];
  bytes += 32 * quotient(missing + share - 1, share);
  if (isSmall && bytes >= Limit.LONG_URI_MEMORY) {
    bytes += Limit.LONG_URI_MAX - Limit.VERIFICATION_URI_MAX;
    bytes += Limit.LONG_URI_COMPLETE_MAX - Limit.VERIFICATION_URI_COMPLETE_MAX;
  }
  return bytes;
}

/**
 * Records that the region needs a capacity of `length` bytes. The largest need counts.
 * @returns whether more memory would help
 */
export function noteNeed(device: Device & Misfit, region: Place, length: number): boolean {
  var bytes = memoryFor(device, region, length);
  if (bytes > device.memoryNeeded) device.memoryNeeded = bytes;
  return bytes > 0;
}

/** Records that the response's error concerns this field. */
export function noteField(device: Device & Misfit, field: Field): void {
  device.errorField = field;
}

/** The last of these fields whose value is too long for its region; NONE if all fit. */
export function lastTooLong(device: Device, fields: number): Field {
  for (var field: number = Region.KEY; --field > Field.NONE; ) {
    if ((fields >> field) & 1 && isTooLong(device, field)) return field;
  }
  return Field.NONE;
}

/**
 * Finds the fields of a grant response that are too long. Sets errorField and errorLength to one of them, and
 * memoryNeeded to the memory in which all of them would fit.
 * @returns whether there is one
 */
export function noteTooLong(device: Device & Misfit, fields: number): boolean {
  device.errorField = lastTooLong(device, fields);
  device.errorLength = 0;
  device.memoryNeeded = 0;
  var isHelped = true;
  for (var field = 1; fields >> field; field++) {
    if ((fields >> field) & 1 && isTooLong(device, field)) {
      var length = device.capacity[field] + device.excess[field];
      if (field === device.errorField) device.errorLength = length;
      if (!noteNeed(device, field, length)) isHelped = false;
    }
  }
  // If more memory does not help one of them, it does not help the others.
  if (!isHelped) device.memoryNeeded = 0;
  return device.errorField !== Field.NONE;
}
