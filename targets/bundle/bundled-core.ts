// The core as one ES5 script that defines `picogrant`, for every build, test and measurement. The result of make-bundle.ts
// is cached, so that most uses need not load the build tools.

import { keyOf, stored } from "./build-cache.ts";
import type { Variant } from "./surface.ts";

export type { Variant } from "./surface.ts";

export interface Bundle {
  /** The script for hosts in JavaScript: `picogrant` has the functions by name. */
  readonly code: string;
  /** The source map as JSON. Paths of sources are relative to dist/. */
  readonly map: string;
  /**
   * The first part of the script, for hosts in other languages. `picogrant` is a list: the one function, which takes the
   * number of an operation (surface.ts) and its arguments, then `create`, `configError` and the release.
   */
  readonly flashed: string;
}

/** The options of a bundle. */
interface BundleOptions {
  /** False: only joins the files, with the names of the sources (for instrumentation and debugging). */
  readonly minify?: boolean;
}

/** Bundles the core. @param variant the build, such as "complete" or "grant" */
export function bundleCore(variant: Variant, options: BundleOptions = {}): Promise<Bundle> {
  const { minify = true } = options;
  const key = `${variant} ${minify}`;
  const bundle =
    made.get(key) ?? stored(keyOf(key, ["core", "targets/bundle"]), () => make(variant, minify));
  made.set(key, bundle);
  return bundle;
}

/** Each bundle is made at most once per process. */
const made = new Map<string, Promise<Bundle>>();

/** Loads the tools on demand. That takes half a second, and most processes do not need them. */
async function make(variant: Variant, minify: boolean): Promise<Bundle> {
  const tools = await import("./make-bundle.ts");
  return minify ? tools.shippedBundle(variant) : tools.readableBundle(variant);
}
