// The core as it ships, as text: the bundle, so that what lives here is what gets flashed.

import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import { bundleUnderTest } from "../engines/checked-core.ts";

/** Source of the bundle with readable names, for planting bugs. */
export async function readableBundle(): Promise<string> {
  return (await bundleCore("complete", { minify: false })).code;
}

/** Source of the bundle as it is flashed; or with every number checked (PICOGRANT_INTEGERS=1). */
export async function shippedBundle(): Promise<string> {
  return bundleUnderTest("complete");
}
