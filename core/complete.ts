// The complete runtime: the grant, and everything that a session is good for.

import { type Config, createDevice } from "./create.ts";
import { COMPLETE_LITERALS, CompleteLiteral } from "./literals.ts";
import { type Bytes, type Device, Literal } from "./memory.ts";

export { Command, Endpoint } from "./command.ts";
export type { Config } from "./create.ts";
export { ErrandState } from "./errand.ts";
export { ErrorCode, ErrorKind, errorKind, errorMessage, MESSAGES } from "./errors.ts";
export { responseBody, responseEnd, responseFailed, responseStart } from "./exchange.ts";
export type { Bytes, Device } from "./memory.ts";
export { Field, Region } from "./memory.ts";
export { discover } from "./metadata.ts";
export {
  addPath,
  addQueryValue,
  addSegment,
  beginCall,
  nextPage,
  sendCall,
} from "./protected-resource.ts";
export { applySecurityEvent, eventVerified, pollEvents } from "./security-event.ts";
export { storageDone } from "./start.ts";
export { Event, State } from "./states.ts";
export { createOffer, OfferError } from "./subscription-offer.ts";
export { tick, wakeIn } from "./tick.ts";
export { cancel, signIn, signOut } from "./user.ts";
export { setStatus } from "./verification-prompt.ts";

/**
 * Makes a device for everything. As index.ts; a poll of security events needs 6144 bytes.
 * @param memory 4096 bytes or more, the device's own until both are given up; longer tokens need more
 * @param config what the maker sets; read during this call only
 * @returns the device, or null where the memory is too small for the configuration
 */
export function create(memory: Bytes, config: Config): Device | null {
  return createDevice(memory, config, COMPLETE_LITERALS, CompleteLiteral.NEXT - Literal.NEXT);
}
