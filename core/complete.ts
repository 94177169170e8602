// The complete build: the grant, API calls, metadata, subscription offers and security events.

import type { Config } from "./device/config.ts";
import type { Bytes, Device } from "./device/memory.ts";
import { DOCUMENT_LITERALS, LiteralEnd, REQUEST_LITERALS } from "./device/tables.ts";
import { createDevice } from "./loop/create.ts";
import { makeEvents } from "./specifications/security-event.ts";

// Exports everything from the build with API calls, except `create`: each build has its own.
export * from "./api.ts";
export { applySecurityEvent, eventVerified, pollEvents } from "./specifications/security-event.ts";
export { createOffer, OfferError } from "./specifications/subscription-offer.ts";

/**
 * Creates a device with all features. Polls for security events need 6144 bytes of memory.
 * @param memory byte array, used as long as the device exists; 4096 bytes suffice for a 20x4 display and short tokens
 * @param config the developer's settings; read during this call only
 * @returns the device; null if configError returns an invalid member, or if the memory is too small
 */
export function create(memory: Bytes, config: Config): Device | null {
  var literals = REQUEST_LITERALS + DOCUMENT_LITERALS;
  var device = createDevice(memory, config, literals, LiteralEnd.COMPLETE);
  if (device) makeEvents(device);
  return device;
}
