// The build of the grant alone, with the core API that a host uses. api.ts adds metadata and API calls. complete.ts
// also adds subscription offers and security events.

import type { Config } from "./device/config.ts";
import type { Bytes, Device } from "./device/memory.ts";
import { LiteralEnd } from "./device/tables.ts";
import { createDevice } from "./loop/create.ts";

export { Authorization, Command, Endpoint } from "./device/command.ts";
export {
  ClientAuthentication,
  type Config,
  ConfigMember,
  configError,
  Pkce,
} from "./device/config.ts";
export { ErrorCode, ErrorKind, errorKind, errorMessage, MESSAGES } from "./device/errors.ts";
export type { Bytes, Device } from "./device/memory.ts";
export { Property, release } from "./device/property.ts";
export { Event, State } from "./device/states.ts";
export { Field, Region } from "./device/tables.ts";
export { setStatus } from "./display/verification-prompt.ts";
export { Outcome, outcome } from "./grant/refusal.ts";
export {
  responseBody,
  responseEnd,
  responseFailed,
  responseStart,
  setEndpoints,
} from "./loop/exchange.ts";
export { storageDone } from "./loop/start.ts";
export { tick, wakeIn } from "./loop/tick.ts";
export { accessTokenRefused, cancel, signIn, signOut } from "./loop/user.ts";
export { CallState } from "./requests/call.ts";

/**
 * Creates a device for the grant alone. After this call, the core does not allocate.
 * @param memory byte array, used as long as the device exists; 4096 bytes suffice for a 20x4 display and short tokens
 * @param config the developer's settings; read during this call only
 * @returns the device; null if configError returns an invalid member, or if the memory is too small
 */
export function create(memory: Bytes, config: Config): Device | null {
  return createDevice(memory, config, "", LiteralEnd.GRANT);
}
