// The core as it ships, made into functions: the bundle, so that what lives here is what gets flashed.

import type * as complete from "../../core/complete.ts";
import { bundleCore } from "../../targets/firmware/bundle.ts";
import { bundleUnderTest } from "../engines/checked-core.ts";

export type LivesCore = Omit<
  typeof complete,
  "Command" | "Endpoint" | "CallState" | "ErrorCode" | "ErrorKind" | "Event" | "Field" | "Region"
>;

/** Source of the bundle with readable names, for planting bugs. */
export async function readableBundle(): Promise<string> {
  return (await bundleCore("complete", { minify: false })).code;
}

/** Source of the bundle as it is flashed; or with every number checked (PICOGRANT_INTEGERS=1). */
export async function shippedBundle(): Promise<string> {
  return bundleUnderTest("complete");
}

/** Evaluates a bundle. Each call makes functions of its own. */
export function coreOf(code: string): LivesCore {
  return new Function(`${code}\nreturn picogrant;`)() as LivesCore;
}
