// The grant alone, as a host sees it: everything that crosses the border between core and host.
// complete.ts adds discovery, API calls, offers and security events.

import { type Config, createDevice } from "./create.ts";
import type { Bytes, Device } from "./memory.ts";

export { Command, Endpoint } from "./command.ts";
export type { Config } from "./create.ts";
export { ErrorCode, ErrorKind, errorKind, errorMessage, MESSAGES } from "./errors.ts";
export { responseBody, responseEnd, responseFailed, responseStart } from "./exchange.ts";
export type { Bytes, Device } from "./memory.ts";
export { Field, Region } from "./memory.ts";
export { storageDone } from "./start.ts";
export { Event, State } from "./states.ts";
export { tick, wakeIn } from "./tick.ts";
export { cancel, signIn, signOut } from "./user.ts";
export { setStatus } from "./verification-prompt.ts";

/**
 * Makes a device for the grant alone. Allocates; no other function of the core does.
 * @param memory 4096 bytes or more, the device's own until both are given up; longer tokens need more
 * @param config what the maker sets; read during this call only
 * @returns the device, or null where the memory is too small for the configuration
 */
export function create(memory: Bytes, config: Config): Device | null {
  return createDevice(memory, config, "", 0);
}
