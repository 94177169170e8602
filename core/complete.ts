// The complete runtime: the grant, and everything that a session is good for.

import type { Config } from "./device/config.ts";
import type { Bytes, Device } from "./device/memory.ts";
import { DOCUMENT_LITERALS, LiteralEnd, REQUEST_LITERALS } from "./device/tables.ts";
import { createDevice } from "./loop/create.ts";
import { makeEvents } from "./specifications/security-event.ts";

// But for create, which is this build's own.
export * from "./api.ts";
export { applySecurityEvent, eventVerified, pollEvents } from "./specifications/security-event.ts";
export { createOffer, OfferError } from "./specifications/subscription-offer.ts";

/**
 * Makes a device for everything. As index.ts; a poll of security events needs 6144 bytes.
 * @param memory 4096 bytes or more, the device's own until both are given up; longer tokens need more
 * @param config what the maker sets; read during this call only
 * @returns the device, or null: configError says what is wrong, and where that is nothing the memory is too small
 */
export function create(memory: Bytes, config: Config): Device | null {
  var literals = REQUEST_LITERALS + DOCUMENT_LITERALS;
  var device = createDevice(memory, config, literals, LiteralEnd.COMPLETE);
  if (device) makeEvents(device);
  return device;
}
