// The core as one ES5 script that defines `picogrant`, for every build, test and measurement. make-bundle.ts makes it.
// It is cached, so that most uses need not load the build tools.

import { keyOf, stored } from "./build-cache.ts";
import type { Variant } from "./surface.ts";

export type { Variant } from "./surface.ts";

export interface Bundle {
  /** Defines `picogrant` with the functions by name, for hosts in JavaScript. */
  readonly code: string;
  /** The source map as JSON. Paths of sources are relative to dist/. */
  readonly map: string;
  /**
   * The first part of the code, for hosts in other languages. `picogrant` is a list: the one function, which takes the
   * number of an operation (surface.ts) and its arguments, then `create`, `configError` and the release.
   */
  readonly flashed: string;
}

/** How a bundle is made. */
interface BundleOptions {
  /** False: the files are only joined, with the names of the sources (instrumentation, debugging). */
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

/** Each bundle is made at most once per process. */
const made = new Map<string, Promise<Bundle>>();

/** Loading the tools takes half a second, and most processes do not need them. */
async function make(variant: Variant, minify: boolean): Promise<Bundle> {
  const tools = await import("./make-bundle.ts");
  return minify ? tools.shippedBundle(variant) : tools.readableBundle(variant);
}
