// The grant, API calls and metadata: what most developers need. complete.ts adds the features of the two
// specifications.

import type { Config } from "./device/config.ts";
import type { Bytes, Device } from "./device/memory.ts";
import { LiteralEnd, REQUEST_LITERALS } from "./device/tables.ts";
import { createDevice } from "./loop/create.ts";

// Except create, which each build defines itself.
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
 * Creates a device for the grant, API calls and metadata. Allocates; no other function of the core API does.
 * @param memory at least 4096 bytes, more for longer tokens; the device uses it as long as it exists
 * @param config the developer's settings; read during this call only
 * @returns the device, or null: then configError names the problem; if it names none, the memory is too small
 */
export function create(memory: Bytes, config: Config): Device | null {
  return createDevice(memory, config, REQUEST_LITERALS, LiteralEnd.API);
}
