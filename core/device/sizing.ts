// How much memory a device would need for what did not fit. Which share of the memory a region has is
// decided in create.ts, by the same limits.

import { quotient } from "./digits.ts";
import { Limit } from "./limits.ts";
import { type Device, Field, Region } from "./memory.ts";

/** How many 32ths of the memory a region grows by; 0 where its size is fixed. */
function shareOf(region: number): number {
  if (region === Field.ACCESS_TOKEN) return Limit.ACCESS_TOKEN_SHARE;
  // A device code lies where the refresh token does (regions.ts).
  if (region === Field.REFRESH_TOKEN || region === Field.DEVICE_CODE) {
    return Limit.REFRESH_TOKEN_SHARE;
  }
  return region === Region.OUTPUT ? Limit.OUTPUT_SHARE : 0;
}

/** What longer addresses take of a memory from Limit.LONG_URI_MEMORY on. */
enum LongUris {
  BYTES = Limit.LONG_URI_MAX -
    Limit.VERIFICATION_URI_MAX +
    Limit.LONG_URI_COMPLETE_MAX -
    Limit.VERIFICATION_URI_COMPLETE_MAX,
}

/** Bytes of memory with which the region would hold `length` bytes; 0 where more memory does not help. */
function memoryFor(device: Device, region: number, length: number): number {
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
  return isSmall && bytes >= Limit.LONG_URI_MEMORY ? bytes + LongUris.BYTES : bytes;
}

/** Notes that the region would have to hold `length` bytes: the most of what is missing counts. */
export function noteNeed(device: Device, region: number, length: number): void {
  var bytes = memoryFor(device, region, length);
  if (bytes > device.memoryNeeded) device.memoryNeeded = bytes;
}
