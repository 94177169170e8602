// The build with the grant, API calls and metadata, which most developers need. complete.ts adds subscription offers and
// security events.

import type { Config } from "./device/config.ts";
import type { Bytes, Device } from "./device/memory.ts";
import { LiteralEnd, REQUEST_LITERALS } from "./device/tables.ts";
import { createDevice } from "./loop/create.ts";

// Exports the grant's build except `create`, which each build defines itself.
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

/** Creates a device for the grant, API calls and metadata. Parameters and result: as `create` of index.ts. */
export function create(memory: Bytes, config: Config): Device | null {
  return createDevice(memory, config, REQUEST_LITERALS, LiteralEnd.API);
}
