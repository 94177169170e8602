// The build that most developers need: the grant, API calls and metadata. complete.ts adds subscription offers and
// security events.

import type { Config } from "./device/config.ts";
import type { Bytes, Device } from "./device/memory.ts";
import { LiteralEnd, REQUEST_LITERALS } from "./device/tables.ts";
import { createDevice } from "./loop/create.ts";

// Exports everything from the build of the grant alone, except `create`: each build has its own.
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
 * Creates a device for the grant, API calls and metadata. After this call, the core does not allocate.
 * @param memory byte array, used as long as the device exists; 4096 bytes suffice for a 20x4 display and short tokens
 * @param config the developer's settings; read during this call only
 * @returns the device; null if configError returns an invalid member, or if the memory is too small
 */
export function create(memory: Bytes, config: Config): Device | null {
  return createDevice(memory, config, REQUEST_LITERALS, LiteralEnd.API);
}
