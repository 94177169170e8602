// The grant alone, as a host sees it: everything that crosses the border between core and host.
// complete.ts adds discovery, API calls, offers and security events.

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
 * Makes a device for the grant alone. Allocates; no other function that a host calls does.
 * @param memory 4096 bytes or more, the device's own until both are given up; longer tokens need more
 * @param config what the maker sets; read during this call only
 * @returns the device, or null: configError says what is wrong, and where that is nothing the memory is too small
 */
export function create(memory: Bytes, config: Config): Device | null {
  return createDevice(memory, config, "", LiteralEnd.GRANT);
}
