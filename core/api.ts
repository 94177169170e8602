// The grant, calls of APIs and metadata: what most makers want. complete.ts adds what is the two documents' own.

import type { Config } from "./device/config.ts";
import type { Bytes, Device } from "./device/memory.ts";
import { LiteralEnd, REQUEST_LITERALS } from "./device/tables.ts";
import { createDevice } from "./loop/create.ts";

// But for create, which is this build's own.
export * from "./index.ts";
export { responseChallenge } from "./requests/call.ts";
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
 * Makes a device for the grant, calls and metadata. Allocates; no other function that a host calls does.
 * @param memory 4096 bytes or more, the device's own until both are given up; longer tokens need more
 * @param config what the maker sets; read during this call only
 * @returns the device, or null: configError says what is wrong, and where that is nothing the memory is too small
 */
export function create(memory: Bytes, config: Config): Device | null {
  return createDevice(memory, config, REQUEST_LITERALS, LiteralEnd.API);
}
