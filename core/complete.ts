// The complete runtime: the grant, and everything that a session is good for.

import type { Config } from "./device/config.ts";
import type { Bytes, Device } from "./device/memory.ts";
import { DOCUMENT_LITERALS, LiteralEnd, REQUEST_LITERALS } from "./device/tables.ts";
import { createDevice } from "./loop/create.ts";

export { Authorization, Command, Endpoint } from "./device/command.ts";
export { ClientAuthentication, type Config, ConfigMember, configError } from "./device/config.ts";
export { ErrorCode, ErrorKind, errorKind, errorMessage, MESSAGES } from "./device/errors.ts";
export type { Bytes, Device } from "./device/memory.ts";
export { Property } from "./device/property.ts";
export { Event, State } from "./device/states.ts";
export { Field, Region } from "./device/tables.ts";
export { setStatus } from "./display/verification-prompt.ts";
export { Ending, ending } from "./grant/refusal.ts";

import { makeEvents } from "./documents/security-event.ts";

export { applySecurityEvent, eventVerified, pollEvents } from "./documents/security-event.ts";
export { createOffer, OfferError } from "./documents/subscription-offer.ts";
export { responseBody, responseEnd, responseFailed, responseStart } from "./loop/exchange.ts";
export { storageDone } from "./loop/start.ts";
export { tick, wakeIn } from "./loop/tick.ts";
export { accessTokenRefused, cancel, signIn, signOut } from "./loop/user.ts";

export { CallState } from "./requests/call.ts";
export { discover } from "./requests/metadata.ts";
export {
  addPath,
  addQueryValue,
  addSegment,
  beginCall,
  nextPage,
  sendCall,
} from "./requests/protected-resource.ts";

/**
 * Makes a device for everything. As index.ts; a poll of security events needs 6144 bytes.
 * @param memory 4096 bytes or more, the device's own until both are given up; longer tokens need more
 * @param config what the maker sets; read during this call only
 * @returns the device, or null: configError says what is wrong with the configuration; where that is nothing, the
 *   memory is too small for it
 */
export function create(memory: Bytes, config: Config): Device | null {
  var device = createDevice(
    memory,
    config,
    REQUEST_LITERALS + DOCUMENT_LITERALS,
    LiteralEnd.COMPLETE,
  );
  if (device) makeEvents(device);
  return device;
}
