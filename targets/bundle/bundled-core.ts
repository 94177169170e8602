// The core as one ES5 script that defines `picogrant`, for every build, test and measurement. It is cached
// (make-bundle.ts makes it), so that most uses load no build tools.

import { keyOf, stored } from "./build-cache.ts";
import type { Variant } from "./surface.ts";

export type { Variant } from "./surface.ts";

export interface Bundle {
  /** Defines `picogrant` for hosts in JavaScript: the functions by name. */
  readonly code: string;
  /** Source map, as JSON; its sources are named as seen from dist/. */
  readonly map: string;
  /**
   * The first part of the code, for hosts in other languages: `picogrant` is a list of the one function, which takes
   * the number of an operation (surface.ts) and its arguments, `create`, `configError` and the release.
   */
  readonly flashed: string;
}

/** How a bundle is made. */
interface BundleOptions {
  /** False: only joined, with the names of the sources (instrumentation, debugging). */
  readonly minify?: boolean;
}

/**
 * Bundles the core.
 * @param variant "grant" is the grant alone, "complete" everything
 */
export function bundleCore(variant: Variant, options: BundleOptions = {}): Promise<Bundle> {
  const { minify = true } = options;
  const key = `${variant} ${minify}`;
  const bundle =
    made.get(key) ?? stored(keyOf(key, ["core", "targets/bundle"]), () => make(variant, minify));
  made.set(key, bundle);
  return bundle;
}

/** Each is read once per process. */
const made = new Map<string, Promise<Bundle>>();

/** The tools take half a second to load, and most processes need none of them. */
async function make(variant: Variant, minify: boolean): Promise<Bundle> {
  const tools = await import("./make-bundle.ts");
  return minify ? tools.shippedBundle(variant) : tools.readableBundle(variant);
}
