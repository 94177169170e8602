// What did not fit, and how much memory a device would need for it. Which share of the memory a region has is
// decided in create.ts, by the same limits.

import { quotient } from "./digits.ts";
import { Limit } from "./limits.ts";
import { type Device, isTooLong, type Place } from "./memory.ts";
import { Field, Region } from "./tables.ts";

/** What did not fit of the grant. Calls do not touch it. */
export interface Misfit {
  /** The field of VALUE_TOO_LONG, or the one that an unusable response lacks; NONE if the last response lacks none. */
  errorField: Field;
  /** Bytes that the value of `errorField` had. */
  errorLength: number;
  /**
   * Bytes of memory that a device needs for what did not fit of the grant: a value, a request, or a record.
   * 0: nothing is known to be missing, or more memory does not help.
   */
  memoryNeeded: number;
}

export function makeMisfit(device: Misfit): void {
  device.errorField = 0;
  device.errorLength = 0;
  device.memoryNeeded = 0;
}

/** How many 32ths of the memory a region grows by; 0 where its size is fixed. */
function shareOf(region: Place): number {
  if (region === Field.ACCESS_TOKEN) return Limit.ACCESS_TOKEN_SHARE;
  // A device code lies where the refresh token does (regions.ts).
  if (region === Field.RECEIVED_REFRESH_TOKEN || region === Field.DEVICE_CODE) {
    return Limit.REFRESH_TOKEN_SHARE;
  }
  return region === Region.OUTPUT ? Limit.OUTPUT_SHARE : 0;
}

/** Bytes of memory with which the region would hold `length` bytes; 0 where more memory does not help. */
function memoryFor(device: Device, region: Place, length: number): number {
  var bytes = device.memory.length;
  var isSmall = bytes < Limit.LONG_URI_MEMORY;
  var share = shareOf(region);
  if (!share) {
    var helps = isSmall && region === Field.VERIFICATION_URI && length <= Limit.LONG_URI_MAX;
    return helps ? Limit.LONG_URI_MEMORY : 0;
  }
  // Regions grow by their share of every 32 bytes.
  var missing = length - device.capacity[region];
  bytes += 32 * quotient(missing + share - 1, share);
  if (isSmall && bytes >= Limit.LONG_URI_MEMORY) {
    bytes += Limit.LONG_URI_MAX - Limit.VERIFICATION_URI_MAX;
    bytes += Limit.LONG_URI_COMPLETE_MAX - Limit.VERIFICATION_URI_COMPLETE_MAX;
  }
  return bytes;
}

/**
 * Notes that the region would have to hold `length` bytes: the most of what is missing counts.
 * @returns whether more memory would help
 */
export function noteNeed(device: Device & Misfit, region: Place, length: number): boolean {
  var bytes = memoryFor(device, region, length);
  if (bytes > device.memoryNeeded) device.memoryNeeded = bytes;
  return bytes > 0;
}

/** What is wrong with an answer of the grant is about this field. */
export function noteField(device: Device & Misfit, field: Field): void {
  device.errorField = field;
}

/** The last of these fields whose value is too long for its region; NONE where all fit. */
export function lastTooLong(device: Device, fields: number): Field {
  for (var field: number = Region.KEY; --field > Field.NONE; ) {
    if ((fields >> field) & 1 && isTooLong(device, field)) return field;
  }
  return Field.NONE;
}

/**
 * Notes which of these fields of an answer of the grant are too long: errorField and errorLength say which value it
 * was and how long, memoryNeeded what would hold all of them.
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
  // Where one of them fits no memory, a larger one is of no use for the others.
  if (!isHelped) device.memoryNeeded = 0;
  return device.errorField !== Field.NONE;
}
